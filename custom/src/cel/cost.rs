//! What expressions cost: an estimate when they are compiled, the truth when they are evaluated. Both
//! count the same things; only the sizes of values differ.

/// The size of what has no known bound.
pub const UNKNOWN: u64 = u64::MAX;

pub(super) const LIST: u64 = 10;
pub(super) const MAP: u64 = 30;

/// What a function costs, by the sizes of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Model {
    /// The same always.
    One,
    /// Reading the first argument.
    Read,
    /// Reading the first argument and writing as much.
    ReadTwice,
    /// Reading the second argument.
    ReadSecond,
    /// Looking for the second argument at each place of the first.
    Search,
    /// Running the expression in the second argument over the first.
    Regex,
    /// Comparing two values: as much as the shorter one.
    Compare,
    /// Writing both one after the other.
    Concat,
    /// Looking at each item of the second argument.
    Among,
    /// Looking at each item of the first argument; the second size is that of an item.
    Items,
    /// Writing the items of a list one after the other, and the second argument between them.
    Join,
    /// Looking for each item of a list in all of it.
    Squared,
    /// Making so many items.
    Range,
    /// Looking for each item of one list in the other.
    Pairs,
    /// Running the long expression of a format.
    Format,
}

/// The tenth of a size, rounded up: what reading text costs.
fn tenth(size: u64) -> u64 {
    if size == UNKNOWN { UNKNOWN } else { size.div_ceil(10) }
}

/// What a call costs when its arguments have these sizes.
pub(super) fn of_call(model: Model, sizes: &[u64]) -> u64 {
    let size = |index: usize| sizes.get(index).copied().unwrap_or(1);
    match model {
        Model::One => 1,
        Model::Read => tenth(size(0)),
        Model::ReadTwice => tenth(size(0).saturating_mul(2)),
        Model::ReadSecond => tenth(size(1)),
        Model::Search => tenth(size(0)).saturating_mul(tenth(size(1))),
        Model::Regex => tenth(size(0).saturating_add(1)).saturating_mul(size(1).div_ceil(4)),
        Model::Compare => tenth(size(0).min(size(1))),
        Model::Concat => tenth(size(0).saturating_add(size(1))),
        Model::Among => size(1),
        Model::Items => {
            size(0).saturating_mul(tenth(sizes.get(1).copied().unwrap_or(0)).saturating_add(1))
        }
        Model::Join => tenth(joined(sizes)),
        Model::Squared => size(0).saturating_mul(size(0)).saturating_add(LIST),
        Model::Range => size(0).saturating_add(LIST),
        Model::Pairs => size(0).saturating_mul(size(1)),
        Model::Format => tenth(size(1)).saturating_mul(64),
    }
}

/// The size of a list's texts written one after the other: how many there are, what stands between
/// them, and how long they are.
pub(super) fn joined(sizes: &[u64]) -> u64 {
    let size = |index: usize| sizes.get(index).copied().unwrap_or(0);
    let between = size(0).saturating_sub(1).saturating_mul(size(1));
    size(0).saturating_mul(size(2)).saturating_add(between)
}

//! What becomes of an object whose owners were looked up. Pure.

use super::graph::{Dependents, Uid};
use crate::handlers::Propagation;

/// What a look at an owner found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnerState {
    /// It is there.
    Solid,
    /// It is there, and waits for its dependents to go.
    Waiting,
    /// There is none of that name, or it is another object.
    Absent,
    /// It lives in a namespace and the dependent does not, so it cannot be looked up.
    OutOfReach,
    /// Its kind is not served, so nobody knows.
    Unknown,
}

/// The object that is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Defendant {
    /// Somebody asked for its deletion already.
    pub(super) is_going: bool,
    /// What its own finalizers say about its dependents.
    pub(super) says: Propagation,
    pub(super) dependents: Dependents,
}

/// What is to be done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing.
    Keep,
    /// Nothing for now.
    LookAgain,
    /// It belongs to others still: these references go.
    Release(Vec<Uid>),
    /// It goes.
    Delete(Propagation),
    /// It goes before its dependents, of which one waits for it: nobody waits for it any longer.
    BreakCircle,
}

/// Judges an object by its owners.
pub(super) fn judge(defendant: Defendant, owners: &[(Uid, OwnerState)]) -> Verdict {
    let any = |state| owners.iter().any(|(_, found)| *found == state);
    if defendant.is_going || owners.is_empty() || any(OwnerState::OutOfReach) {
        return Verdict::Keep;
    }
    if any(OwnerState::Unknown) {
        return Verdict::LookAgain;
    }
    if any(OwnerState::Solid) {
        let others = owners.iter().filter(|(_, state)| *state != OwnerState::Solid);
        let others: Vec<Uid> = others.map(|(uid, _)| uid.clone()).collect();
        return if others.is_empty() { Verdict::Keep } else { Verdict::Release(others) };
    }
    match (any(OwnerState::Waiting), defendant.dependents) {
        (true, Dependents::Waiting) => Verdict::BreakCircle,
        (true, Dependents::Some) => Verdict::Delete(Propagation::Foreground),
        (true, Dependents::None) | (false, _) => Verdict::Delete(defendant.says),
    }
}

#[cfg(test)]
mod tests {
    use super::OwnerState::{Absent, OutOfReach, Solid, Unknown, Waiting};
    use super::*;

    fn judged(dependents: Dependents, owners: &[OwnerState]) -> Verdict {
        let defendant = Defendant { is_going: false, says: Propagation::Background, dependents };
        let named = owners.iter().enumerate().map(|(at, state)| (at.to_string().into(), *state));
        judge(defendant, &named.collect::<Vec<_>>())
    }

    #[test]
    fn an_object_goes_when_no_owner_is_left() {
        let background = Verdict::Delete(Propagation::Background);
        assert_eq!(judged(Dependents::None, &[Absent]), background);
        assert_eq!(judged(Dependents::Some, &[Absent, Absent]), background);
        assert_eq!(judged(Dependents::None, &[Waiting]), background);
        assert_eq!(judged(Dependents::None, &[]), Verdict::Keep);
    }

    #[test]
    fn one_owner_that_stays_is_enough() {
        assert_eq!(judged(Dependents::None, &[Solid]), Verdict::Keep);
        let released = Verdict::Release(vec!["1".into(), "2".into()]);
        assert_eq!(judged(Dependents::Some, &[Solid, Absent, Waiting]), released);
    }

    #[test]
    fn what_has_dependents_goes_in_the_foreground_of_an_owner_that_waits() {
        let foreground = Verdict::Delete(Propagation::Foreground);
        assert_eq!(judged(Dependents::Some, &[Waiting, Absent]), foreground);
        assert_eq!(judged(Dependents::Waiting, &[Waiting]), Verdict::BreakCircle);
    }

    #[test]
    fn where_an_owner_cannot_be_found_out_about_nothing_is_done() {
        assert_eq!(judged(Dependents::None, &[Absent, Unknown]), Verdict::LookAgain);
        assert_eq!(judged(Dependents::None, &[Absent, OutOfReach]), Verdict::Keep);
    }

    #[test]
    fn an_objects_own_finalizers_say_what_becomes_of_its_dependents() {
        let defendant =
            Defendant { is_going: false, says: Propagation::Orphan, dependents: Dependents::Some };
        let owners = [("o".into(), Absent)];
        assert_eq!(judge(defendant, &owners), Verdict::Delete(Propagation::Orphan));
        assert_eq!(judge(Defendant { is_going: true, ..defendant }, &owners), Verdict::Keep);
    }
}

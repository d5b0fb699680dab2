//! Shares out a sum in proportion to targets, within bounds (spec: apf 5.4).

/// Targets below this count as this.
const MIN_TARGET: f64 = 0.001;
/// How far sums may be apart and still count as equal.
const EPSILON: f64 = 1e-7;

/// Someone to whom a part of the sum is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    /// The part is proportional to this; at least `lower`.
    pub target: f64,
    /// The least part.
    pub lower: f64,
    /// The greatest part.
    pub upper: f64,
}

/// A sum shared out: each part is `fair_prop` times the target, or the bound it would cross.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Allocation {
    /// The parts, in the order of the items.
    pub parts: Vec<f64>,
    /// The factor.
    pub fair_prop: f64,
}

/// Why a sum cannot be shared out. The texts are those of the reference.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum AllocationError {
    /// The sum is negative.
    #[error("negative sums are not supported")]
    NegativeSum,
    /// A lower bound is negative.
    #[error("lower bound {0} is {1} but negative lower bounds are not allowed")]
    NegativeLower(usize, f64),
    /// A target is below its lower bound.
    #[error("target {0} is {1}, which is below its lower bound of {2}")]
    TargetBelowLower(usize, f64, f64),
    /// An upper bound is below its lower bound.
    #[error("upper bound {0} is {1} but should not be less than the lower bound {2}")]
    UpperBelowLower(usize, f64, f64),
    /// Even the least parts are too much.
    #[error("lower bounds sum to {0}, which is higher than the required sum of {1}")]
    SumTooLow(f64, f64),
    /// Even the greatest parts are too little.
    #[error("upper bounds sum to {0}, which is lower than the required sum of {1}")]
    SumTooHigh(f64, f64),
}

/// Shares `required_sum` out among `items`.
///
/// # Errors
///
/// [`AllocationError`] if an item contradicts itself or the sum is out of reach.
pub fn allocate(required_sum: f64, items: &[Item]) -> Result<Allocation, AllocationError> {
    if required_sum < 0.0 {
        return Err(AllocationError::NegativeSum);
    }
    for (index, item) in items.iter().enumerate() {
        item.check(index)?;
    }
    let sum_of = |part: fn(&Item) -> f64| items.iter().map(part).fold(0.0, |sum, p| sum + p);
    let (lower_sum, upper_sum) = (sum_of(|item| item.lower), sum_of(|item| item.upper));
    if lower_sum - required_sum > EPSILON {
        return Err(AllocationError::SumTooLow(lower_sum, required_sum));
    }
    if required_sum - upper_sum > EPSILON {
        return Err(AllocationError::SumTooHigh(upper_sum, required_sum));
    }
    if required_sum == 0.0 {
        return Ok(Allocation { parts: vec![0.0; items.len()], fair_prop: 0.0 });
    }
    if lower_sum - required_sum > -EPSILON {
        let parts = items.iter().map(|item| item.lower).collect();
        return Ok(Allocation { parts, fair_prop: least(items, Item::relative_lower) });
    }
    if required_sum - upper_sum > -EPSILON {
        let parts = items.iter().map(|item| item.upper).collect();
        return Ok(Allocation { parts, fair_prop: greatest(items, Item::relative_upper) });
    }
    let unbounded = required_sum / sum_of(Item::effective_target);
    let no_bound_matters = greatest(items, Item::relative_lower) <= unbounded
        && unbounded <= least(items, Item::relative_upper);
    let fair_prop =
        if no_bound_matters { unbounded } else { sweep(required_sum, lower_sum, items) };
    let parts = items.iter().map(|item| item.part(fair_prop)).collect();
    Ok(Allocation { parts, fair_prop })
}

impl Item {
    fn check(&self, index: usize) -> Result<(), AllocationError> {
        let Self { target, lower, upper } = *self;
        if lower < 0.0 {
            return Err(AllocationError::NegativeLower(index, lower));
        }
        if target < lower {
            return Err(AllocationError::TargetBelowLower(index, target, lower));
        }
        if upper < lower {
            return Err(AllocationError::UpperBelowLower(index, upper, lower));
        }
        Ok(())
    }

    fn effective_target(&self) -> f64 {
        self.target.max(MIN_TARGET)
    }

    /// The factor up to which the part is the lower bound.
    fn relative_lower(&self) -> f64 {
        self.lower / self.effective_target()
    }

    /// The factor from which the part is the upper bound.
    fn relative_upper(&self) -> f64 {
        self.upper / self.effective_target()
    }

    fn part(&self, factor: f64) -> f64 {
        (factor * self.effective_target()).min(self.upper).max(self.lower)
    }
}

fn least(items: &[Item], part: fn(&Item) -> f64) -> f64 {
    items.iter().map(part).fold(f64::INFINITY, f64::min)
}

fn greatest(items: &[Item], part: fn(&Item) -> f64) -> f64 {
    items.iter().map(part).fold(f64::NEG_INFINITY, f64::max)
}

/// Raises the factor from bound to bound until the parts sum up to `required_sum`. Solvers that
/// narrow the factor down differ in the last bit, which decides how halves are rounded.
fn sweep(required_sum: f64, lower_sum: f64, items: &[Item]) -> f64 {
    let mut bends: Vec<(f64, f64)> = items
        .iter()
        .flat_map(|item| {
            let slope = item.effective_target();
            [(item.relative_lower(), slope), (item.relative_upper(), -slope)]
        })
        .collect();
    bends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut factor = least(items, Item::relative_lower);
    let (mut sum, mut slope) = (lower_sum, 0.0);
    for (bend, change) in bends {
        let sum_at_bend = sum + slope * (bend - factor);
        if sum_at_bend >= required_sum {
            return factor + (required_sum - sum) / slope;
        }
        (factor, sum, slope) = (bend, sum_at_bend, slope + change);
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Json, vectors};

    fn numbers(list: &Json) -> Vec<f64> {
        list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    #[test]
    fn sums_are_shared_out_as_recorded() {
        for case in vectors("allocation").as_array().unwrap() {
            let number = |item: &Json, field: &str| item[field].as_f64().unwrap();
            let items: Vec<Item> = case["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| Item {
                    target: number(item, "target"),
                    lower: number(item, "lower"),
                    upper: number(item, "upper"),
                })
                .collect();
            let name = &case["name"];
            match allocate(number(case, "requiredSum"), &items) {
                Err(error) => assert_eq!(error.to_string(), case["error"], "{name}"),
                Ok(allocation) => {
                    let expected = numbers(&case["allocs"]);
                    assert_eq!(allocation.parts.len(), expected.len());
                    for (part, expected) in allocation.parts.iter().zip(&expected) {
                        assert!(close(*part, *expected), "{name}: {part} for {expected}");
                    }
                    let rounded: Vec<f64> = allocation.parts.iter().map(|p| p.round()).collect();
                    assert_eq!(rounded, numbers(&case["rounded"]), "{name}");
                    let fair_prop = number(case, "fairProp");
                    assert!(close(allocation.fair_prop, fair_prop), "{name}: {allocation:?}");
                }
            }
        }
    }
}

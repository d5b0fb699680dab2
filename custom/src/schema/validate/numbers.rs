//! The bounds of numbers.

use serde_json::Number;
use validation::field::{Error, Shown};

use super::Place;
use crate::schema::node::Limits;
use crate::value::go_float;

/// How far from a whole number a quotient may be.
const EPSILON: f64 = 1e-9;

pub(super) fn check(limits: &Limits, number: &Number, place: &Place) -> Vec<Error> {
    match number.as_i64() {
        Some(whole) => check_whole(limits, whole, place),
        None => check_float(limits, number.as_f64().unwrap_or(0.0), place),
    }
}

/// Whole numbers are compared with bounds whose fraction is cut off, as the reference does.
fn check_whole(limits: &Limits, number: i64, place: &Place) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut fail = |what: String| errors.push(place.invalid(number.into(), &what));
    if let Some(factor) = limits.multiple_of {
        let whole = factor as i64;
        if factor < 0.0 {
            let detail = format!("factor MultipleOf declared for {} must be positive", place.path);
            errors.push(Error::invalid(&place.field(), Shown::plain(go_float(factor)), detail));
        } else if whole == 0 {
            if !is_multiple(number as f64, factor) {
                fail(format!("should be a multiple of {}", go_float(factor)));
            }
        } else if number % whole != 0 {
            fail(format!("should be a multiple of {whole}"));
        }
    }
    let mut fail = |what: String| errors.push(place.invalid(number.into(), &what));
    if let Some(minimum) = limits.minimum.map(|minimum| minimum as i64) {
        if number < minimum && !limits.exclusive_minimum {
            fail(format!("should be greater than or equal to {minimum}"));
        } else if number <= minimum && limits.exclusive_minimum {
            fail(format!("should be greater than {minimum}"));
        }
    }
    if let Some(maximum) = limits.maximum.map(|maximum| maximum as i64) {
        if number > maximum && !limits.exclusive_maximum {
            fail(format!("should be less than or equal to {maximum}"));
        } else if number >= maximum && limits.exclusive_maximum {
            fail(format!("should be less than {maximum}"));
        }
    }
    errors
}

fn check_float(limits: &Limits, number: f64, place: &Place) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut fail = |what: &str, bound: f64| {
        let what = format!("should be {what} {}", go_float(bound));
        errors.push(place.invalid(Shown::plain(go_float(number)), &what));
    };
    if let Some(factor) = limits.multiple_of.filter(|factor| !is_multiple(number, *factor)) {
        fail("a multiple of", factor);
    }
    if let Some(minimum) = limits.minimum {
        if number < minimum && !limits.exclusive_minimum {
            fail("greater than or equal to", minimum);
        } else if number <= minimum && limits.exclusive_minimum {
            fail("greater than", minimum);
        }
    }
    if let Some(maximum) = limits.maximum {
        if number > maximum && !limits.exclusive_maximum {
            fail("less than or equal to", maximum);
        } else if number >= maximum && limits.exclusive_maximum {
            fail("less than", maximum);
        }
    }
    errors
}

fn is_multiple(number: f64, factor: f64) -> bool {
    let quotient = if factor < 1.0 { 1.0 / factor * number } else { number / factor };
    (quotient - quotient.round()).abs() < EPSILON
}

//! The bounds of numbers.

use serde_json::Number;
use validation::field::{Error, Shown};

use super::Place;
use crate::schema::node::{Kind, Limits, Node};
use crate::value::go_float;

/// How far, in relation to it, a quotient may be from a whole number.
const EPSILON: f64 = 1e-9;
/// Larger numbers are not told apart from their neighbours.
const WHOLE_MAX: f64 = 9_007_199_254_740_991.0;

/// Whether a floating-point number stands for a whole one.
pub(super) fn is_whole(number: f64) -> bool {
    let rounded = number.round();
    (-WHOLE_MAX - 1.0..=WHOLE_MAX).contains(&number)
        && (number == rounded || (number - rounded).abs() < EPSILON * rounded.abs())
}

pub(super) fn check(node: &Node, number: &Number, place: &Place) -> Vec<Error> {
    let range = Range::of(node);
    let whole = number.as_i64();
    let float = number.as_f64().unwrap_or(0.0);
    let mut errors = Vec::new();
    let fits = whole.map_or_else(|| range.takes(float), |whole| range.takes_whole(whole));
    if !fits {
        errors.push(range.refusal("Checked", place));
    }
    let mut bound =
        |bound: Option<f64>, name: &str, check: &dyn Fn(Value, f64) -> Option<Error>| {
            let Some(bound) = bound else { return };
            // A bound that does not fit the type is refused, and compared as a floating-point number.
            let fits = range.takes(bound);
            if !fits {
                errors.push(range.refusal(name, place));
            }
            let value = match whole {
                Some(whole) if fits => Value::Whole(whole),
                _ => Value::Float(float),
            };
            errors.extend(check(value, bound));
        };
    let Limits { multiple_of, minimum, maximum, .. } = node.limits;
    bound(multiple_of, "MultipleOf", &|value, factor| multiple(value, factor, place));
    let exclusive = node.limits.exclusive_minimum;
    bound(minimum, "Minimum boundary", &|value, bound| value.minimum(bound, exclusive, place));
    let exclusive = node.limits.exclusive_maximum;
    bound(maximum, "Maximum boundary", &|value, bound| value.maximum(bound, exclusive, place));
    errors
}

/// The whole part of a number; of one that is too large, what the reference's machine makes of it.
pub(super) fn cut(number: f64) -> i64 {
    if number.abs() < i64::MAX as f64 { number as i64 } else { i64::MIN }
}

/// What numbers a type takes.
struct Range<'n> {
    kind: Option<Kind>,
    format: &'n str,
}

impl<'n> Range<'n> {
    fn of(node: &'n Node) -> Self {
        let kind = if node.int_or_string { None } else { node.kind };
        let format = node.format.as_ref().map_or("", |format| format.name.as_str());
        Self { kind, format }
    }

    fn takes_whole(&self, number: i64) -> bool {
        match (self.kind, self.format) {
            (Some(Kind::Integer), "int32") => i32::try_from(number).is_ok(),
            (Some(Kind::Number), "float") => self.takes(number as f64),
            _ => true,
        }
    }

    fn takes(&self, number: f64) -> bool {
        let is_whole = number.fract() == 0.0;
        match (self.kind, self.format) {
            (Some(Kind::Integer), "int32") => {
                is_whole && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number)
            }
            (Some(Kind::Integer), _) => is_whole && number.abs() < i64::MAX as f64,
            (Some(Kind::Number), "float") => number.abs() <= f64::from(f32::MAX),
            _ => true,
        }
    }

    fn refusal(&self, name: &str, place: &Place) -> Error {
        let kind = self.kind.map_or("", Kind::name);
        let format = match self.format {
            "" => "(default format)".to_owned(),
            format => format!("with format {format}"),
        };
        let detail = format!("{name} value must be of type {kind} {format} in {}", place.path);
        Error::invalid(&"<nil>", "", detail)
    }
}

/// A number, and how it is compared: whole numbers with bounds whose fraction is cut off.
#[derive(Clone, Copy)]
enum Value {
    Whole(i64),
    Float(f64),
}

impl Value {
    fn shown(self) -> Shown {
        match self {
            Self::Whole(number) => number.into(),
            Self::Float(number) => Shown::plain(go_float(number)),
        }
    }

    fn refusal(self, what: &str, bound: f64, place: &Place) -> Error {
        let bound = match self {
            Self::Whole(_) => cut(bound).to_string(),
            Self::Float(_) => go_float(bound),
        };
        place.invalid(self.shown(), &format!("should be {what} {bound}"))
    }

    /// Whether the number is less than a bound, and whether it is the bound.
    fn below(self, bound: f64) -> (bool, bool) {
        match self {
            Self::Whole(number) => (number < cut(bound), number == cut(bound)),
            Self::Float(number) => (number < bound, number == bound),
        }
    }

    fn minimum(self, bound: f64, exclusive: bool, place: &Place) -> Option<Error> {
        let (is_less, is_equal) = self.below(bound);
        let what = if exclusive { "greater than" } else { "greater than or equal to" };
        (is_less || (exclusive && is_equal)).then(|| self.refusal(what, bound, place))
    }

    fn maximum(self, bound: f64, exclusive: bool, place: &Place) -> Option<Error> {
        let (is_less, is_equal) = self.below(bound);
        let what = if exclusive { "less than" } else { "less than or equal to" };
        let is_greater = !is_less && !is_equal;
        (is_greater || (exclusive && is_equal)).then(|| self.refusal(what, bound, place))
    }
}

fn multiple(value: Value, factor: f64, place: &Place) -> Option<Error> {
    let (positive, holds) = match value {
        Value::Whole(number) => {
            let factor = cut(factor);
            (factor > 0, factor > 0 && number % factor == 0)
        }
        Value::Float(number) => {
            let quotient = if factor < 1.0 { 1.0 / factor * number } else { number / factor };
            (factor > 0.0, is_whole(quotient))
        }
    };
    if positive {
        return (!holds).then(|| value.refusal("a multiple of", factor, place));
    }
    let shown = match value {
        Value::Whole(_) => cut(factor).to_string(),
        Value::Float(_) => go_float(factor),
    };
    let detail = format!("factor MultipleOf declared for {} must be positive: {shown}", place.path);
    Some(Error::invalid(&place.field(), Shown::plain(shown), detail))
}

//! Regular expressions. Those that are written out were compiled with the expression.

use std::borrow::Cow;

use super::{Evaluated, mismatch};
use crate::cel::eval::EvalError;
use crate::cel::value::Value;
use crate::pattern::Pattern;

fn compiled<'p>(pattern: &'p Value<'_>) -> Result<Cow<'p, Pattern>, EvalError> {
    match pattern {
        Value::Pattern(pattern) => Ok(Cow::Borrowed(&*pattern.0)),
        Value::Text(text) => {
            let pattern = Pattern::compile(text);
            pattern.map(Cow::Owned).map_err(|error| EvalError::message(error.to_string()))
        }
        _ => Err(EvalError::NoSuchOverload),
    }
}

pub(super) fn matches<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Text(text), pattern] = args else { return mismatch() };
    Ok(Value::Bool(compiled(pattern)?.is_match(text)))
}

pub(super) fn find<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Text(text), pattern] = args else { return mismatch() };
    let pattern = compiled(pattern)?;
    Ok(Value::text(pattern.regex.find(text).map(|found| found.as_str()).unwrap_or_default()))
}

pub(super) fn find_all<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let (text, pattern, count) = match args {
        [Value::Text(text), pattern] => (text, pattern, usize::MAX),
        [Value::Text(text), pattern, Value::Int(count)] => {
            (text, pattern, usize::try_from(*count).unwrap_or(usize::MAX))
        }
        _ => return mismatch(),
    };
    let pattern = compiled(pattern)?;
    let found = pattern.regex.find_iter(text).take(count);
    Ok(Value::list(found.map(|found| Value::text(found.as_str())).collect()))
}

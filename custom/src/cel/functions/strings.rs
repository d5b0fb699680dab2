//! Text. Places in it are counted in characters.

use super::{Evaluated, mismatch};
use crate::cel::eval::{EvalError, bounded};
use crate::cel::value::Value;
use validation::text::go_quote;

pub(super) fn contains<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text), Value::Text(part)] => Ok(Value::Bool(text.contains(&**part))),
        _ => mismatch(),
    }
}

pub(super) fn starts_with<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text), Value::Text(part)] => Ok(Value::Bool(text.starts_with(&**part))),
        _ => mismatch(),
    }
}

pub(super) fn ends_with<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text), Value::Text(part)] => Ok(Value::Bool(text.ends_with(&**part))),
        _ => mismatch(),
    }
}

/// The byte at which a character begins; the end of the text counts as one.
fn offset(text: &str, index: i64) -> Result<usize, EvalError> {
    let position = usize::try_from(index).ok();
    let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let place = position.and_then(|position| places.nth(position));
    place.ok_or_else(|| EvalError::message(format!("index out of range: {index}")))
}

fn index(text: &str, offset: Option<usize>) -> i64 {
    let before = offset.and_then(|offset| text.get(..offset));
    before.map_or(-1, |before| i64::try_from(before.chars().count()).unwrap_or(i64::MAX))
}

pub(super) fn char_at<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Text(text), Value::Int(at)] = args else { return mismatch() };
    let offset = offset(text, *at)?;
    let character = text.get(offset..).and_then(|rest| rest.chars().next());
    Ok(Value::text(&character.map(String::from).unwrap_or_default()))
}

pub(super) fn index_of<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text), Value::Text(part)] => Ok(Value::Int(index(text, text.find(&**part)))),
        [Value::Text(text), Value::Text(part), Value::Int(from)] => {
            let from = offset(text, *from)?;
            let found = text.get(from..).and_then(|rest| rest.find(&**part));
            Ok(Value::Int(index(text, found.map(|found| found + from))))
        }
        [Value::List(_) | Value::JsonList(..), _] => super::lists::index_of(args),
        _ => mismatch(),
    }
}

pub(super) fn last_index_of<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text), Value::Text(part)] => Ok(Value::Int(index(text, text.rfind(&**part)))),
        [Value::Text(text), Value::Text(part), Value::Int(to)] => {
            let to = offset(text, *to)?.saturating_add(part.len()).min(text.len());
            let to = (to..=text.len()).find(|to| text.is_char_boundary(*to)).unwrap_or(text.len());
            let found = text.get(..to).and_then(|start| start.rfind(&**part));
            Ok(Value::Int(index(text, found)))
        }
        [Value::List(_) | Value::JsonList(..), _] => super::lists::last_index_of(args),
        _ => mismatch(),
    }
}

pub(super) fn lower_ascii<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => Ok(Value::text(&text.to_ascii_lowercase())),
        _ => mismatch(),
    }
}

pub(super) fn upper_ascii<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => Ok(Value::text(&text.to_ascii_uppercase())),
        _ => mismatch(),
    }
}

pub(super) fn trim<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => Ok(Value::text(text.trim())),
        _ => mismatch(),
    }
}

pub(super) fn substring<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let (text, from, to) = match args {
        [Value::Text(text), Value::Int(from)] => (text, offset(text, *from)?, text.len()),
        [Value::Text(text), Value::Int(from), Value::Int(to)] => {
            if from > to {
                let problem = format!("invalid substring range. start: {from}, end: {to}");
                return Err(EvalError::message(problem));
            }
            (text, offset(text, *from)?, offset(text, *to)?)
        }
        _ => return mismatch(),
    };
    Ok(Value::text(text.get(from..to).unwrap_or_default()))
}

pub(super) fn replace<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text), Value::Text(part), Value::Text(other)] => {
            bounded(text.matches(&**part).count().saturating_mul(other.len()))?;
            Ok(Value::text(&text.replace(&**part, other)))
        }
        [Value::Text(text), Value::Text(part), Value::Text(other), Value::Int(times)] => {
            bounded(text.matches(&**part).count().saturating_mul(other.len()))?;
            Ok(Value::text(&match usize::try_from(*times) {
                Ok(times) => text.replacen(&**part, other, times),
                Err(_) => text.replace(&**part, other),
            }))
        }
        _ => mismatch(),
    }
}

pub(super) fn split<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let (text, separator, times) = match args {
        [Value::Text(text), Value::Text(separator)] => (text, separator, -1),
        [Value::Text(text), Value::Text(separator), Value::Int(times)] => (text, separator, *times),
        _ => return mismatch(),
    };
    let times = usize::try_from(times).unwrap_or(usize::MAX);
    let parts: Vec<String> = if times == 0 {
        Vec::new()
    } else if separator.is_empty() {
        let mut characters = text.chars();
        let mut parts: Vec<String> =
            characters.by_ref().take(times - 1).map(String::from).collect();
        let rest: String = characters.collect();
        parts.extend(Some(rest).filter(|rest| !rest.is_empty()));
        parts
    } else {
        text.splitn(times, &**separator).map(str::to_owned).collect()
    };
    Ok(Value::list(parts.iter().map(|part| Value::text(part)).collect()))
}

pub(super) fn join<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let (list, separator) = match args {
        [list] => (list, ""),
        [list, Value::Text(separator)] => (list, &**separator),
        _ => return mismatch(),
    };
    let mut joined = String::new();
    for (index, item) in list.elements()?.iter().enumerate() {
        let Value::Text(text) = item else { return mismatch() };
        if index > 0 {
            joined.push_str(separator);
        }
        joined.push_str(text);
        bounded(joined.len())?;
    }
    Ok(Value::text(&joined))
}

pub(super) fn quote<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => Ok(Value::text(&go_quote(text))),
        _ => mismatch(),
    }
}

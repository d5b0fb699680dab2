//! Paths of fields that a schema declares: `.spec.color` or `.labels['a.b']`.

use serde_json::Value;

use crate::value::Members;

/// Why a text is no path of a field, in the reference's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FieldPathError {
    #[error("does not refer to a valid field")]
    NoField,
    #[error("array notation is not allowed")]
    Array,
    #[error("unexpected end of JSON path")]
    End,
    #[error("expected single quoted string but got {0}")]
    NotQuoted(String),
    #[error("expected ] but got {0}")]
    NotClosed(String),
    #[error("expected [ or . but got: {0}")]
    NoStep(String),
    #[error("invalid string literal: invalid escape char {0}")]
    Escape(String),
}

/// The path as errors spell it, and the schema of the field.
pub(crate) fn resolve<'s>(
    text: &str,
    mut schema: &'s Value,
    brackets: bool,
) -> Result<(String, &'s Value), FieldPathError> {
    let mut tokens = tokens(text).into_iter();
    let mut path = String::new();
    while let Some(token) = tokens.next() {
        let name = match token {
            "[" if !brackets => return Err(FieldPathError::Array),
            "[" => {
                let quoted = tokens.next().ok_or(FieldPathError::End)?;
                let inner = quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
                let inner = inner.ok_or_else(|| FieldPathError::NotQuoted(quoted.to_owned()))?;
                let name = unescaped(inner)?;
                match tokens.next().ok_or(FieldPathError::End)? {
                    "]" => name,
                    other => return Err(FieldPathError::NotClosed(other.to_owned())),
                }
            }
            "." => tokens.next().ok_or(FieldPathError::End)?.to_owned(),
            other => return Err(FieldPathError::NoStep(other.to_owned())),
        };
        schema = step(&mut path, schema, &name)?;
    }
    Ok((path, schema))
}

fn step<'s>(path: &mut String, schema: &'s Value, name: &str) -> Result<&'s Value, FieldPathError> {
    if schema.has("properties") {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
        let property = schema.member("properties").member(name);
        return if property.is_object() { Ok(property) } else { Err(FieldPathError::NoField) };
    }
    let additional = schema.member("additionalProperties");
    if !additional.is_object() {
        return Err(FieldPathError::NoField);
    }
    path.extend(["[", name, "]"]);
    Ok(additional)
}

/// Dots and brackets, quoted texts, and what stands between.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '.' | '[' | ']' => 1,
            '\'' => quoted_len(rest),
            _ => rest.find(['.', '[', ']']).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

fn quoted_len(text: &str) -> usize {
    let mut before = '\'';
    for (at, character) in text.char_indices().skip(1) {
        if character == '\'' && before != '\\' {
            return at + 1;
        }
        before = character;
    }
    text.len()
}

fn unescaped(text: &str) -> Result<String, FieldPathError> {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        let escape = characters.next().unwrap_or('\\');
        out.push(match escape {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\'' | '\\' => escape,
            other => return Err(FieldPathError::Escape(format!("\\{other}"))),
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lead_through_fields_and_maps() {
        let schema = json!({"properties": {"a": {"additionalProperties": {"properties": {"b": {"type": "string"}}}}}});
        let path = |text| {
            resolve(text, &schema, true).map(|(path, _)| path).map_err(|error| error.to_string())
        };
        assert_eq!(path(".a['x.y'].b").unwrap(), "a[x.y].b");
        assert_eq!(path(".a.x.b").unwrap(), "a[x].b");
        assert_eq!(path(".z").unwrap_err(), "does not refer to a valid field");
        assert_eq!(path(".a[x]").unwrap_err(), "expected single quoted string but got x");
        assert_eq!(path(".a['x'").unwrap_err(), "unexpected end of JSON path");
        assert_eq!(path("a").unwrap_err(), "expected [ or . but got: a");
        let without = resolve(".a['x']", &schema, false).unwrap_err();
        assert_eq!(without.to_string(), "array notation is not allowed");
    }
}

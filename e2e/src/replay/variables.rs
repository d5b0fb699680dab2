//! `${name}` in later steps stands for what earlier steps captured.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::case::{Body, Call};
use crate::error::Error;
use crate::normalise::compile;

static REFERENCE: LazyLock<Regex> = LazyLock::new(|| compile(r"\$\{([\w.-]+)\}"));

/// The captured values, as text.
#[derive(Debug, Default)]
pub(super) struct Variables(BTreeMap<String, String>);

impl Variables {
    /// Keeps a value; what is absent is kept as an empty text.
    pub(super) fn capture(&mut self, name: &str, value: Option<&Value>) {
        let text = match value {
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        self.0.insert(name.to_owned(), text);
    }

    /// A text with its references filled in.
    pub(super) fn text(&self, text: &str) -> Result<String, Error> {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for found in REFERENCE.captures_iter(text) {
            let (whole, name) = (found.get_match(), &found[1]);
            out.push_str(&text[copied..whole.start()]);
            out.push_str(self.0.get(name).ok_or_else(|| Error::Variable(name.to_owned()))?);
            copied = whole.end();
        }
        out.push_str(&text[copied..]);
        Ok(out)
    }

    /// A value with the references in its texts and member names filled in.
    pub(super) fn value(&self, value: &Value) -> Result<Value, Error> {
        Ok(match value {
            Value::String(text) => self.text(text)?.into(),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let fill =
                    |(name, value): (&String, &Value)| Ok((self.text(name)?, self.value(value)?));
                Value::Object(members.iter().map(fill).collect::<Result<Map<_, _>, Error>>()?)
            }
            other => other.clone(),
        })
    }

    /// A request with its references filled in.
    pub(super) fn call(&self, call: &Call) -> Result<Call, Error> {
        let header = |(name, value): &(String, Option<String>)| {
            let value = value.as_deref().map(|value| self.text(value)).transpose()?;
            Ok((name.clone(), value))
        };
        Ok(Call {
            method: call.method.clone(),
            path: self.text(&call.path)?,
            sender: call.sender.clone(),
            headers: call.headers.iter().map(header).collect::<Result<_, Error>>()?,
            body: match &call.body {
                Body::Json(value) => Body::Json(self.value(value)?),
                Body::Text(text) => Body::Text(self.text(text)?),
                other => other.clone(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_filled_in_everywhere() {
        let mut variables = Variables::default();
        variables.capture("a-b", Some(&json!("x")));
        variables.capture("n", Some(&json!(7)));
        variables.capture("gone", None);
        let filled = variables.value(&json!({"${a-b}": ["${n}${n}", "-${gone}-", "$n ${}", 1]}));
        assert_eq!(filled.unwrap(), json!({"x": ["77", "--", "$n ${}", 1]}));
    }

    #[test]
    fn what_was_not_captured_is_an_error() {
        assert!(
            matches!(Variables::default().text("${x}"), Err(Error::Variable(name)) if name == "x")
        );
    }
}

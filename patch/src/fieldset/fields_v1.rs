//! `FieldsV1`, the notation of sets in `managedFields`: `f:<field>`, `k:<key fields>`,
//! `v:<value>`, `i:<index>`, and `.` for the node itself.

use serde_json::{Map, Value};

use super::{FieldSet, Literal, PathElement};

/// Not a set in `FieldsV1`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldsError {
    /// A node is something else than an object.
    #[error("a node is not an object: {0}")]
    Node(String),
    /// A key does not say what step it is.
    #[error("not a path element: {0:?}")]
    Key(String),
}

impl FieldSet {
    /// The set in `FieldsV1`.
    #[must_use]
    pub fn to_fields_v1(&self) -> Value {
        Value::Object(self.encoded(false))
    }

    fn encoded(&self, is_member: bool) -> Map<String, Value> {
        let mut members = Map::new();
        if is_member && !self.is_empty() {
            members.insert(".".to_owned(), Value::Object(Map::new()));
        }
        for (element, member, below) in self.steps() {
            members.insert(element.encoded(), Value::Object(below.encoded(member)));
        }
        members
    }

    /// Reads a set in `FieldsV1`. Kinds of steps that are not known are left out.
    ///
    /// # Errors
    ///
    /// [`FieldsError`] for anything else than objects with the keys of the notation.
    pub fn from_fields_v1(value: &Value) -> Result<Self, FieldsError> {
        decoded(value).map(|(set, _)| set)
    }
}

/// The set below a node, and whether the node itself is a member.
fn decoded(value: &Value) -> Result<(FieldSet, bool), FieldsError> {
    let mut set = FieldSet::new();
    let members = match value {
        Value::Object(members) => members,
        Value::Null => return Ok((set, true)),
        other => return Err(FieldsError::Node(other.to_string())),
    };
    let mut is_member = false;
    for (key, value) in members {
        if key == "." {
            is_member = true;
            continue;
        }
        let Some(element) = PathElement::decoded(key)? else { continue };
        let (below, member) = decoded(value)?;
        set.add_step(element, member, below);
    }
    let is_member = is_member || set.is_empty();
    Ok((set, is_member))
}

impl PathElement {
    fn encoded(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(fields) => {
                let fields: Map<String, Value> =
                    fields.iter().map(|(name, value)| (name.clone(), value.0.clone())).collect();
                format!("k:{}", Value::Object(fields))
            }
            Self::Value(value) => format!("v:{}", value.0),
            Self::Index(index) => format!("i:{index}"),
        }
    }

    /// `None` for a kind of step that is not known.
    fn decoded(text: &str) -> Result<Option<Self>, FieldsError> {
        let refused = || FieldsError::Key(text.to_owned());
        let json = |text: &str| serde_json::from_str::<Value>(text).map_err(|_| refused());
        let mut characters = text.chars();
        let (kind, colon) = (characters.next(), characters.next());
        if colon != Some(':') {
            return Err(refused());
        }
        let rest = characters.as_str();
        Ok(match kind {
            Some('f') => Some(Self::Field(rest.to_owned())),
            Some('v') => Some(Self::Value(Literal(json(rest)?))),
            Some('i') => Some(Self::Index(rest.parse().map_err(|_| refused())?)),
            Some('k') => match json(rest)? {
                Value::Object(fields) => {
                    let mut fields: Vec<_> =
                        fields.into_iter().map(|(name, value)| (name, Literal(value))).collect();
                    fields.sort();
                    Some(Self::Key(fields))
                }
                _ => return Err(refused()),
            },
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_set_reads_and_writes_the_notation() {
        let fields = json!({
            "f:metadata": {"f:finalizers": {".": {}, "v:\"x/a\"": {}}, "f:labels": {}},
            "f:status": {"f:conditions": {"k:{\"type\":\"X\"}": {".": {}, "f:type": {}}}},
            "f:list": {"i:3": {}},
        });
        let set = FieldSet::from_fields_v1(&fields).unwrap();
        assert_eq!(set.to_fields_v1(), fields);
        let paths: Vec<String> = set.paths().iter().map(ToString::to_string).collect();
        assert_eq!(
            paths,
            [
                ".list[3]",
                ".metadata.finalizers",
                ".metadata.labels",
                ".metadata.finalizers[=\"x/a\"]",
                ".status.conditions[type=\"X\"]",
                ".status.conditions[type=\"X\"].type",
            ]
        );
    }

    #[test]
    fn key_fields_are_written_sorted_and_compact() {
        let fields = json!({"k:{ \"b\": 1, \"a\": \"x\" }": {}});
        let set = FieldSet::from_fields_v1(&fields).unwrap();
        assert_eq!(set.to_fields_v1().to_string(), r#"{"k:{\"a\":\"x\",\"b\":1}":{}}"#);
    }

    #[test]
    fn unknown_kinds_of_steps_are_left_out() {
        let set = FieldSet::from_fields_v1(&json!({"z:later": {"f:a": {}}, "f:b": {}})).unwrap();
        assert_eq!(set.to_fields_v1(), json!({"f:b": {}}));
    }

    #[test]
    fn what_is_not_the_notation_is_refused() {
        for fields in [
            json!(5),
            json!({"f:a": 5}),
            json!({"f": {}}),
            json!({"fa": {}}),
            json!({"k:[]": {}}),
            json!({"v:x": {}}),
            json!({"i:x": {}}),
        ] {
            assert!(FieldSet::from_fields_v1(&fields).is_err(), "{fields}");
        }
    }
}

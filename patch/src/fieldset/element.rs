//! Steps of a path.

use std::fmt;

use super::Literal;

/// One step from a value to a part of it. Fields come before keys, values and indices.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathElement {
    /// A member of a struct or map.
    Field(String),
    /// An item of a list map, by its key fields, which are sorted by name.
    Key(Vec<(String, Literal)>),
    /// An item of a set.
    Value(Literal),
    /// An item by its place.
    Index(i64),
}

impl PathElement {
    /// The member of that name.
    #[must_use]
    pub fn field(name: &str) -> Self {
        Self::Field(name.to_owned())
    }
}

/// `.name`, `[type="X"]`, `[="v"]` or `[0]`.
impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
                write!(f, "[{}]", fields.join(","))
            }
            Self::Value(value) => write!(f, "[={value}]"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// The way from an object to a part of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Path(pub Vec<PathElement>);

impl Path {
    /// A path of members.
    #[must_use]
    pub fn of_fields(names: &[&str]) -> Self {
        Self(names.iter().copied().map(PathElement::field).collect())
    }
}

/// The steps one after the other: `.status.conditions[type="X"].reason`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| element.fmt(f))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_written_step_by_step() {
        let path = Path(vec![
            PathElement::field("a"),
            PathElement::Key(vec![
                ("port".to_owned(), Literal(json!(80))),
                ("protocol".to_owned(), Literal(json!("TCP"))),
            ]),
            PathElement::Value(Literal(json!("v\""))),
            PathElement::Index(0),
        ]);
        assert_eq!(path.to_string(), r#".a[port=80,protocol="TCP"][="v\""][0]"#);
    }
}

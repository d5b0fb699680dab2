//! What types bring along besides the tags of the table: functions, and tags of their own.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use api::schema::tag::Tag;
use serde_json::Value;

use crate::field::{ErrorList, Trail};

/// A function that a `customValidation` tag calls: with the path, the new value, and in updates
/// the old one if there is a counterpart.
pub type CustomRule = fn(&Trail<'_>, &Value, Option<&Value>) -> ErrorList;

/// A tag that is none of the table, and what it asks for.
///
/// It may stand wherever the tags of the table do, also inside `alpha`, `beta`, `eachVal` and the
/// like, and what did not change in an update is not shown to it.
pub trait CustomTag: Send + Sync + 'static {
    /// The name with its owner's prefix, such as `example:even`; attributes write two colons.
    fn name(&self) -> &'static str;

    /// What is wrong with a value. `tag` has the arguments and the payload as they are written;
    /// `old` is the value before, in updates, if there was one.
    fn check(&self, tag: &Tag, path: &Trail<'_>, new: &Value, old: Option<&Value>) -> ErrorList;
}

/// The functions that `customValidation` tags call, by `Type` or `Type_Field`, the field's name
/// with a capital letter; and tags that are none of the table.
#[derive(Clone, Default)]
pub struct CustomRules {
    functions: BTreeMap<&'static str, CustomRule>,
    tags: BTreeMap<&'static str, Arc<dyn CustomTag>>,
}

impl CustomRules {
    /// The same with one more function.
    #[must_use]
    pub fn with(mut self, name: &'static str, function: CustomRule) -> Self {
        self.functions.insert(name, function);
        self
    }

    /// The same with one more tag.
    #[must_use]
    pub fn with_tag(mut self, tag: impl CustomTag) -> Self {
        self.tags.insert(tag.name(), Arc::new(tag));
        self
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.functions.contains_key(name) || self.tags.contains_key(name)
    }

    pub(super) fn tag(&self, name: &str) -> Option<&dyn CustomTag> {
        self.tags.get(name).map(AsRef::as_ref)
    }

    pub(super) fn find(&self, owner: &str, field: Option<&str>) -> Option<CustomRule> {
        let wanted = |name: &&str| match (name.strip_prefix(owner), field) {
            (Some(""), None) => true,
            (Some(rest), Some(field)) => rest.strip_prefix('_').is_some_and(|rest| {
                let (mut a, mut b) = (rest.chars(), field.chars());
                let first = b.next().map(|letter| letter.to_ascii_uppercase());
                a.next() == first && a.as_str() == b.as_str()
            }),
            _ => false,
        };
        self.functions.iter().find(|(name, _)| wanted(name)).map(|(_, function)| *function)
    }
}

impl fmt::Debug for CustomRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.functions.keys()).entries(self.tags.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use api::Schema;
    use api::schema::tag::{Literal, Payload};
    use api::schema::{Described, TypeDef};
    use serde::Serialize;
    use serde_json::json;

    use super::super::{Request, Validator};
    use super::*;
    use crate::field::Error;

    /// A box of eggs.
    #[derive(Serialize, Schema)]
    #[k8s(package = "example.v1")]
    struct Eggs {
        /// How many there are in each row.
        #[k8s(validate(alpha(since: "1.0") = eachVal = test::multipleOf(offset: 1) = 2, required))]
        rows: Vec<i32>,
    }

    /// `test::multipleOf(offset: M) = N`
    struct MultipleOf;

    fn number(literal: &Literal) -> i64 {
        literal.to_string().parse().unwrap()
    }

    impl CustomTag for MultipleOf {
        fn name(&self) -> &'static str {
            "test:multipleOf"
        }

        fn check(
            &self,
            tag: &Tag,
            path: &Trail<'_>,
            new: &Value,
            old: Option<&Value>,
        ) -> ErrorList {
            let Payload::Literal(of) = &tag.payload else { panic!("{tag}") };
            let offset = number(&tag.arguments[0].value);
            let wrong = (new.as_i64().unwrap() - offset) % number(of) != 0;
            let detail = format!("was {old:?}");
            wrong.then(|| Error::invalid(path, new.as_i64().unwrap(), detail)).into_iter().collect()
        }
    }

    fn type_def() -> &'static TypeDef {
        Eggs::type_def().unwrap()
    }

    #[test]
    fn a_custom_tag_works_inside_other_tags_and_is_ratcheted() {
        let custom = CustomRules::default().with_tag(MultipleOf);
        let validator = Validator::new(type_def(), custom).unwrap();
        let validate = |object: &Value, old: Option<&Value>| {
            let options = BTreeMap::new();
            let errors =
                validator.validate(Request { object, old, subresource: "", options: &options });
            errors.iter().map(|error| (error.to_string(), error.level)).collect::<Vec<_>>()
        };
        let level = crate::field::Level::Alpha;
        let (object, same) = (json!({"rows": [3, 4]}), json!({"rows": [3, 4]}));
        assert_eq!(
            validate(&object, None),
            [("rows[1]: Invalid value: 4: was None".to_owned(), level)]
        );
        assert_eq!(validate(&object, Some(&same)), []);
    }

    #[test]
    fn a_custom_tag_without_code_is_refused() {
        let error = Validator::new(type_def(), CustomRules::default()).unwrap_err();
        assert!(
            error.to_string().contains("tag \"test:multipleOf\": there is no code for it"),
            "{error}"
        );
    }
}

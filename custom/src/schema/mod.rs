//! Structural schemas, and what they do to objects.

mod correlate;
mod defaults;
mod embedded;
mod format;
mod lists;
mod node;
mod openapi;
mod prune;
#[cfg(test)]
mod tests;
mod types;
mod validate;

use std::sync::Arc;

use api::schema::TypeDef;
use serde_json::Value;
use validation::field::{Error, ErrorList, ErrorType, Path, Shown};

pub(crate) use correlate::{Old, is_unchanged};
pub(crate) use embedded::validate as validate_embedded;
pub(crate) use format::{Format, go_duration, parse_duration};
pub(crate) use lists::shown;
pub(crate) use node::{Kind, ListKind, Node, RuleText};
pub(crate) use prune::prune as prune_node;
pub(crate) use validate::validate as validate_value;

use crate::rules::Rules;
#[cfg(test)]
pub(crate) use crate::rules::type_of;

/// Why something is no structural schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// There is no such type.
    #[error("unknown type {0:?}")]
    UnknownType(String),
    /// A pattern is no regular expression.
    #[error("{0}")]
    Pattern(String),
    /// A rule in CEL does not compile.
    #[error("rule {rule:?}: {reason}")]
    Rule {
        /// The rule.
        rule: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// The schema of a version, compiled. Cheap to use, costly to make: keep it.
#[derive(Debug)]
pub struct Schema {
    root: Node,
    rules: Option<Rules>,
    type_def: Arc<TypeDef>,
    openapi_v2: Value,
    openapi_v3: Value,
}

/// The kind whose schema it is.
#[derive(Debug, Clone, Copy)]
pub struct KindName<'a> {
    /// Such as `example.com`.
    pub group: &'a str,
    /// Such as `v1`.
    pub version: &'a str,
    /// Such as `Widget`.
    pub kind: &'a str,
}

impl Schema {
    /// Compiles `schema.openAPIV3Schema` of a version.
    ///
    /// # Errors
    ///
    /// If the schema is not structural, or a rule in it does not compile.
    pub fn compile(kind: KindName<'_>, open_api_v3_schema: &Value) -> Result<Self, SchemaError> {
        let root = Node::parse(open_api_v3_schema)?;
        Ok(Self {
            rules: Rules::compile(&root)?,
            type_def: Arc::new(types::type_def(kind, &root)),
            openapi_v2: openapi::v2(kind, open_api_v3_schema),
            openapi_v3: openapi::v3(kind, open_api_v3_schema),
            root,
        })
    }

    /// Takes away what the schema does not know, but nothing of `apiVersion`, `kind` and `metadata` of
    /// the object itself. Gives the paths of what was taken, such as `spec.bogus` or
    /// `spec.items[0].x`, in the order in which the reference names them: `unknown field "spec.bogus"`.
    pub fn prune(&self, object: &mut Value) -> Vec<String> {
        prune::prune(&self.root, object, true)
    }

    /// Fills in the defaults of what is left out, and replaces or takes away `null` where the schema
    /// does not allow it: when an object comes in, when it was patched, and when it is read from the
    /// store.
    pub fn apply_defaults(&self, object: &mut Value) {
        defaults::apply(&self.root, object);
    }

    /// What is wrong with an object: its schema first, then what lists and embedded objects promise,
    /// then rules in CEL. With the object that it replaces, transition rules are checked too, and what
    /// is wrong but was so before is let through (ratcheting).
    ///
    /// Of the metadata of the object itself only what the schema says is looked at.
    #[must_use]
    pub fn validate(&self, object: &Value, old: Option<&Value>) -> ErrorList {
        let mut errors = validate::validate(&self.root, object, old, "");
        errors.extend(embedded::validate(&self.root, object, &Path::nil(), false));
        let in_lists = lists::validate(&self.root, object);
        let was_wrong = || old.is_some_and(|old| !lists::validate(&self.root, old).is_empty());
        if !in_lists.is_empty() && !was_wrong() {
            errors.extend(in_lists);
        }
        let Some(rules) = &self.rules else { return errors };
        if errors.iter().any(keeps_rules_from_running) {
            let detail = "some validation rules were not checked because the object was invalid; \
                          correct the existing errors to complete validation";
            errors.push(Error::invalid(&Path::nil(), Shown::null(), detail));
        } else {
            errors.extend(rules.validate(&self.root, object, old));
        }
        errors
    }

    /// The type, for server-side apply and managed fields. Not for decoding: what has the wrong type is
    /// refused by [`validate`](Self::validate), in other words. Types that keep what they do not
    /// declare are `open`.
    #[must_use]
    pub fn type_def(&self) -> &Arc<TypeDef> {
        &self.type_def
    }

    /// The schema for the OpenAPI v2 document, with `x-kubernetes-group-version-kind`; its definition is
    /// named by `type_def().openapi_name`. What version 2 cannot say is left out.
    #[must_use]
    pub fn openapi_v2(&self) -> &Value {
        &self.openapi_v2
    }

    /// The schema for the OpenAPI v3 document, with `x-kubernetes-group-version-kind`. `metadata` refers
    /// to `#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`.
    #[must_use]
    pub fn openapi_v3(&self) -> &Value {
        &self.openapi_v3
    }
}

/// Errors after which rules would only say the same again, in words that help less.
fn keeps_rules_from_running(error: &Error) -> bool {
    matches!(
        error.error_type,
        ErrorType::NotSupported
            | ErrorType::Required
            | ErrorType::TooLong
            | ErrorType::TooMany
            | ErrorType::TypeInvalid
    )
}

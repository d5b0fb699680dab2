//! The rules of FlowSchemas and PriorityLevelConfigurations (spec: validation 5 to 9, 16, 19).

mod conditions;
mod declarative;
mod flow_schema;
mod internal;
mod priority_level;

use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::meta::ObjectMeta;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::field::{Error, ErrorList, Path};
use crate::object_meta::{self, NameRule};

/// What decides which rules are enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gates {
    /// `DeclarativeValidationBeta`: declarative rules in beta are enforced.
    pub declarative_beta: bool,
}

impl Default for Gates {
    fn default() -> Self {
        Self { declarative_beta: true }
    }
}

/// One of the two kinds, as validation sees it.
trait Kind: DeserializeOwned {
    fn metadata(&self) -> &ObjectMeta;

    /// The rules that are code, metadata and status included. `object` is the same as it was read,
    /// for messages that show it.
    fn handwritten(&self, object: &Value) -> ErrorList;

    /// The rules of the status that are code.
    fn handwritten_status(&self) -> ErrorList;

    /// The rules that are declared; what did not change since `old` is not looked at again.
    fn declarative(&self, old: Option<&Self>) -> ErrorList;
}

impl Kind for FlowSchema {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn handwritten(&self, object: &Value) -> ErrorList {
        flow_schema::validate(self, object)
    }

    fn handwritten_status(&self) -> ErrorList {
        let types = self.status.conditions.iter().map(|c| c.condition_type.as_str());
        conditions::validate(types)
    }

    /// Nothing is declared on FlowSchemas that is enforced.
    fn declarative(&self, _old: Option<&Self>) -> ErrorList {
        ErrorList::default()
    }
}

impl Kind for PriorityLevelConfiguration {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn handwritten(&self, object: &Value) -> ErrorList {
        priority_level::validate(self, object)
    }

    fn handwritten_status(&self) -> ErrorList {
        let types = self.status.conditions.iter().map(|c| c.condition_type.as_str());
        conditions::validate(types)
    }

    fn declarative(&self, old: Option<&Self>) -> ErrorList {
        declarative::validate(&self.spec, old.map(|old| &old.spec))
    }
}

/// Validates a new object of `kind`, which is `FlowSchema` or `PriorityLevelConfiguration`.
#[must_use]
pub fn validate_create(kind: &str, object: &Value, gates: Gates) -> ErrorList {
    match kind {
        "FlowSchema" => create::<FlowSchema>(object, gates),
        _ => create::<PriorityLevelConfiguration>(object, gates),
    }
}

/// Validates a changed object.
#[must_use]
pub fn validate_update(kind: &str, object: &Value, old: &Value, gates: Gates) -> ErrorList {
    match kind {
        "FlowSchema" => update::<FlowSchema>(object, old, gates),
        _ => update::<PriorityLevelConfiguration>(object, old, gates),
    }
}

/// Validates an object whose status changed.
#[must_use]
pub fn validate_status_update(kind: &str, object: &Value, old: &Value, gates: Gates) -> ErrorList {
    match kind {
        "FlowSchema" => update_status::<FlowSchema>(object, old, gates),
        _ => update_status::<PriorityLevelConfiguration>(object, old, gates),
    }
}

fn create<K: Kind>(object: &Value, gates: Gates) -> ErrorList {
    let typed: K = match read(object) {
        Ok(typed) => typed,
        Err(error) => return error,
    };
    let mut handwritten = typed.handwritten(object);
    if handwritten.is_empty() {
        handwritten = object_meta::validate(typed.metadata(), NameRule::PathSegment);
    }
    combine(handwritten, typed.declarative(None), gates)
}

fn update<K: Kind>(object: &Value, old: &Value, gates: Gates) -> ErrorList {
    let (typed, old): (K, K) = match (read(object), read(old)) {
        (Ok(typed), Ok(old)) => (typed, old),
        (Err(error), _) | (_, Err(error)) => return error,
    };
    let mut handwritten = generic_update(typed.metadata(), old.metadata());
    handwritten.extend(typed.handwritten(object));
    combine(handwritten, typed.declarative(Some(&old)), gates)
}

fn update_status<K: Kind>(object: &Value, old: &Value, gates: Gates) -> ErrorList {
    let (object, old): (K, K) = match (read(object), read(old)) {
        (Ok(object), Ok(old)) => (object, old),
        (Err(error), _) | (_, Err(error)) => return error,
    };
    let mut handwritten = generic_update(object.metadata(), old.metadata());
    handwritten.extend(object.handwritten_status());
    combine(handwritten, object.declarative(Some(&old)), gates)
}

fn read<K: Kind>(object: &Value) -> Result<K, ErrorList> {
    K::deserialize(object).map_err(|error| {
        // Canonical objects always read; if one does not, validation itself is wrong.
        [Error::internal(&Path::nil(), error.to_string())].into_iter().collect()
    })
}

fn generic_update(metadata: &ObjectMeta, old: &ObjectMeta) -> ErrorList {
    let mut errors = object_meta::validate(metadata, NameRule::PathSegment);
    errors.extend(object_meta::validate_update(metadata, old));
    errors
}

/// Handwritten errors that a declarative rule makes too give way to the declarative ones, which
/// come last (spec: validation 16.4).
fn combine(handwritten: ErrorList, declarative: ErrorList, gates: Gates) -> ErrorList {
    let handwritten = handwritten.without_repetitions();
    if !gates.declarative_beta {
        return handwritten;
    }
    let has_twin = |error: &Error| {
        error.covered
            && declarative.iter().any(|twin| {
                twin.error_type == error.error_type
                    && twin.field == error.field
                    && twin.origin == error.origin
            })
    };
    let mut errors: ErrorList = handwritten.into_iter().filter(|error| !has_twin(error)).collect();
    errors.extend(declarative);
    errors
}

#[cfg(test)]
mod tests;

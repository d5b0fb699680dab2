//! The rules of FlowSchemas and PriorityLevelConfigurations (spec: validation 5 to 9, 16, 19).

mod conditions;
mod flow_schema;
mod internal;
mod priority_level;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::meta::ObjectMeta;
use api::schema::Described;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::field::{Error, ErrorList, Path};
use crate::lifecycle::{Lifecycle, Observer, Silent, identifier};
use crate::object_meta::{self, NameRule};
use crate::rules::{CustomRules, Request, Validator};

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
    const NAME: &'static str;

    /// The rules that stand on the type.
    fn declared() -> &'static Validator;

    fn metadata(&self) -> &ObjectMeta;

    /// The rules that are code, metadata and status included. `object` is the same as it was read,
    /// for messages that show it.
    fn handwritten(&self, object: &Value) -> ErrorList;

    /// The rules of the status that are code.
    fn handwritten_status(&self) -> ErrorList;
}

impl Kind for FlowSchema {
    const NAME: &'static str = "FlowSchema";

    fn declared() -> &'static Validator {
        &FLOW_SCHEMA
    }

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
}

impl Kind for PriorityLevelConfiguration {
    const NAME: &'static str = "PriorityLevelConfiguration";

    fn declared() -> &'static Validator {
        &PRIORITY_LEVEL
    }

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
}

static FLOW_SCHEMA: LazyLock<Validator> = LazyLock::new(declared::<FlowSchema>);
static PRIORITY_LEVEL: LazyLock<Validator> = LazyLock::new(declared::<PriorityLevelConfiguration>);

#[expect(clippy::expect_used, reason = "a test reads the rules of both kinds")]
fn declared<K: Described>() -> Validator {
    let type_def = K::type_def().expect("a kind is a struct");
    Validator::new(type_def, CustomRules::default()).expect("its tags stand where they may")
}

/// What decides about the rules, and who is told what is found out about them.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Which rules are enforced.
    pub gates: Gates,
    /// Who is told about differences between declarative and handwritten rules.
    pub observer: &'a dyn Observer,
}

/// Validates a new object of `kind`, which is `FlowSchema` or `PriorityLevelConfiguration`.
#[must_use]
pub fn validate_create(kind: &str, object: &Value, gates: Gates) -> ErrorList {
    validate_create_observed(kind, object, Context { gates, observer: &Silent })
}

/// Validates a changed object.
#[must_use]
pub fn validate_update(kind: &str, object: &Value, old: &Value, gates: Gates) -> ErrorList {
    validate_update_observed(kind, object, old, Context { gates, observer: &Silent })
}

/// Validates an object whose status changed.
#[must_use]
pub fn validate_status_update(kind: &str, object: &Value, old: &Value, gates: Gates) -> ErrorList {
    validate_status_update_observed(kind, object, old, Context { gates, observer: &Silent })
}

/// As [`validate_create`], telling an observer about the rules.
#[must_use]
pub fn validate_create_observed(kind: &str, object: &Value, context: Context<'_>) -> ErrorList {
    match kind {
        FlowSchema::NAME => create::<FlowSchema>(object, context),
        _ => create::<PriorityLevelConfiguration>(object, context),
    }
}

/// As [`validate_update`], telling an observer about the rules.
#[must_use]
pub fn validate_update_observed(
    kind: &str,
    object: &Value,
    old: &Value,
    context: Context<'_>,
) -> ErrorList {
    match kind {
        FlowSchema::NAME => update::<FlowSchema>(object, old, "", context),
        _ => update::<PriorityLevelConfiguration>(object, old, "", context),
    }
}

/// As [`validate_status_update`], telling an observer about the rules.
#[must_use]
pub fn validate_status_update_observed(
    kind: &str,
    object: &Value,
    old: &Value,
    context: Context<'_>,
) -> ErrorList {
    match kind {
        FlowSchema::NAME => update::<FlowSchema>(object, old, STATUS, context),
        _ => update::<PriorityLevelConfiguration>(object, old, STATUS, context),
    }
}

const STATUS: &str = "status";

fn create<K: Kind>(object: &Value, context: Context<'_>) -> ErrorList {
    let typed: K = match read(object) {
        Ok(typed) => typed,
        Err(error) => return error,
    };
    let mut handwritten = typed.handwritten(object);
    if handwritten.is_empty() {
        handwritten = object_meta::validate(typed.metadata(), NameRule::PathSegment);
    }
    combine::<K>(handwritten, (object, None), "", context)
}

fn update<K: Kind>(
    object: &Value,
    old: &Value,
    subresource: &str,
    context: Context<'_>,
) -> ErrorList {
    let (typed, old_typed): (K, K) = match (read(object), read(old)) {
        (Ok(typed), Ok(old)) => (typed, old),
        (Err(error), _) | (_, Err(error)) => return error,
    };
    let mut handwritten = generic_update(typed.metadata(), old_typed.metadata());
    handwritten.extend(match subresource {
        STATUS => typed.handwritten_status(),
        _ => typed.handwritten(object),
    });
    let errors = combine::<K>(handwritten, (object, Some(old)), subresource, context);
    for repetition in errors.repetitions() {
        context.observer.duplicate(K::NAME, &repetition.to_string());
    }
    errors
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

/// Runs the declared rules on an object and its old state, and combines what both kinds of rules
/// find.
fn combine<K: Kind>(
    handwritten: ErrorList,
    (object, old): (&Value, Option<&Value>),
    subresource: &str,
    context: Context<'_>,
) -> ErrorList {
    let lifecycle = Lifecycle {
        compare: true,
        enforce_beta: context.gates.declarative_beta,
        normalizations: &[],
        ancestors_match: false,
        identifier: &identifier(K::NAME, subresource, old.is_some()),
        observer: context.observer,
    };
    let options = BTreeMap::new();
    let request = Request { object, old, subresource, options: &options };
    lifecycle.combine(handwritten, || K::declared().validate(request))
}

#[cfg(test)]
mod tests;

//! The rules of FlowSchemas and PriorityLevelConfigurations (spec: validation 5 to 9, 16, 19).

mod conditions;
mod flow_schema;
mod internal;
mod priority_level;
mod view;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::schema::Described;
use serde_json::Value;

use crate::field::ErrorList;
use crate::lifecycle::{Identifier, Lifecycle, Observer, Silent};
use crate::object_meta::{self, Metadata, NameRule};
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
trait Kind {
    const NAME: &'static str;

    /// The rules that stand on the type.
    fn declared() -> &'static Validator;

    /// The rules that are code, metadata and status included.
    fn handwritten(metadata: &Metadata<'_>, object: &Value) -> ErrorList;
}

impl Kind for FlowSchema {
    const NAME: &'static str = "FlowSchema";

    fn declared() -> &'static Validator {
        &FLOW_SCHEMA
    }

    fn handwritten(metadata: &Metadata<'_>, object: &Value) -> ErrorList {
        flow_schema::validate(metadata, object)
    }
}

impl Kind for PriorityLevelConfiguration {
    const NAME: &'static str = "PriorityLevelConfiguration";

    fn declared() -> &'static Validator {
        &PRIORITY_LEVEL
    }

    fn handwritten(metadata: &Metadata<'_>, object: &Value) -> ErrorList {
        priority_level::validate(metadata, object)
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
    let metadata = Metadata::of(object);
    let mut handwritten = K::handwritten(&metadata, object);
    if handwritten.is_empty() {
        // Of what is asked of every kind, all but the names was just found to be right.
        handwritten = object_meta::validate_names(&metadata, NameRule::PathSegment);
    }
    combine::<K>(handwritten, (object, None), "", context)
}

fn update<K: Kind>(
    object: &Value,
    old: &Value,
    subresource: &str,
    context: Context<'_>,
) -> ErrorList {
    let metadata = Metadata::of(object);
    let mut handwritten = object_meta::validate(&metadata, NameRule::PathSegment);
    handwritten.extend(object_meta::validate_update(&metadata, &Metadata::of(old)));
    handwritten.extend(match subresource {
        STATUS => conditions::validate(object),
        _ => K::handwritten(&metadata, object),
    });
    let errors = combine::<K>(handwritten, (object, Some(old)), subresource, context);
    for repetition in errors.repetitions() {
        context.observer.duplicate(K::NAME, &repetition.to_string());
    }
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
        identifier: Identifier { kind: K::NAME, subresource, is_update: old.is_some() },
        observer: context.observer,
    };
    let options = BTreeMap::new();
    let request = Request { object, old, subresource, options: &options };
    lifecycle.combine(handwritten, || K::declared().validate(request))
}

#[cfg(test)]
mod tests;

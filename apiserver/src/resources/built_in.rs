//! The kinds besides flow control. Their types are recorded; what is particular about them is in
//! crate [`kinds`].

use std::sync::Arc;

use api::schema::TypeDef;
use kinds::{convert, defaults, deletion, rules, table};
use openapi::resource::{GroupVersion, Resource as Described};
use serde_json::Value;
use validation::field::ErrorList;
use validation::flowcontrol::Context;

use super::{Resource, Strategy};

/// A kind.
pub(super) fn resource(group_version: &GroupVersion, described: Described) -> Resource {
    let group = group_version.group.as_str();
    let conversion = convert::of(group, &group_version.version, &described.kind);
    let table = table::of(conversion.map_or(group, |stored| stored.group), &described.plural);
    let strategy = BuiltIn {
        group: group.to_owned(),
        kind: described.kind.clone(),
        type_def: Arc::clone(&described.type_def),
    };
    Resource::built_in(group_version, described, table, Box::new(strategy))
}

/// Asks crate [`kinds`] for everything.
struct BuiltIn {
    group: String,
    kind: String,
    type_def: Arc<TypeDef>,
}

impl BuiltIn {
    /// New members stand at the end until they are put where the type has them.
    fn put_in_order(&self, object: &mut Value) {
        self.type_def.put_in_order(object);
    }
}

impl Strategy for BuiltIn {
    fn has_generation(&self) -> bool {
        // Counted with everything else that the server decides: kinds differ in what they count.
        false
    }

    fn allows_unconditional_update(&self) -> bool {
        defaults::allows_unconditional_update(&self.group, &self.kind)
    }

    fn finalizer(&self) -> Option<&'static str> {
        deletion::finalizer(&self.group, &self.kind)
    }

    fn keeps_status_on_create(&self) -> bool {
        // Nodes tell of themselves from the first moment.
        (self.group.as_str(), self.kind.as_str()) == ("", "Node")
    }

    fn metadata_with_status(&self) -> &'static [&'static str] {
        defaults::metadata_with_status(&self.group, &self.kind)
    }

    fn allows_create_on_update(&self) -> bool {
        defaults::allows_create_on_update(&self.group, &self.kind)
    }

    fn prepare_create(&self, object: &mut Value) {
        defaults::prepare_create(&self.group, &self.kind, object);
        self.put_in_order(object);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value) {
        defaults::prepare_update(&self.group, &self.kind, object, old);
        self.put_in_order(object);
    }

    fn deletion_grace_seconds(&self, object: &Value, asked: Option<i64>) -> Option<i64> {
        defaults::deletion_grace_seconds(&self.kind, object, asked)
    }

    fn fill_defaults(&self, object: &mut Value) {
        defaults::fill(&self.group, &self.kind, object);
        self.put_in_order(object);
    }

    fn deletion_refusal(&self, name: &str) -> Option<&'static str> {
        deletion::refusal(&self.group, &self.kind, name)
    }

    fn orphans_by_default(&self) -> bool {
        defaults::orphans_dependents(&self.group, &self.kind)
    }

    fn deletion_warning(&self) -> Option<&'static str> {
        deletion::warning(&self.group, &self.kind)
    }

    fn holds(&self, object: &Value) -> bool {
        deletion::holds(&self.group, &self.kind, object)
    }

    fn begin_deletion(&self, object: &mut Value) {
        deletion::begin(&self.group, &self.kind, object);
    }

    fn validate_create(&self, object: &Value, _context: Context<'_>) -> ErrorList {
        rules::validate_create(&self.group, &self.kind, object).without_repetitions()
    }

    fn validate_update(&self, object: &Value, old: &Value, _context: Context<'_>) -> ErrorList {
        rules::validate_update(&self.group, &self.kind, object, old).without_repetitions()
    }

    fn validate_part_update(
        &self,
        subresource: &str,
        object: &Value,
        old: &Value,
        _context: Context<'_>,
    ) -> ErrorList {
        let place = (self.group.as_str(), self.kind.as_str(), subresource);
        rules::validate_part_update(place, object, old).without_repetitions()
    }
}

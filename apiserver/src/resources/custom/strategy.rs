//! What is code about custom resources: little, for their schema says the rest.

use std::sync::Arc;

use api::decode::{Decoded, Tree};
use api::schema::TypeDef;
use custom::Schema;
use custom::definition::{FieldPath, Scale};
use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::flowcontrol::Context;
use validation::object_meta::{self, Metadata, NameRule};

use super::convert::set_api_version;
use super::decode;
use crate::objects::metadata;
use crate::resources::{GroupVersionKind, Strategy};

/// The hooks of a version of a custom resource.
pub(super) struct CustomStrategy {
    pub(super) schema: Arc<Schema>,
    pub(super) scale: Option<Scale>,
    pub(super) kind: GroupVersionKind,
    /// The definition is on its way out.
    pub(super) terminating: bool,
    /// A webhook converts objects, which are stored in any version.
    pub(super) reviewed: bool,
}

impl Strategy for CustomStrategy {
    fn decode(&self, _: &TypeDef, tree: Tree) -> Result<Decoded, String> {
        decode::read(&self.kind, &self.schema, tree)
    }

    fn apply_defaults(&self, _: &TypeDef, object: &mut Value) {
        self.schema.apply_defaults(object);
    }

    fn read_stored(&self, mut object: Value) -> Value {
        if self.reviewed {
            return object;
        }
        // Version and schema may be others than when it was written.
        set_api_version(&mut object, &self.kind.group_version());
        self.schema.prune(&mut object);
        self.schema.apply_defaults(&mut object);
        object
    }

    fn drop_empty(&self, _: &TypeDef, object: &mut Value) {
        decode::drop_empty_metadata(object);
    }

    fn allows_unconditional_update(&self) -> bool {
        false
    }

    fn creation_refusal(&self) -> Option<&'static str> {
        self.terminating
            .then_some("create not allowed while custom resource definition is terminating")
    }

    fn scale(&self) -> Option<&Scale> {
        self.scale.as_ref()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        let finalizers = metadata::finalizers(object);
        let before = old.map(metadata::finalizers).unwrap_or_default();
        let new = finalizers.iter().filter(|finalizer| !before.contains(finalizer));
        new.filter(|finalizer| !is_qualified(finalizer))
            .map(|finalizer| unqualified(finalizer))
            .collect()
    }

    fn validate_create(&self, object: &Value, _: Context<'_>) -> ErrorList {
        let mut errors = self.check_type_meta(object);
        if !errors.is_empty() {
            return errors;
        }
        errors.extend(object_meta::validate(&Metadata::of(object), NameRule::DnsSubdomain));
        errors.extend(self.check_scale(object, true));
        errors.extend(self.schema.validate(object, None));
        errors
    }

    fn validate_update(&self, object: &Value, old: &Value, _: Context<'_>) -> ErrorList {
        self.check_update(object, old, true)
    }

    fn validate_status_update(&self, object: &Value, old: &Value, _: Context<'_>) -> ErrorList {
        self.check_update(object, old, false)
    }
}

impl CustomStrategy {
    fn check_update(&self, object: &Value, old: &Value, whole: bool) -> ErrorList {
        let mut errors = self.check_type_meta(object);
        if !errors.is_empty() {
            return errors;
        }
        let metadata = Metadata::of(object);
        errors.extend(object_meta::validate(&metadata, NameRule::PathSegment));
        errors.extend(object_meta::validate_update(&metadata, &Metadata::of(old)));
        errors.extend(self.check_scale(object, whole));
        errors.extend(self.schema.validate(object, Some(old)));
        errors.without_repetitions()
    }

    /// What a document says it is, taken at its word until here.
    fn check_type_meta(&self, object: &Value) -> ErrorList {
        let group_version = self.kind.group_version();
        let wanted = [("kind", self.kind.kind.as_str()), ("apiVersion", group_version.as_str())];
        let wrong = wanted.into_iter().find(|(member, wanted)| object[*member] != **wanted);
        let error = wrong.map(|(member, wanted)| {
            let found = object[member].as_str().unwrap_or_default();
            Error::invalid(&Path::new(member), found, format!("must be {wanted}"))
        });
        error.into_iter().collect()
    }

    /// What the scale subresource reads must be what it shows.
    fn check_scale(&self, object: &Value, whole: bool) -> ErrorList {
        let mut errors = ErrorList::default();
        let Some(scale) = &self.scale else { return errors };
        if whole {
            check_replicas(&mut errors, object, &scale.spec_replicas);
        }
        check_replicas(&mut errors, object, &scale.status_replicas);
        if let Some(path) = &scale.label_selector
            && let Some(value) = path.get(object)
            && !value.is_string()
        {
            let why = format!("{} accessor error: {value} is not a string", shown(path));
            errors.push(Error::invalid(&Path::new(&shown(path)), "", why));
        }
        errors
    }
}

/// As it is written in the definition.
fn shown(path: &FieldPath) -> String {
    format!(".{}", path.selector())
}

fn check_replicas(errors: &mut ErrorList, object: &Value, path: &FieldPath) {
    // A value of another type is the schema's business.
    let Some(replicas) = path.get(object).and_then(Value::as_i64) else { return };
    let why = if replicas < 0 {
        "should be a non-negative integer".to_owned()
    } else if replicas > i64::from(i32::MAX) {
        format!("should be less than or equal to {}", i32::MAX)
    } else {
        return;
    };
    errors.push(Error::invalid(&Path::new(&shown(path)), Shown::json(&replicas), why));
}

/// Whether a finalizer's name says whose it is.
fn is_qualified(finalizer: &str) -> bool {
    finalizer.contains('/') || ["orphan", "foregroundDeletion", "kubernetes"].contains(&finalizer)
}

fn unqualified(finalizer: &str) -> String {
    format!(
        "metadata.finalizers: {finalizer:?}: prefer a domain-qualified finalizer name including a \
         path (/) to avoid accidental conflicts with other finalizer writers"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use validation::flowcontrol::Gates;
    use validation::lifecycle::Silent;

    use crate::resources::custom::testing::widgets;

    use super::*;

    fn widget(spec: &Value) -> Value {
        json!({ "apiVersion": "example.com/v1", "kind": "Widget",
            "metadata": { "name": "a", "namespace": "default" }, "spec": spec })
    }

    fn errors(object: &Value) -> Vec<String> {
        let context = Context { gates: Gates { declarative_beta: true }, observer: &Silent };
        let errors = widgets().strategy.validate_create(object, context);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn replicas_are_counted_from_nothing_to_what_a_scale_can_say() {
        assert_eq!(errors(&widget(&json!({ "size": 0 }))), Vec::<String>::new());
        assert_eq!(
            errors(&widget(&json!({ "size": -1 }))),
            [".spec.size: Invalid value: -1: should be a non-negative integer"]
        );
        assert_eq!(
            errors(&widget(&json!({ "size": 1_i64 << 31 }))),
            [".spec.size: Invalid value: 2147483648: should be less than or equal to 2147483647"]
        );
    }

    #[test]
    fn a_document_of_another_kind_is_refused_for_nothing_else() {
        let mut object = widget(&json!({ "size": -1 }));
        object["kind"] = json!("Gadget");
        object["metadata"]["name"] = json!("No name");
        assert_eq!(errors(&object), ["kind: Invalid value: \"Gadget\": must be Widget"]);
    }

    #[test]
    fn names_are_subdomains() {
        let mut object = widget(&json!({}));
        object["metadata"]["name"] = json!("No name");
        assert!(errors(&object)[0].starts_with("metadata.name: Invalid value: \"No name\""));
    }

    #[test]
    fn finalizers_without_a_domain_are_warned_of_when_they_are_new() {
        let mut object = widget(&json!({}));
        object["metadata"]["finalizers"] = json!(["mine", "example.com/mine", "orphan"]);
        let widgets = widgets();
        let warnings = widgets.strategy.warnings(&object, None);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with("metadata.finalizers: \"mine\": prefer a domain"));
        assert_eq!(widgets.strategy.warnings(&object, Some(&object)), Vec::<String>::new());
    }
}

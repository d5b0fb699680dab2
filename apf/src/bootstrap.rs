//! The objects that every server has from the start, and what keeps them (spec: apf 11).
//!
//! Their specs are in `api::flowcontrol::bootstrap`; here they become whole objects, and here is
//! decided what to do about the stored ones. Reading and writing them is the server's.

use api::flowcontrol::bootstrap::{
    Bootstrap, flow_schemas as flow_schema_specs, priority_level_configurations as level_specs,
};
use api::flowcontrol::v1::{
    FlowSchema, FlowSchemaSpec, PriorityLevelConfiguration, PriorityLevelConfigurationSpec,
};
use api::meta::ObjectMeta;

use crate::config::EXEMPT;

/// Says whether the server may set an object's spec to that of its bootstrap object.
pub const AUTOUPDATE_ANNOTATION: &str = "apf.kubernetes.io/autoupdate-spec";
/// The field manager of the writes that keep bootstrap objects.
pub const FIELD_MANAGER: &str = "api-priority-and-fairness-config-producer-v1";
const API_VERSION: &str = "flowcontrol.apiserver.k8s.io/v1";

/// An object that every server has from the start.
#[derive(Debug, Clone, Copy)]
pub struct BootstrapObject<Spec: 'static> {
    /// Whether its spec is fixed; else it is a suggestion that administrators may change.
    pub mandatory: bool,
    /// Its name.
    pub name: &'static str,
    /// Its spec, with defaults filled in.
    pub spec: &'static Spec,
}

/// What to do about a stored object.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision<Spec> {
    /// Nothing.
    Keep,
    /// Update it, with its resource version as a precondition. Labels, other annotations and
    /// status stay.
    Update {
        /// The new spec, if it changes.
        spec: Option<Spec>,
        /// The annotation [`AUTOUPDATE_ANNOTATION`] to set, `true` or `false`, if it changes.
        autoupdate: Option<bool>,
    },
}

/// A spec that bootstrap objects have.
pub trait BootstrapSpec: Clone + PartialEq + Sized + 'static {
    /// Whether a stored spec counts as that of the bootstrap object named `name`.
    fn is_current(&self, name: &str, stored: &Self) -> bool;
}

impl BootstrapSpec for FlowSchemaSpec {
    fn is_current(&self, _name: &str, stored: &Self) -> bool {
        self == stored
    }
}

impl BootstrapSpec for PriorityLevelConfigurationSpec {
    /// Administrators may change the numbers of the exempt level, but not take them away.
    fn is_current(&self, name: &str, stored: &Self) -> bool {
        if name != EXEMPT {
            return self == stored;
        }
        let same_members = self.exempt.is_some() == stored.exempt.is_some();
        same_members && self.level_type == stored.level_type && self.limited == stored.limited
    }
}

/// The FlowSchemas, the suggested ones first, as they are created.
pub fn flow_schemas() -> impl Iterator<Item = BootstrapObject<FlowSchemaSpec>> {
    in_order_of_creation(flow_schema_specs())
}

/// The PriorityLevelConfigurations, the suggested ones first, as they are created.
pub fn priority_levels() -> impl Iterator<Item = BootstrapObject<PriorityLevelConfigurationSpec>> {
    in_order_of_creation(level_specs())
}

fn in_order_of_creation<Spec>(
    objects: &'static [Bootstrap<Spec>],
) -> impl Iterator<Item = BootstrapObject<Spec>> {
    let of_class = |mandatory| objects.iter().filter(move |object| object.mandatory == mandatory);
    of_class(false).chain(of_class(true)).map(|object| BootstrapObject {
        mandatory: object.mandatory,
        name: &object.name,
        spec: &object.spec,
    })
}

fn metadata(name: &str) -> ObjectMeta {
    let annotations = [(AUTOUPDATE_ANNOTATION.to_owned(), "true".to_owned())].into();
    ObjectMeta { name: name.to_owned(), annotations, ..ObjectMeta::default() }
}

impl BootstrapObject<FlowSchemaSpec> {
    /// The object to create.
    #[must_use]
    pub fn build(&self) -> FlowSchema {
        FlowSchema {
            kind: "FlowSchema".to_owned(),
            api_version: API_VERSION.to_owned(),
            metadata: metadata(self.name),
            spec: self.spec.clone(),
            ..FlowSchema::default()
        }
    }
}

impl BootstrapObject<PriorityLevelConfigurationSpec> {
    /// The object to create.
    #[must_use]
    pub fn build(&self) -> PriorityLevelConfiguration {
        PriorityLevelConfiguration {
            kind: "PriorityLevelConfiguration".to_owned(),
            api_version: API_VERSION.to_owned(),
            metadata: metadata(self.name),
            spec: self.spec.clone(),
            ..PriorityLevelConfiguration::default()
        }
    }
}

impl<Spec: BootstrapSpec> BootstrapObject<Spec> {
    /// What to do about the stored object of this name. The spec is kept current if the object is
    /// mandatory, or its annotation says so, or it says nothing and nobody ever changed the spec.
    #[must_use]
    pub fn decide(&self, metadata: &ObjectMeta, spec: &Spec) -> Decision<Spec> {
        let annotation = autoupdate(metadata);
        let wanted = self.mandatory || annotation.unwrap_or(metadata.generation == 1);
        let replace_spec = wanted && !self.spec.is_current(self.name, spec);
        let spec = replace_spec.then(|| self.spec.clone());
        let autoupdate = (annotation != Some(wanted)).then_some(wanted);
        if spec.is_none() && autoupdate.is_none() {
            return Decision::Keep;
        }
        Decision::Update { spec, autoupdate }
    }
}

/// Whether a stored FlowSchema was a bootstrap object of another version and has to be deleted.
#[must_use]
pub fn is_obsolete_flow_schema(metadata: &ObjectMeta) -> bool {
    autoupdate(metadata) == Some(true) && flow_schemas().all(|object| object.name != metadata.name)
}

/// Whether a stored PriorityLevelConfiguration was a bootstrap object of another version and has
/// to be deleted.
#[must_use]
pub fn is_obsolete_priority_level(metadata: &ObjectMeta) -> bool {
    autoupdate(metadata) == Some(true)
        && priority_levels().all(|object| object.name != metadata.name)
}

fn autoupdate(metadata: &ObjectMeta) -> Option<bool> {
    match metadata.annotations.get(AUTOUPDATE_ANNOTATION)?.as_str() {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Json, vectors};

    fn stored(name: &str, case: &Json) -> ObjectMeta {
        let mut metadata = ObjectMeta { name: name.to_owned(), ..ObjectMeta::default() };
        metadata.generation = case["generation"].as_i64().unwrap_or(2);
        if let Some(text) = case["annotation"].as_str() {
            metadata.annotations.insert(AUTOUPDATE_ANNOTATION.to_owned(), text.to_owned());
        }
        metadata
    }

    fn level(name: &str) -> BootstrapObject<PriorityLevelConfigurationSpec> {
        priority_levels().find(|object| object.name == name).unwrap()
    }

    fn without_status(object: impl serde::Serialize) -> Json {
        let mut json = serde_json::to_value(object).unwrap();
        json.as_object_mut().unwrap().remove("status");
        json["metadata"].as_object_mut().unwrap().remove("creationTimestamp");
        json
    }

    fn assert_objects(recorded: &Json, built: impl Iterator<Item = (bool, Json)>) {
        let mut expected: Vec<(bool, Json)> = recorded
            .as_array()
            .unwrap()
            .iter()
            .map(|item| (item["class"] == "mandatory", item["object"].clone()))
            .collect();
        let mut built: Vec<(bool, Json)> = built.collect();
        let key = |(_, object): &(bool, Json)| object["metadata"]["name"].to_string();
        expected.sort_by_key(key);
        built.sort_by_key(key);
        assert_eq!(built, expected);
    }

    #[test]
    fn bootstrap_objects_are_as_recorded() {
        let recorded = vectors("bootstrap-objects");
        let schemas = flow_schemas().map(|object| {
            let mut json = without_status(object.build());
            drop_unset_namespaces(&mut json);
            (object.mandatory, json)
        });
        let mut recorded_schemas = recorded["flowSchemas"].clone();
        for item in recorded_schemas.as_array_mut().unwrap() {
            drop_unset_namespaces(&mut item["object"]);
        }
        assert_objects(&recorded_schemas, schemas);
        let levels =
            priority_levels().map(|object| (object.mandatory, without_status(object.build())));
        assert_objects(&recorded["priorityLevelConfigurations"], levels);
    }

    /// A list that is unset may be written as such or left out.
    fn drop_unset_namespaces(schema: &mut Json) {
        for rule in schema["spec"]["rules"].as_array_mut().unwrap() {
            for rule in rule["resourceRules"].as_array_mut().into_iter().flatten() {
                if rule["namespaces"].is_null() {
                    rule.as_object_mut().unwrap().remove("namespaces");
                }
            }
        }
    }

    #[test]
    fn suggested_objects_are_created_first() {
        let classes: Vec<bool> = flow_schemas().map(|object| object.mandatory).collect();
        assert!(classes.is_sorted());
        let names: Vec<&str> = priority_levels().map(|object| object.name).collect();
        assert_eq!(names[0], "system");
        assert_eq!(names[6..], ["catch-all", "exempt"]);
    }

    #[test]
    fn stored_objects_are_treated_as_recorded() {
        for case in vectors("bootstrap-ensurer")["existingObject"].as_array().unwrap() {
            let mandatory = case["class"] == "mandatory";
            let object = level(if mandatory { "catch-all" } else { "workload-low" });
            let mut spec = object.spec.clone();
            if case["specEqualsBootstrap"] == false {
                spec.limited.as_mut().unwrap().nominal_concurrency_shares = Some(77);
            }
            let decision = object.decide(&stored(object.name, case), &spec);
            let expect = &case["expect"];
            match decision {
                Decision::Keep => assert_eq!(expect["write"], false, "{case}"),
                Decision::Update { spec, autoupdate } => {
                    assert_eq!(expect["write"], true, "{case}");
                    assert_eq!(expect["specReplacedByBootstrap"], spec.is_some(), "{case}");
                    let after = autoupdate.map_or_else(
                        || case["annotation"].as_str().unwrap().to_owned(),
                        |value| value.to_string(),
                    );
                    assert_eq!(expect["annotationAfter"], after, "{case}");
                    assert!(spec.is_none_or(|spec| spec == *object.spec));
                }
            }
        }
    }

    #[test]
    fn the_exempt_level_may_have_other_numbers_but_not_none() {
        for case in vectors("bootstrap-ensurer")["exemptLevel"].as_array().unwrap() {
            let spec = serde_json::from_value(case["exemptLevelSpec"].clone()).unwrap();
            let decision = level(EXEMPT).decide(&stored(EXEMPT, case), &spec);
            if case["expectWrite"] == true {
                let expected = serde_json::from_value(case["expectSpec"].clone()).unwrap();
                assert_eq!(decision, Decision::Update { spec: Some(expected), autoupdate: None });
            } else {
                assert_eq!(decision, Decision::Keep, "{case}");
            }
        }
    }

    #[test]
    fn obsolete_objects_are_deleted_as_recorded() {
        for case in vectors("bootstrap-ensurer")["deletion"].as_array().unwrap() {
            let metadata = stored(case["name"].as_str().unwrap(), case);
            let expected = case["expectDeleted"].as_bool().unwrap();
            assert_eq!(is_obsolete_priority_level(&metadata), expected, "{case}");
        }
    }
}

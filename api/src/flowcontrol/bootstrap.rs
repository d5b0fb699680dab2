//! The objects that every server has from the start (spec: apf 11.1).

use std::sync::LazyLock;

use serde::Deserialize;

use super::v1::{FlowSchemaSpec, PriorityLevelConfigurationSpec};

/// An object that every server has from the start.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Bootstrap<Spec> {
    /// Whether its spec is fixed; else it is a suggestion that administrators may change.
    pub mandatory: bool,
    /// Its name.
    pub name: String,
    /// Its spec, with defaults filled in.
    pub spec: Spec,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Objects {
    flow_schemas: Vec<Bootstrap<FlowSchemaSpec>>,
    priority_level_configurations: Vec<Bootstrap<PriorityLevelConfigurationSpec>>,
}

static OBJECTS: LazyLock<Objects> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the text is part of the program and read by a test")]
    serde_json::from_str(include_str!("bootstrap.json")).expect("bootstrap.json is well-formed")
});

/// The FlowSchemas.
#[must_use]
pub fn flow_schemas() -> &'static [Bootstrap<FlowSchemaSpec>] {
    &OBJECTS.flow_schemas
}

/// The PriorityLevelConfigurations.
#[must_use]
pub fn priority_level_configurations() -> &'static [Bootstrap<PriorityLevelConfigurationSpec>] {
    &OBJECTS.priority_level_configurations
}

/// The fixed spec of a mandatory FlowSchema.
#[must_use]
pub fn mandatory_flow_schema(name: &str) -> Option<&'static FlowSchemaSpec> {
    mandatory(flow_schemas(), name)
}

/// The fixed spec of a mandatory PriorityLevelConfiguration.
#[must_use]
pub fn mandatory_priority_level(name: &str) -> Option<&'static PriorityLevelConfigurationSpec> {
    mandatory(priority_level_configurations(), name)
}

fn mandatory<Spec>(objects: &'static [Bootstrap<Spec>], name: &str) -> Option<&'static Spec> {
    let found = objects.iter().find(|object| object.mandatory && object.name == name);
    found.map(|object| &object.spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_eleven_flow_schemas_and_eight_levels_two_of_each_mandatory() {
        assert_eq!(flow_schemas().len(), 11);
        assert_eq!(priority_level_configurations().len(), 8);
        for name in ["exempt", "catch-all"] {
            assert!(mandatory_flow_schema(name).is_some());
            assert!(mandatory_priority_level(name).is_some());
        }
        assert!(mandatory_flow_schema("probes").is_none());
    }

    #[test]
    fn every_flow_schema_names_a_level_that_exists() {
        for schema in flow_schemas() {
            let level = &schema.spec.priority_level_configuration.name;
            assert!(priority_level_configurations().iter().any(|other| other.name == *level));
        }
    }
}

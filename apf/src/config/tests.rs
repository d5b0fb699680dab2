use super::*;
use crate::test_support::{Json, strings, vectors};

pub(crate) fn level(name: &str, spec: &Json) -> Arc<PriorityLevelConfiguration> {
    let mut object = PriorityLevelConfiguration::default();
    name.clone_into(&mut object.metadata.name);
    object.spec = serde_json::from_value(spec.clone()).unwrap();
    Arc::new(object)
}

pub(crate) fn levels(list: &Json) -> Vec<Arc<PriorityLevelConfiguration>> {
    let list = list.as_array().unwrap().iter();
    list.map(|item| level(item["name"].as_str().unwrap(), &item["spec"])).collect()
}

fn schema(item: &Json) -> Arc<FlowSchema> {
    let mut object = FlowSchema::default();
    item["name"].as_str().unwrap().clone_into(&mut object.metadata.name);
    let level_name = item["priorityLevel"].as_str().unwrap();
    level_name.clone_into(&mut object.spec.priority_level_configuration.name);
    object.spec.matching_precedence =
        i32::try_from(item["matchingPrecedence"].as_i64().unwrap()).unwrap();
    if let Some(conditions) = item.get("conditions") {
        object.status.conditions = serde_json::from_value(conditions.clone()).unwrap();
    }
    Arc::new(object)
}

fn names(schemas: &[Arc<FlowSchema>]) -> Vec<&str> {
    schemas.iter().map(|schema| schema.metadata.name.as_str()).collect()
}

fn queue_level(name: &str) -> Arc<PriorityLevelConfiguration> {
    let spec = serde_json::json!({"type": "Limited", "limited": {
        "nominalConcurrencyShares": 10,
        "limitResponse": {"type": "Queue", "queuing": {"queues": 4, "handSize": 2, "queueLengthLimit": 5}},
    }});
    level(name, &spec)
}

#[test]
fn configurations_digest_as_recorded() {
    let cases = vectors("config-digest");
    for case in cases.as_array().unwrap() {
        let schemas = case["flowSchemas"].as_array().unwrap().iter().map(schema).collect();
        let digested =
            digest(schemas, levels(&case["priorityLevelConfigurations"]), &BTreeMap::new(), |_| {
                unreachable!("nothing was in use before")
            });
        assert_eq!(names(&digested.flow_schemas), strings(&case["flowSchemaOrder"]));
        let in_use: Vec<_> = digested.levels.keys().cloned().collect();
        assert_eq!(in_use, strings(&case["levelsInUse"]));
        let mut updates: Vec<String> = digested
            .condition_updates
            .iter()
            .map(|u| format!("{}|{}|{}|{}", u.flow_schema_name, u.status, u.reason, u.message))
            .collect();
        updates.sort();
        assert_eq!(updates, strings(&case["statusUpdates"]), "{}", case["name"]);
    }
}

#[test]
fn a_busy_level_that_is_no_longer_wanted_quiesces_and_an_idle_one_goes() {
    let before =
        digest(vec![], vec![queue_level("busy"), queue_level("idle")], &BTreeMap::new(), |_| false);
    let after = digest(vec![], vec![], &before.levels, |name| name == "idle");
    assert_eq!(after.removed, ["idle"]);
    assert!(after.levels["busy"].quiescing);
    assert!(!after.levels[EXEMPT].quiescing && !after.levels[CATCH_ALL].quiescing);
    let again = digest(vec![], vec![queue_level("busy")], &after.levels, |_| false);
    assert!(!again.levels["busy"].quiescing);
}

#[test]
fn flow_schemas_of_a_quiescing_level_dangle_at_once() {
    let item = serde_json::json!({"name": "s", "priorityLevel": "busy", "matchingPrecedence": 5});
    let schemas = || vec![schema(&item)];
    let before = digest(schemas(), vec![queue_level("busy")], &BTreeMap::new(), |_| false);
    assert_eq!(names(&before.flow_schemas), ["exempt", "s", "catch-all"]);
    let after = digest(schemas(), vec![], &before.levels, |_| false);
    assert_eq!(names(&after.flow_schemas), ["exempt", "catch-all"]);
    assert_eq!(after.condition_updates[0].status, "True");
}

#[test]
fn a_deleted_mandatory_level_keeps_its_last_object() {
    let stored = bootstrap::priority_levels().find(|object| object.name == CATCH_ALL).unwrap();
    let mut stored = stored.build();
    stored.metadata.uid = "stored".to_owned();
    let before = digest(vec![], vec![Arc::new(stored)], &BTreeMap::new(), |_| true);
    let after = digest(vec![], vec![], &before.levels, |_| true);
    assert_eq!(after.levels[CATCH_ALL].object.metadata.uid, "stored");
    assert_eq!(after.levels[EXEMPT].object.metadata.uid, "");
}

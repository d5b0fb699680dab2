//! Waiting for the server's own controller, so that what a case sees of it does not depend on how
//! busy the machine is.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::case::Call;
use crate::clock::poll;
use crate::http::Response;
use crate::target::Target;

const GROUP: &str = "/apis/flowcontrol.apiserver.k8s.io/";
const FLOW_SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
const PRIORITY_LEVELS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";

const DUMP: &str = "/debug/api_priority_and_fairness/dump_priority_levels";

/// Some servers run no such controller, so there is an end to waiting for it.
const WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(10);

/// Knows what the controller is not expected to look after.
#[derive(Debug, Default)]
pub(super) struct Settling {
    given_up: BTreeSet<String>,
}

impl Settling {
    /// Waits as [`Self::wait`] does, if `call` may have changed something.
    pub(super) fn after(&mut self, target: &Target, call: &Call, response: &Response) {
        let wrote = call.path.starts_with(GROUP) && response.head.status < 300;
        if wrote && !call.path.contains("dryRun") {
            self.wait(target);
        }
    }

    /// Waits until every FlowSchema says rightly whether its priority level is there, and no level
    /// is in force that was deleted, but for those that finish their requests.
    pub(super) fn wait(&mut self, target: &Target) {
        let settled = poll(WAIT, PAUSE, || {
            let unsettled = unsettled(target)?;
            unsettled.is_subset(&self.given_up).then_some(())
        });
        if settled.is_none() {
            self.given_up.extend(unsettled(target).unwrap_or_default());
        }
    }
}

/// The FlowSchemas whose condition is not there or not right, and the levels that should be gone;
/// `None` if the server does not say.
fn unsettled(target: &Target) -> Option<BTreeSet<String>> {
    let levels = items(target, PRIORITY_LEVELS)?;
    let levels: BTreeSet<&str> = levels.iter().filter_map(name).collect();
    let schemas = items(target, FLOW_SCHEMAS)?;
    let schemas = schemas.iter().filter(|schema| !is_settled(schema, &levels)).filter_map(name);
    let dump = String::from_utf8(get(target, DUMP)?.body).ok()?;
    let left = in_force(&dump).filter(|level| !levels.contains(level));
    Some(schemas.chain(left).map(str::to_owned).collect())
}

/// The levels of a dump that are not on their way out.
fn in_force(dump: &str) -> impl Iterator<Item = &str> {
    let column = dump.lines().next().unwrap_or_default();
    let column = column.split(',').position(|heading| heading.trim() == "IsQuiescing");
    dump.lines().skip(1).filter_map(move |row| {
        let mut cells = row.split(',').map(str::trim);
        let level = cells.next()?;
        (cells.nth(column?.checked_sub(1)?)? == "false").then_some(level)
    })
}

fn is_settled(schema: &Value, levels: &BTreeSet<&str>) -> bool {
    let level = schema["spec"]["priorityLevelConfiguration"]["name"].as_str();
    let expected = if level.is_some_and(|level| levels.contains(level)) { "False" } else { "True" };
    let conditions = schema["status"]["conditions"].as_array().into_iter().flatten();
    let mut dangling = conditions.filter(|condition| condition["type"] == "Dangling");
    dangling.next().is_some_and(|condition| condition["status"] == expected)
}

fn name(object: &Value) -> Option<&str> {
    object["metadata"]["name"].as_str()
}

fn items(target: &Target, path: &str) -> Option<Vec<Value>> {
    let list: Value = serde_json::from_slice(&get(target, path)?.body).ok()?;
    list["items"].as_array().cloned()
}

fn get(target: &Target, path: &str) -> Option<Response> {
    target.call(&Call::of("GET", path)).ok().filter(|got| got.head.status == 200)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_flow_schema_is_settled_when_its_condition_tells_whether_its_level_is_there() {
        let schema = |status: &str| {
            json!({
                "spec": { "priorityLevelConfiguration": { "name": "a" } },
                "status": { "conditions": [{ "type": "Dangling", "status": status }] },
            })
        };
        let there = BTreeSet::from(["a"]);
        let gone = BTreeSet::new();
        assert!(is_settled(&schema("False"), &there) && !is_settled(&schema("True"), &there));
        assert!(is_settled(&schema("True"), &gone) && !is_settled(&schema("False"), &gone));
        assert!(!is_settled(&json!({ "status": {} }), &gone));
    }

    #[test]
    fn levels_on_their_way_out_are_not_in_force() {
        let dump = "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, Waiting\n\
                    a,                 1,            true,   false,       0\n\
                    b,                 1,            false,  true,        0\n\
                    c,                 <none>,       <none>, <none>,      <none>\n";
        assert_eq!(in_force(dump).collect::<Vec<_>>(), ["a"]);
    }
}

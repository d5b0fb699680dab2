//! Where pods want to be: near which pods, on which nodes, spread how.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format;

use super::{checks, selector};
use crate::value::Members;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// The `affinity` of a pod.
pub(super) fn validate(errors: &mut ErrorList, affinity: &Value, path: &Path) {
    validate_nodes(errors, affinity.member("nodeAffinity"), &path.child("nodeAffinity"));
    for kind in ["podAffinity", "podAntiAffinity"] {
        let (affinity, path) = (affinity.member(kind), path.child(kind));
        for (index, term) in affinity.items(REQUIRED).iter().enumerate() {
            validate_term(errors, term, &path.child(REQUIRED).index(index));
        }
        for (index, weighted) in affinity.items(PREFERRED).iter().enumerate() {
            let path = path.child(PREFERRED).index(index);
            validate_weight(errors, weighted, &path);
            let path = path.child("podAffinityTerm");
            validate_term(errors, weighted.member("podAffinityTerm"), &path);
        }
    }
}

fn validate_weight(errors: &mut ErrorList, weighted: &Value, path: &Path) {
    let weight = weighted.int("weight").unwrap_or(0);
    if !(1..=100).contains(&weight) {
        let detail = "must be in the range 1-100";
        errors.push(Error::invalid(&path.child("weight"), weight, detail));
    }
}

fn validate_nodes(errors: &mut ErrorList, affinity: &Value, path: &Path) {
    if affinity.has(REQUIRED) {
        let (required, path) = (affinity.member(REQUIRED), path.child(REQUIRED));
        let path = path.child("nodeSelectorTerms");
        if required.is_blank("nodeSelectorTerms") {
            let detail = "must have at least one node selector term";
            errors.push(Error::required(&path, detail));
        }
        for (index, term) in required.items("nodeSelectorTerms").iter().enumerate() {
            validate_node_term(errors, term, &path.index(index));
        }
    }
    for (index, weighted) in affinity.items(PREFERRED).iter().enumerate() {
        let path = path.child(PREFERRED).index(index);
        validate_weight(errors, weighted, &path);
        validate_node_term(errors, weighted.member("preference"), &path.child("preference"));
    }
}

fn validate_node_term(errors: &mut ErrorList, term: &Value, path: &Path) {
    for (index, requirement) in term.items("matchExpressions").iter().enumerate() {
        validate_node_requirement(
            errors,
            requirement,
            &path.child("matchExpressions").index(index),
        );
    }
}

fn validate_node_requirement(errors: &mut ErrorList, requirement: &Value, path: &Path) {
    let count = requirement.items("values").len();
    let (operator, values) = (requirement.text("operator"), path.child("values"));
    match operator {
        "In" | "NotIn" if count == 0 => errors
            .push(Error::required(&values, "must be specified when `operator` is 'In' or 'NotIn'")),
        "Exists" | "DoesNotExist" if count > 0 => errors.push(Error::forbidden(
            &values,
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        )),
        "Gt" | "Lt" if count != 1 => errors.push(Error::required(
            &values,
            "must be specified single value when `operator` is 'Lt' or 'Gt'",
        )),
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        _ => {
            let path = path.child("operator");
            let detail = "not a valid selector operator";
            errors.push(Error::invalid(&path, Shown::json(&operator), detail));
        }
    }
    let key = requirement.text("key");
    checks::each_message(errors, &path.child("key"), key, format::qualified_name(key));
}

fn validate_term(errors: &mut ErrorList, term: &Value, path: &Path) {
    for member in ["labelSelector", "namespaceSelector"] {
        selector::validate(errors, term.member(member), &path.child(member));
    }
    validate_topology_key(errors, term, path);
}

fn validate_topology_key(errors: &mut ErrorList, holder: &Value, path: &Path) {
    let (key, path) = (holder.text("topologyKey"), path.child("topologyKey"));
    if key.is_empty() {
        errors.push(Error::required(&path, "can not be empty"));
    } else {
        checks::each_message(errors, &path, key, format::qualified_name(key));
    }
}

/// The `topologySpreadConstraints` of a pod.
pub(super) fn validate_spread(errors: &mut ErrorList, spec: &Value, path: &Path) {
    for (index, constraint) in spec.items("topologySpreadConstraints").iter().enumerate() {
        let path = path.index(index);
        let skew = constraint.int("maxSkew").unwrap_or(0);
        if skew <= 0 {
            errors.push(Error::invalid(&path.child("maxSkew"), skew, "must be greater than zero"));
        }
        validate_topology_key(errors, constraint, &path);
        let ways = ["DoNotSchedule", "ScheduleAnyway"];
        let way = constraint.text("whenUnsatisfiable");
        if !ways.contains(&way) {
            let path = path.child("whenUnsatisfiable");
            errors.push(Error::not_supported(&path, Shown::json(&way), &ways));
        }
        let member = "labelSelector";
        selector::validate(errors, constraint.member(member), &path.child(member));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn terms_say_where() {
        let affinity = json!({
            "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions":
                [{"key": "a", "operator": "Gt", "values": ["1", "2"]}]}]}},
            "podAffinity": {PREFERRED: [{"weight": 0, "podAffinityTerm": {}}]},
        });
        let mut errors = ErrorList::default();
        validate(&mut errors, &affinity, &Path::new("a"));
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let terms =
            "a.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
        let preferred = "a.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]";
        assert_eq!(
            texts,
            [
                format!(
                    "{terms}[0].matchExpressions[0].values: Required value: must be specified \
                         single value when `operator` is 'Lt' or 'Gt'"
                ),
                format!("{preferred}.weight: Invalid value: 0: must be in the range 1-100"),
                format!(
                    "{preferred}.podAffinityTerm.topologyKey: Required value: can not be empty"
                ),
            ]
        );
    }
}

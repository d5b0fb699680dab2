//! LimitRanger: what containers get that ask for nothing, and how much is too little or too much.

use std::collections::BTreeMap;

use api::quantity::Quantity;
use serde_json::{Value, json};

use super::Refusal;
use crate::defaults::pod;
use crate::value::Members;

/// The annotation that says what a pod was given.
const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// Amounts by resource.
type Amounts = BTreeMap<String, Quantity>;

/// Whether LimitRanges say anything about a kind.
#[must_use]
pub fn is_limited(group: &str, kind: &str) -> bool {
    group.is_empty() && matches!(kind, "Pod" | "PersistentVolumeClaim")
}

/// Gives the containers of a new pod what a LimitRange has for those that ask for nothing.
pub fn fill_limits(pod: &mut Value, range: &Value) {
    let (mut limits, mut requests) = (json!({}), json!({}));
    for item in items(range, "Container") {
        limits.add_missing_to_self(item.member("default"));
        requests.add_missing_to_self(item.member("defaultRequest"));
    }
    let mut given = Vec::new();
    if let Some(spec) = pod.present_mut("spec") {
        for (list, what) in [("containers", "container"), ("initContainers", "init container")] {
            for container in spec.items_mut(list) {
                for (member, amounts, word) in
                    [("requests", &requests, "request"), ("limits", &limits, "limit")]
                {
                    let names = give(container, member, amounts);
                    if !names.is_empty() {
                        let name = container.text("name");
                        given.push(format!("{} {word} for {what} {name}", names.join(", ")));
                    }
                }
            }
        }
    }
    if !given.is_empty() {
        let text = format!("LimitRanger plugin set: {}", given.join("; "));
        let annotations = pod.ensure("metadata").ensure("annotations");
        annotations.set(ANNOTATION, text);
        if let Value::Object(annotations) = annotations {
            annotations.sort_keys();
        }
    }
}

trait AddMissing {
    fn add_missing_to_self(&mut self, others: &Value);
}

impl AddMissing for Value {
    fn add_missing_to_self(&mut self, others: &Value) {
        if let (Self::Object(own), Self::Object(others)) = (self, others) {
            for (name, amount) in others {
                own.entry(name).or_insert_with(|| amount.clone());
            }
        }
    }
}

/// Gives a container the amounts that it lacks; the names of these.
fn give(container: &mut Value, member: &str, amounts: &Value) -> Vec<String> {
    let own = container.member("resources").member(member);
    let missing = amounts.as_object().into_iter().flatten();
    let missing = missing.map(|(name, _)| name.clone()).filter(|name| !own.has(name));
    let mut names: Vec<String> = missing.collect();
    names.sort_unstable();
    if !names.is_empty() {
        container.ensure("resources").add_missing(member, amounts);
    }
    names
}

fn items<'a>(range: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    range.member("spec").items("limits").iter().filter(move |item| item.text("type") == kind)
}

/// Checks an object against a LimitRange.
///
/// # Errors
///
/// Everything that is too little or too much.
pub fn check_limits(kind: &str, object: &Value, range: &Value) -> Result<(), Refusal> {
    let mut wrong = Vec::new();
    if kind == "Pod" {
        let spec = object.member("spec");
        for item in items(range, "Container") {
            let containers = ["containers", "initContainers"].into_iter();
            for container in containers.flat_map(|list| spec.items(list)) {
                let resources = container.member("resources");
                let amounts = |member| amounts(resources.member(member));
                check_item(item, &amounts("requests"), &amounts("limits"), &mut wrong);
            }
        }
        for item in items(range, "Pod") {
            check_item(
                item,
                &sum_of_pod(spec, "requests"),
                &sum_of_pod(spec, "limits"),
                &mut wrong,
            );
        }
    } else {
        let requests = amounts(object.member("spec").member("resources").member("requests"));
        for item in items(range, kind) {
            check_requests(item, kind, &requests, &mut wrong);
        }
    }
    match wrong.len() {
        0 => Ok(()),
        1 => Err(Refusal(wrong.remove(0))),
        _ => Err(Refusal(format!("[{}]", wrong.join(", ")))),
    }
}

fn amounts(object: &Value) -> Amounts {
    let members = object.as_object().into_iter().flatten();
    members.map(|(name, amount)| (name.clone(), Quantity::of(amount))).collect()
}

/// What a pod needs: its containers together, or what a container before them needs, if that is
/// more. What it says of itself as a whole goes before both.
pub(super) fn sum_of_pod(spec: &Value, member: &str) -> Amounts {
    let mut sums = pod::container_sums(spec, member);
    sums.extend(amounts(spec.member("resources").member(member)));
    sums
}

fn check_item(item: &Value, requests: &Amounts, limits: &Amounts, wrong: &mut Vec<String>) {
    let kind = item.text("type");
    for (name, least) in amounts(item.member("min")) {
        let is = format!("minimum {name} usage per {kind} is {least}");
        match (requests.get(&name), limits.get(&name)) {
            (None, _) => wrong.push(format!("{is}.  No request is specified")),
            (Some(own), _) if *own < least => wrong.push(format!("{is}, but request is {own}")),
            (_, Some(own)) if *own < least => wrong.push(format!("{is}, but limit is {own}")),
            _ => {}
        }
    }
    for (name, most) in amounts(item.member("max")) {
        let is = format!("maximum {name} usage per {kind} is {most}");
        match (requests.get(&name), limits.get(&name)) {
            (_, None) => wrong.push(format!("{is}.  No limit is specified")),
            (_, Some(own)) if *own > most => wrong.push(format!("{is}, but limit is {own}")),
            (Some(own), _) if *own > most => wrong.push(format!("{is}, but request is {own}")),
            _ => {}
        }
    }
    for (name, most) in amounts(item.member("maxLimitRequestRatio")) {
        let is = format!("{name} max limit to request ratio per {kind} is {most}");
        let own = |amounts: &Amounts| amounts.get(&name).copied().filter(|own| own.sign().is_gt());
        match (own(requests), own(limits)) {
            (None, _) => wrong.push(format!("{is}, but no request is specified or request is 0")),
            (_, None) => wrong.push(format!("{is}, but no limit is specified or limit is 0")),
            (Some(request), Some(limit)) => {
                let ratio = limit.approximate() / request.approximate();
                if ratio > most.approximate() {
                    wrong.push(format!("{is}, but provided ratio is {ratio:.6}"));
                }
            }
        }
    }
}

/// Claims have requests only.
fn check_requests(item: &Value, kind: &str, requests: &Amounts, wrong: &mut Vec<String>) {
    for (name, least) in amounts(item.member("min")) {
        let is = format!("minimum {name} usage per {kind} is {least}");
        match requests.get(&name) {
            None => wrong.push(format!("{is}.  No request is specified")),
            Some(own) if *own < least => wrong.push(format!("{is}, but request is {own}")),
            Some(_) => {}
        }
    }
    for (name, most) in amounts(item.member("max")) {
        let is = format!("maximum {name} usage per {kind} is {most}");
        match requests.get(&name) {
            None => wrong.push(format!("{is}.  No request is specified")),
            Some(own) if *own > most => wrong.push(format!("{is}, but request is {own}")),
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(item: &Value) -> Value {
        json!({"spec": {"limits": [item]}})
    }

    fn pod(requests: &Value, limits: &Value) -> Value {
        let resources = json!({"requests": requests, "limits": limits});
        json!({"metadata": {}, "spec": {"containers": [{"name": "c", "resources": resources}]}})
    }

    #[test]
    fn containers_get_what_they_do_not_ask_for() {
        let range = range(&json!({"type": "Container", "default": {"memory": "1Gi", "cpu": "2"},
            "defaultRequest": {"cpu": "1"}}));
        let mut pod = pod(&json!({}), &json!({"cpu": "4"}));
        fill_limits(&mut pod, &range);
        let resources = &pod["spec"]["containers"][0]["resources"];
        assert_eq!(resources["requests"], json!({"cpu": "1"}));
        assert_eq!(resources["limits"], json!({"cpu": "4", "memory": "1Gi"}));
        assert_eq!(
            pod["metadata"]["annotations"][ANNOTATION],
            "LimitRanger plugin set: cpu request for container c; memory limit for container c"
        );
    }

    #[test]
    fn too_little_and_too_much_is_told_in_the_references_words() {
        let container = |member: &str, amount: &str| {
            let mut item = json!({"type": "Container"});
            item[member] = json!({"cpu": amount});
            range(&item)
        };
        for (range, requests, limits, why) in [
            (
                container("min", "100m"),
                json!({}),
                json!({}),
                "minimum cpu usage per Container is 100m.  No request is specified",
            ),
            (
                container("min", "100m"),
                json!({"cpu": "50m"}),
                json!({}),
                "minimum cpu usage per Container is 100m, but request is 50m",
            ),
            (
                container("max", "1"),
                json!({"cpu": "50m"}),
                json!({"cpu": "2"}),
                "maximum cpu usage per Container is 1, but limit is 2",
            ),
            (
                container("max", "1"),
                json!({}),
                json!({}),
                "maximum cpu usage per Container is 1.  No limit is specified",
            ),
            (
                container("maxLimitRequestRatio", "2"),
                json!({"cpu": "1"}),
                json!({"cpu": "3"}),
                "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
            ),
            (
                container("maxLimitRequestRatio", "2"),
                json!({"cpu": "0"}),
                json!({"cpu": "3"}),
                "cpu max limit to request ratio per Container is 2, but no request is specified or \
                 request is 0",
            ),
        ] {
            let refused = check_limits("Pod", &pod(&requests, &limits), &range).unwrap_err();
            assert_eq!(refused.0, why);
        }
        let fine = pod(&json!({"cpu": "1"}), &json!({"cpu": "1"}));
        assert!(check_limits("Pod", &fine, &container("max", "1")).is_ok());
    }

    #[test]
    fn a_pod_is_limited_as_a_whole_too_and_all_is_told_together() {
        let container = json!({"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}});
        let pod = json!({"spec": {"containers": [container, container]}});
        let range = range(&json!({"type": "Pod", "max": {"cpu": "1", "memory": "1Gi"}}));
        assert_eq!(
            check_limits("Pod", &pod, &range).unwrap_err().0,
            "[maximum cpu usage per Pod is 1, but limit is 2, maximum memory usage per Pod is \
             1Gi, but limit is 2Gi]"
        );
    }

    #[test]
    fn claims_are_limited_by_what_they_request() {
        let claim = json!({"spec": {"resources": {"requests": {"storage": "2Gi"}}}});
        let kind = "PersistentVolumeClaim";
        let range = range(&json!({"type": kind, "max": {"storage": "1Gi"}}));
        assert_eq!(
            check_limits(kind, &claim, &range).unwrap_err().0,
            "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi"
        );
    }
}

//! ResourceQuota: whether there is room for one more.

use std::collections::{BTreeMap, BTreeSet};

use api::quantity::Quantity;
use serde_json::{Map, Value};

use super::Refusal;
use super::scopes;
use super::usage::COUNTED;
pub use super::usage::{Amounts, Counted};
use crate::value::Members;

/// What a container must say if a quota limits it.
const SAID_BY_CONTAINERS: [&str; 6] =
    ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

/// What a write adds to what there is.
#[must_use]
pub fn added(new: &Amounts, old: &Amounts) -> Amounts {
    let grown = new.iter().map(|(name, amount)| {
        let before = old.get(name).copied().unwrap_or(Quantity::ZERO);
        (name.clone(), amount.less(before))
    });
    grown.filter(|(_, amount)| amount.sign().is_gt()).collect()
}

/// What is used of a quota once `delta` was added for `object`; `None` if the quota has nothing to
/// do with it.
///
/// # Errors
///
/// There is not so much left, or the object does not say what it needs.
pub fn charge(
    quota: &Value,
    counted: Counted<'_>,
    object: &Value,
    delta: &Amounts,
) -> Result<Option<Value>, Refusal> {
    let (status, name) = (quota.member("status"), quota.member("metadata").text("name"));
    let hard = amounts(status.member("hard"));
    let mut used = amounts(status.member("used"));
    let concerned: Vec<&String> = hard.keys().filter(|name| counted.is_named(name)).collect();
    if concerned.is_empty() || !scopes::matches(quota, counted, object) {
        return Ok(None);
    }
    if counted.is_core("pods") {
        check_said(object, &concerned)
            .map_err(|why| Refusal(format!("failed quota: {name}: {why}")))?;
    }
    let unknown: Vec<&str> =
        concerned.iter().filter(|name| !used.contains_key(**name)).map(|n| n.as_str()).collect();
    if !unknown.is_empty() {
        let unknown = unknown.join(",");
        return Err(Refusal(format!("status unknown for quota: {name}, resources: {unknown}")));
    }
    let requested: Amounts = delta
        .iter()
        .filter(|(name, amount)| hard.contains_key(*name) && amount.sign().is_gt())
        .map(|(name, amount)| (name.clone(), *amount))
        .collect();
    if requested.is_empty() {
        return Ok(None);
    }
    let of = |amounts: &Amounts, name: &str| amounts.get(name).copied().unwrap_or(Quantity::ZERO);
    let exceeded: BTreeSet<&String> = requested
        .iter()
        .filter(|(name, amount)| of(&used, name).plus(**amount) > of(&hard, name))
        .map(|(name, _)| name)
        .collect();
    if !exceeded.is_empty() {
        let shown = |amounts: &Amounts| {
            let shown = exceeded.iter().map(|name| format!("{name}={}", of(amounts, name)));
            shown.collect::<Vec<_>>().join(",")
        };
        return Err(Refusal(format!(
            "exceeded quota: {name}, requested: {}, used: {}, limited: {}",
            shown(&requested),
            shown(&used),
            shown(&hard)
        )));
    }
    for (name, amount) in requested {
        let sum = of(&used, &name).plus(amount);
        used.insert(name, sum);
    }
    Ok(Some(written(&used)))
}

/// Every container must say what the quota limits.
fn check_said(pod: &Value, concerned: &[&String]) -> Result<(), String> {
    let required: Vec<&str> =
        SAID_BY_CONTAINERS.into_iter().filter(|name| concerned.iter().any(|c| c == name)).collect();
    let spec = pod.member("spec");
    let mut silent: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for container in spec.items("containers").iter().chain(spec.items("initContainers")) {
        for name in &required {
            let (member, resource) = match name.split_once('.') {
                Some(("limits", resource)) => ("limits", resource),
                Some((_, resource)) => ("requests", resource),
                None => ("requests", *name),
            };
            if !container.member("resources").member(member).has(resource) {
                silent.entry(name).or_default().insert(container.text("name"));
            }
        }
    }
    if silent.is_empty() {
        return Ok(());
    }
    let told = silent.into_iter().map(|(name, containers)| {
        format!("{name} for: {}", containers.into_iter().collect::<Vec<_>>().join(","))
    });
    Err(format!("must specify {}", told.collect::<Vec<_>>().join("; ")))
}

/// The status of a quota by what was counted; `None` if it is so already.
#[must_use]
pub fn counted_status(quota: &Value, counted: &Amounts) -> Option<Value> {
    let hard = quota.member("spec").member("hard");
    let used = amounts(hard).into_keys().map(|name| {
        let amount = counted.get(&name).copied().unwrap_or(Quantity::ZERO);
        (name, amount)
    });
    let used = written(&used.collect());
    let status = quota.member("status");
    if status.member("hard") == hard && status.member("used") == &used {
        return None;
    }
    let mut status = Map::new();
    if !hard.is_null() {
        status.insert("hard".to_owned(), hard.clone());
        status.insert("used".to_owned(), used);
    }
    Some(Value::Object(status))
}

/// Adds what an object counts for a quota.
pub fn count(quota: &Value, counted: Counted<'_>, object: &Value, sums: &mut Amounts) {
    if !scopes::matches(quota, counted, object) {
        return;
    }
    for (name, amount) in counted.usage(object) {
        let sum = sums.get(&name).map_or(amount, |sum| sum.plus(amount));
        sums.insert(name, sum);
    }
}

/// Adds a number of objects of a kind that is not measured.
pub fn count_many(quota: &Value, counted: Counted<'_>, number: usize, sums: &mut Amounts) {
    if scopes::has_any(quota) {
        return;
    }
    let number = Quantity::of_count(number);
    sums.insert(counted.count_name(), number);
    if COUNTED.iter().any(|plural| counted.is_core(plural)) {
        sums.insert(counted.plural.to_owned(), number);
    }
}

fn amounts(object: &Value) -> Amounts {
    let members = object.as_object().into_iter().flatten();
    members.map(|(name, amount)| (name.clone(), Quantity::of(amount))).collect()
}

fn written(amounts: &Amounts) -> Value {
    amounts.iter().map(|(name, amount)| (name.clone(), Value::from(amount.to_string()))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PODS: Counted<'_> = Counted { group: "", plural: "pods" };

    fn quota(hard: &Value, used: &Value) -> Value {
        json!({"metadata": {"name": "q"}, "spec": {"hard": hard},
            "status": {"hard": hard, "used": used}})
    }

    fn pod(requests: &Value) -> Value {
        json!({"spec": {"containers": [{"name": "c", "resources": {"requests": requests}}]}})
    }

    fn charged(quota: &Value, pod: &Value) -> Result<Option<Value>, String> {
        let delta = added(&PODS.usage(pod), &Amounts::new());
        charge(quota, PODS, pod, &delta).map_err(|refusal| refusal.0)
    }

    #[test]
    fn what_there_is_room_for_is_charged() {
        let quota = quota(&json!({"pods": "2", "cpu": "1"}), &json!({"pods": "1", "cpu": "500m"}));
        let used = charged(&quota, &pod(&json!({"cpu": "250m"}))).unwrap();
        assert_eq!(used, Some(json!({"cpu": "750m", "pods": "2"})));
    }

    #[test]
    fn what_there_is_no_room_for_is_refused_in_the_references_words() {
        let quota = quota(
            &json!({"pods": "1", "requests.memory": "1Gi", "requests.cpu": "9"}),
            &json!({"pods": "1", "requests.memory": "512Mi", "requests.cpu": "1"}),
        );
        assert_eq!(
            charged(&quota, &pod(&json!({"memory": "1Gi", "cpu": "1"}))).unwrap_err(),
            "exceeded quota: q, requested: pods=1,requests.memory=1Gi, used: \
             pods=1,requests.memory=512Mi, limited: pods=1,requests.memory=1Gi"
        );
    }

    #[test]
    fn containers_must_say_what_is_limited() {
        let quota = quota(&json!({"cpu": "1", "memory": "1"}), &json!({"cpu": "0", "memory": "0"}));
        assert_eq!(
            charged(&quota, &pod(&json!({}))).unwrap_err(),
            "failed quota: q: must specify cpu for: c; memory for: c"
        );
    }

    #[test]
    fn what_was_not_counted_yet_limits_nothing_and_what_was_lost_everything() {
        let mut quota = quota(&json!({"pods": "1"}), &json!({}));
        assert_eq!(
            charged(&quota, &pod(&json!({}))).unwrap_err(),
            "status unknown for quota: q, resources: pods"
        );
        quota["status"] = json!({});
        assert_eq!(charged(&quota, &pod(&json!({}))), Ok(None));
    }

    #[test]
    fn only_growth_counts() {
        let amounts = |amount: &str| Amounts::from([("a".to_owned(), amount.parse().unwrap())]);
        assert_eq!(added(&amounts("3"), &amounts("1"))["a"].to_string(), "2");
        assert!(added(&amounts("1"), &amounts("3")).is_empty());
    }

    #[test]
    fn a_status_says_what_was_counted_of_what_is_limited() {
        let quota = quota(&json!({"pods": "5", "memory": "2Gi"}), &json!({}));
        let mut sums = Amounts::new();
        for _ in 0..2 {
            count(&quota, PODS, &pod(&json!({"memory": "512Mi"})), &mut sums);
        }
        let status = counted_status(&quota, &sums).unwrap();
        assert_eq!(status["used"], json!({"memory": "1Gi", "pods": "2"}));
        let mut quota = quota;
        quota["status"] = status;
        assert_eq!(counted_status(&quota, &sums), None);
    }
}

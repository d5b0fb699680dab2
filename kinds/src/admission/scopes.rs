//! Which objects a quota with scopes is about. All scopes are about pods.

use serde_json::Value;

use super::usage::Counted;
use crate::defaults::pod;
use crate::value::Members;

/// Whether a pod has ended.
pub(super) fn has_ended(pod: &Value) -> bool {
    matches!(pod.member("status").text("phase"), "Failed" | "Succeeded")
}

/// Whether a quota has scopes.
pub(super) fn has_any(quota: &Value) -> bool {
    let spec = quota.member("spec");
    !spec.is_blank("scopes") || !spec.member("scopeSelector").is_blank("matchExpressions")
}

/// Whether a quota is about an object.
pub(super) fn matches(quota: &Value, counted: Counted<'_>, object: &Value) -> bool {
    if !has_any(quota) {
        return true;
    }
    if (counted.group, counted.plural) != ("", "pods") {
        return false;
    }
    let (spec, pod) = (quota.member("spec"), object.member("spec"));
    let exists = Value::Null;
    let named = spec.items("scopes").iter().map(|scope| (scope.as_str(), &exists));
    let selected = spec.member("scopeSelector").items("matchExpressions");
    let selected = selected.iter().map(|term| (term.member("scopeName").as_str(), term));
    named.chain(selected).all(|(scope, term)| is_in_scope(pod, scope.unwrap_or_default(), term))
}

fn is_in_scope(pod: &Value, scope: &str, term: &Value) -> bool {
    let ends = pod.int("activeDeadlineSeconds").is_some_and(|seconds| seconds >= 0);
    let best_effort = || pod::qos_class(pod) == "BestEffort";
    match scope {
        "Terminating" => ends,
        "NotTerminating" => !ends,
        "BestEffort" => best_effort(),
        "NotBestEffort" => !best_effort(),
        "PriorityClass" => has_class(pod.text("priorityClassName"), term),
        "CrossNamespacePodAffinity" => looks_across_namespaces(pod.member("affinity")),
        _ => false,
    }
}

fn has_class(class: &str, term: &Value) -> bool {
    let listed = term.items("values").iter().any(|value| value == class);
    match term.text("operator") {
        "In" => !class.is_empty() && listed,
        "NotIn" => class.is_empty() || !listed,
        "DoesNotExist" => class.is_empty(),
        _ => !class.is_empty(),
    }
}

fn looks_across_namespaces(affinity: &Value) -> bool {
    let across = |term: &Value| !term.is_blank("namespaces") || term.has("namespaceSelector");
    ["podAffinity", "podAntiAffinity"].into_iter().any(|kind| {
        let kind = affinity.member(kind);
        let preferred = kind.items("preferredDuringSchedulingIgnoredDuringExecution");
        kind.items("requiredDuringSchedulingIgnoredDuringExecution").iter().any(across)
            || preferred.iter().any(|term| across(term.member("podAffinityTerm")))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn is_about(scope: &Value, pod: &Value) -> bool {
        let quota = if scope.is_string() {
            json!({"spec": {"scopes": [scope]}})
        } else {
            json!({"spec": {"scopeSelector": {"matchExpressions": [scope]}}})
        };
        matches(&quota, Counted { group: "", plural: "pods" }, &json!({"spec": pod}))
    }

    #[test]
    fn scopes_part_the_pods() {
        let ends = json!({"activeDeadlineSeconds": 5});
        let asks = json!({"containers": [{"resources": {"requests": {"cpu": "1"}}}]});
        for (scope, of_those_that_end, of_those_that_ask) in [
            ("Terminating", true, false),
            ("NotTerminating", false, true),
            ("BestEffort", true, false),
            ("NotBestEffort", false, true),
            ("Other", false, false),
        ] {
            assert_eq!(is_about(&json!(scope), &ends), of_those_that_end, "{scope}");
            assert_eq!(is_about(&json!(scope), &asks), of_those_that_ask, "{scope}");
        }
    }

    #[test]
    fn classes_of_priority_are_selected() {
        let term = |operator: &str, values: Value| json!({"scopeName": "PriorityClass", "operator": operator, "values": values});
        let (high, none) = (json!({"priorityClassName": "high"}), json!({}));
        for (term, of_high, of_none) in [
            (term("In", json!(["high"])), true, false),
            (term("In", json!(["low"])), false, false),
            (term("NotIn", json!(["high"])), false, true),
            (term("Exists", Value::Null), true, false),
            (term("DoesNotExist", Value::Null), false, true),
        ] {
            assert_eq!(is_about(&term, &high), of_high, "{term}");
            assert_eq!(is_about(&term, &none), of_none, "{term}");
        }
    }

    #[test]
    fn a_quota_with_scopes_is_about_pods_only() {
        let quota = json!({"spec": {"scopes": ["NotTerminating"]}});
        assert!(!matches(&quota, Counted { group: "", plural: "services" }, &json!({})));
        assert!(matches(&json!({"spec": {}}), Counted { group: "a", plural: "b" }, &json!({})));
    }
}

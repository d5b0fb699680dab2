//! What containers request and what limits them.

use std::cmp::Ordering;

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format;

use super::checks;
use crate::value::Members;
use api::quantity::Quantity;

/// `limits` and `requests` of a container.
pub(super) fn validate(errors: &mut ErrorList, resources: &Value, path: &Path) {
    let limits = path.child("limits");
    for (name, value) in resources.entries("limits") {
        let path = limits.key(name);
        container_resource(errors, name, &path);
        amount(errors, name, value, &path);
    }
    let requests = path.child("requests");
    for (name, value) in resources.entries("requests") {
        let path = requests.key(name);
        container_resource(errors, name, &path);
        amount(errors, name, value, &path);
        match resources.member("limits").member(name) {
            Value::Null if !may_overcommit(name) => errors.push(Error::required(
                &limits,
                "Limit must be set for non overcommitable resources",
            )),
            Value::Null => {}
            limit => within_limit(errors, name, value, limit, &requests),
        }
    }
}

fn within_limit(errors: &mut ErrorList, name: &str, value: &Value, limit: &Value, path: &Path) {
    let (request, limit) = (Quantity::of(value), Quantity::of(limit));
    if !request.equals(limit) && !may_overcommit(name) {
        let detail = format!("must be equal to {name} limit of {limit}");
        errors.push(Error::invalid(path, &request.to_string(), detail));
    } else if request > limit {
        let detail = format!("must be less than or equal to {name} limit of {limit}");
        errors.push(Error::invalid(path, &request.to_string(), detail));
    }
}

/// The name of something that containers can have.
pub(super) fn container_resource(errors: &mut ErrorList, name: &str, path: &Path) {
    let wrong = format::qualified_name(name);
    if !wrong.is_empty() {
        checks::each_message(errors, path, name, wrong);
        return;
    }
    let detail = if !name.contains('/') {
        let standard = matches!(name, "cpu" | "memory" | "ephemeral-storage");
        let standard = standard || name.starts_with("hugepages-");
        (!standard).then_some("must be a standard resource for containers")
    } else {
        let right = is_native(name) || format::extended_resource_name(name).is_empty();
        (!right).then_some("doesn't follow extended resource name standard")
    };
    errors.extend(detail.map(|detail| Error::invalid(path, Shown::json(&name), detail)));
}

/// An amount of a resource: not negative, and whole if the resource comes in pieces.
pub(super) fn amount(errors: &mut ErrorList, name: &str, value: &Value, path: &Path) {
    let quantity = Quantity::of(value);
    if quantity.sign() == Ordering::Less {
        errors.push(Error::invalid(path, &quantity.to_string(), checks::NOT_NEGATIVE));
    }
    if comes_in_pieces(name) && !quantity.is_whole() {
        errors.push(Error::invalid(path, Shown::json(value), "must be an integer"));
    }
}

/// Objects that quotas count.
pub(super) const COUNTED: [&str; 9] = [
    "pods",
    "services",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

fn comes_in_pieces(name: &str) -> bool {
    COUNTED.contains(&name) || (!is_native(name) && format::extended_resource_name(name).is_empty())
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

fn may_overcommit(name: &str) -> bool {
    is_native(name) && !name.starts_with("hugepages-")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(resources: &Value) -> Vec<String> {
        let mut errors = ErrorList::default();
        validate(&mut errors, resources, &Path::new("r"));
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn requests_stay_within_limits() {
        assert_eq!(
            texts(&json!({"limits": {"cpu": "1"}, "requests": {"cpu": "2"}})),
            ["r.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1"]
        );
        assert_eq!(
            texts(&json!({"requests": {"example.com/gpu": "1"}})),
            ["r.limits: Required value: Limit must be set for non overcommitable resources"]
        );
        assert!(texts(&json!({"limits": {"cpu": "1"}, "requests": {"cpu": "1000m"}})).is_empty());
    }

    #[test]
    fn resources_are_known_and_amounts_make_sense() {
        assert_eq!(
            texts(&json!({"limits": {"gold": "-1", "example.com/gpu": "500m"}})),
            [
                "r.limits[gold]: Invalid value: \"gold\": must be a standard resource for containers",
                "r.limits[gold]: Invalid value: \"-1\": must be greater than or equal to 0",
                "r.limits[example.com/gpu]: Invalid value: \"500m\": must be an integer",
            ]
        );
    }
}

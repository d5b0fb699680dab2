//! LimitRanges.

use std::collections::BTreeSet;

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format;

use super::{checks, resources};
use crate::value::Members;
use api::quantity::Quantity;

const TYPES: [&str; 3] = ["Pod", "Container", "PersistentVolumeClaim"];

/// Two amounts of which the first must not exceed the second: their members and names, and the
/// member that is to blame and the one that is shown.
struct Order {
    low: (&'static str, &'static str),
    high: (&'static str, &'static str),
    blamed: &'static str,
    shown: &'static str,
}

const MIN: (&str, &str) = ("min", "min value");
const MAX: (&str, &str) = ("max", "max value");
const REQUEST: (&str, &str) = ("defaultRequest", "default request value");

const ORDERS: [Order; 6] = [
    Order { low: MIN, high: MAX, blamed: "min", shown: "min" },
    Order { low: MIN, high: REQUEST, blamed: "defaultRequest", shown: "defaultRequest" },
    Order { low: REQUEST, high: MAX, blamed: "defaultRequest", shown: "defaultRequest" },
    Order {
        low: REQUEST,
        high: ("default", "default limit value"),
        blamed: "defaultRequest",
        shown: "defaultRequest",
    },
    Order { low: MIN, high: ("default", "default value"), blamed: "default", shown: "min" },
    Order { low: ("default", "default value"), high: MAX, blamed: "default", shown: "max" },
];

/// The rules of a LimitRange.
pub(crate) fn create(object: &Value, errors: &mut ErrorList) {
    let path = Path::new("spec").child("limits");
    let limits = object.member("spec").items("limits");
    for (index, item) in limits.iter().enumerate() {
        let path = path.index(index);
        let kind = item.text("type");
        validate_type(errors, kind, &path.child("type"));
        if limits[..index].iter().any(|before| before.text("type") == kind) {
            errors.push(Error::duplicate(&path.child("type"), Shown::json(&kind)));
        }
        validate_item(errors, item, &path);
    }
}

fn validate_type(errors: &mut ErrorList, kind: &str, path: &Path) {
    let wrong = format::qualified_name(kind);
    if !wrong.is_empty() {
        checks::each_message(errors, path, kind, wrong);
    } else if !kind.contains('/') && !TYPES.contains(&kind) {
        let detail = "must be a standard limit type or fully qualified";
        errors.push(Error::invalid(path, kind, detail));
    }
}

fn validate_item(errors: &mut ErrorList, item: &Value, path: &Path) {
    let kind = item.text("type");
    let mut names = BTreeSet::new();
    for list in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
        if kind == "Pod" && list.starts_with("default") {
            if !item.is_blank(list) {
                let detail = "may not be specified when `type` is 'Pod'";
                errors.push(Error::forbidden(&path.child(list), detail));
            }
            continue;
        }
        for (name, _) in item.entries(list) {
            if matches!(kind, "Pod" | "Container") {
                resources::container_resource(errors, name, &path.child(list).key(name));
            }
            names.insert(name);
        }
    }
    let storage = ["min", "max"].iter().any(|list| item.member(list).has("storage"));
    if kind == "PersistentVolumeClaim" && !storage {
        let detail =
            "either minimum or maximum storage value is required, but neither was provided";
        errors.push(Error::required(&path.child("limits"), detail));
    }
    for name in names {
        validate_order(errors, item, name, path);
    }
}

fn validate_order(errors: &mut ErrorList, item: &Value, name: &str, path: &Path) {
    for order in &ORDERS {
        let [low, high] =
            [order.low, order.high].map(|(member, _)| item.member(member).member(name));
        if low.is_null() || high.is_null() || Quantity::of(low) <= Quantity::of(high) {
            continue;
        }
        let (low, high) = (Quantity::of(low), Quantity::of(high));
        let detail = format!("{} {low} is greater than {} {high}", order.low.1, order.high.1);
        let shown = Quantity::of(item.member(order.shown).member(name)).to_string();
        errors.push(Error::invalid(&path.child(order.blamed).key(name), &shown, detail));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_are_in_order() {
        let object = json!({"spec": {"limits": [{"type": "Container", "min": {"cpu": "2"},
            "max": {"cpu": "1"}, "default": {"cpu": "1"}, "defaultRequest": {"cpu": "3"}},
            {"type": "Pot"}, {"type": "PersistentVolumeClaim"}]}});
        let mut errors = ErrorList::default();
        create(&object, &mut errors);
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max \
                 value 1",
                "spec.limits[0].defaultRequest[cpu]: Invalid value: \"3\": default request value 3 \
                 is greater than max value 1",
                "spec.limits[0].defaultRequest[cpu]: Invalid value: \"3\": default request value 3 \
                 is greater than default limit value 1",
                "spec.limits[0].default[cpu]: Invalid value: \"2\": min value 2 is greater than \
                 default value 1",
                "spec.limits[1].type: Invalid value: \"Pot\": must be a standard limit type or \
                 fully qualified",
                "spec.limits[2].limits: Required value: either minimum or maximum storage value is \
                 required, but neither was provided",
            ]
        );
    }
}

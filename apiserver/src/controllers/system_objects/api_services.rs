//! Each version of a group that this server serves itself is an APIService without a service.

use serde_json::{Value, json};

/// Who keeps the object, and when.
const AUTOMANAGED: &str = "kube-aggregator.kubernetes.io/automanaged";

/// Groups and versions with their priorities among all groups, and of the version in its group.
const PRIORITIES: [(&str, &str, i64, i64); 25] = [
    ("", "v1", 18_000, 1),
    ("admissionregistration.k8s.io", "v1", 16_700, 15),
    ("apiextensions.k8s.io", "v1", 16_700, 15),
    ("apps", "v1", 17_800, 15),
    ("authentication.k8s.io", "v1", 17_700, 15),
    ("authorization.k8s.io", "v1", 17_600, 15),
    ("autoscaling", "v1", 17_500, 15),
    ("batch", "v1", 17_400, 15),
    ("certificates.k8s.io", "v1", 17_300, 15),
    ("coordination.k8s.io", "v1", 16_500, 15),
    ("discovery.k8s.io", "v1", 16_200, 15),
    ("events.k8s.io", "v1", 17_750, 15),
    ("flowcontrol.apiserver.k8s.io", "v1", 16_100, 21),
    ("networking.k8s.io", "v1", 17_200, 15),
    ("node.k8s.io", "v1", 16_300, 15),
    ("policy", "v1", 17_100, 15),
    ("rbac.authorization.k8s.io", "v1", 17_000, 15),
    ("resource.k8s.io", "v1", 16_200, 21),
    ("scheduling.k8s.io", "v1", 16_600, 15),
    ("storage.k8s.io", "v1", 16_800, 15),
    ("storagemigration.k8s.io", "v1", 15_800, 15),
    ("autoscaling", "v2", 17_500, 30),
    ("flowcontrol.apiserver.k8s.io", "v1beta3", 16_100, 18),
    ("flowcontrol.apiserver.k8s.io", "v1beta2", 16_100, 15),
    ("flowcontrol.apiserver.k8s.io", "v1beta1", 16_100, 12),
];

/// The APIService of a version that is served here; `None` if its priority is not known.
pub(super) fn local(group: &str, version: &str) -> Option<Value> {
    let known = PRIORITIES.iter().find(|known| (known.0, known.1) == (group, version));
    let (_, _, among_groups, in_group) = known?;
    let mut object = json!({
        "metadata": {
            "name": format!("{version}.{group}"),
            "labels": { AUTOMANAGED: "onstart" },
        },
        "spec": {
            "group": group,
            "version": version,
            "groupPriorityMinimum": among_groups,
            "versionPriority": in_group,
        },
    });
    if group.is_empty()
        && let Some(spec) = object["spec"].as_object_mut()
    {
        spec.shift_remove("group");
    }
    Some(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_group_has_no_name() {
        let object = local("", "v1").unwrap();
        assert_eq!(object["metadata"]["name"], "v1.");
        assert!(object["spec"].get("group").is_none());
        assert_eq!(local("apps", "v1").unwrap()["spec"]["groupPriorityMinimum"], 17_800);
        assert_eq!(local("example.com", "v1"), None);
    }

    #[test]
    fn every_version_that_is_served_from_the_start_has_its_priority() {
        let resources = crate::resources::Resources::built_in(&Default::default());
        for resource in resources.iter().filter(|resource| resource.kind.version != "v1") {
            let kind = &resource.kind;
            assert!(local(&kind.group, &kind.version).is_some(), "{kind}");
        }
    }
}

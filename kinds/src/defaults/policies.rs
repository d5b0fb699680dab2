//! Small kinds: networking, RBAC, admission, scheduling, devices, aggregation.

use serde_json::{Value, json};

use crate::value::Members;

const RBAC: &str = "rbac.authorization.k8s.io";

/// The defaults of an IngressClass.
pub(crate) fn fill_ingress_class(class: &mut Value) {
    if let Some(spec) = class.present_mut("spec")
        && let Some(parameters) = spec.present_mut("parameters")
    {
        parameters.set_default("scope", "Cluster");
    }
}

/// The defaults of a NetworkPolicy: it is about what its rules are about, and always about what
/// comes in.
pub(crate) fn fill_network_policy(policy: &mut Value) {
    let Some(spec) = policy.present_mut("spec") else { return };
    for direction in ["ingress", "egress"] {
        for rule in spec.items_mut(direction) {
            rule.items_mut("ports").for_each(|port| port.set_default("protocol", "TCP"));
        }
    }
    if spec.is_blank("policyTypes") {
        let both = !spec.is_blank("egress");
        spec.set(
            "policyTypes",
            if both { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) },
        );
    }
}

/// The defaults of a RoleBinding or ClusterRoleBinding.
pub(crate) fn fill_binding(binding: &mut Value) {
    if let Some(role) = binding.present_mut("roleRef") {
        role.set_default("apiGroup", RBAC);
    }
    for subject in binding.items_mut("subjects") {
        if matches!(subject.text("kind"), "User" | "Group") {
            subject.set_default("apiGroup", RBAC);
        }
    }
}

/// The defaults of both kinds of webhook configurations.
pub(crate) fn fill_webhooks(configuration: &mut Value) {
    let mutating = configuration.text("kind") == "MutatingWebhookConfiguration";
    for webhook in configuration.items_mut("webhooks") {
        webhook.set_default("failurePolicy", "Fail");
        webhook.set_default("matchPolicy", "Equivalent");
        webhook.set_default("namespaceSelector", json!({}));
        webhook.set_default("objectSelector", json!({}));
        webhook.set_default("timeoutSeconds", 10);
        if mutating {
            webhook.set_default("reinvocationPolicy", "Never");
        }
        if let Some(client) = webhook.present_mut("clientConfig") {
            fill_service_reference(client);
        }
        webhook.items_mut("rules").for_each(|rule| rule.set_default("scope", "*"));
    }
}

fn fill_service_reference(holder: &mut Value) {
    if let Some(service) = holder.present_mut("service") {
        service.set_default("port", 443);
    }
}

/// The defaults of admission policies, validating and mutating.
pub(crate) fn fill_admission_policy(policy: &mut Value) {
    let Some(spec) = policy.present_mut("spec") else { return };
    spec.set_default("failurePolicy", "Fail");
    if let Some(matched) = spec.present_mut("matchConstraints") {
        fill_match_resources(matched);
    }
}

/// The defaults of bindings of admission policies.
pub(crate) fn fill_admission_binding(binding: &mut Value) {
    if let Some(spec) = binding.present_mut("spec")
        && let Some(matched) = spec.present_mut("matchResources")
    {
        fill_match_resources(matched);
    }
}

fn fill_match_resources(matched: &mut Value) {
    matched.set_default("matchPolicy", "Equivalent");
    matched.set_default("namespaceSelector", json!({}));
    matched.set_default("objectSelector", json!({}));
    for list in ["resourceRules", "excludeResourceRules"] {
        matched.items_mut(list).for_each(|rule| rule.set_default("scope", "*"));
    }
}

/// The defaults of a PriorityClass.
pub(crate) fn fill_priority_class(class: &mut Value) {
    class.set_default("preemptionPolicy", "PreemptLowerPriority");
}

/// The defaults of an APIService.
pub(crate) fn fill_api_service(service: &mut Value) {
    if let Some(spec) = service.present_mut("spec") {
        fill_service_reference(spec);
    }
}

/// An APIService that is about to be created. What this server itself serves is available at once.
pub(crate) fn prepare_create_api_service(service: &mut Value) {
    let mut status = json!({});
    if !service.member("spec").has("service") {
        status.set(
            "conditions",
            json!([{
                "type": "Available",
                "status": "True",
                "lastTransitionTime": service.member("metadata").member("creationTimestamp"),
                "reason": "Local",
                "message": "Local APIServices are always available",
            }]),
        );
    }
    service.set("status", status);
}

/// The defaults of a ResourceClaim.
pub(crate) fn fill_resource_claim(claim: &mut Value) {
    if let Some(spec) = claim.present_mut("spec") {
        fill_claim_spec(spec);
    }
}

/// The defaults of a ResourceClaimTemplate.
pub(crate) fn fill_resource_claim_template(template: &mut Value) {
    if let Some(spec) = template.present_mut("spec") {
        fill_resource_claim(spec);
    }
}

fn fill_claim_spec(spec: &mut Value) {
    let Some(devices) = spec.present_mut("devices") else { return };
    for request in devices.items_mut("requests") {
        if let Some(exactly) = request.present_mut("exactly") {
            fill_device_request(exactly);
        }
        request.items_mut("firstAvailable").for_each(fill_device_request);
    }
}

fn fill_device_request(request: &mut Value) {
    request.set_default("allocationMode", "ExactCount");
    if request.text("allocationMode") == "ExactCount" && request.int("count").unwrap_or(0) == 0 {
        request.set("count", 1);
    }
    request.items_mut("tolerations").for_each(|each| each.set_default("operator", "Equal"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_with_rules_for_what_goes_out_is_about_both_directions() {
        let mut policy = json!({"spec": {"egress": [{"ports": [{"port": 53}]}]}});
        fill_network_policy(&mut policy);
        assert_eq!(policy["spec"]["policyTypes"], json!(["Ingress", "Egress"]));
        assert_eq!(policy["spec"]["egress"][0]["ports"][0]["protocol"], "TCP");
    }

    #[test]
    fn service_accounts_are_subjects_of_the_core_group() {
        let mut binding = json!({"roleRef": {"kind": "Role", "name": "r"},
            "subjects": [{"kind": "ServiceAccount"}, {"kind": "Group"}]});
        fill_binding(&mut binding);
        assert_eq!(binding["roleRef"]["apiGroup"], RBAC);
        assert!(!binding["subjects"][0].has("apiGroup"));
        assert_eq!(binding["subjects"][1]["apiGroup"], RBAC);
    }

    #[test]
    fn what_the_server_serves_itself_is_available() {
        let mut service = json!({"spec": {"group": "", "version": "v1"}});
        prepare_create_api_service(&mut service);
        assert_eq!(service["status"]["conditions"][0]["reason"], "Local");
    }

    #[test]
    fn devices_are_requested_one_by_one() {
        let mut template = json!({"spec": {"spec": {"devices": {"requests": [
            {"name": "r", "exactly": {"deviceClassName": "c", "tolerations": [{"key": "k"}]}},
            {"name": "s", "exactly": {"allocationMode": "All"}}]}}}});
        fill_resource_claim_template(&mut template);
        let requests = &template["spec"]["spec"]["devices"]["requests"];
        assert_eq!(requests[0]["exactly"]["count"], 1);
        assert_eq!(requests[0]["exactly"]["tolerations"][0]["operator"], "Equal");
        assert!(!requests[1]["exactly"].has("count"));
    }
}

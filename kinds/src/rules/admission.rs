//! Webhooks, admission policies, and small kinds of the cluster: classes, requests, API services.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format::{self, Unit};

use super::{checks, expressions, selector};
use crate::defaults::pod::BUILT_IN_PRIORITIES;
use crate::value::Members;

/// What users may ask for; more is for the system.
const USER_PRIORITY_MAX: i64 = 1_000_000_000;
const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

/// The rules of both kinds of webhook configurations.
pub(crate) fn create_webhooks(configuration: &Value, errors: &mut ErrorList) {
    let webhooks = configuration.items("webhooks");
    for (index, webhook) in webhooks.iter().enumerate() {
        let path = Path::new("webhooks").index(index);
        validate_webhook(errors, webhook, &path);
        let name = webhook.text("name");
        let seen = webhooks[..index].iter().any(|before| before.text("name") == name);
        if seen && !name.is_empty() {
            errors.push(Error::duplicate(&path.child("name"), name));
        }
    }
}

fn validate_webhook(errors: &mut ErrorList, webhook: &Value, path: &Path) {
    fully_qualified(errors, webhook, path);
    for (index, rule) in webhook.items("rules").iter().enumerate() {
        validate_rule(errors, rule, &path.child("rules").index(index));
    }
    checks::one_of_if_any(errors, webhook, path, "failurePolicy", &["Fail", "Ignore"]);
    checks::one_of_if_any(errors, webhook, path, "matchPolicy", &["Equivalent", "Exact"]);
    if webhook.is_blank("sideEffects") {
        let detail = "must specify one of None, NoneOnDryRun";
        errors.push(Error::required(&path.child("sideEffects"), detail));
    } else {
        checks::one_of(errors, webhook, path, "sideEffects", &["None", "NoneOnDryRun"]);
    }
    checks::one_of_if_any(errors, webhook, path, "reinvocationPolicy", &["IfNeeded", "Never"]);
    if let Some(seconds) =
        webhook.int("timeoutSeconds").filter(|seconds| !(1..=30).contains(seconds))
    {
        let detail = "the timeout value must be between 1 and 30 seconds";
        errors.push(Error::invalid(&path.child("timeoutSeconds"), seconds, detail));
    }
    for member in ["namespaceSelector", "objectSelector"] {
        selector::validate(errors, webhook.member(member), &path.child(member));
    }
    let (client, path_of_client) = (webhook.member("clientConfig"), path.child("clientConfig"));
    if client.has("url") == client.has("service") {
        let detail = "exactly one of url or service is required";
        errors.push(Error::required(&path_of_client, detail));
    } else if client.has("service") {
        for member in ["name", "namespace"] {
            checks::required(
                errors,
                client.member("service"),
                &path_of_client.child("service"),
                member,
            );
        }
    }
    if webhook.is_blank("admissionReviewVersions") {
        let detail = "must specify one of v1, v1beta1";
        errors.push(Error::required(&path.child("admissionReviewVersions"), detail));
    }
    expressions::check_conditions(errors, webhook, path);
}

fn fully_qualified(errors: &mut ErrorList, webhook: &Value, path: &Path) {
    if !checks::required(errors, webhook, path, "name") {
        return;
    }
    let (name, path) = (webhook.text("name"), path.child("name"));
    let wrong = format::dns_subdomain(name, Unit::Characters);
    if !wrong.is_empty() {
        checks::each_message(errors, &path, name, wrong);
    } else if name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        errors.push(Error::invalid(&path, name, detail));
    }
}

fn validate_rule(errors: &mut ErrorList, rule: &Value, path: &Path) {
    checks::required(errors, rule, path, "operations");
    for (index, operation) in rule.items("operations").iter().enumerate() {
        if !OPERATIONS.iter().any(|known| operation == known) {
            let path = path.child("operations").index(index);
            errors.push(Error::not_supported(&path, Shown::json(operation), &OPERATIONS));
        }
    }
    for list in ["apiGroups", "apiVersions", "resources"] {
        let items = rule.items(list);
        checks::required(errors, rule, path, list);
        if list != "resources" && items.len() > 1 && items.iter().any(|item| item == "*") {
            let detail = format!(
                "if '*' is present, must not specify other {}",
                match list {
                    "apiGroups" => "API groups",
                    _ => "API versions",
                }
            );
            errors.push(Error::invalid(&path.child(list), Shown::json(&items), detail));
        }
    }
    checks::one_of_if_any(errors, rule, path, "scope", &["*", "Cluster", "Namespaced"]);
}

/// The rules of a ValidatingAdmissionPolicy; its expressions are not read here.
pub(crate) fn create_policy(policy: &Value, errors: &mut ErrorList) {
    let (spec, path) = (policy.member("spec"), Path::new("spec"));
    checks::one_of_if_any(errors, spec, &path, "failurePolicy", &["Fail", "Ignore"]);
    let (matched, matched_path) = (spec.member("matchConstraints"), path.child("matchConstraints"));
    if matched.is_null() {
        errors.push(Error::required(&matched_path, ""));
    } else {
        if matched.is_blank("resourceRules") {
            errors.push(Error::required(&matched_path.child("resourceRules"), ""));
        }
        for (index, rule) in matched.items("resourceRules").iter().enumerate() {
            validate_rule(errors, rule, &matched_path.child("resourceRules").index(index));
        }
    }
    if spec.is_blank("validations") && spec.is_blank("auditAnnotations") {
        let detail = "validations or auditAnnotations must contain at least one item";
        for list in ["validations", "auditAnnotations"] {
            errors.push(Error::required(&path.child(list), detail));
        }
    }
    for (index, each) in spec.items("validations").iter().enumerate() {
        let path = path.child("validations").index(index).child("expression");
        if each.text("expression").trim().is_empty() {
            errors.push(Error::required(&path, "expression is not specified"));
        }
    }
    expressions::check_policy(errors, spec, &path);
}

/// The rules of a ValidatingAdmissionPolicyBinding.
pub(crate) fn create_policy_binding(binding: &Value, errors: &mut ErrorList) {
    let (spec, path) = (binding.member("spec"), Path::new("spec"));
    if checks::required(errors, spec, &path, "policyName") {
        checks::subdomain(errors, &path.child("policyName"), spec.text("policyName"));
    }
    let (actions, path) = (spec.items("validationActions"), path.child("validationActions"));
    if actions.is_empty() {
        errors.push(Error::required(&path, "at least one validation action is required"));
    }
    for (index, action) in actions.iter().enumerate() {
        let known = ["Audit", "Deny", "Warn"];
        if !known.iter().any(|known| action == known) {
            errors.push(Error::not_supported(&path.index(index), Shown::json(action), &known));
        }
        if actions[..index].contains(action) {
            errors.push(Error::duplicate(&path.index(index), Shown::json(action)));
        }
    }
    let has = |action: &str| actions.iter().any(|each| each == action);
    if has("Deny") && has("Warn") {
        let detail = "must not contain both Deny and Warn (repeating the same validation failure \
            information in the API response and headers serves no purpose)";
        errors.push(Error::invalid(&path, Shown::json(&actions), detail));
    }
}

/// The rules of a PriorityClass.
pub(crate) fn create_priority_class(class: &Value, errors: &mut ErrorList) {
    let name = class.member("metadata").text("name");
    if name.starts_with("system-") {
        if let Err(error) = known_system_class(class, name) {
            let detail = format!(
                "priority class names with 'system-' prefix are reserved for system use only. \
                 error: {error}"
            );
            errors.push(Error::forbidden(&Path::new("metadata").child("name"), detail));
        }
    } else if class.int("value").is_some_and(|value| value > USER_PRIORITY_MAX) {
        let detail =
            format!("maximum allowed value of a user defined priority is {USER_PRIORITY_MAX}");
        errors.push(Error::forbidden(&Path::new("value"), detail));
    }
    let policies = ["PreemptLowerPriority", "Never"];
    checks::one_of_if_any(errors, class, &Path::default(), "preemptionPolicy", &policies);
}

/// The classes of the system are what they are.
fn known_system_class(class: &Value, name: &str) -> Result<(), String> {
    let Some((_, value)) = BUILT_IN_PRIORITIES.iter().find(|(known, _)| *known == name) else {
        return Err(format!("{name} is not a known system priority class"));
    };
    if class.int("value") != Some(*value) {
        return Err(format!("value of {name} PriorityClass must be {value}"));
    }
    if class.flag("globalDefault") {
        return Err(format!("globalDefault of {name} PriorityClass must be false"));
    }
    Ok(())
}

/// The rules of a changed PriorityClass.
pub(crate) fn update_priority_class(class: &Value, old: &Value, errors: &mut ErrorList) {
    if class.int("value") != old.int("value") {
        errors.push(Error::forbidden(&Path::new("Value"), "may not be changed in an update."));
    }
    checks::immutable(errors, class, old, &Path::default(), "preemptionPolicy");
}

/// The rules of a RuntimeClass.
pub(crate) fn create_runtime_class(class: &Value, errors: &mut ErrorList) {
    checks::label(errors, &Path::new("handler"), class.text("handler"));
}

/// The rules of a changed RuntimeClass.
pub(crate) fn update_runtime_class(class: &Value, old: &Value, errors: &mut ErrorList) {
    checks::immutable(errors, class, old, &Path::default(), "handler");
}

/// The rules of a CertificateSigningRequest.
pub(crate) fn create_signing_request(request: &Value, errors: &mut ErrorList) {
    let (spec, path) = (request.member("spec"), Path::new("spec"));
    let bytes = STANDARD.decode(spec.text("request")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    if !text.contains("-----BEGIN CERTIFICATE REQUEST-----") {
        let shown = Shown::json(&spec.text("request"));
        let detail = "PEM block type must be CERTIFICATE REQUEST";
        errors.push(Error::invalid(&path.child("request"), shown, detail));
    }
    checks::required(errors, spec, &path, "usages");
    let signer = spec.text("signerName");
    if checks::required(errors, spec, &path, "signerName") && !signer.contains('/') {
        let detail = "must be a fully qualified domain and path of the form \
            'example.com/signer-name'";
        errors.push(Error::invalid(&path.child("signerName"), signer, detail));
    }
}

/// The rules of a changed CertificateSigningRequest.
pub(crate) fn update_signing_request(request: &Value, old: &Value, errors: &mut ErrorList) {
    if request.member("spec") != old.member("spec") {
        let detail = "field is immutable";
        let shown = Shown::json(request.member("spec"));
        errors.push(Error::invalid(&Path::new("spec"), shown, detail));
    }
}

/// The rules of an APIService, which is named after what it serves.
pub(crate) fn create_api_service(service: &Value, errors: &mut ErrorList) {
    let (spec, path) = (service.member("spec"), Path::new("spec"));
    let (group, version) = (spec.text("group"), spec.text("version"));
    let (name, expected) = (service.member("metadata").text("name"), format!("{version}.{group}"));
    if name != expected {
        let detail = "must be `spec.version+\".\"+spec.group`: \"".to_owned() + &expected + "\"";
        errors.push(Error::invalid(&Path::new("metadata").child("name"), name, detail));
    }
    if !group.is_empty() {
        checks::subdomain(errors, &path.child("group"), group);
    }
    let priorities = [("groupPriorityMinimum", 20_000), ("versionPriority", 1000)];
    for (member, max) in priorities {
        let priority = spec.int(member).unwrap_or(0);
        if !(1..=max).contains(&priority) {
            let detail = format!("must be positive and less than {max}");
            errors.push(Error::invalid(&path.child(member), priority, detail));
        }
    }
    let (skips, bundle) = (spec.flag("insecureSkipTLSVerify"), !spec.is_blank("caBundle"));
    let backend = spec.member("service");
    let skip_path = path.child("insecureSkipTLSVerify");
    if backend.is_null() {
        if bundle {
            let detail = "local APIServices may not have a caBundle";
            errors.push(Error::invalid(
                &path.child("caBundle"),
                Shown::json(spec.member("caBundle")),
                detail,
            ));
        }
        if skips {
            let detail = "local APIServices may not have insecureSkipTLSVerify";
            errors.push(Error::invalid(&skip_path, true, detail));
        }
        return;
    }
    for member in ["namespace", "name"] {
        checks::required(errors, backend, &path.child("service"), member);
    }
    if skips && bundle {
        let detail = "may not be true if caBundle is present";
        errors.push(Error::invalid(&skip_path, true, detail));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(check: fn(&Value, &mut ErrorList), object: &Value) -> Vec<String> {
        let mut errors = ErrorList::default();
        check(object, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_webhook_says_where_and_when_it_is_called() {
        let object = json!({"webhooks": [{"name": "a.b", "clientConfig": {}, "timeoutSeconds": 31,
            "rules": [{"operations": ["GET"], "apiGroups": ["*", "x"], "apiVersions": ["v1"],
                "resources": ["*"]}]}]});
        let texts = texts(create_webhooks, &object);
        let fields: Vec<&str> = texts.iter().map(|text| text.split(": ").next().unwrap()).collect();
        assert_eq!(
            fields,
            [
                "webhooks[0].name",
                "webhooks[0].rules[0].operations[0]",
                "webhooks[0].rules[0].apiGroups",
                "webhooks[0].sideEffects",
                "webhooks[0].timeoutSeconds",
                "webhooks[0].clientConfig",
                "webhooks[0].admissionReviewVersions",
            ]
        );
    }

    #[test]
    fn the_highest_priorities_are_the_systems() {
        let class = |name: &str, value: i64| json!({"metadata": {"name": name}, "value": value});
        assert_eq!(
            texts(create_priority_class, &class("a", 1_000_000_001)),
            ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"]
        );
        assert_eq!(texts(create_priority_class, &class("system-mine", 1)).len(), 1);
        assert!(
            texts(create_priority_class, &class("system-node-critical", 2_000_001_000)).is_empty()
        );
    }

    #[test]
    fn an_api_service_is_named_after_what_it_serves() {
        let object = json!({"metadata": {"name": "v2.g"}, "spec": {"group": "g", "version": "v1",
            "groupPriorityMinimum": 1, "versionPriority": 1}});
        assert_eq!(
            texts(create_api_service, &object),
            [
                "metadata.name: Invalid value: \"v2.g\": must be `spec.version+\".\"+spec.group`: \"v1.g\""
            ]
        );
    }
}

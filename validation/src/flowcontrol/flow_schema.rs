//! The rules of FlowSchemas (spec: validation 5).
//!
//! All of them are code: the reference declares none, and its texts and order are on the wire. Tags
//! would also ratchet, which handwritten rules do not: a stored violation blocks every update.

use api::flowcontrol::bootstrap;
use api::flowcontrol::v1::{
    FlowDistinguisherMethod, FlowSchema, FlowSchemaSpec, NonResourcePolicyRule,
    PolicyRulesWithSubjects, ResourcePolicyRule, ServiceAccountSubject, Subject,
};

use serde_json::{Value, json};

use super::{Kind, internal};
use crate::field::{Error, ErrorList, Path, Shown};
use crate::format::{self, Unit};
use crate::object_meta::{self, NameRule};

const PRECEDENCE_MAX: i32 = 10_000;

const VERBS: [&str; 9] =
    ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

pub(super) fn validate(schema: &FlowSchema, object: &Value) -> ErrorList {
    let mut errors = object_meta::validate(&schema.metadata, NameRule::DnsSubdomain);
    errors.extend(object_meta::validate_finalizer_names(&schema.metadata.finalizers));
    let name = &schema.metadata.name;
    let path = Path::new("spec");
    validate_spec(&mut errors, &schema.spec, name, &path);
    if bootstrap::mandatory_flow_schema(name).is_some_and(|fixed| *fixed != schema.spec) {
        errors.push(Error::invalid(
            &path,
            internal::shown_as::<FlowSchemaSpec>(&object["spec"]),
            format!("spec of '{name}' must equal the fixed value"),
        ));
    }
    errors.extend(schema.handwritten_status());
    errors
}

fn validate_spec(errors: &mut ErrorList, spec: &FlowSchemaSpec, name: &str, path: &Path) {
    let precedence = spec.matching_precedence;
    let detail = match precedence {
        ..=0 => Some("must be a positive value".to_owned()),
        1 if name != "exempt" => {
            Some("only the schema named 'exempt' may have matchingPrecedence 1".to_owned())
        }
        _ if precedence > PRECEDENCE_MAX => {
            Some(format!("must not be greater than {PRECEDENCE_MAX}"))
        }
        _ => None,
    };
    errors.extend(
        detail.map(|detail| Error::invalid(&path.child("matchingPrecedence"), precedence, detail)),
    );
    if let Some(method) = &spec.distinguisher_method {
        validate_distinguisher(errors, method, &path.child("distinguisherMethod"));
    }
    let level = &spec.priority_level_configuration.name;
    let level_path = path.child("priorityLevelConfiguration").child("name");
    if level.is_empty() {
        errors.push(Error::required(&level_path, "must reference a priority level"));
    } else {
        let wrong = format::dns_subdomain(level, Unit::Characters).into_iter();
        errors.extend(wrong.map(|detail| Error::invalid(&level_path, level, detail)));
    }
    for (index, rule) in spec.rules.iter().enumerate() {
        validate_rule(errors, rule, &path.child("rules").index(index));
    }
}

fn validate_distinguisher(errors: &mut ErrorList, method: &FlowDistinguisherMethod, path: &Path) {
    if !["ByNamespace", "ByUser"].contains(&method.method_type.as_str()) {
        errors.push(Error::not_supported(
            &path.child("type"),
            Shown::json(&json!({ "Type": method.method_type })),
            &["ByNamespace", "ByUser"],
        ));
    }
}

fn validate_rule(errors: &mut ErrorList, rule: &PolicyRulesWithSubjects, path: &Path) {
    let subjects = path.child("subjects");
    if rule.subjects.is_empty() {
        errors.push(Error::required(&subjects, "subjects must contain at least one value"));
    }
    for (index, subject) in rule.subjects.iter().enumerate() {
        validate_subject(errors, subject, &subjects.index(index));
    }
    if rule.resource_rules.is_empty() && rule.non_resource_rules.is_empty() {
        errors.push(Error::required(
            path,
            "at least one of resourceRules and nonResourceRules has to be non-empty",
        ));
    }
    for (index, rule) in rule.resource_rules.iter().enumerate() {
        validate_resource_rule(errors, rule, &path.child("resourceRules").index(index));
    }
    for (index, rule) in rule.non_resource_rules.iter().enumerate() {
        validate_non_resource_rule(errors, rule, &path.child("nonResourceRules").index(index));
    }
}

fn validate_subject(errors: &mut ErrorList, subject: &Subject, path: &Path) {
    let required = |member: &str, kind: &str| {
        let detail = format!("{member} is required when subject kind is '{kind}'");
        Error::required(&path.child(member), detail)
    };
    match subject.kind.as_str() {
        "ServiceAccount" => match &subject.service_account {
            None => errors.push(required("serviceAccount", "ServiceAccount")),
            Some(account) => {
                validate_service_account(errors, account, &path.child("serviceAccount"));
            }
        },
        "User" => match &subject.user {
            None => errors.push(required("user", "User")),
            Some(user) => errors.extend(nameless(&user.name, &path.child("user"))),
        },
        "Group" => match &subject.group {
            None => errors.push(required("group", "Group")),
            Some(group) => errors.extend(nameless(&group.name, &path.child("group"))),
        },
        _ => {
            errors.push(Error::not_supported(
                &path.child("kind"),
                Shown::json(&subject.kind),
                &["Group", "ServiceAccount", "User"],
            ));
            return;
        }
    }
    let members = [
        ("serviceAccount", "ServiceAccount", subject.service_account.is_some()),
        ("user", "User", subject.user.is_some()),
        ("group", "Group", subject.group.is_some()),
    ];
    for (member, kind, present) in members {
        if present && kind != subject.kind {
            let detail = format!("{member} is forbidden when subject kind is not '{kind}'");
            errors.push(Error::forbidden(&path.child(member), detail));
        }
    }
}

fn nameless(name: &str, path: &Path) -> Option<Error> {
    name.is_empty().then(|| Error::required(&path.child("name"), ""))
}

fn validate_service_account(errors: &mut ErrorList, account: &ServiceAccountSubject, path: &Path) {
    let name_path = path.child("name");
    match account.name.as_str() {
        "" => errors.push(Error::required(&name_path, "")),
        "*" => {}
        name => {
            let wrong = format::dns_subdomain(name, Unit::Characters).into_iter();
            errors.extend(wrong.map(|detail| Error::invalid(&name_path, name, detail)));
        }
    }
    let namespace_path = path.child("namespace");
    if account.namespace.is_empty() {
        errors.push(Error::required(&namespace_path, "must specify namespace for service account"));
        return;
    }
    let wrong = format::dns_label(&account.namespace, Unit::Characters).into_iter();
    errors.extend(wrong.map(|detail| Error::invalid(&namespace_path, &account.namespace, detail)));
}

fn validate_resource_rule(errors: &mut ErrorList, rule: &ResourcePolicyRule, path: &Path) {
    validate_verbs(errors, &rule.verbs, &path.child("verbs"));
    validate_wildcard(
        errors,
        &rule.api_groups,
        &path.child("apiGroups"),
        "resource rules must supply at least one api group",
        "if '*' is present, must not specify other api groups",
    );
    validate_wildcard(
        errors,
        &rule.resources,
        &path.child("resources"),
        "resource rules must supply at least one resource",
        "if '*' is present, must not specify other resources",
    );
    validate_namespaces(errors, rule, &path.child("namespaces"));
}

/// A list that is not empty and in which `*` stands alone.
fn validate_wildcard(
    errors: &mut ErrorList,
    list: &[String],
    path: &Path,
    when_empty: &str,
    when_not_alone: &str,
) {
    if list.is_empty() {
        errors.push(Error::required(path, when_empty));
    } else if has_wildcard(list) && list.len() > 1 {
        errors.push(Error::invalid(path, Shown::json(&list), when_not_alone));
    }
}

fn has_wildcard(list: &[String]) -> bool {
    list.iter().any(|item| item == "*")
}

fn validate_verbs(errors: &mut ErrorList, verbs: &[String], path: &Path) {
    validate_wildcard(
        errors,
        verbs,
        path,
        "verbs must contain at least one value",
        "if '*' is present, must not specify other verbs",
    );
    let known = |verb: &String| VERBS.contains(&verb.as_str());
    if !has_wildcard(verbs) && !verbs.iter().all(known) {
        errors.push(Error::not_supported(path, Shown::json(&verbs), &VERBS));
    }
}

fn validate_namespaces(errors: &mut ErrorList, rule: &ResourcePolicyRule, path: &Path) {
    let namespaces = &rule.namespaces;
    if namespaces.is_empty() {
        if !rule.cluster_scope {
            errors.push(Error::required(
                path,
                "resource rules that are not cluster scoped must supply at least one namespace",
            ));
        }
        return;
    }
    if has_wildcard(namespaces) {
        if namespaces.len() > 1 {
            let detail = "if '*' is present, must not specify other namespaces";
            errors.push(Error::invalid(path, Shown::json(namespaces), detail));
        }
        return;
    }
    for (index, namespace) in namespaces.iter().enumerate() {
        for detail in format::dns_label(namespace, Unit::Characters) {
            let detail =
                format!("each member of this list must be '*' or a DNS-1123 label; {detail}");
            errors.push(Error::invalid(&path.index(index), namespace, detail));
        }
    }
}

fn validate_non_resource_rule(errors: &mut ErrorList, rule: &NonResourcePolicyRule, path: &Path) {
    validate_verbs(errors, &rule.verbs, &path.child("verbs"));
    let urls = &rule.non_resource_urls;
    let path = path.child("nonResourceURLs");
    validate_wildcard(
        errors,
        urls,
        &path,
        "nonResourceURLs must contain at least one value",
        "if '*' is present, must not specify other non-resource URLs",
    );
    if has_wildcard(urls) {
        return;
    }
    for (index, url) in urls.iter().enumerate() {
        errors.extend(wrong_url(url).map(|detail| Error::invalid(&path.index(index), url, detail)));
    }
}

fn wrong_url(url: &str) -> Option<&'static str> {
    let wildcards = url.matches('*').count();
    match url {
        "" => Some("must not be empty"),
        "/" => None,
        _ if !url.starts_with('/') => Some("must start with slash"),
        _ if url.contains(' ') => Some("must not contain white-space"),
        _ if url.contains("//") => Some("must not contain double slash"),
        _ if wildcards > 1 || (wildcards == 1 && !url.ends_with("/*")) => {
            Some("wildcard can only do suffix matching")
        }
        _ => None,
    }
}

//! The rules of FlowSchemas (spec: validation 5).
//!
//! All of them are code: the reference declares none, and its texts and order are on the wire. Tags
//! would also ratchet, which handwritten rules do not: a stored violation blocks every update.

use api::flowcontrol::bootstrap;
use api::flowcontrol::v1::FlowSchemaSpec;
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::view::{NonResourceRule, ResourceRule, Rule, ServiceAccount, Spec, Subject};
use super::{conditions, internal};
use crate::field::{Error, ErrorList, Shown, Trail};
use crate::format::{self, Unit};
use crate::object_meta::{self, Metadata, NameRule};
use crate::view::{Texts, member};

const PRECEDENCE_MAX: i32 = 10_000;

/// Declares the verbs as a list for messages, and as a match, which is faster than a search.
macro_rules! verbs {
    ($($verb:literal),+) => {
        const VERBS: &[&str] = &[$($verb),+];

        fn is_verb(text: &str) -> bool {
            matches!(text, $($verb)|+)
        }
    };
}

verbs!("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch");

pub(super) fn validate(metadata: &Metadata<'_>, object: &Value) -> ErrorList {
    let mut errors = object_meta::validate(metadata, NameRule::DnsSubdomain);
    errors.extend(object_meta::validate_finalizer_names(metadata));
    let (name, spec) = (metadata.name, member(object, "spec"));
    let path = Trail::new("spec");
    validate_spec(&mut errors, &spec.into(), name, &path);
    if let Some(fixed) = bootstrap::mandatory_flow_schema(name)
        && !FlowSchemaSpec::deserialize(spec).is_ok_and(|spec| spec == *fixed)
    {
        errors.push(Error::invalid(
            &path,
            internal::shown_as::<FlowSchemaSpec>(spec),
            format!("spec of '{name}' must equal the fixed value"),
        ));
    }
    errors.extend(conditions::validate(object));
    errors
}

fn validate_spec(errors: &mut ErrorList, spec: &Spec<'_>, name: &str, path: &Trail<'_>) {
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
    if let Some(method_type) = spec.distinguisher_type {
        validate_distinguisher(errors, method_type, &path.child("distinguisherMethod"));
    }
    let level = spec.priority_level;
    let level_path = path.child("priorityLevelConfiguration");
    let level_path = level_path.child("name");
    if level.is_empty() {
        errors.push(Error::required(&level_path, "must reference a priority level"));
    } else {
        let messages = format::dns_subdomain(level, Unit::Characters);
        errors.push_invalid(&level_path, level, messages);
    }
    let path = path.child("rules");
    for (index, rule) in spec.rules.iter().enumerate() {
        validate_rule(errors, &rule.into(), &path.index(index));
    }
}

fn validate_distinguisher(errors: &mut ErrorList, method_type: &str, path: &Trail<'_>) {
    if !["ByNamespace", "ByUser"].contains(&method_type) {
        errors.push(Error::not_supported(
            &path.child("type"),
            Shown::json(&json!({ "Type": method_type })),
            &["ByNamespace", "ByUser"],
        ));
    }
}

fn validate_rule(errors: &mut ErrorList, rule: &Rule<'_>, path: &Trail<'_>) {
    let subjects = path.child("subjects");
    if rule.subjects.is_empty() {
        errors.push(Error::required(&subjects, "subjects must contain at least one value"));
    }
    for (index, subject) in rule.subjects.iter().enumerate() {
        validate_subject(errors, &subject.into(), &subjects.index(index));
    }
    if rule.resource_rules.is_empty() && rule.non_resource_rules.is_empty() {
        errors.push(Error::required(
            path,
            "at least one of resourceRules and nonResourceRules has to be non-empty",
        ));
    }
    let resource_rules = path.child("resourceRules");
    for (index, rule) in rule.resource_rules.iter().enumerate() {
        validate_resource_rule(errors, &rule.into(), &resource_rules.index(index));
    }
    let non_resource_rules = path.child("nonResourceRules");
    for (index, rule) in rule.non_resource_rules.iter().enumerate() {
        validate_non_resource_rule(errors, &rule.into(), &non_resource_rules.index(index));
    }
}

fn validate_subject(errors: &mut ErrorList, subject: &Subject<'_>, path: &Trail<'_>) {
    let required = |member: &str, kind: &str| {
        let detail = format!("{member} is required when subject kind is '{kind}'");
        Error::required(&path.child(member), detail)
    };
    match subject.kind {
        "ServiceAccount" => match &subject.service_account {
            None => errors.push(required("serviceAccount", "ServiceAccount")),
            Some(account) => {
                validate_service_account(errors, account, &path.child("serviceAccount"));
            }
        },
        "User" => match subject.user {
            None => errors.push(required("user", "User")),
            Some(name) => errors.extend(nameless(name, &path.child("user"))),
        },
        "Group" => match subject.group {
            None => errors.push(required("group", "Group")),
            Some(name) => errors.extend(nameless(name, &path.child("group"))),
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
    let mut forbid = |present: bool, member: &str, kind: &str| {
        if present && kind != subject.kind {
            let detail = format!("{member} is forbidden when subject kind is not '{kind}'");
            errors.push(Error::forbidden(&path.child(member), detail));
        }
    };
    forbid(subject.service_account.is_some(), "serviceAccount", "ServiceAccount");
    forbid(subject.user.is_some(), "user", "User");
    forbid(subject.group.is_some(), "group", "Group");
}

fn nameless(name: &str, path: &Trail<'_>) -> Option<Error> {
    name.is_empty().then(|| Error::required(&path.child("name"), ""))
}

fn validate_service_account(
    errors: &mut ErrorList,
    account: &ServiceAccount<'_>,
    path: &Trail<'_>,
) {
    let name_path = path.child("name");
    match account.name {
        "" => errors.push(Error::required(&name_path, "")),
        "*" => {}
        name => {
            let messages = format::dns_subdomain(name, Unit::Characters);
            errors.push_invalid(&name_path, name, messages);
        }
    }
    let namespace_path = path.child("namespace");
    if account.namespace.is_empty() {
        errors.push(Error::required(&namespace_path, "must specify namespace for service account"));
        return;
    }
    let messages = format::dns_label(account.namespace, Unit::Characters);
    errors.push_invalid(&namespace_path, account.namespace, messages);
}

fn validate_resource_rule(errors: &mut ErrorList, rule: &ResourceRule<'_>, path: &Trail<'_>) {
    validate_verbs(errors, rule.verbs, &path.child("verbs"));
    validate_wildcard(
        errors,
        rule.api_groups,
        &path.child("apiGroups"),
        "resource rules must supply at least one api group",
        "if '*' is present, must not specify other api groups",
    );
    validate_wildcard(
        errors,
        rule.resources,
        &path.child("resources"),
        "resource rules must supply at least one resource",
        "if '*' is present, must not specify other resources",
    );
    validate_namespaces(errors, rule, &path.child("namespaces"));
}

/// A list that is not empty and in which `*` stands alone. Tells whether it has a `*`.
fn validate_wildcard(
    errors: &mut ErrorList,
    list: Texts<'_>,
    path: &Trail<'_>,
    when_empty: &str,
    when_not_alone: &str,
) -> bool {
    let has_wildcard = list.contains("*");
    if list.is_empty() {
        errors.push(Error::required(path, when_empty));
    } else if has_wildcard && list.len() > 1 {
        errors.push(Error::invalid(path, Shown::json(&list), when_not_alone));
    }
    has_wildcard
}

fn validate_verbs(errors: &mut ErrorList, verbs: Texts<'_>, path: &Trail<'_>) {
    let has_wildcard = validate_wildcard(
        errors,
        verbs,
        path,
        "verbs must contain at least one value",
        "if '*' is present, must not specify other verbs",
    );
    if !has_wildcard && !verbs.iter().all(is_verb) {
        errors.push(Error::not_supported(path, Shown::json(&verbs), VERBS));
    }
}

fn validate_namespaces(errors: &mut ErrorList, rule: &ResourceRule<'_>, path: &Trail<'_>) {
    let namespaces = rule.namespaces;
    if namespaces.is_empty() {
        if !rule.cluster_scope {
            errors.push(Error::required(
                path,
                "resource rules that are not cluster scoped must supply at least one namespace",
            ));
        }
        return;
    }
    if namespaces.contains("*") {
        if namespaces.len() > 1 {
            let detail = "if '*' is present, must not specify other namespaces";
            errors.push(Error::invalid(path, Shown::json(&namespaces), detail));
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

fn validate_non_resource_rule(
    errors: &mut ErrorList,
    rule: &NonResourceRule<'_>,
    path: &Trail<'_>,
) {
    validate_verbs(errors, rule.verbs, &path.child("verbs"));
    let urls = rule.urls;
    let path = path.child("nonResourceURLs");
    let has_wildcard = validate_wildcard(
        errors,
        urls,
        &path,
        "nonResourceURLs must contain at least one value",
        "if '*' is present, must not specify other non-resource URLs",
    );
    if has_wildcard {
        return;
    }
    for (index, url) in urls.iter().enumerate() {
        errors.extend(wrong_url(url).map(|detail| Error::invalid(&path.index(index), url, detail)));
    }
}

fn wrong_url(url: &str) -> Option<&'static str> {
    let bytes = url.as_bytes();
    match url {
        "" => Some("must not be empty"),
        "/" => None,
        _ if !url.starts_with('/') => Some("must start with slash"),
        _ if bytes.contains(&b' ') => Some("must not contain white-space"),
        _ if bytes.windows(2).any(|pair| pair == b"//") => Some("must not contain double slash"),
        _ if url.strip_suffix("/*").unwrap_or(url).contains('*') => {
            Some("wildcard can only do suffix matching")
        }
        _ => None,
    }
}

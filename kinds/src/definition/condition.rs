//! The conditions of definitions.

use serde_json::{Value, json};

use crate::value::Members;

const APPROVAL: &str = "api-approved.kubernetes.io";
/// Groups in which the Kubernetes project decides.
const PROTECTED: [&str; 2] = ["k8s.io", "kubernetes.io"];

/// Something that a definition's status says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub(super) name: &'static str,
    pub(super) is_true: bool,
    reason: &'static str,
    message: String,
}

impl Condition {
    pub(super) fn met(
        name: &'static str,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self { name, is_true: true, reason, message: message.into() }
    }

    pub(super) fn unmet(
        name: &'static str,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self { name, is_true: false, reason, message: message.into() }
    }
}

/// Whether a definition says that something is true.
#[must_use]
pub fn is_true(definition: &Value, name: &str) -> bool {
    find(definition, name).is_some_and(|condition| condition.text("status") == "True")
}

fn find<'a>(definition: &'a Value, name: &str) -> Option<&'a Value> {
    let conditions = definition.member("status").items("conditions");
    conditions.iter().find(|condition| condition.text("type") == name)
}

/// Writes a condition down. The time is that of its last change between true and false.
pub fn set_condition(definition: &mut Value, condition: &Condition, now: &str) {
    if !definition.is_object() {
        return;
    }
    let Condition { name, is_true, reason, message } = condition;
    let status = if *is_true { "True" } else { "False" };
    let before = find(definition, name);
    let since = before.filter(|before| before.text("status") == status);
    let since = since.map_or(now, |before| before.text("lastTransitionTime"));
    let new = json!({
        "type": name,
        "status": status,
        "lastTransitionTime": since,
        "reason": reason,
        "message": message,
    });
    let is_new = before.is_none();
    let status = definition.ensure("status");
    if !status.is_object() {
        return;
    }
    if is_new {
        status.push_item("conditions", new);
        return;
    }
    for condition in status.items_mut("conditions").filter(|each| each.text("type") == *name) {
        *condition = new.clone();
    }
}

/// What the Kubernetes project says of a definition in one of its groups.
pub(super) fn approval(definition: &Value) -> Option<Condition> {
    let group = definition.member("spec").text("group");
    let protected = PROTECTED.iter().any(|protected| {
        group.strip_suffix(protected).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    if !protected {
        return None;
    }
    let name = "KubernetesAPIApprovalPolicyConformant";
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    let annotation = definition.member("metadata").member("annotations").text(APPROVAL);
    Some(if annotation.is_empty() {
        let message =
            format!("protected groups must have approval annotation \"{APPROVAL}\", {see}");
        Condition::unmet(name, "MissingAnnotation", message)
    } else if annotation.starts_with("unapproved") {
        let message = format!("not approved: {annotation:?}");
        Condition::unmet(name, "UnapprovedAnnotation", message)
    } else if is_url(annotation) {
        Condition::met(name, "ApprovedAnnotation", format!("approved in {annotation}"))
    } else {
        let message = format!(
            "protected groups must have approval annotation \"{APPROVAL}\" with either a URL or a \
             reason starting with \"unapproved\", {see}"
        );
        Condition::unmet(name, "InvalidAnnotation", message)
    })
}

/// Whether a text has a scheme and a host.
fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, rest)| {
        !scheme.is_empty() && !rest.is_empty() && !rest.starts_with('/')
    })
}

//! The fields by which objects can be selected (spec: apimachinery 3.3).

use std::borrow::Cow;

use serde_json::Value;
use validation::text::go_quote;

use crate::objects::Object;

const NAME: &str = "metadata.name";
const NAMESPACE: &str = "metadata.namespace";

/// The fields of a kind, besides name and namespace.
#[derive(Debug, Clone)]
pub struct SelectableFields {
    /// Fields by their names in selectors; each is a member at that path of the object, or what
    /// the path says it is. `None` for kinds that have none and say so in other words.
    own: Option<Cow<'static, [Cow<'static, str>]>>,
    namespaced: bool,
}

/// The resources whose objects can be selected by more: group, plural, fields.
const TABLE: &[(&str, &str, &[&str])] = &[
    (
        "",
        "pods",
        &[
            "spec.hostNetwork",
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.nominatedNodeName",
            "status.phase",
            "status.podIP",
            "status.podIPs",
        ],
    ),
    (
        "",
        "events",
        &[
            "involvedObject.apiVersion",
            "involvedObject.fieldPath",
            "involvedObject.kind",
            "involvedObject.name",
            "involvedObject.namespace",
            "involvedObject.resourceVersion",
            "involvedObject.uid",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
    ),
    (
        "events.k8s.io",
        "events",
        &[
            "reason",
            "regarding.apiVersion",
            "regarding.fieldPath",
            "regarding.kind",
            "regarding.name",
            "regarding.namespace",
            "regarding.resourceVersion",
            "regarding.uid",
            "reportingController",
            "type",
        ],
    ),
    ("", "namespaces", &["status.phase"]),
    ("", "nodes", &["spec.unschedulable"]),
    ("", "replicationcontrollers", &["status.replicas"]),
    ("", "secrets", &["type"]),
    ("", "services", &["spec.clusterIP", "spec.type"]),
    ("apps", "replicasets", &["status.replicas"]),
    ("batch", "jobs", &["status.successful"]),
    ("certificates.k8s.io", "certificatesigningrequests", &["spec.signerName"]),
    ("certificates.k8s.io", "clustertrustbundles", &["spec.signerName"]),
    ("certificates.k8s.io", "podcertificaterequests", &["spec.nodeName", "spec.signerName"]),
    ("networking.k8s.io", "ipaddresses", &[]),
    ("resource.k8s.io", "resourceslices", &["spec.driver", "spec.nodeName"]),
];

impl SelectableFields {
    /// Those of a resource.
    #[must_use]
    pub fn of(group: &str, plural: &str) -> Self {
        let found = TABLE.iter().find(|(of, name, _)| *of == group && *name == plural);
        let own = found.map(|(_, _, fields)| fields.iter().map(|field| Cow::Borrowed(*field)));
        Self { own: own.map(Iterator::collect), namespaced: true }
    }

    /// Those of a custom resource.
    #[must_use]
    pub fn custom(fields: impl IntoIterator<Item = String>, namespaced: bool) -> Self {
        Self { own: Some(fields.into_iter().map(Cow::Owned).collect()), namespaced }
    }

    /// Whether objects can be selected by a field.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub fn check(&self, field: &str) -> Result<(), String> {
        match &self.own {
            _ if field == NAME || (field == NAMESPACE && self.namespaced) => Ok(()),
            Some(own) if own.iter().any(|own| own == field) => Ok(()),
            Some(_) => Err(format!("field label not supported: {field}")),
            None => Err(format!(
                "{} is not a known field selector: only \"{NAME}\", \"{NAMESPACE}\"",
                go_quote(field)
            )),
        }
    }
}

/// What a selector compares with, of an object; `whole` is its value if fields besides name and
/// namespace are asked for.
#[must_use]
pub fn field_text<'a>(
    object: &'a Object,
    whole: Option<&'a Value>,
    field: &str,
) -> Option<Cow<'a, str>> {
    match field {
        NAME => return Some(Cow::Borrowed(&object.metadata.name)),
        NAMESPACE => return Some(Cow::Borrowed(&object.metadata.namespace)),
        _ => {}
    }
    let whole = whole?;
    let at = |path: &str| whole.pointer(&format!("/{}", path.replace('.', "/")));
    let value = match field {
        // The component, or else who reports.
        "source" => {
            at("source.component").filter(|text| **text != "").or_else(|| at("reportingComponent"))
        }
        "status.successful" => at("status.succeeded"),
        "status.podIPs" => at("status.podIPs.0.ip"),
        other => at(other),
    };
    let zero = match field {
        "spec.hostNetwork" | "spec.unschedulable" => "false",
        "status.replicas" | "status.successful" => "0",
        _ => "",
    };
    Some(match value {
        None | Some(Value::Null) => Cow::Borrowed(zero),
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(other) => Cow::Owned(other.to_string()),
    })
}

/// Whether a selector looks at more than name and namespace.
#[must_use]
pub fn needs_whole<'a>(mut fields: impl Iterator<Item = &'a str>) -> bool {
    fields.any(|field| field != NAME && field != NAMESPACE)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_says_in_its_own_words_that_it_does_not_know_a_field() {
        let pods = SelectableFields::of("", "pods");
        assert_eq!(pods.check("spec.nodeName"), Ok(()));
        assert_eq!(
            pods.check("spec.bogus"),
            Err("field label not supported: spec.bogus".to_owned())
        );
        let other = SelectableFields::of("apps", "deployments").check("spec.bogus").unwrap_err();
        assert!(other.starts_with("\"spec.bogus\" is not a known field selector"), "{other}");
    }

    #[test]
    fn fields_that_are_not_set_are_what_they_stand_for() {
        let pod = json!({ "spec": { "hostNetwork": true } });
        let object = Object::unstored(pod.clone(), crate::resources::Layout::Typed);
        let text = |field| field_text(&object, Some(&pod), field).unwrap();
        assert_eq!(text("spec.hostNetwork"), "true");
        assert_eq!(text("status.phase"), "");
        assert_eq!(text("status.replicas"), "0");
    }
}

//! What is left in a namespace that goes, and how the namespace tells of it. Pure.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// What is left.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Remains {
    /// How many objects of each resource and group.
    resources: BTreeMap<(String, String), usize>,
    /// How many objects each finalizer holds.
    finalizers: BTreeMap<String, usize>,
}

impl Remains {
    /// An object is left.
    pub(super) fn add(&mut self, plural: &str, group: &str, finalizers: &[String]) {
        *self.resources.entry((plural.to_owned(), group.to_owned())).or_default() += 1;
        for finalizer in finalizers {
            *self.finalizers.entry(finalizer.clone()).or_default() += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// The namespace with conditions that tell what is left; `None` if they do so already.
    pub(super) fn told(&self, namespace: &Value, now: &str) -> Option<Value> {
        let resources = self.resources.iter().map(|((plural, group), count)| {
            format!("{plural}.{group} has {count} resource instances")
        });
        let finalizers = self
            .finalizers
            .iter()
            .map(|(name, count)| format!("{name} in {count} resource instances"));
        let join = |texts: Vec<String>| texts.join(", ");
        let wanted = [
            off(
                "NamespaceDeletionDiscoveryFailure",
                "ResourcesDiscovered",
                "All resources successfully discovered",
            ),
            off(
                "NamespaceDeletionGroupVersionParsingFailure",
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed",
            ),
            off(
                "NamespaceDeletionContentFailure",
                "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization",
            ),
            on(
                "NamespaceContentRemaining",
                "SomeResourcesRemain",
                &format!("Some resources are remaining: {}", join(resources.collect())),
            ),
            if self.finalizers.is_empty() {
                off(
                    "NamespaceFinalizersRemaining",
                    "ContentHasNoFinalizers",
                    "All content-preserving finalizers finished",
                )
            } else {
                on(
                    "NamespaceFinalizersRemaining",
                    "SomeFinalizersRemain",
                    &format!(
                        "Some content in the namespace has finalizers remaining: {}",
                        join(finalizers.collect())
                    ),
                )
            },
        ];
        with_conditions(namespace, &wanted, now)
    }
}

fn off(kind: &str, reason: &str, message: &str) -> Value {
    json!({ "type": kind, "status": "False", "reason": reason, "message": message })
}

fn on(kind: &str, reason: &str, message: &str) -> Value {
    json!({ "type": kind, "status": "True", "reason": reason, "message": message })
}

/// Conditions that are as they were keep their time.
fn with_conditions(namespace: &Value, wanted: &[Value], now: &str) -> Option<Value> {
    let stored = namespace["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let mut conditions = stored.clone();
    for wanted in wanted {
        let of_type = |condition: &&mut Value| condition["type"] == wanted["type"];
        let known = conditions.iter_mut().find(of_type);
        let same = |condition: &Value| {
            ["status", "reason", "message"].iter().all(|name| condition[*name] == wanted[*name])
        };
        if known.as_deref().is_some_and(same) {
            continue;
        }
        let mut condition = wanted.clone();
        condition["lastTransitionTime"] = json!(now);
        match known {
            Some(known) => *known = condition,
            None => conditions.push(condition),
        }
    }
    if conditions == stored {
        return None;
    }
    let mut namespace = namespace.clone();
    namespace["status"]["conditions"] = conditions.into();
    Some(namespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_in_the_references_words_and_once() {
        let mut remains = Remains::default();
        assert!(remains.is_empty());
        remains.add("persistentvolumeclaims", "", &["kubernetes.io/pvc-protection".to_owned()]);
        remains.add("deployments", "apps", &[]);
        let namespace = json!({ "status": { "phase": "Terminating" } });
        let told = remains.told(&namespace, "t1").unwrap();
        let conditions = told["status"]["conditions"].as_array().unwrap();
        assert_eq!(
            conditions[3]["message"],
            "Some resources are remaining: deployments.apps has 1 resource instances, \
             persistentvolumeclaims. has 1 resource instances"
        );
        assert_eq!(
            conditions[4]["message"],
            "Some content in the namespace has finalizers remaining: kubernetes.io/pvc-protection \
             in 1 resource instances"
        );
        assert_eq!(remains.told(&told, "t2"), None);
        remains.add("deployments", "apps", &[]);
        let again = remains.told(&told, "t2").unwrap();
        assert_eq!(again["status"]["conditions"][3]["lastTransitionTime"], "t2");
        assert_eq!(again["status"]["conditions"][4]["lastTransitionTime"], "t1");
    }
}

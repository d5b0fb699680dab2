//! The plugins, in the order in which they look at a write.

use kinds::admission::{self, Refusal};

use super::{Plugin, Review};
use crate::handlers::write::random_suffix;

const POD: &[(&str, &str)] = &[("", "Pod")];

/// All of them. NamespaceLifecycle and ResourceQuota are not here: the one looks at every kind and
/// comes first, the other counts and comes last.
pub(super) static PLUGINS: [Plugin; 9] = [
    Plugin {
        name: "LimitRanger",
        kinds: &[("", "Pod"), ("", "PersistentVolumeClaim")],
        admit: limit_ranger,
    },
    Plugin { name: "ServiceAccount", kinds: POD, admit: service_account },
    Plugin { name: "TaintNodesByCondition", kinds: &[("", "Node")], admit: taint_node },
    Plugin {
        name: "Priority",
        kinds: &[("", "Pod"), ("scheduling.k8s.io", "PriorityClass")],
        admit: priority,
    },
    Plugin { name: "DefaultTolerationSeconds", kinds: POD, admit: tolerations },
    Plugin {
        name: "DefaultStorageClass",
        kinds: &[("", "PersistentVolumeClaim")],
        admit: storage_class,
    },
    Plugin {
        name: "StorageObjectInUseProtection",
        kinds: &[
            ("", "PersistentVolume"),
            ("", "PersistentVolumeClaim"),
            ("storage.k8s.io", "VolumeAttributesClass"),
        ],
        admit: protect_storage,
    },
    Plugin { name: "RuntimeClass", kinds: POD, admit: runtime_class },
    Plugin {
        name: "DefaultIngressClass",
        kinds: &[("networking.k8s.io", "Ingress")],
        admit: ingress_class,
    },
];

fn limit_ranger(review: &mut Review<'_, '_>) -> Result<(), Refusal> {
    let is_pod = review.kind() == "Pod";
    // What containers ask for does not change.
    if is_pod && review.old.is_some() {
        return Ok(());
    }
    let ranges = review.list("", "limitranges", review.context.namespace);
    if is_pod {
        ranges.iter().for_each(|range| admission::fill_limits(review.object, range));
    }
    let kind = review.kind();
    ranges.iter().try_for_each(|range| admission::check_limits(kind, review.object, range))
}

fn service_account(review: &mut Review<'_, '_>) -> Result<(), Refusal> {
    if review.old.is_some() {
        return Ok(());
    }
    let namespace = review.context.namespace;
    let Some(name) = admission::account_name(review.object) else {
        return admission::mirror_refusal(review.object);
    };
    let account = review.find("", "serviceaccounts", namespace, name);
    let account = account.ok_or_else(|| admission::no_such_account(namespace, name))?;
    admission::set_account(review.object, &account, &random_suffix());
    Ok(())
}

fn taint_node(review: &mut Review<'_, '_>) -> Result<(), Refusal> {
    if review.old.is_none() {
        admission::taint_node(review.object);
    }
    Ok(())
}

fn priority(review: &mut Review<'_, '_>) -> Result<(), Refusal> {
    const CLASSES: (&str, &str) = ("scheduling.k8s.io", "priorityclasses");
    if review.kind() == "PriorityClass" {
        return admission::second_default(review.object, &review.list(CLASSES.0, CLASSES.1, ""));
    }
    if let Some(old) = review.old {
        admission::keep_priority(review.object, old);
        return Ok(());
    }
    let mut pod = review.object.take();
    let find = |name: &str| review.find(CLASSES.0, CLASSES.1, "", name);
    let set = admission::set_priority(&mut pod, find, || review.list(CLASSES.0, CLASSES.1, ""));
    *review.object = pod;
    set
}

fn tolerations(review: &mut Review<'_, '_>) -> Result<(), Refusal> {
    let seconds = review.context.server.admission.tolerations;
    admission::tolerate_node_failures(review.object, seconds);
    Ok(())
}

fn storage_class(review: &mut Review<'_, '_>) -> Result<(), Refusal> {
    if review.old.is_none() {
        let mut claim = review.object.take();
        let classes = || review.list("storage.k8s.io", "storageclasses", "");
        admission::set_storage_class(&mut claim, || admission::default_class(&classes()));
        *review.object = claim;
    }
    Ok(())
}

fn ingress_class(review: &mut Review<'_, '_>) -> Result<(), Refusal> {
    if review.old.is_none() {
        let mut ingress = review.object.take();
        let classes = || review.list("networking.k8s.io", "ingressclasses", "");
        admission::set_ingress_class(&mut ingress, || admission::default_class(&classes()));
        *review.object = ingress;
    }
    Ok(())
}

fn protect_storage(review: &mut Review<'_, '_>) -> Result<(), Refusal> {
    if review.old.is_none() {
        let finalizer = match review.kind() {
            "PersistentVolume" => "kubernetes.io/pv-protection",
            "PersistentVolumeClaim" => "kubernetes.io/pvc-protection",
            _ => "kubernetes.io/vac-protection",
        };
        admission::protect(review.object, finalizer);
    }
    Ok(())
}

fn runtime_class(review: &mut Review<'_, '_>) -> Result<(), Refusal> {
    if review.old.is_some() {
        return Ok(());
    }
    let mut pod = review.object.take();
    let find = |name: &str| review.find("node.k8s.io", "runtimeclasses", "", name);
    let set = admission::set_runtime_class(&mut pod, find);
    *review.object = pod;
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::AdmissionPlugins;

    #[test]
    fn every_plugin_is_one_of_the_reference_and_on_by_default() {
        let usual = AdmissionPlugins::default();
        for plugin in &PLUGINS {
            assert!(usual.has(plugin.name), "{}", plugin.name);
        }
    }
}

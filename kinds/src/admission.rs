//! What admission plugins make of objects, and why they refuse them (spec: apimachinery 2.15, 7.2).
//!
//! Pure functions: what a plugin needs to know of other objects is handed to it. A refusal is the
//! text that follows `… is forbidden: `.

mod classes;
mod limits;
mod priority;
pub mod quota;
mod runtime_class;
mod scopes;
mod service_account;
mod tolerations;
mod usage;

use serde_json::{Value, json};

pub use classes::{default_class, set_ingress_class, set_storage_class};
pub use limits::{check_limits, fill_limits, is_limited};
pub use priority::{keep_priority, second_default, set_priority};
pub use runtime_class::set_runtime_class;
pub use service_account::{
    DEFAULT_ACCOUNT, account_name, mirror_refusal, no_such_account, set_account,
};
pub use tolerations::{TolerationSeconds, tolerate_node_failures};

use crate::value::Members;

/// Why a plugin does not let a write through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// A new node is not ready, whatever it says.
pub fn taint_node(node: &mut Value) {
    let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
    let spec = node.ensure("spec");
    let same = |each: &Value| {
        each.text("key") == taint.text("key") && each.text("effect") == taint.text("effect")
    };
    if !spec.items("taints").iter().any(same) {
        spec.push_item("taints", taint);
    }
}

/// Storage must not vanish while somebody uses it: a new object gets the finalizer.
pub fn protect(object: &mut Value, finalizer: &str) {
    let metadata = object.ensure("metadata");
    if !metadata.items("finalizers").iter().any(|each| each == finalizer) {
        metadata.push_item("finalizers", finalizer.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_tainted_once() {
        let mut node = json!({});
        taint_node(&mut node);
        taint_node(&mut node);
        assert_eq!(node["spec"]["taints"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn protection_is_added_once_behind_what_is_there() {
        let mut claim = json!({"metadata": {"finalizers": ["a/b"]}});
        protect(&mut claim, "kubernetes.io/pvc-protection");
        protect(&mut claim, "kubernetes.io/pvc-protection");
        let expected = json!(["a/b", "kubernetes.io/pvc-protection"]);
        assert_eq!(claim["metadata"]["finalizers"], expected);
    }
}

//! DefaultTolerationSeconds: pods stay for a while on a node that is not ready or out of reach.

use serde_json::{Value, json};

use crate::value::Members;

/// How long a pod stays on a node, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TolerationSeconds {
    /// That is not ready.
    pub not_ready: i64,
    /// That is out of reach.
    pub unreachable: i64,
}

impl Default for TolerationSeconds {
    fn default() -> Self {
        Self { not_ready: 300, unreachable: 300 }
    }
}

/// Adds the two tolerations, unless the pod has its own.
pub fn tolerate_node_failures(pod: &mut Value, seconds: TolerationSeconds) {
    let Some(spec) = pod.present_mut("spec") else { return };
    for (key, seconds) in [
        ("node.kubernetes.io/not-ready", seconds.not_ready),
        ("node.kubernetes.io/unreachable", seconds.unreachable),
    ] {
        let tolerated = spec.items("tolerations").iter().any(|toleration| {
            let (own_key, effect) = (toleration.text("key"), toleration.text("effect"));
            (own_key == key || own_key.is_empty()) && matches!(effect, "NoExecute" | "")
        });
        if !tolerated {
            let toleration = json!({"key": key, "operator": "Exists", "effect": "NoExecute",
                "tolerationSeconds": seconds});
            spec.push_item("tolerations", toleration);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerations_that_are_there_are_not_doubled() {
        let mut pod = json!({"spec": {"tolerations": [{"operator": "Exists"}]}});
        tolerate_node_failures(&mut pod, TolerationSeconds::default());
        assert_eq!(pod["spec"]["tolerations"].as_array().unwrap().len(), 1);
        let mut pod = json!({"spec": {}});
        tolerate_node_failures(&mut pod, TolerationSeconds { not_ready: 7, unreachable: 8 });
        assert_eq!(pod["spec"]["tolerations"][0]["tolerationSeconds"], 7);
        assert_eq!(pod["spec"]["tolerations"][1]["tolerationSeconds"], 8);
    }
}

//! Events of group events.k8s.io, which are stored as those of the core group.

use serde_json::Value;

use super::{Conversion, rename};

pub(super) const CONVERSION: Conversion = Conversion { group: "", version: "v1", to_hub, from_hub };

/// What members are called in the core group, and in the group of their own.
const NAMES: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

fn to_hub(event: &mut Value) {
    rename(event, &NAMES.map(|(core, own)| (own, core)));
}

fn from_hub(event: &mut Value) {
    rename(event, &NAMES);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_the_same_in_both_groups() {
        let core = json!({
            "metadata": { "name": "e" },
            "involvedObject": { "kind": "Pod", "name": "p" },
            "reason": "Started",
            "message": "it runs",
            "source": { "component": "kubelet" },
            "count": 2,
        });
        let mut event = core.clone();
        from_hub(&mut event);
        assert_eq!(event["regarding"]["name"], "p");
        assert_eq!(event["note"], "it runs");
        assert_eq!(event["deprecatedCount"], 2);
        to_hub(&mut event);
        assert_eq!(event, core);
    }
}

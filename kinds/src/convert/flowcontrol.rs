//! The older versions of flow control (spec: validation 15). They differ in the shares of limited
//! priority levels, which in them are a plain number that cannot be left out.

use api::flowcontrol::{GROUP, v1};
use serde_json::{Value, json};

use super::{Conversion, rename};

/// The versions before v1, newest first. They are served only when asked for.
pub const OLDER_VERSIONS: [&str; 3] = ["v1beta3", "v1beta2", "v1beta1"];

/// In v1beta3, zero shares mean zero and not the default if this annotation is there.
pub const PRESERVE_ZERO: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

const NOMINAL: &str = "nominalConcurrencyShares";
const ASSURED: &str = "assuredConcurrencyShares";
const DEFAULT_SHARES: i64 = 30;

/// What a version does with the shares of limited levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// The member's name.
    pub member: &'static str,
    /// Whether an annotation can tell zero from nothing.
    pub preserves_zero: bool,
}

/// The shares in an older version; `None` for v1 and what never was.
#[must_use]
pub fn shares(version: &str) -> Option<Shares> {
    match version {
        "v1beta3" => Some(Shares { member: NOMINAL, preserves_zero: true }),
        "v1beta1" | "v1beta2" => Some(Shares { member: ASSURED, preserves_zero: false }),
        _ => None,
    }
}

impl Shares {
    /// Fills in the default of a priority level in its version.
    pub fn fill_default(self, level: &mut Value) {
        let kept = self.preserves_zero && has_annotation(level);
        let Some(limited) = level.pointer_mut("/spec/limited").filter(|v| v.is_object()) else {
            return;
        };
        if limited[self.member].as_i64().unwrap_or(0) == 0 && !kept {
            limited[self.member] = json!(DEFAULT_SHARES);
        }
    }
}

pub(super) fn conversion(version: &str, kind: &str) -> Option<Conversion> {
    let same = Conversion { group: GROUP, version: v1::VERSION, to_hub: |_| {}, from_hub: |_| {} };
    let shares = shares(version)?;
    Some(match (kind, shares.preserves_zero) {
        ("PriorityLevelConfiguration", true) => {
            Conversion { to_hub: |level| set_annotation(level, false), from_hub: mark_zero, ..same }
        }
        ("PriorityLevelConfiguration", false) => Conversion {
            to_hub: |level| rename_shares(level, &[(ASSURED, NOMINAL)]),
            from_hub: |level| rename_shares(level, &[(NOMINAL, ASSURED)]),
            ..same
        },
        _ => same,
    })
}

fn rename_shares(level: &mut Value, names: &[(&str, &str)]) {
    if let Some(limited) = level.pointer_mut("/spec/limited") {
        rename(limited, names);
    }
}

fn mark_zero(level: &mut Value) {
    let shares = level.pointer("/spec/limited").map(|limited| limited[NOMINAL].as_i64());
    if shares == Some(Some(0)) {
        set_annotation(level, true);
    }
}

fn has_annotation(level: &Value) -> bool {
    level.pointer("/metadata/annotations").is_some_and(|all| all.get(PRESERVE_ZERO).is_some())
}

fn set_annotation(level: &mut Value, there: bool) {
    let Some(Value::Object(metadata)) = level.get_mut("metadata") else { return };
    if there {
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if annotations.is_null() {
            *annotations = json!({});
        }
        annotations[PRESERVE_ZERO] = json!("");
        return;
    }
    let Some(Value::Object(annotations)) = metadata.get_mut("annotations") else { return };
    annotations.shift_remove(PRESERVE_ZERO);
    if annotations.is_empty() {
        metadata.shift_remove("annotations");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: &str = "PriorityLevelConfiguration";

    fn level(shares: i64) -> Value {
        json!({
            "metadata": { "name": "a" },
            "spec": { "type": "Limited", "limited": { NOMINAL: shares, "lendablePercent": 0 } },
        })
    }

    #[test]
    fn before_v1beta3_the_shares_have_another_name_in_the_same_place() {
        let conversion = conversion("v1beta2", LEVEL).unwrap();
        let mut old = level(7);
        (conversion.from_hub)(&mut old);
        let text = old["spec"]["limited"].to_string();
        assert_eq!(text, r#"{"assuredConcurrencyShares":7,"lendablePercent":0}"#);
        (conversion.to_hub)(&mut old);
        assert_eq!(old, level(7));
    }

    #[test]
    fn in_v1beta3_an_annotation_says_that_zero_is_meant() {
        let conversion = conversion("v1beta3", LEVEL).unwrap();
        let mut old = level(0);
        (conversion.from_hub)(&mut old);
        assert_eq!(old["metadata"]["annotations"][PRESERVE_ZERO], "");
        shares("v1beta3").unwrap().fill_default(&mut old);
        assert_eq!(old["spec"]["limited"][NOMINAL], 0);
        (conversion.to_hub)(&mut old);
        assert_eq!(old, level(0));
    }

    #[test]
    fn without_the_annotation_zero_shares_are_the_default() {
        let mut old = level(0);
        shares("v1beta3").unwrap().fill_default(&mut old);
        assert_eq!(old, level(DEFAULT_SHARES));
        let mut old = json!({ "spec": { "limited": { ASSURED: 0 } } });
        shares("v1beta2").unwrap().fill_default(&mut old);
        assert_eq!(old["spec"]["limited"][ASSURED], DEFAULT_SHARES);
    }
}

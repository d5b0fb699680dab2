//! Kinds that are served in more than one version: how an object is written in another
//! (spec: apimachinery 2.3, validation 15). One version is the hub, in which objects are stored.

mod autoscaling;
mod events;
mod flowcontrol;

use serde_json::{Map, Value};

pub use flowcontrol::{OLDER_VERSIONS, PRESERVE_ZERO, Shares, shares};

/// How a version of a kind is stored in another.
#[derive(Debug, Clone, Copy)]
pub struct Conversion {
    /// The group in which objects are stored.
    pub group: &'static str,
    /// The version in which they are stored.
    pub version: &'static str,
    /// Writes an object as it is stored.
    pub to_hub: fn(&mut Value),
    /// Writes a stored object in this version.
    pub from_hub: fn(&mut Value),
}

/// The conversion of a version that is not stored as it is.
#[must_use]
pub fn of(group: &str, version: &str, kind: &str) -> Option<Conversion> {
    match (group, version, kind) {
        ("autoscaling", "v1", "HorizontalPodAutoscaler") => Some(autoscaling::CONVERSION),
        ("events.k8s.io", "v1", "Event") => Some(events::CONVERSION),
        (api::flowcontrol::GROUP, version, kind) => flowcontrol::conversion(version, kind),
        _ => None,
    }
}

/// Gives members other names; they keep their places.
fn rename(object: &mut Value, names: &[(&str, &str)]) {
    let Value::Object(members) = object else { return };
    let renamed: Map<String, Value> = std::mem::take(members)
        .into_iter()
        .map(|(name, value)| {
            let new = names.iter().find(|(old, _)| *old == name).map(|(_, new)| (*new).to_owned());
            (new.unwrap_or(name), value)
        })
        .collect();
    *members = renamed;
}

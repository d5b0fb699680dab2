//! One rule of a role, and what it matches.

use serde::Deserialize;

use super::objects::null_as_default;
use crate::authorize::attributes::{Attributes, ResourceTarget, Target};

/// Verbs, and what they may be done to. `*` stands for everything in each list but
/// `resource_names`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicyRule {
    /// Allowed verbs.
    #[serde(deserialize_with = "null_as_default")]
    pub verbs: Vec<String>,
    /// API groups; `""` is the core group.
    #[serde(deserialize_with = "null_as_default")]
    pub api_groups: Vec<String>,
    /// `pods`, `pods/status` or `*/status`.
    #[serde(deserialize_with = "null_as_default")]
    pub resources: Vec<String>,
    /// Objects; all if empty.
    #[serde(deserialize_with = "null_as_default")]
    pub resource_names: Vec<String>,
    /// Paths; a final `*` stands for any end.
    #[serde(rename = "nonResourceURLs", deserialize_with = "null_as_default")]
    pub non_resource_urls: Vec<String>,
}

impl PolicyRule {
    /// Whether the rule allows the request.
    #[must_use]
    pub fn allows(&self, attributes: &Attributes<'_>) -> bool {
        has_or_any(&self.verbs, attributes.verb)
            && match attributes.target {
                Target::Resource(target) => self.covers_resource(&target),
                Target::NonResource { path } => self.covers_path(path),
            }
    }

    fn covers_resource(&self, target: &ResourceTarget<'_>) -> bool {
        has_or_any(&self.api_groups, target.group)
            && self.resources.iter().any(|own| is_resource(own, target))
            && (self.resource_names.is_empty()
                || self.resource_names.iter().any(|name| name == target.name))
    }

    fn covers_path(&self, path: &str) -> bool {
        self.non_resource_urls.iter().any(|own| {
            own == path || (own.ends_with('*') && path.starts_with(own.trim_end_matches('*')))
        })
    }
}

fn has_or_any(own: &[String], asked: &str) -> bool {
    own.iter().any(|entry| entry == "*" || entry == asked)
}

/// Compares `resource/subresource` without building it.
fn is_resource(own: &str, target: &ResourceTarget<'_>) -> bool {
    if own == "*" {
        return true;
    }
    match own.split_once('/') {
        None => target.subresource.is_empty() && own == target.resource,
        Some((resource, subresource)) => {
            !target.subresource.is_empty()
                && subresource == target.subresource
                && (resource == "*" || resource == target.resource)
        }
    }
}

//! What a user may do, for `SelfSubjectRulesReview` (spec: apimachinery 5.4).

use serde::Serialize;

/// Rights to resources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRule {
    /// Allowed verbs.
    pub verbs: Vec<String>,
    /// Groups they are allowed in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    /// Resources they are allowed on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// Objects they are allowed on; all if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
}

/// Rights to other paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NonResourceRule {
    /// Allowed verbs.
    pub verbs: Vec<String>,
    /// Paths they are allowed on.
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    pub non_resource_urls: Vec<String>,
}

/// All rights that could be listed: the `status` of the review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserRules {
    /// Rights to resources.
    pub resource_rules: Vec<ResourceRule>,
    /// Rights to other paths.
    pub non_resource_rules: Vec<NonResourceRule>,
    /// Whether there may be more.
    pub incomplete: bool,
    /// Why there may be more.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub evaluation_error: String,
}

impl UserRules {
    /// Every right there is.
    #[must_use]
    pub fn all() -> Self {
        let any = || vec!["*".to_owned()];
        Self {
            resource_rules: vec![ResourceRule {
                verbs: any(),
                api_groups: any(),
                resources: any(),
                resource_names: Vec::new(),
            }],
            non_resource_rules: vec![NonResourceRule { verbs: any(), non_resource_urls: any() }],
            ..Self::default()
        }
    }
}

//! `AuthenticationConfiguration` of `apiserver.config.k8s.io` (spec: apimachinery 5.1), as written.

use api::Schema;
use api::decode::null_as_empty;
use serde::{Deserialize, Serialize};

/// Who may vouch for users, besides what flags say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct AuthenticationConfiguration {
    /// `AuthenticationConfiguration`
    pub kind: String,
    /// `apiserver.config.k8s.io/v1` or `…/v1beta1`, which are alike.
    pub api_version: String,
    /// Issuers of tokens.
    #[serde(deserialize_with = "null_as_empty")]
    #[k8s(list_type = "atomic")]
    pub jwt: Vec<JwtAuthenticator>,
    /// Which requests may do without credentials; `--anonymous-auth` decides when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anonymous: Option<AnonymousAuth>,
}

/// An issuer of tokens, and what is made of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct JwtAuthenticator {
    /// Who issues them.
    pub issuer: Issuer,
    /// What claims have to say.
    #[serde(deserialize_with = "null_as_empty")]
    #[k8s(list_type = "atomic")]
    pub claim_validation_rules: Vec<ClaimValidationRule>,
    /// How claims become a user.
    pub claim_mappings: ClaimMappings,
    /// What the user has to be like.
    #[serde(deserialize_with = "null_as_empty")]
    #[k8s(list_type = "atomic")]
    pub user_validation_rules: Vec<UserValidationRule>,
}

/// Who issues tokens, and for whom.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct Issuer {
    /// What the claim `iss` says.
    pub url: String,
    /// Where the discovery document is, unless at its usual place below `url`.
    #[serde(rename = "discoveryURL")]
    pub discovery_url: String,
    /// Who signs the issuer's certificates, in PEM; the machine's authorities when left out.
    pub certificate_authority: String,
    /// Whom tokens are meant for.
    #[serde(deserialize_with = "null_as_empty")]
    #[k8s(list_type = "atomic")]
    pub audiences: Vec<String>,
    /// `MatchAny`; may be left out for one audience.
    pub audience_match_policy: String,
    /// Through which proxy the issuer is reached; not supported.
    pub egress_selector_type: String,
}

/// A claim that must have a value, or an expression that must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct ClaimValidationRule {
    /// The claim's name.
    pub claim: String,
    /// Its value.
    pub required_value: String,
    /// An expression over the claims; not supported.
    pub expression: String,
    /// What to say when the expression does not hold.
    pub message: String,
}

/// How claims become a user.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct ClaimMappings {
    /// The name.
    pub username: PrefixedClaimOrExpression,
    /// The groups.
    pub groups: PrefixedClaimOrExpression,
    /// The uid.
    pub uid: ClaimOrExpression,
    /// Extras; not supported, since they are expressions.
    #[serde(deserialize_with = "null_as_empty")]
    #[k8s(list_type = "atomic")]
    pub extra: Vec<ExtraMapping>,
}

/// A claim with a prefix, or an expression.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct PrefixedClaimOrExpression {
    /// The claim's name.
    pub claim: String,
    /// What comes in front of the claim's texts; has to be there with a claim, and may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// An expression over the claims; not supported.
    pub expression: String,
}

/// A claim or an expression.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct ClaimOrExpression {
    /// The claim's name.
    pub claim: String,
    /// An expression over the claims; not supported.
    pub expression: String,
}

/// An extra of the user.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct ExtraMapping {
    /// The key, such as `example.org/team`.
    pub key: String,
    /// An expression over the claims; not supported.
    pub value_expression: String,
}

/// An expression that must hold for the user.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct UserValidationRule {
    /// An expression over the user; not supported.
    pub expression: String,
    /// What to say when it does not hold.
    pub message: String,
}

/// Which requests may do without credentials.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct AnonymousAuth {
    /// Whether any may.
    pub enabled: bool,
    /// Only these may; all of them, if there are none.
    #[serde(deserialize_with = "null_as_empty")]
    #[k8s(list_type = "atomic")]
    pub conditions: Vec<AnonymousAuthCondition>,
}

/// Requests that may do without credentials.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
pub(super) struct AnonymousAuthCondition {
    /// Those for exactly this path.
    pub path: String,
}

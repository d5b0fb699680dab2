//! `--oidc-*`: one issuer, in short.

use std::path::PathBuf;

use auth::authenticate::jwt::SigningAlgorithm;

use super::types::{
    AuthenticationConfiguration, ClaimMappings, ClaimValidationRule, Issuer, JwtAuthenticator,
    PrefixedClaimOrExpression,
};

/// The flags, as they were given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OidcFlags {
    /// `--oidc-issuer-url`
    pub issuer_url: String,
    /// `--oidc-client-id`: the audience.
    pub client_id: String,
    /// `--oidc-username-claim`
    pub username_claim: String,
    /// `--oidc-username-prefix`; see [`OidcFlags::username_prefix`].
    pub username_prefix: String,
    /// `--oidc-groups-claim`
    pub groups_claim: String,
    /// `--oidc-groups-prefix`
    pub groups_prefix: String,
    /// `--oidc-required-claim`, as name and value.
    pub required_claims: Vec<(String, String)>,
    /// `--oidc-signing-algs`
    pub signing_algorithms: Vec<SigningAlgorithm>,
    /// `--oidc-ca-file`
    pub ca_file: Option<PathBuf>,
}

impl OidcFlags {
    /// What comes in front of names: `-` means nothing; left out, it is the issuer, unless names
    /// are mail addresses.
    fn username_prefix(&self) -> String {
        match self.username_prefix.as_str() {
            "-" => String::new(),
            "" if self.username_claim != "email" => format!("{}#", self.issuer_url),
            given => given.to_owned(),
        }
    }

    /// The same as a file would say it; `authority` is what is in `--oidc-ca-file`.
    pub(super) fn configuration(&self, authority: String) -> AuthenticationConfiguration {
        let rule = |(claim, value): &(String, String)| ClaimValidationRule {
            claim: claim.clone(),
            required_value: value.clone(),
            ..ClaimValidationRule::default()
        };
        let claim = |claim: &str, prefix: String| PrefixedClaimOrExpression {
            claim: claim.to_owned(),
            prefix: Some(prefix),
            ..PrefixedClaimOrExpression::default()
        };
        let groups = Some(&self.groups_claim).filter(|claim| !claim.is_empty());
        let authenticator = JwtAuthenticator {
            issuer: Issuer {
                url: self.issuer_url.clone(),
                audiences: vec![self.client_id.clone()],
                certificate_authority: authority,
                ..Issuer::default()
            },
            claim_validation_rules: self.required_claims.iter().map(rule).collect(),
            claim_mappings: ClaimMappings {
                username: claim(&self.username_claim, self.username_prefix()),
                groups: groups
                    .map(|groups| claim(groups, self.groups_prefix.clone()))
                    .unwrap_or_default(),
                ..ClaimMappings::default()
            },
            ..JwtAuthenticator::default()
        };
        AuthenticationConfiguration {
            jwt: vec![authenticator],
            ..AuthenticationConfiguration::default()
        }
    }
}

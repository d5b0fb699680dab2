//! What the operator says about issuers and anonymous requests, read and checked.

mod flags;
#[cfg(test)]
mod tests;
mod types;
mod url;
mod validate;

use std::path::Path;

use auth::authenticate::Anonymous;
use auth::authenticate::jwt::{JwtIssuer, PrefixedClaim, SigningAlgorithm};

use crate::config_file::{self, ConfigFileError};

pub use flags::OidcFlags;
use types::{AnonymousAuth, AuthenticationConfiguration, JwtAuthenticator};

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read as one.
    #[error("--authentication-config {0}")]
    File(#[from] ConfigFileError),
    /// `--oidc-ca-file` cannot be read.
    #[error("--oidc-ca-file {path}: {source}")]
    Authority {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It says what it must not say.
    #[error("invalid authentication configuration: {0}")]
    Invalid(String),
}

/// Whom to trust.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuthenticationConfig {
    /// Issuers of tokens.
    pub issuers: Vec<IssuerConfig>,
    /// Which requests may be anonymous, if the file says so.
    pub anonymous: Option<Anonymous>,
}

/// An issuer, and where its keys are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerConfig {
    /// The issuer.
    pub issuer: JwtIssuer,
    /// Where its discovery document is.
    pub discovery_url: String,
    /// Who signs its certificates, in PEM; the machine's authorities if none.
    pub certificate_authority: Option<String>,
}

impl AuthenticationConfig {
    /// What a file says, and the text in it; `disallowed` are the issuers of service account
    /// tokens.
    ///
    /// # Errors
    ///
    /// [`ConfigError`]: one line with everything that is wrong.
    pub fn from_file(path: &Path, disallowed: &[String]) -> Result<(Self, Vec<u8>), ConfigError> {
        let text = config_file::read(path)?;
        Ok((Self::from_text(&text, path, disallowed)?, text))
    }

    /// The same from what is in the file at `path`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`]
    pub fn from_text(text: &[u8], path: &Path, disallowed: &[String]) -> Result<Self, ConfigError> {
        let kind = "AuthenticationConfiguration";
        let configuration: AuthenticationConfiguration = config_file::parse(text, path, kind)?;
        Self::checked(&configuration, &SigningAlgorithm::ALL, disallowed)
    }

    /// What `--oidc-*` say.
    ///
    /// # Errors
    ///
    /// [`ConfigError`]
    pub fn from_flags(flags: &OidcFlags, disallowed: &[String]) -> Result<Self, ConfigError> {
        let authority = match &flags.ca_file {
            None => String::new(),
            Some(path) => std::fs::read_to_string(path).map_err(|source| {
                ConfigError::Authority { path: path.display().to_string(), source }
            })?,
        };
        let configuration = flags.configuration(authority);
        Self::checked(&configuration, &flags.signing_algorithms, disallowed)
    }

    fn checked(
        configuration: &AuthenticationConfiguration,
        algorithms: &[SigningAlgorithm],
        disallowed: &[String],
    ) -> Result<Self, ConfigError> {
        let errors = validate::validate(configuration, disallowed);
        if let Some(text) = errors.aggregate() {
            return Err(ConfigError::Invalid(text));
        }
        let issuer =
            |authenticator: &JwtAuthenticator| IssuerConfig::new(authenticator, algorithms);
        Ok(Self {
            issuers: configuration.jwt.iter().map(issuer).collect(),
            anonymous: configuration.anonymous.as_ref().map(anonymous),
        })
    }
}

impl IssuerConfig {
    fn new(authenticator: &JwtAuthenticator, algorithms: &[SigningAlgorithm]) -> Self {
        let JwtAuthenticator { issuer, claim_validation_rules, claim_mappings, .. } = authenticator;
        let claim = |mapping: &types::PrefixedClaimOrExpression| PrefixedClaim {
            claim: mapping.claim.clone(),
            prefix: mapping.prefix.clone().unwrap_or_default(),
        };
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let usual =
            || format!("{}/.well-known/openid-configuration", issuer.url.trim_end_matches('/'));
        let required = claim_validation_rules
            .iter()
            .map(|rule| (rule.claim.clone(), rule.required_value.clone()));
        Self {
            issuer: JwtIssuer {
                url: issuer.url.clone(),
                audiences: issuer.audiences.clone(),
                algorithms: algorithms.to_vec(),
                required_claims: required.collect(),
                username: claim(&claim_mappings.username),
                groups: Some(claim(&claim_mappings.groups))
                    .filter(|groups| !groups.claim.is_empty()),
                uid_claim: given(&claim_mappings.uid.claim),
            },
            discovery_url: given(&issuer.discovery_url).unwrap_or_else(usual),
            certificate_authority: given(&issuer.certificate_authority),
        }
    }
}

fn anonymous(anonymous: &AnonymousAuth) -> Anonymous {
    let AnonymousAuth { enabled, conditions } = anonymous;
    match (enabled, conditions.as_slice()) {
        (false, _) => Anonymous::Disabled,
        (true, []) => Anonymous::Enabled,
        (true, conditions) => {
            Anonymous::OnPaths(conditions.iter().map(|condition| condition.path.clone()).collect())
        }
    }
}

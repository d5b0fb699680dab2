//! Whom to trust, and how claims become a user.

use super::SigningAlgorithm;

/// An issuer of tokens. What is in here was validated by whoever read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JwtIssuer {
    /// What the claim `iss` says; tokens with another are not looked at.
    pub url: String,
    /// A token must be meant for one of these.
    pub audiences: Vec<String>,
    /// How tokens may be signed.
    pub algorithms: Vec<SigningAlgorithm>,
    /// Claims that must be there with exactly this text.
    pub required_claims: Vec<(String, String)>,
    /// The user's name.
    pub username: PrefixedClaim,
    /// The user's groups: a claim with a text or a list of texts, which may be missing.
    pub groups: Option<PrefixedClaim>,
    /// The claim with the user's uid, which must not be missing.
    pub uid_claim: Option<String>,
}

/// A claim, and what is put in front of its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixedClaim {
    /// The claim's name.
    pub claim: String,
    /// What comes in front; may be empty.
    pub prefix: String,
}

impl PrefixedClaim {
    pub(super) fn prefixed(&self, text: &str) -> String {
        format!("{}{text}", self.prefix)
    }
}

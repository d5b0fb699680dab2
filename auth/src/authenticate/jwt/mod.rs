//! Tokens that others issue: OpenID Connect and its like (spec: apimachinery 5.1).
//!
//! [`JwtIssuer`] says whom to trust and how claims become a user, [`IssuerKeys`] holds the issuer's
//! keys as somebody else fetched them last, and [`ExternalTokens`] tells users by tokens.

mod algorithm;
mod claims;
mod issuer;
mod keys;
#[cfg(test)]
mod tests;
mod verify;

pub use algorithm::{SigningAlgorithm, UnknownAlgorithm};
pub use issuer::{JwtIssuer, PrefixedClaim};
pub use keys::{IssuerKeys, KeySet, KeySetError};
pub use verify::{ExternalTokens, JwtTokens};

//! Tokens of service accounts: issuing, verifying, and the documents by which others can verify
//! them (spec: apimachinery 5.3).

mod claims;
mod discovery;
mod issue;
mod keys;
mod pem;
#[cfg(test)]
mod tests;
mod verify;

pub use claims::ObjectRef;
pub use discovery::{JsonWebKey, JsonWebKeySet, OpenIdConfiguration};
pub use issue::{BoundObject, IssueError, TokenIssuer, TokenSpec};
pub use keys::{KeyAlgorithm, KeyError, PublicKey, SigningKey, public_keys, read_public_keys};
pub use verify::{LiveObject, ObjectKind, ObjectLookup, ServiceAccountTokens};

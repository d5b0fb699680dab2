//! What is inside a token. Fields stand in the order in which the reference writes them.

use serde::{Deserialize, Serialize};

/// All claims. Times are Unix seconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Claims {
    pub(super) aud: Audiences,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exp: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) iat: Option<i64>,
    pub(super) iss: String,
    pub(super) jti: String,
    #[serde(rename = "kubernetes.io")]
    pub(super) kubernetes: PrivateClaims,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nbf: Option<i64>,
    pub(super) sub: String,
}

/// Which account the token is for, and what it lives and dies with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct PrivateClaims {
    pub(super) namespace: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<ObjectRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pod: Option<ObjectRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<ObjectRef>,
    pub(super) serviceaccount: ObjectRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) warnafter: Option<i64>,
}

/// One object of one lifetime.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ObjectRef {
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
}

/// A list that other issuers may write as one text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "OneOrMany")]
pub(super) struct Audiences(pub(super) Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl From<OneOrMany> for Audiences {
    fn from(audiences: OneOrMany) -> Self {
        Self(match audiences {
            OneOrMany::One(audience) => vec![audience],
            OneOrMany::Many(audiences) => audiences,
        })
    }
}

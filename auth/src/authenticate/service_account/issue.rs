//! Issuing tokens, for `TokenRequest`s.

use jsonwebtoken::Header;

use super::claims::{Audiences, Claims, ObjectRef, PrivateClaims};
use super::keys::SigningKey;
use crate::user::ServiceAccountName;

/// A token that could not be signed.
#[derive(Debug, thiserror::Error)]
#[error("the token could not be signed: {0}")]
pub struct IssueError(#[from] jsonwebtoken::errors::Error);

/// Signs tokens in the name of one issuer.
#[derive(Debug, Clone)]
pub struct TokenIssuer {
    /// The first `--service-account-issuer`.
    pub issuer: String,
    /// The key of `--service-account-signing-key-file`.
    pub key: SigningKey,
}

/// What a token shall say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenSpec {
    /// The account's namespace.
    pub namespace: String,
    /// The account.
    pub account: ObjectRef,
    /// What the token dies with, besides the account.
    pub bound: Option<BoundObject>,
    /// Whom the token is meant for; never empty.
    pub audiences: Vec<String>,
    /// How long it is good.
    pub lifetime_seconds: i64,
    /// From when on its use is worth a warning, in seconds from now.
    pub warn_after_seconds: Option<i64>,
}

/// The object that a token dies with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundObject {
    /// A pod of the account's namespace, and the node it runs on.
    Pod {
        /// The pod.
        pod: ObjectRef,
        /// Its node, once it has one.
        node: Option<ObjectRef>,
    },
    /// A secret of the account's namespace.
    Secret(ObjectRef),
    /// A node.
    Node(ObjectRef),
}

impl TokenIssuer {
    /// Signs a token that is good from `now_unix_seconds` on. `id` is a fresh UUID.
    ///
    /// # Errors
    /// [`IssueError`] if the key refuses.
    pub fn issue(
        &self,
        spec: &TokenSpec,
        id: &str,
        now_unix_seconds: i64,
    ) -> Result<String, IssueError> {
        let public = self.key.public();
        let mut header = Header::new(public.algorithm().jwt());
        header.typ = None;
        header.kid = Some(public.id().to_owned());
        let claims = self.claims(spec, id, now_unix_seconds);
        Ok(jsonwebtoken::encode(&header, &claims, &self.key.encoding)?)
    }

    fn claims(&self, spec: &TokenSpec, id: &str, now: i64) -> Claims {
        let name = ServiceAccountName { namespace: &spec.namespace, name: &spec.account.name };
        let mut kubernetes = PrivateClaims {
            namespace: spec.namespace.clone(),
            serviceaccount: spec.account.clone(),
            warnafter: spec.warn_after_seconds.map(|seconds| now.saturating_add(seconds)),
            ..PrivateClaims::default()
        };
        match spec.bound.clone() {
            Some(BoundObject::Pod { pod, node }) => {
                (kubernetes.pod, kubernetes.node) = (Some(pod), node);
            }
            Some(BoundObject::Secret(secret)) => kubernetes.secret = Some(secret),
            Some(BoundObject::Node(node)) => kubernetes.node = Some(node),
            None => {}
        }
        Claims {
            aud: Audiences(spec.audiences.clone()),
            exp: Some(now.saturating_add(spec.lifetime_seconds)),
            iat: Some(now),
            iss: self.issuer.clone(),
            jti: id.to_owned(),
            kubernetes,
            nbf: Some(now),
            sub: name.user_name(),
        }
    }
}

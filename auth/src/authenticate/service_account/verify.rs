//! Verifying tokens: issuer, signature, audience, times, and whether their objects live.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Validation, decode, decode_header};
use serde::Deserialize;
use validation::text::go_quote;

use super::claims::{Claims, ObjectRef};
use super::keys::PublicKey;
use crate::authenticate::token::{TokenAuthenticator, TokenUser, intersect, quote_list};
use crate::user::{
    CREDENTIAL_ID_KEY, NODE_NAME_KEY, NODE_UID_KEY, POD_NAME_KEY, POD_UID_KEY, ServiceAccountName,
    User,
};

/// How far clocks may differ, and how long deleted objects still count.
const LEEWAY_SECONDS: i64 = 60;
const WRONG_SIGNATURE: &str = "go-jose/go-jose: error in cryptographic primitive";
const INVALIDATED: &str = "service account token has been invalidated";

/// An object that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveObject {
    /// Its uid.
    pub uid: String,
    /// Since when it is being deleted.
    pub deleted_unix_seconds: Option<i64>,
}

/// What a token can depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectKind {
    /// The account itself.
    ServiceAccount,
    /// A pod of its namespace.
    Pod,
    /// A secret of its namespace.
    Secret,
    /// A node.
    Node,
}

impl ObjectKind {
    fn name(self) -> &'static str {
        match self {
            Self::ServiceAccount => "service account",
            Self::Pod => "pod",
            Self::Secret => "secret",
            Self::Node => "node",
        }
    }
}

/// Finds the objects that tokens depend on.
pub trait ObjectLookup: Send + Sync {
    /// The object, if it exists now. The namespace is empty for nodes.
    fn find(&self, kind: ObjectKind, namespace: &str, name: &str) -> Option<LiveObject>;
}

/// Tells service accounts by their tokens.
#[derive(Clone)]
pub struct ServiceAccountTokens {
    /// `--service-account-issuer`; tokens of others are not looked at.
    pub issuers: Vec<String>,
    /// Keys of `--service-account-key-file`.
    pub keys: Vec<PublicKey>,
    /// `--api-audiences`
    pub api_audiences: Vec<String>,
    /// Finds accounts and bound objects.
    pub objects: Arc<dyn ObjectLookup>,
}

impl TokenAuthenticator for ServiceAccountTokens {
    fn authenticate_token(
        &self,
        token: &str,
        audiences: &[String],
        now_unix_seconds: i64,
    ) -> Result<Option<TokenUser>, String> {
        if !self.is_own_issuer(token) {
            return Ok(None);
        }
        let claims = self.verify_signature(token)?;
        let audiences = self.check_audiences(&claims, audiences)?;
        check_times(&claims, now_unix_seconds)?;
        self.check_objects(&claims, now_unix_seconds)?;
        Ok(Some(TokenUser { user: user(&claims), audiences }))
    }
}

impl ServiceAccountTokens {
    /// Looks into the token without trusting it.
    fn is_own_issuer(&self, token: &str) -> bool {
        #[derive(Deserialize)]
        struct Issuer {
            iss: String,
        }
        let mut parts = token.split('.');
        let (Some(_), Some(payload), Some(_), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return false;
        };
        URL_SAFE_NO_PAD
            .decode(payload)
            .ok()
            .and_then(|json| serde_json::from_slice::<Issuer>(&json).ok())
            .is_some_and(|issuer| self.issuers.contains(&issuer.iss))
    }

    fn verify_signature(&self, token: &str) -> Result<Claims, String> {
        let header = decode_header(token).map_err(|error| error.to_string())?;
        let mut last_error = "invalid signature, no keys found".to_owned();
        for key in self.candidates(header.kid.as_deref()) {
            match decode::<Claims>(token, &key.decoding, &signature_only(key)) {
                Ok(decoded) => return Ok(decoded.claims),
                Err(error) if *error.kind() == ErrorKind::InvalidSignature => {
                    WRONG_SIGNATURE.clone_into(&mut last_error);
                }
                Err(error) => last_error = error.to_string(),
            }
        }
        Err(last_error)
    }

    /// The key that the token names, or all keys if it names none that is known.
    fn candidates(&self, id: Option<&str>) -> Vec<&PublicKey> {
        let named: Vec<_> = self.keys.iter().filter(|key| Some(key.id()) == id).collect();
        if named.is_empty() { self.keys.iter().collect() } else { named }
    }

    fn check_audiences(&self, claims: &Claims, asked: &[String]) -> Result<Vec<String>, String> {
        let own = if claims.aud.0.is_empty() { &self.api_audiences } else { &claims.aud.0 };
        let asked = if asked.is_empty() { &self.api_audiences } else { asked };
        let shared = intersect(own, asked);
        if shared.is_empty() && !self.api_audiences.is_empty() {
            return Err(format!(
                "token audiences {} is invalid for the target audiences {}",
                quote_list(own),
                quote_list(asked)
            ));
        }
        Ok(shared)
    }

    fn check_objects(&self, claims: &Claims, now: i64) -> Result<(), String> {
        let kubernetes = &claims.kubernetes;
        let account = &kubernetes.serviceaccount;
        let namespace = kubernetes.namespace.as_str();
        let name = go_quote(&account.name);
        let found = self
            .objects
            .find(ObjectKind::ServiceAccount, namespace, &account.name)
            .ok_or_else(|| format!("serviceaccounts {name} not found"))?;
        if is_gone(&found, now) {
            return Err(format!("service account {namespace}/{} has been deleted", account.name));
        }
        if found.uid != account.uid {
            let (found, claimed) = (&found.uid, &account.uid);
            return Err(format!("service account UID ({found}) does not match claim ({claimed})"));
        }
        // A pod's node is told for information; the token lives as long as the pod.
        let node = kubernetes.node.as_ref().filter(|_| kubernetes.pod.is_none());
        self.check_bound(ObjectKind::Secret, namespace, kubernetes.secret.as_ref(), now)?;
        self.check_bound(ObjectKind::Pod, namespace, kubernetes.pod.as_ref(), now)?;
        self.check_bound(ObjectKind::Node, "", node, now)
    }

    fn check_bound(
        &self,
        kind: ObjectKind,
        namespace: &str,
        bound: Option<&ObjectRef>,
        now: i64,
    ) -> Result<(), String> {
        let Some(bound) = bound else { return Ok(()) };
        let found = self.objects.find(kind, namespace, &bound.name);
        let found = found.filter(|found| !is_gone(found, now)).ok_or(INVALIDATED)?;
        if found.uid != bound.uid {
            let kind = kind.name();
            return Err(format!(
                "{kind} UID ({}) does not match service account {kind} ref claim ({})",
                found.uid, bound.uid
            ));
        }
        Ok(())
    }
}

/// Times and audiences are checked here, by the caller's clock.
fn signature_only(key: &PublicKey) -> Validation {
    let mut validation = Validation::new(key.algorithm().jwt());
    validation.validate_exp = false;
    validation.validate_aud = false;
    validation.required_spec_claims.clear();
    validation
}

fn check_times(claims: &Claims, now: i64) -> Result<(), &'static str> {
    let (early, late) = (now.saturating_add(LEEWAY_SECONDS), now.saturating_sub(LEEWAY_SECONDS));
    if claims.nbf.is_some_and(|not_before| early < not_before) {
        return Err("service account token is not valid yet");
    }
    if claims.exp.is_some_and(|expires| late > expires) {
        return Err("service account token has expired");
    }
    if claims.iat.is_some_and(|issued| early < issued) {
        return Err("service account token is issued in the future");
    }
    Ok(())
}

fn is_gone(object: &LiveObject, now: i64) -> bool {
    object.deleted_unix_seconds.is_some_and(|deleted| deleted < now.saturating_sub(LEEWAY_SECONDS))
}

fn user(claims: &Claims) -> User {
    let kubernetes = &claims.kubernetes;
    let account = &kubernetes.serviceaccount;
    let name = ServiceAccountName { namespace: &kubernetes.namespace, name: &account.name };
    let mut user = User::new(name.user_name()).with_groups(name.groups());
    user.uid.clone_from(&account.uid);
    let mut add = |key: &str, value: &str| {
        user.extra.insert(key.to_owned(), vec![value.to_owned()]);
    };
    if !claims.jti.is_empty() {
        add(CREDENTIAL_ID_KEY, &format!("JTI={}", claims.jti));
    }
    if let Some(pod) = &kubernetes.pod {
        add(POD_NAME_KEY, &pod.name);
        add(POD_UID_KEY, &pod.uid);
    }
    if let Some(node) = &kubernetes.node {
        add(NODE_NAME_KEY, &node.name);
        add(NODE_UID_KEY, &node.uid);
    }
    user
}

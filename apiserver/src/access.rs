//! Who senders are and what they may do, as the flags say: puts the parts of [`auth`] together.

use std::sync::Arc;

use auth::authenticate::service_account::{
    LiveObject, ObjectKind, ObjectLookup, ObjectRef, PublicKey, ServiceAccountTokens, SigningKey,
    TokenIssuer, TokenSpec, public_keys,
};
use auth::authenticate::{Anonymous, Authenticator, TokenAuthenticator, TokenFile};
use auth::authorize::Union;
use auth::authorize::rbac::{PolicyObjects, RbacAuthorizer, RbacIndex, bootstrap};
use auth::impersonate::ConstrainedImpersonation;
use auth::user::ServiceAccountName;
use serde_json::{Value, json};

use crate::options::Config;
use crate::pki::{self, Pki};

/// The service account that the kubeconfig has a token of.
const ACCOUNT: ServiceAccountName<'_> =
    ServiceAccountName { namespace: "default", name: "default" };
/// How long that token is valid.
const TOKEN_SECONDS: i64 = 365 * 86_400;

/// Who senders are, on whose behalf they may act, and what they may do.
pub struct Access {
    /// Who senders are.
    pub authenticator: Authenticator,
    /// What they may do.
    pub authorizer: Union,
    /// Which permissions let somebody act as somebody else.
    pub impersonation: ConstrainedImpersonation,
}

impl Access {
    /// Reads what the flags name.
    ///
    /// # Errors
    ///
    /// One line about the token file.
    pub fn new(config: &Config, keys: &TokenKeys) -> Result<Self, String> {
        let constrained = config.feature_gates.enabled("ConstrainedImpersonation");
        let policy = policy().map_err(|error| error.to_string())?;
        let rbac = Arc::new(RbacAuthorizer::new(RbacIndex::build(&policy)));
        Ok(Self {
            authenticator: authenticator(config, keys)?,
            authorizer: Union::of_modes(&config.authorization_modes, &rbac),
            impersonation: if constrained {
                ConstrainedImpersonation::Enabled
            } else {
                ConstrainedImpersonation::Disabled
            },
        })
    }
}

fn authenticator(config: &Config, keys: &TokenKeys) -> Result<Authenticator, String> {
    let audiences = || config.api_audiences.clone();
    let mut tokens: Vec<Box<dyn TokenAuthenticator>> = Vec::new();
    if let Some(path) = &config.token_auth_file {
        let file = TokenFile::read(path, audiences())
            .map_err(|error| format!("--token-auth-file {}: {error}", path.display()))?;
        tokens.push(Box::new(file));
    }
    tokens.push(Box::new(ServiceAccountTokens {
        issuers: config.service_account_issuers.clone(),
        keys: keys.verifying.clone(),
        api_audiences: audiences(),
        objects: Arc::new(MadeAccount),
    }));
    Ok(Authenticator {
        client_certificates: true,
        tokens,
        anonymous: if config.anonymous_auth { Anonymous::Enabled } else { Anonymous::Disabled },
        api_audiences: audiences(),
        ..Authenticator::default()
    })
}

/// The keys of service account tokens.
pub struct TokenKeys {
    issuer: TokenIssuer,
    /// Those that tokens are checked with, the signing key's first.
    pub verifying: Vec<PublicKey>,
}

impl TokenKeys {
    /// Reads the keys.
    ///
    /// # Errors
    ///
    /// One line that says which key is wrong.
    pub fn new(config: &Config, pki: &Pki) -> Result<Self, String> {
        let named = |file: &pki::PemFile, error: &dyn std::fmt::Display| {
            format!("service account key {}: {error}", file.path.display())
        };
        let key = SigningKey::from_pem(pki.signing_key.text.as_bytes())
            .map_err(|error| named(&pki.signing_key, &error))?;
        let mut verifying = vec![key.public().clone()];
        for file in &pki.token_keys {
            for key in public_keys(file.text.as_bytes()).map_err(|error| named(file, &error))? {
                if verifying.iter().all(|known| known.id() != key.id()) {
                    verifying.push(key);
                }
            }
        }
        let issuer = config.service_account_issuers.first().cloned().unwrap_or_default();
        Ok(Self { issuer: TokenIssuer { issuer, key }, verifying })
    }

    /// Who signs.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer.issuer
    }

    /// A token of the kubeconfig's service account, good from now on.
    ///
    /// # Errors
    ///
    /// That of the signing library.
    pub fn kubeconfig_token(&self, config: &Config, now: i64) -> Result<String, String> {
        let spec = TokenSpec {
            namespace: ACCOUNT.namespace.to_owned(),
            account: ObjectRef { name: ACCOUNT.name.to_owned(), uid: String::new() },
            bound: None,
            audiences: config.api_audiences.clone(),
            lifetime_seconds: TOKEN_SECONDS,
            warn_after_seconds: None,
        };
        let id = uuid::Uuid::new_v4().to_string();
        self.issuer.issue(&spec, &id, now).map_err(|error| error.to_string())
    }
}

/// Service accounts are not stored yet: there is the kubeconfig's, and no other.
struct MadeAccount;

impl ObjectLookup for MadeAccount {
    fn find(&self, kind: ObjectKind, namespace: &str, name: &str) -> Option<LiveObject> {
        let asked = ServiceAccountName { namespace, name };
        let is_made = kind == ObjectKind::ServiceAccount && asked == ACCOUNT;
        is_made.then(|| LiveObject { uid: String::new(), deleted_unix_seconds: None })
    }
}

/// The default roles and bindings, and those of the kubeconfig's users.
fn policy() -> Result<PolicyObjects, Box<dyn std::error::Error>> {
    let mut policy = bootstrap::policy()?;
    for object in made_objects() {
        policy.add(&object)?;
    }
    Ok(policy)
}

/// No default role but the great ones lets anybody look at flow control, so readers have their own.
fn made_objects() -> [Value; 4] {
    let binding = |name: &str, role: &str, group: &str| {
        json!({
            "kind": "ClusterRoleBinding",
            "metadata": { "name": name },
            "roleRef": { "kind": "ClusterRole", "name": role },
            "subjects": [{ "kind": "Group", "name": group }],
        })
    };
    [
        json!({
            "kind": "ClusterRole",
            "metadata": { "name": pki::READERS },
            "rules": [{
                "verbs": ["get", "list", "watch"],
                "apiGroups": ["flowcontrol.apiserver.k8s.io"],
                "resources": ["*"],
            }],
        }),
        binding(pki::ADMINISTRATORS, "cluster-admin", pki::ADMINISTRATORS),
        binding(pki::READERS, pki::READERS, pki::READERS),
        binding("apiserver:readers:view", "view", pki::READERS),
    ]
}

#[cfg(test)]
mod tests {
    use auth::User;
    use auth::authorize::{Attributes, ResourceTarget, Target};

    use super::*;

    fn allows(group: &str, verb: &str, api_group: &str, resource: &str, namespace: &str) -> bool {
        let user = User::new("somebody").with_groups([group]);
        let target = ResourceTarget { group: api_group, resource, namespace, ..Default::default() };
        let attributes = Attributes { user: &user, verb, target: Target::Resource(target) };
        RbacIndex::build(&policy().unwrap()).authorize(&attributes).is_allowed()
    }

    #[test]
    fn administrators_may_do_everything() {
        assert!(allows(pki::ADMINISTRATORS, "delete", "flowcontrol.apiserver.k8s.io", "x", ""));
    }

    #[test]
    fn readers_look_at_flow_control_and_at_what_viewers_look_at() {
        let flow_control = "flowcontrol.apiserver.k8s.io";
        assert!(allows(pki::READERS, "list", flow_control, "flowschemas", ""));
        assert!(!allows(pki::READERS, "delete", flow_control, "flowschemas", ""));
        assert!(allows(pki::READERS, "list", "", "pods", "ns1"));
        assert!(!allows(pki::READERS, "delete", "", "pods", "ns1"));
    }

    #[test]
    fn only_the_kubeconfigs_service_account_exists() {
        let find = |kind, name| MadeAccount.find(kind, "default", name).is_some();
        assert!(find(ObjectKind::ServiceAccount, "default"));
        assert!(!find(ObjectKind::ServiceAccount, "other"));
        assert!(!find(ObjectKind::Secret, "default"));
    }
}

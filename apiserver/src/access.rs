//! Who senders are and what they may do, as the flags say: puts the parts of [`auth`] together.

use std::sync::Arc;

use api::time::Timestamp;
use auth::authenticate::service_account::{
    LiveObject, ObjectKind, ObjectLookup, ObjectRef, PublicKey, ServiceAccountTokens, SigningKey,
    TokenIssuer, TokenSpec, public_keys,
};
use auth::authenticate::{Anonymous, Authenticator, TokenAuthenticator, TokenFile};
use auth::authorize::node::NodeAuthorizer;
use auth::authorize::rbac::{RbacAuthorizer, bootstrap};
use auth::authorize::{AuthorizationMode, Union};
use auth::impersonate::ConstrainedImpersonation;
use auth::user::ServiceAccountName;
use serde_json::{Value, json};

use crate::authentication::{AuthenticationConfig, Issuers, Reload};
use crate::authorization_config;
use crate::catalog::Catalog;
use crate::objects::Stores;
use crate::options::{Config, IssuerFlags};
use crate::pki::{self, Pki};

/// The service account that the kubeconfig has a token of.
const ACCOUNT: ServiceAccountName<'_> =
    ServiceAccountName { namespace: "default", name: "default" };
const RBAC: &str = "rbac.authorization.k8s.io";
/// How long that token is valid.
const TOKEN_SECONDS: i64 = 365 * 86_400;

/// Who senders are, on whose behalf they may act, and what they may do.
pub struct Access {
    /// Who senders are.
    pub authenticator: Authenticator,
    /// What they may do.
    pub authorizer: Union,
    /// The part of that which roles and bindings decide, if any does.
    pub rbac: Option<Arc<RbacAuthorizer>>,
    /// The part of it that knows what kubelets may do, if it is asked.
    pub node: Option<Arc<NodeAuthorizer>>,
    /// Whether kubelets write about their own node only.
    pub restricts_nodes: bool,
    /// Which permissions let somebody act as somebody else.
    pub impersonation: ConstrainedImpersonation,
    /// Who else issues tokens.
    pub issuers: Arc<Issuers>,
    /// How changes of the file with those are found.
    pub(crate) reload: Option<Reload>,
}

impl Access {
    /// Reads what the flags name.
    ///
    /// # Errors
    ///
    /// One line about the token file, or about a configuration in a file.
    pub fn new(config: &Config, keys: &TokenKeys, catalog: &Arc<Catalog>) -> Result<Self, String> {
        let constrained = config.feature_gates.enabled("ConstrainedImpersonation");
        let rbac = Arc::new(RbacAuthorizer::default());
        let modes = match &config.authorization_config {
            Some(path) => authorization_config::read(path)?,
            None => config.authorization_modes.clone(),
        };
        let node = Arc::new(NodeAuthorizer::try_new().map_err(|error| error.to_string())?);
        let (external, reload) = external(config)?;
        let anonymous = anonymous(config, &external)?;
        let files = config.issuer_key_files.clone();
        let issuers = Issuers::start(external.issuers, files, config.api_audiences.clone());
        let authenticator = Authenticator {
            external: Some(issuers.tokens()),
            anonymous,
            ..authenticator(config, keys, catalog)?
        };
        Ok(Self {
            authenticator,
            issuers: Arc::new(issuers),
            reload,
            authorizer: Union::of_modes(&modes, &rbac, &node),
            rbac: modes.contains(&AuthorizationMode::Rbac).then_some(rbac),
            restricts_nodes: config.restricts_nodes,
            node: modes.contains(&AuthorizationMode::Node).then_some(node),
            impersonation: if constrained {
                ConstrainedImpersonation::Enabled
            } else {
                ConstrainedImpersonation::Disabled
            },
        })
    }
}

fn authenticator(
    config: &Config,
    keys: &TokenKeys,
    catalog: &Arc<Catalog>,
) -> Result<Authenticator, String> {
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
        objects: Arc::new(StoredObjects(Arc::clone(catalog))),
    }));
    Ok(Authenticator {
        front_proxy: config.front_proxy.as_ref().map(|flags| flags.proxy.clone()),
        client_certificates: true,
        tokens,
        api_audiences: audiences(),
        ..Authenticator::default()
    })
}

/// Who else issues tokens, by flags or by a file, and how changes of that file are found.
fn external(config: &Config) -> Result<(AuthenticationConfig, Option<Reload>), String> {
    let disallowed = &config.service_account_issuers;
    let path = match &config.issuers {
        IssuerFlags::None => return Ok((AuthenticationConfig::default(), None)),
        IssuerFlags::Oidc(flags) => {
            let read = AuthenticationConfig::from_flags(flags, disallowed);
            return Ok((read.map_err(|error| error.to_string())?, None));
        }
        IssuerFlags::File(path) => path,
    };
    let (external, text) =
        AuthenticationConfig::from_file(path, disallowed).map_err(|error| error.to_string())?;
    let reload = Reload {
        path: path.clone(),
        disallowed: disallowed.clone(),
        anonymous: external.anonymous.clone(),
        text,
    };
    Ok((external, Some(reload)))
}

/// Who may do without a credential: the file says, or the flag, and not both.
fn anonymous(config: &Config, external: &AuthenticationConfig) -> Result<Anonymous, String> {
    match &external.anonymous {
        Some(_) if config.anonymous_auth_given => {
            Err("anonymous: Forbidden: --anonymous-auth flag \
             cannot be set when anonymous field is configured in authentication configuration file"
                .to_owned())
        }
        Some(anonymous) => Ok(anonymous.clone()),
        None if config.anonymous_auth => Ok(Anonymous::Enabled),
        None => Ok(Anonymous::Disabled),
    }
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

    /// A token that is good from now on.
    ///
    /// # Errors
    ///
    /// That of the signing library.
    pub fn issue(&self, spec: &TokenSpec, now: i64) -> Result<String, String> {
        let id = uuid::Uuid::new_v4().to_string();
        self.issuer.issue(spec, &id, now).map_err(|error| error.to_string())
    }

    /// A token of the kubeconfig's service account.
    ///
    /// # Errors
    ///
    /// If the account is not there, or that of the signing library.
    pub fn kubeconfig_token(
        &self,
        config: &Config,
        stores: &Stores,
        now: i64,
    ) -> Result<String, String> {
        let ServiceAccountName { namespace, name } = ACCOUNT;
        let found = stores.peek("", "serviceaccounts", namespace, name);
        let found = found.ok_or("the service account of the kubeconfig is not there")?;
        let spec = TokenSpec {
            namespace: namespace.to_owned(),
            account: ObjectRef { name: name.to_owned(), uid: found.object.metadata.uid.clone() },
            bound: None,
            audiences: config.api_audiences.clone(),
            lifetime_seconds: TOKEN_SECONDS,
            warn_after_seconds: None,
        };
        self.issue(&spec, now)
    }
}

/// What tokens depend on is looked up among the stored objects.
struct StoredObjects(Arc<Catalog>);

impl ObjectLookup for StoredObjects {
    fn find(&self, kind: ObjectKind, namespace: &str, name: &str) -> Option<LiveObject> {
        let plural = match kind {
            ObjectKind::ServiceAccount => "serviceaccounts",
            ObjectKind::Pod => "pods",
            ObjectKind::Secret => "secrets",
            ObjectKind::Node => "nodes",
        };
        let found = self.0.peek().stores.peek("", plural, namespace, name)?;
        let metadata = &found.object.metadata;
        Some(LiveObject {
            uid: metadata.uid.clone(),
            deleted_unix_seconds: metadata.deletion_timestamp.map(Timestamp::unix_seconds),
        })
    }
}

/// The roles and bindings that there are from the start: the default ones, and those of the
/// kubeconfig's users.
///
/// # Errors
///
/// If the default ones cannot be read.
pub fn default_policy() -> Result<Vec<Value>, String> {
    let mut objects = bootstrap::objects().map_err(|error| error.to_string())?;
    objects.extend(made_objects());
    Ok(objects)
}

/// No default role but the great ones lets anybody look at flow control, so readers have their own.
fn made_objects() -> [Value; 4] {
    let binding = |name: &str, role: &str, group: &str| {
        json!({
            "kind": "ClusterRoleBinding",
            "metadata": { "name": name },
            "roleRef": { "apiGroup": RBAC, "kind": "ClusterRole", "name": role },
            "subjects": [{ "apiGroup": RBAC, "kind": "Group", "name": group }],
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
    use auth::authorize::rbac::{PolicyObjects, RbacIndex};
    use auth::authorize::{Attributes, ResourceTarget, Target};

    use super::*;

    fn allows(group: &str, verb: &str, api_group: &str, resource: &str, namespace: &str) -> bool {
        let user = User::new("somebody").with_groups([group]);
        let target = ResourceTarget { group: api_group, resource, namespace, ..Default::default() };
        let attributes = Attributes { user: &user, verb, target: Target::Resource(target) };
        let mut policy = PolicyObjects::default();
        default_policy().unwrap().iter().for_each(|object| policy.add(object).unwrap());
        RbacIndex::build(&policy).authorize(&attributes).is_allowed()
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
}

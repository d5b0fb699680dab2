//! What kubelets may do: they read the secrets and configuration of the pods that run on their
//! node, and write about their node and its pods (spec: apimachinery 5.7).

mod edges;
mod graph;
pub mod restriction;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use parking_lot::RwLock;
use validation::text::go_quote;

use super::rbac::{PolicyRule, bootstrap};
use super::{Attributes, Authorization, Authorizer, Decision, ResourceTarget, Target, UserRules};
use crate::user::{NODE_PREFIX, NODES_GROUP, User};
use graph::{Graph, Vertex, VertexKind};

pub use edges::NodeObject;

/// The namespace of nodes' leases.
const LEASES: &str = "kube-node-lease";
/// The default role whose rules hold for what is not looked at more closely.
const ROLE: &str = "system:node";

/// Decides for kubelets, and has no opinion about others.
#[derive(Debug)]
pub struct NodeAuthorizer {
    graph: RwLock<Graph>,
    rules: Vec<PolicyRule>,
}

impl NodeAuthorizer {
    /// An authorizer that knows no pods yet.
    ///
    /// # Errors
    /// [`bootstrap::BootstrapError`] if the default policy cannot be read.
    pub fn try_new() -> Result<Self, bootstrap::BootstrapError> {
        let policy = bootstrap::policy()?;
        let role = policy.cluster_roles.into_iter().find(|role| role.metadata.name == ROLE);
        let rules = role.map(|role| role.rules).unwrap_or_default();
        Ok(Self { graph: RwLock::default(), rules })
    }

    /// Takes in what an object says about nodes now, in place of what it said before.
    pub fn put(&self, kind: NodeObject, namespace: &str, name: &str, object: &serde_json::Value) {
        let teller = kind.vertex(namespace, name);
        let edges = kind.edges(namespace, name, object);
        self.graph.write().put(teller, edges);
    }

    /// Forgets what an object said.
    pub fn remove(&self, kind: NodeObject, namespace: &str, name: &str) {
        self.graph.write().put(kind.vertex(namespace, name), Vec::new());
    }

    /// Forgets what all objects of a kind said.
    pub fn forget(&self, kind: NodeObject) {
        self.graph.write().forget(&kind.vertex("", ""));
    }

    fn resource(&self, node: &str, asked: &Asked<'_>) -> Option<Answer> {
        use VertexKind::{Claim, ConfigMap, ResourceClaim, Secret, Volume, VolumeAttachment};
        let ResourceTarget { group, resource, subresource, .. } = asked.target;
        Some(match (group, resource) {
            ("", "secrets") => self.read(node, Secret, asked),
            ("", "configmaps") => self.read(node, ConfigMap, asked),
            ("", "persistentvolumeclaims") if subresource == "status" => match asked.verb {
                "update" | "patch" => self.related(node, Claim, asked),
                _ => Err("can only get/update/patch this type".into()),
            },
            ("", "persistentvolumeclaims") => self.get(node, Claim, asked),
            ("", "persistentvolumes") => self.get(node, Volume, asked),
            ("resource.k8s.io", "resourceclaims") => self.get(node, ResourceClaim, asked),
            ("storage.k8s.io", "volumeattachments") => self.get(node, VolumeAttachment, asked),
            ("", "serviceaccounts") => self.service_account(node, asked),
            ("coordination.k8s.io", "leases") => lease(node, asked),
            ("storage.k8s.io", "csinodes") => csi_node(node, asked),
            ("resource.k8s.io", "resourceslices") => self.resource_slice(node, asked),
            ("", "nodes") => own_node(node, asked),
            ("", "pods") => self.pod(node, asked),
            _ => return None,
        })
    }

    fn related(&self, node: &str, kind: VertexKind, asked: &Asked<'_>) -> Answer {
        let ResourceTarget { namespace, name, .. } = asked.target;
        if name.is_empty() {
            return Err("No Object name found".into());
        }
        if self.graph.read().leads_to(&Vertex::new(kind, namespace, name), node) {
            return Ok(());
        }
        Err(format!("no relationship found between node '{node}' and this object").into())
    }

    fn get(&self, node: &str, kind: VertexKind, asked: &Asked<'_>) -> Answer {
        match (asked.verb, asked.target.subresource) {
            ("get", "") => self.related(node, kind, asked),
            ("get", _) => Err("cannot get subresource".into()),
            _ => Err("can only get individual resources of this type".into()),
        }
    }

    fn read(&self, node: &str, kind: VertexKind, asked: &Asked<'_>) -> Answer {
        if !matches!(asked.verb, "get" | "list" | "watch") {
            return Err("can only read resources of this type".into());
        }
        if !asked.target.subresource.is_empty() {
            return Err("cannot read subresource".into());
        }
        if asked.target.namespace.is_empty() {
            return Err("can only read namespaced object of this type".into());
        }
        self.related(node, kind, asked)
    }

    fn service_account(&self, node: &str, asked: &Asked<'_>) -> Answer {
        if (asked.verb, asked.target.subresource) == ("get", "") {
            return self.related(node, VertexKind::ServiceAccount, asked);
        }
        if asked.verb != "create" || asked.target.name.is_empty() {
            return Err("can only create tokens for individual service accounts".into());
        }
        if asked.target.subresource != "token" {
            return Err("can only create token subresource of serviceaccount".into());
        }
        self.related(node, VertexKind::ServiceAccount, asked)
    }

    fn resource_slice(&self, node: &str, asked: &Asked<'_>) -> Answer {
        if !asked.target.subresource.is_empty() {
            return Err("cannot authorize ResourceSlice subresources".into());
        }
        match asked.verb {
            "create" => Ok(()),
            "get" | "update" | "patch" | "delete" => {
                self.related(node, VertexKind::ResourceSlice, asked)
            }
            "watch" | "list" | "deletecollection" if asked.selects("nodeName", node) => Ok(()),
            "watch" | "list" | "deletecollection" => {
                Err("can only list/watch/deletecollection resourceslices with nodeName field \
                     selector"
                    .into())
            }
            _ => {
                Err("only the following verbs are allowed for a ResourceSlice: get, watch, list, \
                      create, update, patch, delete, deletecollection"
                    .into())
            }
        }
    }

    fn pod(&self, node: &str, asked: &Asked<'_>) -> Answer {
        match (asked.target.subresource, asked.verb) {
            ("", "get") => self.get(node, VertexKind::Pod, asked),
            ("", "list" | "watch") if asked.selects("spec.nodeName", node) => Ok(()),
            ("", "list" | "watch") if !asked.target.name.is_empty() => {
                self.related(node, VertexKind::Pod, asked)
            }
            ("", "list" | "watch") => {
                Err("can only list/watch pods with spec.nodeName field selector".into())
            }
            ("", "create" | "delete") | ("status", "update" | "patch") | ("eviction", "create") => {
                Ok(())
            }
            _ => Err("".into()),
        }
    }
}

/// Allowed, or why not.
type Answer = Result<(), Cow<'static, str>>;

/// What a kubelet asks for.
struct Asked<'a> {
    verb: &'a str,
    target: ResourceTarget<'a>,
}

impl Asked<'_> {
    /// Whether the field selector asks for this value of this field.
    fn selects(&self, field: &str, value: &str) -> bool {
        self.target.field_selector.split(',').any(|term| {
            let selected = term.trim().strip_prefix(field);
            let selected = selected.and_then(|rest| rest.strip_prefix('='));
            selected.is_some_and(|rest| rest.strip_prefix('=').unwrap_or(rest) == value)
        })
    }
}

fn lease(node: &str, asked: &Asked<'_>) -> Answer {
    let ResourceTarget { namespace, name, .. } = asked.target;
    if !matches!(asked.verb, "get" | "create" | "update" | "patch" | "delete") {
        return Err("can only get, create, update, patch, or delete a node lease".into());
    }
    if namespace != LEASES {
        let namespace = go_quote(LEASES);
        return Err(format!("can only access leases in the {namespace} system namespace").into());
    }
    if asked.verb != "create" && name != node {
        return Err("can only access node lease with the same name as the requesting node".into());
    }
    Ok(())
}

fn csi_node(node: &str, asked: &Asked<'_>) -> Answer {
    if !matches!(asked.verb, "get" | "create" | "update" | "patch" | "delete") {
        return Err("can only get, create, update, patch, or delete a CSINode".into());
    }
    if !asked.target.subresource.is_empty() {
        return Err("cannot authorize CSINode subresources".into());
    }
    if asked.verb != "create" && asked.target.name != node {
        return Err("can only access CSINode with the same name as the requesting node".into());
    }
    Ok(())
}

fn own_node(node: &str, asked: &Asked<'_>) -> Answer {
    match (asked.target.subresource, asked.verb, asked.target.name) {
        ("", "create" | "update" | "patch", _) | ("status", "update" | "patch", _) => Ok(()),
        ("", "get" | "list" | "watch", name) if name == node => Ok(()),
        ("", "get" | "list" | "watch", "") => {
            Err(format!("node '{node}' cannot read all nodes, only its own Node object").into())
        }
        ("", "get" | "list" | "watch", name) => {
            Err(format!("node '{node}' cannot read '{name}', only its own Node object").into())
        }
        _ => Err("".into()),
    }
}

impl Authorizer for NodeAuthorizer {
    fn authorize(&self, attributes: &Attributes<'_>) -> Authorization {
        let Some(node) = identity(attributes.user) else { return Authorization::NO_OPINION };
        let no_opinion = |reason| Authorization { decision: Decision::NoOpinion, reason };
        if node.is_empty() {
            let user = go_quote(&attributes.user.name);
            return no_opinion(format!("unknown node for user {user}").into());
        }
        let answer = match attributes.target {
            Target::NonResource { .. } => None,
            Target::Resource(target) => {
                self.resource(node, &Asked { verb: attributes.verb, target })
            }
        };
        match answer {
            Some(Ok(())) => Authorization::ALLOW,
            Some(Err(why)) => no_opinion(why),
            None if self.rules.iter().any(|rule| rule.allows(attributes)) => Authorization::ALLOW,
            None => Authorization::NO_OPINION,
        }
    }

    fn rules_for(&self, user: &User, _: &str) -> UserRules {
        let is_node = identity(user).is_some();
        let error = "node authorizer does not support user rule resolution";
        UserRules {
            incomplete: is_node,
            evaluation_error: if is_node { error } else { "" }.to_owned(),
            ..UserRules::default()
        }
    }
}

/// The name of the node whose kubelet this is.
fn identity(user: &User) -> Option<&str> {
    user.name.strip_prefix(NODE_PREFIX).filter(|_| user.is_in(NODES_GROUP))
}

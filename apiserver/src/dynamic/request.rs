//! A request, as webhooks and policies are asked about it.

use std::sync::Arc;

use api::status::{GroupResource, Status};
use auth::User;
use serde_json::{Map, Value, json};

use super::rules::Target;
use crate::catalog::Catalog;
use crate::request::{Record, user_info};
use crate::resources::{GroupVersionKind, Resource};

const NAMESPACES: GroupResource<'static> = GroupResource { group: "", resource: "namespaces" };

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
    Delete,
    Connect,
}

impl Operation {
    /// As rules and reviews write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}

/// A request without its objects.
pub(crate) struct Request<'a> {
    pub(crate) catalog: &'a Catalog,
    /// What is addressed, in the version of the request.
    pub(crate) resource: &'a Arc<Resource>,
    /// Empty for objects themselves.
    pub(crate) subresource: &'a str,
    /// What the object is; of subresources it can be another kind than the resource's.
    pub(crate) kind: GroupVersionKind,
    pub(crate) operation: Operation,
    /// Empty for what belongs to the whole cluster.
    pub(crate) namespace: &'a str,
    /// Empty as long as it is to be generated.
    pub(crate) name: &'a str,
    pub(crate) user: &'a User,
    pub(crate) dry_run: bool,
    /// Who is warned.
    pub(crate) record: Option<&'a Record>,
    /// The options, such as a `CreateOptions`.
    pub(crate) options: Value,
}

/// The object as it is to be, none if it is deleted; and as it is stored, none if it is new.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Objects<'a> {
    pub(crate) object: Option<&'a Value>,
    pub(crate) old: Option<&'a Value>,
}

impl<'a> Objects<'a> {
    /// Those of a request that makes something.
    pub(crate) fn new(object: &'a Value) -> Self {
        Self { object: Some(object), old: None }
    }
}

impl Request<'_> {
    /// The request as rules see it, were it made for `resource`.
    pub(super) fn target<'t>(&'t self, resource: &'t Resource) -> Target<'t> {
        Target {
            operation: self.operation.name(),
            group: &resource.kind.group,
            version: &resource.kind.version,
            resource: &resource.described.plural,
            subresource: self.subresource,
            namespace: self.namespace_name(),
            name: self.name,
        }
    }

    /// The namespace; that of a namespace is itself.
    fn namespace_name(&self) -> &str {
        let kind = &self.resource.kind;
        let is_namespace = kind.group.is_empty() && kind.kind == "Namespace";
        if is_namespace { self.name } else { self.namespace }
    }

    /// Whether webhooks and policies must leave it alone: nobody could take away one that refuses
    /// that it is taken away.
    pub(super) fn is_exempt(&self) -> bool {
        const KINDS: [&str; 6] = [
            "ValidatingWebhookConfiguration",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
        ];
        let kind = &self.resource.kind;
        kind.group == "admissionregistration.k8s.io" && KINDS.contains(&kind.kind.as_str())
    }

    /// The namespace that selectors look at; `None` where there is none.
    pub(super) fn namespace_of(&self, objects: Objects<'_>) -> Result<Option<Value>, Status> {
        let name = self.namespace_name();
        let is_namespace = self.target(self.resource).is_namespace() && self.subresource.is_empty();
        let own = objects.object.filter(|_| is_namespace);
        if own.is_some() || name.is_empty() {
            return Ok(own.cloned());
        }
        let served = self.catalog.now();
        let found = served.stores.peek("", "namespaces", "", name);
        let found = found.zip(served.stores.find("", "namespaces"));
        let (entry, store) = found.ok_or_else(|| Status::not_found(NAMESPACES, name))?;
        Ok(Some(entry.object.value(&store.resource)))
    }

    /// The namespace that the object is in, for expressions.
    pub(super) fn surrounding_namespace(&self, objects: Objects<'_>) -> Option<Value> {
        if self.target(self.resource).is_namespace() {
            return None;
        }
        self.namespace_of(objects).ok().flatten()
    }

    /// The members of a review's request that tell of the request, had it been made for `resource`.
    pub(super) fn described(&self, resource: &Resource) -> Map<String, Value> {
        let own = self.kind == self.resource.kind;
        let mut members = Map::new();
        let sent = if own { &resource.kind } else { &self.kind };
        members.insert("kind".to_owned(), kind_json(sent));
        members.insert("resource".to_owned(), resource_json(resource));
        members.insert("requestKind".to_owned(), kind_json(&self.kind));
        members.insert("requestResource".to_owned(), resource_json(self.resource));
        let namespace = self.namespace_name();
        for (member, text) in [
            ("subResource", self.subresource),
            ("requestSubResource", self.subresource),
            ("name", self.name),
            ("namespace", namespace),
        ] {
            if !text.is_empty() {
                members.insert(member.to_owned(), json!(text));
            }
        }
        members.insert("operation".to_owned(), json!(self.operation.name()));
        members.insert("userInfo".to_owned(), user_info(self.user));
        members.insert("dryRun".to_owned(), json!(self.dry_run));
        members.insert("options".to_owned(), self.options.clone());
        members
    }

    /// An object of the version of `from` as `to` has it, written as clients get it.
    pub(super) async fn converted(
        &self,
        object: &Value,
        from: &Resource,
        to: &Resource,
    ) -> Result<Value, String> {
        if self.kind != self.resource.kind {
            return Ok(object.clone());
        }
        let mut object = object.clone();
        if from.kind != to.kind {
            object = match &to.reviewed {
                Some(reviewed) => {
                    let converted = reviewed.to_served(self.catalog, vec![object]).await;
                    converted.map_err(|error| error.to_string())?.pop().unwrap_or_default()
                }
                None => to.to_served(from.to_stored(object)),
            };
        }
        to.drop_empty(&mut object);
        to.set_type_meta(&mut object);
        Ok(object)
    }

    pub(super) fn warn(&self, text: &str) {
        if let Some(record) = self.record {
            record.warn(text.to_owned());
        }
    }
}

fn kind_json(kind: &GroupVersionKind) -> Value {
    json!({ "group": kind.group, "version": kind.version, "kind": kind.kind })
}

fn resource_json(resource: &Resource) -> Value {
    let kind = &resource.kind;
    json!({ "group": kind.group, "version": kind.version, "resource": resource.described.plural })
}

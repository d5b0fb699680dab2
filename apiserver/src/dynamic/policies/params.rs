//! The parameters of policies: objects that bindings choose.

use std::sync::Arc;

use serde_json::Value;

use super::super::request::Request;
use super::super::selector::Selector;
use crate::objects::{ObjectStore, metadata};
use crate::resources::Resource;

/// The kind of a policy's parameters.
#[derive(Debug)]
pub(super) struct ParamKind {
    api_version: String,
    kind: String,
}

/// Which objects of the kind a binding means.
#[derive(Debug)]
pub(super) struct ParamRef {
    /// Empty if it is that of the request.
    namespace: String,
    chosen: Chosen,
    /// Whether nothing is asked if there are none.
    allows_none: bool,
}

#[derive(Debug)]
enum Chosen {
    Named(String),
    Selected(Selector),
}

/// Parameters of a binding.
pub(super) enum Params {
    /// The binding names none.
    Unbound,
    /// The policy is asked once for each.
    Found(Vec<Value>),
}

/// Why there are no parameters, in the reference's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParamError {
    /// Nothing of the kind is served.
    #[error("failed to find resource referenced by paramKind: '{api_version}, Kind={kind}'")]
    UnknownKind {
        /// Group and version.
        api_version: String,
        /// The kind.
        kind: String,
    },
    /// A namespace is named for what is in none.
    #[error("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")]
    Namespaced,
    /// No namespace is named, and the request is in none.
    #[error(
        "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
    )]
    NoNamespace,
    /// There are none, and there must be some.
    #[error("no params found for policy binding with `Deny` parameterNotFoundAction")]
    NotFound,
}

impl ParamError {
    /// Whether the policy is at fault, not the binding.
    pub(super) fn is_of_policy(&self) -> bool {
        matches!(self, Self::UnknownKind { .. })
    }
}

impl ParamRef {
    pub(super) fn of(reference: &Value) -> Option<Self> {
        let text = |member: &str| reference[member].as_str().unwrap_or_default().to_owned();
        let chosen = match reference["selector"].is_object() {
            true => Chosen::Selected(Selector::of(&reference["selector"])),
            false => Chosen::Named(text("name")),
        };
        reference.is_object().then(|| Self {
            namespace: text("namespace"),
            chosen,
            allows_none: reference["parameterNotFoundAction"] == "Allow",
        })
    }
}

impl ParamKind {
    pub(super) fn of(kind: &Value) -> Option<Self> {
        let text = |member: &str| kind[member].as_str().unwrap_or_default().to_owned();
        kind.is_object().then(|| Self { api_version: text("apiVersion"), kind: text("kind") })
    }

    /// The parameters for a request.
    pub(super) fn params(
        &self,
        reference: Option<&ParamRef>,
        request: &Request<'_>,
    ) -> Result<Params, ParamError> {
        let (resource, store) = self.find(request).ok_or_else(|| ParamError::UnknownKind {
            api_version: self.api_version.clone(),
            kind: self.kind.clone(),
        })?;
        let Some(reference) = reference else { return Ok(Params::Unbound) };
        let namespace = match (resource.described.namespaced, reference.namespace.as_str()) {
            (true, "") if request.namespace.is_empty() => return Err(ParamError::NoNamespace),
            (true, "") => request.namespace,
            (true, namespace) => namespace,
            (false, "") => "",
            (false, _) => return Err(ParamError::Namespaced),
        };
        let found = match &reference.chosen {
            Chosen::Named(name) => {
                let entry = store.cache.peek(&resource.key(namespace, name));
                entry.iter().map(|entry| entry.object.value(&resource)).collect()
            }
            Chosen::Selected(selector) => selected(&resource, &store, namespace, selector),
        };
        match (found.is_empty(), reference.allows_none) {
            (true, false) => Err(ParamError::NotFound),
            _ => Ok(Params::Found(found)),
        }
    }

    fn find(&self, request: &Request<'_>) -> Option<(Arc<Resource>, Arc<ObjectStore>)> {
        let served = request.catalog.now();
        let resource = served.resources.iter().find(|resource| {
            resource.kind.kind == self.kind && resource.api_version() == self.api_version
        })?;
        let store = served.stores.of(resource)?;
        Some((Arc::clone(resource), Arc::clone(store)))
    }
}

fn selected(
    resource: &Resource,
    store: &ObjectStore,
    namespace: &str,
    selector: &Selector,
) -> Vec<Value> {
    let separator = if namespace.is_empty() { "" } else { "/" };
    let prefix = format!("{}{namespace}{separator}", resource.key_prefix());
    let list = store.cache.peek_list();
    let objects = list.below(&prefix).iter().map(|entry| entry.object.value(resource));
    let mut found: Vec<Value> =
        objects.filter(|object| selector.matches(&object["metadata"])).collect();
    found.sort_by_cached_key(|object| metadata::text(object, "name").to_owned());
    found
}

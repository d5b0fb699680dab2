//! ComponentStatuses: what the server knows of the parts of a control plane that are asked from
//! here. Of those there is one, its own store.

use std::sync::{Arc, LazyLock};

use api::status::Status;
use http::Method;
use kinds::table;
use openapi::recorded;
use openapi::resource::{GroupVersion, Resource as Described};
use serde_json::{Value, json};
use storage::cache::Entry;
use storage::{Key, Revision};
use validation::field::ErrorList;
use validation::flowcontrol::Context;

use super::present::{IncludeObject, ListMeta, Presenter};
use super::{LIST_TYPES, OBJECT_TYPES, check_accept};
use crate::codec::accept::{self, Transform};
use crate::objects::Object;
use crate::reply::Reply;
use crate::request::Authorized;
use crate::resources::{Resource, Strategy};
use crate::server::Server;

const PLURAL: &str = "componentstatuses";
/// What the reference calls its first store.
const STORE: &str = "etcd-0";

static RESOURCE: LazyLock<Option<Resource>> = LazyLock::new(|| {
    let core = GroupVersion::new("", "v1");
    let mut recorded = recorded::group_versions().iter();
    let core = recorded.find(|recorded| *recorded.group_version() == core)?;
    let described = core.resources().into_iter().find(|resource| resource.plural == PLURAL)?;
    let table = table::of("", PLURAL);
    Some(Resource::built_in(core.group_version(), described, table, Box::new(Computed)))
});

/// Nothing of the kind is ever written.
struct Computed;

impl Strategy for Computed {
    fn validate_create(&self, _: &Value, _: Context<'_>) -> ErrorList {
        ErrorList::default()
    }

    fn validate_update(&self, _: &Value, _: &Value, _: Context<'_>) -> ErrorList {
        ErrorList::default()
    }
}

/// The kind, for discovery and OpenAPI.
pub(crate) fn described() -> Option<&'static Described> {
    RESOURCE.as_ref().map(|resource| &resource.described)
}

/// The name that a path asks for, empty for all of them; `None` for other paths.
pub(super) fn find(group: &str, version: &str, parts: &[&str]) -> Option<String> {
    match (group, version, parts) {
        ("", "v1", [PLURAL]) => Some(String::new()),
        ("", "v1", [PLURAL, name]) if !name.is_empty() => Some((*name).to_owned()),
        _ => None,
    }
}

pub(super) fn serve(server: &Server, request: &Authorized, name: &str) -> Result<Reply, Status> {
    let Some(resource) = &*RESOURCE else { return Err(Status::unknown_resource()) };
    if request.parts.method != Method::GET || request.info.verb == "watch" {
        return Err(Status::method_not_allowed());
    }
    check_accept(request, if name.is_empty() { &LIST_TYPES } else { &OBJECT_TYPES })?;
    if let Some(warning) = &resource.deprecation {
        request.record.warn(warning.clone());
    }
    let accepted = request.negotiate(&accept::OBJECT)?;
    let include_object = match accepted.transform {
        Transform::Table(_) => IncludeObject::parse(request.query.text("includeObject"))?,
        _ => IncludeObject::Metadata,
    };
    let now = server.clock.timestamp();
    let presenter = Presenter { resource, accepted, include_object, now };
    let store = store(server.storage_status().failure.as_deref());
    let store = Object::unstored(store, resource.layout);
    match name {
        "" => {
            let (key, bytes) = (Key::new(STORE), store.item_json().len());
            let entry = Entry { key, modified: Revision(0), bytes, object: store };
            presenter.list(&[Arc::new(entry)], &ListMeta::default())
        }
        STORE => presenter.object(200, &store),
        other => Err(Status::not_found(resource.group_resource(), other)),
    }
}

/// How the store is, as a component.
fn store(failure: Option<&str>) -> Value {
    let condition = match failure {
        None => json!({ "type": "Healthy", "status": "True", "message": "ok" }),
        Some(why) => json!({ "type": "Healthy", "status": "False", "error": why }),
    };
    json!({ "metadata": { "name": STORE }, "conditions": [condition] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_all_components_or_to_one() {
        assert_eq!(find("", "v1", &[PLURAL]).as_deref(), Some(""));
        assert_eq!(find("", "v1", &[PLURAL, "etcd-0"]).as_deref(), Some("etcd-0"));
        assert_eq!(find("", "v1", &[PLURAL, "etcd-0", "status"]), None);
        assert_eq!(find("apps", "v1", &[PLURAL]), None);
    }

    #[test]
    fn the_kind_is_known_and_deprecated() {
        let resource = RESOURCE.as_ref().unwrap();
        assert_eq!(resource.kind.kind, "ComponentStatus");
        assert!(resource.deprecation.is_some());
    }

    #[test]
    fn a_store_that_fails_says_why() {
        assert_eq!(store(None)["conditions"][0]["message"], "ok");
        let failed = store(Some("disk full"));
        assert_eq!(failed["conditions"][0]["status"], "False");
        assert_eq!(failed["conditions"][0]["error"], "disk full");
    }
}

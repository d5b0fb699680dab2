//! What the server tells about its API (spec: apimachinery 1.1, 1.2, 1.7).

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, OnceLock};

use auth::authenticate::service_account::{JsonWebKeySet, OpenIdConfiguration};
use axum::body::Body;
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, VARY,
};
use http::{Response, StatusCode};
use openapi::digest::sha512_hex;
use openapi::resource::{Group, GroupVersion, Resource as Described, Version};
use openapi::{discovery, recorded};
use serde_json::{Value, json};

use super::health::{Endpoint, Health};
use super::openapi::OpenApi;
use crate::access::TokenKeys;
use crate::codec::accept::Accepted;
use crate::codec::{MediaType, json};
use crate::handlers::{Review, components};
use crate::reply::{self, Reply};
use crate::request::Authorized;
use crate::resources::custom::version_order;
use crate::resources::{GroupVersionKind, Resources};

// Clients tell whole groups by the parameters, which they want in this order.
const AGGREGATED_JSON: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const AGGREGATED_YAML: &str =
    "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const AGGREGATED_PROTOBUF: &str =
    "application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// `/version`
pub(super) fn version() -> Value {
    json!({
        "major": "1",
        "minor": "37",
        "emulationMajor": "1",
        "emulationMinor": "37",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "36",
        "gitVersion": "v1.37.2",
        "gitCommit": "$Format:%H$",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "go1.26.8",
        "compiler": "gc",
        "platform": "linux/amd64",
    })
}

/// The labels of `kubernetes_build_info` and their values.
pub(crate) fn build_info() -> Vec<(&'static str, String)> {
    let version = version();
    let labels = [
        ("build_date", "buildDate"),
        ("compiler", "compiler"),
        ("git_commit", "gitCommit"),
        ("git_tree_state", "gitTreeState"),
        ("git_version", "gitVersion"),
        ("go_version", "goVersion"),
        ("major", "major"),
        ("minor", "minor"),
        ("platform", "platform"),
    ];
    labels
        .map(|(label, member)| (label, version[member].as_str().unwrap_or_default().to_owned()))
        .into()
}

/// A discovery document of whole groups, and its tag: the same in every form, as the reference has
/// it.
#[derive(Debug)]
pub(super) struct Aggregated {
    text: Bytes,
    etag: String,
}

impl Aggregated {
    fn new(document: &impl serde::Serialize) -> Self {
        let text = json::to_vec(document);
        let etag = format!("\"{}\"", sha512_hex(&text));
        Self { text: text.into(), etag }
    }

    pub(super) fn answer(&self, request: &Authorized, accepted: Accepted) -> Reply {
        let content_type = match accepted.media_type {
            MediaType::Json => AGGREGATED_JSON,
            MediaType::Yaml => AGGREGATED_YAML,
            MediaType::Protobuf => AGGREGATED_PROTOBUF,
        };
        let mut response = if request.header(&IF_NONE_MATCH) == self.etag {
            raw(304, content_type, Bytes::new())
        } else {
            let (_, body) = reply::in_form(&request.record, self.text.clone(), accepted);
            reply::compressed(&request.record, 200, content_type, body)
        };
        let headers = response.headers_mut();
        insert(headers, ETAG, &self.etag);
        headers.append(VARY, HeaderValue::from_static("Accept"));
        insert(headers, CACHE_CONTROL, "public");
        Reply::Raw(Box::new(response))
    }
}

/// What the server tells about itself, whatever kinds it serves.
#[derive(Debug, Default)]
pub struct AboutServer {
    server_address: String,
    keys: Value,
    openid: Value,
}

impl AboutServer {
    /// A server that is reached there and signs with these keys.
    #[must_use]
    pub fn new(keys: &TokenKeys, url: &str, address: SocketAddr) -> Self {
        Self {
            server_address: address.to_string(),
            keys: value(&JsonWebKeySet::new(&keys.verifying)),
            openid: value(&OpenIdConfiguration::new(
                keys.issuer(),
                &format!("{url}/openid/v1/jwks"),
                &keys.verifying,
            )),
        }
    }
}

/// What the server tells about itself and the kinds it serves.
#[derive(Debug)]
pub struct Documents {
    /// OpenAPI.
    pub(super) openapi: OpenApi,
    groups: Arc<Vec<Group>>,
    about: Arc<AboutServer>,
    aggregated_core: OnceLock<Aggregated>,
    aggregated: OnceLock<Aggregated>,
}

impl Documents {
    /// The documents about the resources that are served. Those that did not change are taken over
    /// from `before`.
    #[must_use]
    pub fn new(resources: &Resources, about: &Arc<AboutServer>, before: Option<&Self>) -> Self {
        let groups = Arc::new(groups(resources));
        Self {
            aggregated_core: OnceLock::new(),
            aggregated: OnceLock::new(),
            openapi: OpenApi::new(&groups, before.map(|before| &before.openapi)),
            about: Arc::clone(about),
            groups,
        }
    }

    pub(super) fn root(&self, health: &Health) -> Value {
        let mut paths: Vec<String> = [
            "/.well-known/openid-configuration",
            "/api",
            "/apis",
            "/apis/",
            "/healthz",
            "/livez",
            "/metrics",
            "/openapi/v2",
            "/openapi/v3",
            "/openapi/v3/",
            "/openid/v1/jwks",
            "/readyz",
            "/version",
        ]
        .map(str::to_owned)
        .into();
        for group in self.groups.iter() {
            if !group.name.is_empty() {
                paths.push(format!("/apis/{}", group.name));
            }
            paths.extend(group.group_versions().map(|(key, _)| format!("/{}", key.root())));
        }
        for endpoint in [Endpoint::Healthz, Endpoint::Livez, Endpoint::Readyz] {
            let checks = health.checks(endpoint);
            paths.extend(checks.map(|check| format!("/{}/{check}", endpoint.name())));
        }
        paths.sort_unstable();
        json!({ "paths": paths })
    }

    pub(super) fn core_versions(&self) -> Value {
        let mut versions =
            value(&discovery::core_versions(&self.groups, &self.about.server_address));
        if versions["versions"].as_array().is_none_or(Vec::is_empty) {
            versions["versions"] = json!(["v1"]);
        }
        versions
    }

    pub(super) fn groups(&self) -> Value {
        value(&discovery::group_list(&self.groups))
    }

    pub(super) fn core_groups(&self) -> &Aggregated {
        self.aggregated_core
            .get_or_init(|| Aggregated::new(&discovery::aggregated_core(&self.groups)))
    }

    pub(super) fn all_groups(&self) -> &Aggregated {
        self.aggregated.get_or_init(|| Aggregated::new(&discovery::aggregated_groups(&self.groups)))
    }

    pub(super) fn group(&self, name: &str) -> Option<Value> {
        discovery::group(&self.groups, name).map(|group| value(&group))
    }

    pub(super) fn group_version(&self, group: &str, version: &str) -> Option<Value> {
        let key = GroupVersion::new(group, version);
        discovery::resource_list(&self.groups, &key).map(|list| value(&list))
    }

    pub(super) fn json_web_keys(&self) -> Reply {
        let text = json::to_vec(&self.about.keys);
        let mut response = raw(200, "application/jwk-set+json", text.into());
        insert(response.headers_mut(), CACHE_CONTROL, "public, max-age=3600");
        Reply::Raw(Box::new(response))
    }

    pub(super) fn openid_configuration(&self) -> Reply {
        let mut response = raw(200, "application/json", json::to_vec(&self.about.openid).into());
        insert(response.headers_mut(), CACHE_CONTROL, "public, max-age=3600");
        Reply::Raw(Box::new(response))
    }
}

fn value(document: &impl serde::Serialize) -> Value {
    serde_json::to_value(document).unwrap_or_default()
}

pub(super) fn raw(code: u16, content_type: &'static str, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::OK);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

pub(super) fn insert(headers: &mut http::HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// The groups that are served, in the order of discovery: built-in ones as they always stood, then
/// those of custom resources by name.
fn groups(resources: &Resources) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for resource in resources.iter() {
        let GroupVersionKind { group, version, .. } = &resource.kind;
        add(&mut groups, group, version, resource.described.clone());
    }
    for (GroupVersion { group, version }, described) in reviews() {
        add(&mut groups, group, version, described.clone());
    }
    add_components(&mut groups);
    let order = recorded::group_versions();
    let place = |group: &str| order.iter().position(|v| v.group_version().group == group);
    for group in &mut groups {
        if place(&group.name).is_none() {
            group.versions.sort_by_cached_key(|version| version_order(&version.name));
        }
    }
    groups.sort_by_cached_key(|group| match place(&group.name) {
        Some(place) => (place, String::new()),
        None => (order.len(), group.name.clone()),
    });
    groups
}

/// ComponentStatuses are stored nowhere either; they stand among the core kinds by their name.
fn add_components(groups: &mut Vec<Group>) {
    let Some(described) = components::described() else { return };
    add(groups, "", "v1", described.clone());
    let core = groups.iter_mut().filter(|group| group.name.is_empty());
    for version in core.flat_map(|group| &mut group.versions) {
        version.resources.sort_by(|a, b| a.plural.cmp(&b.plural));
    }
}

/// What answers questions is stored nowhere, and offered all the same.
fn reviews() -> &'static [(GroupVersion, Described)] {
    static REVIEWS: LazyLock<Vec<(GroupVersion, Described)>> = LazyLock::new(|| {
        let recorded = recorded::group_versions().iter();
        let recorded =
            recorded.filter(|recorded| Review::has_group(&recorded.group_version().group));
        let of_version = |recorded: &recorded::RecordedVersion| {
            let key = recorded.group_version().clone();
            recorded.resources().into_iter().map(move |described| (key.clone(), described))
        };
        recorded.flat_map(of_version).collect()
    });
    &REVIEWS
}

fn add(groups: &mut Vec<Group>, group: &str, version: &str, resource: Described) {
    let index = groups.iter().position(|known| known.name == group).unwrap_or_else(|| {
        groups.push(Group { name: group.to_owned(), versions: Vec::new() });
        groups.len() - 1
    });
    let versions = &mut groups[index].versions;
    let at = versions.iter().position(|known| known.name == version).unwrap_or_else(|| {
        versions.push(Version { name: version.to_owned(), resources: Vec::new() });
        versions.len() - 1
    });
    versions[at].resources.push(resource);
}

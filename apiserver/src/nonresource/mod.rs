//! Paths that are no objects: health, discovery, OpenAPI, version, metrics, debugging.

mod documents;
mod health;
mod openapi;

use std::sync::Arc;

use api::status::Status;
use http::Method;
use serde_json::Value;

use crate::codec::accept::{self, Accepted};
use crate::codec::json;
use crate::handlers::check_accept;
use crate::reply::{self, Failure, Reply};
use crate::request::{Authorized, accept_header};
use crate::server::Server;

pub(crate) use documents::build_info;
pub use documents::{AboutServer, Documents};
pub use health::Health;

const DOCUMENT_TYPES: [&str; 3] =
    ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/// Answers a path that leads to no objects.
pub(crate) async fn serve(
    server: &Arc<Server>,
    request: Authorized,
    path: &str,
) -> Result<Reply, Failure> {
    let served = server.served();
    let documents = &served.documents;
    match path {
        "/" | "/index.html" => Ok(Reply::Json {
            code: 200,
            text: json::to_vec(&documents.root(&server.health)).into(),
            accepted: Accepted { pretty: true, ..Accepted::JSON },
        }),
        "/api" | "/api/" => discovery(&request, documents.core_versions(), documents.core_groups()),
        "/apis" | "/apis/" => discovery(&request, documents.groups(), documents.all_groups()),
        "/version" | "/version/" => version(&request),
        "/metrics" => Ok(metrics(server, &request)),
        "/openapi/v2" => documents.openapi.v2(&request).await,
        "/openapi/v3" | "/openapi/v3/" => documents.openapi.v3_index().await,
        "/openid/v1/jwks" => Ok(documents.json_web_keys()),
        "/.well-known/openid-configuration" => Ok(documents.openid_configuration()),
        _ => {
            if let Some(key) = path.strip_prefix("/openapi/v3/") {
                return documents.openapi.v3(&request, key).await;
            }
            if let Some(name) = path.strip_prefix("/debug/api_priority_and_fairness/") {
                return Ok(dump(server, &request, name));
            }
            match health::Endpoint::find(path) {
                Some((endpoint, check)) => {
                    Ok(server.health.answer(server, &request, endpoint, check))
                }
                None => Ok(Reply::not_found()),
            }
        }
    }
}

/// All metrics; compressed, however small, for those who take it so.
fn metrics(server: &Server, request: &Authorized) -> Reply {
    let content_type = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
    let text = server.metrics.text();
    Reply::Raw(Box::new(reply::scraped(&request.record, content_type, text.into())))
}

/// A dump of the state of flow control.
fn dump(server: &Server, request: &Authorized, name: &str) -> Reply {
    let is_given = |argument: &str| request.query.first(argument).is_some_and(|v| !v.is_empty());
    match server.flow_control.dump(name, is_given) {
        Some(text) => Reply::Text {
            code: 200,
            text,
            content_type: "text/plain; charset=utf-8",
            nosniff: false,
        },
        None => Reply::not_found(),
    }
}

/// The document of a group.
pub(crate) fn group(
    server: &Arc<Server>,
    request: &Authorized,
    group: &str,
) -> Result<Reply, Failure> {
    plain(request, server.served().documents.group(group))
}

/// The document of a group version.
pub(crate) fn group_version(
    server: &Arc<Server>,
    request: &Authorized,
    group: &str,
    version: &str,
) -> Result<Reply, Failure> {
    plain(request, server.served().documents.group_version(group, version))
}

/// A document in the form that the client accepts.
fn plain(request: &Authorized, document: Option<Value>) -> Result<Reply, Failure> {
    get_only(request)?;
    check_accept(request, &DOCUMENT_TYPES)?;
    let accepted = request.negotiate(&accept::DOCUMENT)?;
    match document {
        Some(document) => Ok(Reply::document(&document, accepted)),
        None => Err(Status::unknown_resource().into()),
    }
}

/// A list of versions or groups: whole, if the client asks for it so.
fn discovery(
    request: &Authorized,
    plain_document: Value,
    whole: &documents::Aggregated,
) -> Result<Reply, Failure> {
    get_only(request)?;
    check_accept(request, &DOCUMENT_TYPES)?;
    if let Some(accepted) = accept::negotiate_aggregated(&accept_header(&request.parts.headers)) {
        return Ok(whole.answer(request, accepted));
    }
    plain(request, Some(plain_document))
}

fn get_only(request: &Authorized) -> Result<(), Status> {
    if request.parts.method == Method::GET { Ok(()) } else { Err(Status::method_not_allowed()) }
}

fn version(request: &Authorized) -> Result<Reply, Failure> {
    get_only(request)?;
    check_accept(request, &["application/json"])?;
    Ok(Reply::document(&documents::version(), Accepted { pretty: true, ..Accepted::JSON }))
}

//! What requests for objects do.

mod action;
mod admission;
pub(crate) mod allocation;
pub(crate) mod components;
pub(crate) mod continue_token;
mod create;
mod delete;
mod failure;
mod frame;
mod grants;
mod node_restriction;
pub(crate) mod options;
mod part;
mod patch;
mod present;
mod read;
mod review;
mod route;
mod signers;
mod update;
mod versions;
mod watch;
mod web_socket;
mod write;

use std::sync::Arc;

use api::status::{Reason, Status};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method};
use openapi::resource::Verb;

use crate::codec::MediaType;
use crate::codec::accept::check_route;
use crate::objects::ObjectStore;
use crate::reply::{Failure, Reply};
use crate::request::{Authorized, accept_header};
use crate::resources::Resource;
use crate::server::Server;

pub(crate) use admission::{Admission, QuotaLocks};
pub(crate) use delete::{Deleted, Deletion};
pub(crate) use options::{DeleteOptions, Propagation};
pub(crate) use part::Part;
pub(crate) use review::Review;
pub(crate) use route::{Place, Route, route};
pub(crate) use write::{Origin, Proposal, WriteContext, generated_start};

/// A request for objects of one resource.
pub(crate) struct Call<'a> {
    pub(crate) server: &'a Arc<Server>,
    pub(crate) request: Authorized,
    pub(crate) resource: Arc<Resource>,
    pub(crate) store: Arc<ObjectStore>,
    /// Empty for resources of the whole cluster and for all namespaces.
    pub(crate) namespace: String,
    /// Empty for collections.
    pub(crate) name: String,
    /// What of the object it is for.
    pub(crate) part: Part,
}

const OBJECT_TYPES: [&str; 3] =
    ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

const LIST_TYPES: [&str; 5] = [
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
];

/// Answers a request for objects.
pub(crate) async fn serve(
    server: &Arc<Server>,
    request: Authorized,
    place: Place,
) -> Result<Reply, Failure> {
    if let Place::Review(review) = place {
        check_accept(&request, &OBJECT_TYPES)?;
        return Ok(review::serve(server, request, review).await?);
    }
    if let Place::Components { name } = place {
        return Ok(components::serve(server, &request, &name)?);
    }
    let (resource, namespace, name, kind) = place.into_parts();
    let Some(store) = server.catalog.peek().stores.of(&resource).map(Arc::clone) else {
        return Err(Status::unknown_resource().into());
    };
    if let Some(warning) = &resource.deprecation {
        request.record.warn(warning.clone());
    }
    let method = request.parts.method.clone();
    let part = if let route::Kind::Part(part) = kind { part } else { Part::WHOLE };
    let call = Call { server, request, resource, store, namespace, name, part };
    if !call.offers(kind, &method) {
        return call.unoffered();
    }
    match (kind, &method) {
        (route::Kind::Collection, &Method::GET) => {
            call.check_accept(&LIST_TYPES)?;
            if call.request.info.verb == "watch" {
                return Ok(watch::serve(call).await?);
            }
            Ok(read::list(call).await?)
        }
        (route::Kind::Collection, &Method::POST) => {
            call.check_accept(&OBJECT_TYPES)?;
            Ok(create::create(call).await?)
        }
        (route::Kind::Collection, &Method::DELETE) => {
            call.check_accept(&OBJECT_TYPES)?;
            Ok(delete::delete_collection(call).await?)
        }
        (route::Kind::Object | route::Kind::Part(_), &Method::GET) => {
            call.check_accept(&OBJECT_TYPES)?;
            Ok(read::get(call).await?)
        }
        (route::Kind::Object | route::Kind::Part(_), &Method::PUT) => {
            call.check_accept(&OBJECT_TYPES)?;
            Ok(update::update(call).await?)
        }
        (route::Kind::Object | route::Kind::Part(_), &Method::PATCH) => {
            let patch_type = patch::PatchType::of(&call.request, &call.resource)?;
            call.check_accept(&OBJECT_TYPES)?;
            Ok(patch::patch(call, patch_type).await?)
        }
        (route::Kind::Object, &Method::DELETE) => {
            call.check_accept(&OBJECT_TYPES)?;
            Ok(delete::delete(call).await?)
        }
        (route::Kind::Action(action), _) => {
            if let Some(produces) = action.produces() {
                call.check_accept(produces)?;
            }
            Ok(action::serve(call, action).await?)
        }
        (route::Kind::Watch, &Method::GET) => {
            call.check_accept(&LIST_TYPES)?;
            Ok(watch::serve(call).await?)
        }
        (route::Kind::Unknown, _) => {
            let resource = call.resource.group_resource();
            Err(Status::not_found(resource, &call.name).into())
        }
        _ => Err(call.not_supported().into()),
    }
}

impl Call<'_> {
    /// What is not offered of a kind is found out when its route is looked for. Custom resources
    /// have no routes; what there is none of in all namespaces is nowhere.
    fn unoffered(&self) -> Result<Reply, Failure> {
        let placed = !self.resource.described.namespaced || !self.namespace.is_empty();
        if !self.resource.is_typed() && !placed {
            return Ok(Reply::not_found());
        }
        Err(self.not_supported().into())
    }

    fn not_supported(&self) -> Status {
        if self.resource.is_typed() {
            return Status::method_not_allowed();
        }
        let verb = &self.request.info.verb;
        Status::not_supported(self.resource.group_resource(), verb)
    }

    /// Looks at `Accept` as routes do, where there is one.
    fn check_accept(&self, produces: &[&str]) -> Result<(), Status> {
        if self.resource.is_typed() { check_accept(&self.request, produces) } else { Ok(()) }
    }

    /// Whether the kind offers what a request of this method asks of it.
    fn offers(&self, kind: route::Kind, method: &Method) -> bool {
        let described = &self.resource.described;
        // Of all namespaces at once, one can only read.
        let placed = !described.namespaced || !self.namespace.is_empty();
        match (kind, method) {
            (route::Kind::Collection, &Method::GET) if self.request.info.verb == "watch" => {
                described.offers(Verb::Watch)
            }
            (route::Kind::Collection, &Method::GET) => described.offers(Verb::List),
            (route::Kind::Collection, &Method::POST) => placed && described.offers(Verb::Create),
            (route::Kind::Collection, &Method::DELETE) => {
                placed && described.offers(Verb::DeleteCollection)
            }
            (route::Kind::Object, &Method::GET) => described.offers(Verb::Get),
            (route::Kind::Object, &Method::PUT) => described.offers(Verb::Update),
            (route::Kind::Object, &Method::PATCH) => described.offers(Verb::Patch),
            (route::Kind::Object, &Method::DELETE) => described.offers(Verb::Delete),
            _ => true,
        }
    }
}

/// The coarse look at `Accept` that decides whether a route is taken at all.
pub(crate) fn check_accept(request: &Authorized, produces: &[&str]) -> Result<(), Status> {
    check_route(&accept_header(&request.parts.headers), produces).map_err(|message| {
        let details = api::status::Details::default();
        Status::media_type(406, Reason::NotAcceptable, message).with_details(details)
    })
}

/// The media type of a body.
pub(crate) fn body_type(headers: &HeaderMap) -> Result<MediaType, Status> {
    let content_type = crate::request::header_text(headers, &CONTENT_TYPE);
    if content_type.is_empty() {
        return Ok(MediaType::Json);
    }
    MediaType::parse(content_type).ok_or_else(|| {
        let names: Vec<&str> = MediaType::ALL.iter().map(|media| media.name()).collect();
        unknown_format(&names)
    })
}

/// 415 that names what is known.
fn unknown_format(names: &[&str]) -> Status {
    Status::media_type(
        415,
        Reason::UnsupportedMediaType,
        format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            names.join(", ")
        ),
    )
}

//! Subresources that are neither the object nor a part of it: what they take and answer with is of
//! another kind (spec: apimachinery 2.13).

mod connect;
mod pod;
mod scale;
mod token;

use api::status::{Details, Status};
use http::Method;
use serde_json::Value;

use super::options::{Write, WriteOptions};
use super::{Call, OBJECT_TYPES, body_type};
use crate::codec::accept::{self, Accepted};
use crate::codec::body;
use crate::codec::json;
use crate::codec::protobuf::known;
use crate::reply::Reply;
use crate::request::read_body;
use crate::resources::GroupVersionKind;
pub(crate) use connect::Connect;

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Reads or writes how many there are to be.
    Scale,
    /// Makes a token of a service account.
    Token,
    /// Puts a pod on a node.
    Bind,
    /// Deletes a pod.
    Evict,
    /// Connects to something on a node.
    Connect(Connect),
}

impl Action {
    /// What a subresource does.
    pub(super) fn find(subresource: &str) -> Option<Self> {
        match subresource {
            "scale" => Some(Self::Scale),
            "token" => Some(Self::Token),
            "binding" => Some(Self::Bind),
            "eviction" => Some(Self::Evict),
            other => Connect::find(other).map(Self::Connect),
        }
    }

    /// The media types that answers come in; any, where somebody else makes them.
    pub(super) fn produces(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Connect(_) => None,
            _ => Some(&OBJECT_TYPES),
        }
    }
}

pub(super) async fn serve(call: Call<'_>, action: Action) -> Result<Reply, Status> {
    match (action, &call.request.parts.method) {
        (Action::Scale, &Method::GET) => scale::get(call).await,
        (Action::Scale, &Method::PUT) => scale::update(call).await,
        (Action::Scale, &Method::PATCH) => scale::patch(call).await,
        (Action::Token, &Method::POST) => token::create(call).await,
        (Action::Bind, &Method::POST) => pod::bind(call).await,
        (Action::Evict, &Method::POST) => pod::evict(call).await,
        (Action::Connect(connect), _) => connect::serve(call, connect).await,
        _ => Err(Status::method_not_allowed()),
    }
}

/// A request's body, read as an object of the kind that the subresource takes.
struct Asked {
    object: Value,
    options: WriteOptions,
    accepted: Accepted,
}

impl Call<'_> {
    async fn asked(&mut self, kind: &GroupVersionKind, write: Write) -> Result<Asked, Status> {
        let accepted = self.request.negotiate(&accept::DOCUMENT)?;
        let options = WriteOptions::read(&self.request.query, write)?;
        let media_type = body_type(&self.request.parts.headers)?;
        let text = read_body(&mut self.request.body).await?;
        let Some(type_def) = known::type_of(kind) else { return Err(Status::unknown_resource()) };
        let read_as = body::Typed { kind, type_def: &type_def };
        let kinds = &self.server.served().resources;
        let read = body::read(&text, media_type, &read_as, kinds, options.field_validation)?;
        read.warnings.into_iter().for_each(|warning| self.request.record.warn(warning));
        Ok(Asked { object: read.object, options, accepted })
    }
}

/// An object as an answer.
fn answer(code: u16, object: &Value, accepted: Accepted) -> Reply {
    Reply::Json { code, text: json::to_vec(object).into(), accepted }
}

/// The answer to what made nothing that could be shown.
fn done(accepted: Accepted) -> Reply {
    let mut status = Status::success(Details::default());
    status.details = None;
    status.code = 201;
    let text = json::to_vec(&status).into();
    Reply::Json { code: 201, text, accepted }
}

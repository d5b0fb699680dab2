//! The life of a request. Read this first.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use api::status::{Reason, Status};
use axum::body::Body;
use futures_util::FutureExt as _;
use http::header::AUTHORIZATION;
use http::{Request, Response, Version};
use hyper::body::Incoming;
use tokio::time::Instant;

use crate::authn::{Authentication, UNAUTHENTICATED, impersonation};
use crate::authz::Attributes;
use crate::connection::{Connection, ConnectionInfo};
use crate::flow_control::Applicant;
use crate::handlers::{self, Route, route};
use crate::nonresource;
use crate::options::duration;
use crate::reply::{self, Failure, Reply};
use crate::request::info::RequestInfo;
use crate::request::query::Query;
use crate::request::{Acting, Authorized, Bounded, Received, Record};
use crate::server::Server;

/// The server, as connections see it.
#[derive(Clone)]
pub struct Service(pub Arc<Server>);

impl Connection for Service {
    async fn serve(
        &self,
        request: Request<Incoming>,
        connection: Arc<ConnectionInfo>,
    ) -> Response<Body> {
        serve(&self.0, Received::new(request, connection)).await
    }
}

/// Serves one request.
async fn serve(server: &Arc<Server>, received: Received) -> Response<Body> {
    let record = Arc::clone(&received.record);
    let is_head = received.parts.method == http::Method::HEAD;
    let log = AccessLog::of(&received);
    let outcome = AssertUnwindSafe(process(server, received)).catch_unwind().await;
    let mut response = match outcome {
        Ok(outcome) => reply::write(&record, outcome),
        Err(_panic) => reply::write_panic(&record),
    };
    log.write(&record, &response);
    if is_head {
        *response.body_mut() = Body::empty();
    }
    response
}

/// From the first to the last phase, in order.
async fn process(server: &Arc<Server>, received: Received) -> Result<Reply, Failure> {
    let bounded = bound(server, received)?;
    let deadline = bounded.deadline;
    let rest = async {
        let acting = authenticate(server, bounded)?;
        let acting = impersonate(server, acting)?;
        let seats = server.flow_control.admit(applicant(&acting)).await?;
        let authorized = authorize(server, Authorized::new(acting, seats))?;
        dispatch(server, authorized).await
    };
    match deadline {
        None => rest.await,
        Some(deadline) => tokio::time::timeout_at(deadline, rest).await.unwrap_or_else(|_| {
            Err(Status::timeout("request did not complete within the allotted timeout").into())
        }),
    }
}

/// What the request asks for, and until when it may take (spec: apimachinery 0, 0.1).
fn bound(server: &Server, received: Received) -> Result<Bounded, Failure> {
    let uri = &received.parts.uri;
    let query = Query::parse(uri.query().unwrap_or_default());
    let info = RequestInfo::read(received.parts.method.as_str(), uri.path(), &query)
        .map_err(|error| Status::internal_error(&error.to_string()))?;
    let deadline = if info.is_long_running() {
        None
    } else {
        Some(received.at + allotted(query.first("timeout"), server.request_timeout)?)
    };
    Ok(Bounded { received, query, info: Arc::new(info), deadline })
}

/// How long a request may take by its own word, up to the server's limit.
fn allotted(asked: Option<&str>, limit: Duration) -> Result<Duration, Status> {
    let Some(asked) = asked.filter(|asked| !asked.is_empty()) else { return Ok(limit) };
    let asked = duration::parse(asked).map_err(|why| {
        Status::bad_request(format!("invalid timeout specified in the request URL - {why}"))
    })?;
    let usable = !asked.negative && !asked.length.is_zero();
    Ok(if usable { asked.length.min(limit) } else { limit })
}

/// Who sends the request. Credentials go no further than this.
fn authenticate(server: &Server, mut bounded: Bounded) -> Result<Acting, Failure> {
    let Received { record, connection, parts, .. } = &mut bounded.received;
    let now = server.clock.timestamp().unix_seconds();
    let warn = |text: &str| record.warn(text.to_owned());
    let found = server.authenticator.authenticate(connection, &parts.headers, now, warn);
    parts.headers.remove(AUTHORIZATION);
    match found {
        Authentication::Known(user) => {
            if user.is_in(UNAUTHENTICATED) && parts.version == Version::HTTP_2 {
                // Nobody in particular does not get to keep a connection of many streams.
                connection.close();
            }
            Ok(Acting { bounded, user: Arc::new(user) })
        }
        Authentication::Refused => Err(Status::unauthorized().into()),
    }
}

/// On whose behalf the request acts.
fn impersonate(server: &Server, acting: Acting) -> Result<Acting, Failure> {
    let Acting { bounded, user } = acting;
    let headers = &bounded.received.parts.headers;
    let requested =
        impersonation::requested(headers).map_err(|status| Failure::Forbidden(Box::new(status)))?;
    let user = match requested {
        None => user,
        Some(somebody) => {
            let attributes = Attributes::of(&bounded.info);
            let allows = |user: &_, attributes: &_| server.authorizer.allows(user, attributes);
            impersonation::check(&user, &somebody, &attributes, allows)
                .map_err(|refused| Failure::Forbidden(Box::new(refused.forbidden(&user))))?;
            Arc::new(impersonation::resulting(somebody))
        }
    };
    // Set once, here.
    let _first = bounded.received.record.user.set(user.name.clone());
    Ok(Acting { bounded, user })
}

/// The request as flow control looks at it.
fn applicant(acting: &Acting) -> Applicant<'_> {
    let Acting { bounded, user } = acting;
    Applicant {
        info: &bounded.info,
        query: bounded.received.parts.uri.query().unwrap_or_default(),
        user,
        record: &bounded.received.record,
        received: bounded.received.at.into_std(),
        deadline: bounded.deadline.map(Instant::into_std),
    }
}

/// Whether the user may do what the request asks for.
fn authorize(server: &Server, request: Authorized) -> Result<Authorized, Failure> {
    let attributes = Attributes::of(&request.info);
    if server.authorizer.allows(&request.user, &attributes) {
        return Ok(request);
    }
    Err(Failure::Forbidden(Box::new(attributes.forbidden(&request.user))))
}

/// Hands the request to whoever answers its path.
async fn dispatch(server: &Arc<Server>, request: Authorized) -> Result<Reply, Failure> {
    let path = decoded_path(&request.info.path)?;
    match route(&server.resources, &path) {
        Route::Objects(place) => handlers::serve(server, request, place).await,
        Route::UnknownInGroup => Err(Status::unknown_resource().into()),
        Route::GroupVersion { group, version } => {
            nonresource::group_version(server, &request, &group, &version)
        }
        Route::Group(group) => nonresource::group(server, &request, &group),
        Route::Other => nonresource::serve(server, request, &path).await,
    }
}

fn decoded_path(path: &str) -> Result<String, Status> {
    if !path.contains('%') {
        return Ok(path.to_owned());
    }
    let query = Query::parse(&format!("path={}", path.replace('+', "%2B").replace('&', "%26")));
    let decoded = query.first("path").map(str::to_owned);
    decoded
        .ok_or_else(|| Status::failure(400, Some(Reason::BadRequest), "the path cannot be decoded"))
}

/// One line for each request.
struct AccessLog {
    method: http::Method,
    path: String,
    at: Instant,
}

impl AccessLog {
    fn of(received: &Received) -> Self {
        let Received { parts, at, .. } = received;
        Self { method: parts.method.clone(), path: parts.uri.path().to_owned(), at: *at }
    }

    fn write(&self, record: &Record, response: &Response<Body>) {
        let classified = record.classified.get();
        tracing::debug!(
            audit_id = record.audit_id,
            method = %self.method,
            path = self.path,
            status = response.status().as_u16(),
            user = record.user.get().map(String::as_str),
            apf_fs = classified.map(|classified| classified.flow_schema.0.as_str()),
            apf_pl = classified.map(|classified| classified.priority_level.0.as_str()),
            latency_seconds = Instant::now().duration_since(self.at).as_secs_f64(),
            "served"
        );
    }
}

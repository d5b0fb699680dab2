//! The life of a request. Read this first.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use api::status::Status;
use auth::authenticate::{Credentials, Outcome, PeerCertificate};
use auth::authorize::{Attributes, Authorizer as _};
use auth::impersonate::{impersonate, requested_user, strip_headers};
use auth::request_info::{RequestInfo, RequestInfoError};
use auth::user::UNAUTHENTICATED_GROUP;
use axum::body::Body;
use futures_util::FutureExt as _;
use http::header::CONTENT_TYPE;
use http::{Request, Response, StatusCode, Version};
use hyper::body::{Body as _, Incoming};
use tokio::time::Instant;

use crate::access::Access;
use crate::connection::{Connection, ConnectionInfo};
use crate::flow_control::{Applicant, Seats};
use crate::handlers::{self, Route, route};
use crate::metrics::{Answer, Endpoint, Filter};
use crate::nonresource;
use crate::options::duration;
use crate::reply::{self, Failure, Reply};
use crate::request::{Acting, Authorized, Bounded, Received, Record, header_text};
use crate::server::Server;

/// How much of the names of objects is logged.
const LOGGED_NAME_BYTES_MAX: usize = 64;
/// How the media types of server-side apply begin.
const APPLY: &str = "application/apply-patch+";

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

    fn handshake_failed(&self) {
        self.0.metrics.handshake_failed();
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
    count(server, &record, log.at, &mut response);
    log.write(&record, &response);
    if is_head {
        *response.body_mut() = Body::empty();
    }
    response
}

/// Counts the answer; that to a watch when it ends.
fn count(server: &Server, record: &Record, since: Instant, response: &mut Response<Body>) {
    let Some(endpoint) = record.endpoint.get() else { return };
    let code = response.status().as_u16();
    let watching = record.watching.lock().take();
    if let (Some(watching), 200) = (watching, code) {
        let body = std::mem::take(response.body_mut());
        *response.body_mut() = reply::with_guard(body, watching.answered(code));
        return;
    }
    if code == StatusCode::SWITCHING_PROTOCOLS {
        // Whoever took the connection over counts how it ends.
        return;
    }
    let answer = Answer {
        code,
        took: Instant::now().saturating_duration_since(since),
        waited: record.turn.get().map(|turn| turn.waited).unwrap_or_default(),
        body_bytes: record.body_bytes.get().copied(),
        bytes: response.body().size_hint().exact(),
    };
    server.metrics.requests.answered(endpoint, &answer);
}

/// From the first to the last phase, in order.
async fn process(server: &Arc<Server>, received: Received) -> Result<Reply, Failure> {
    let bounded = bound(server, received)?;
    let (deadline, record) = (bounded.deadline, Arc::clone(&bounded.received.record));
    let (route, endpoint) = destination(server, &bounded);
    let rest = async {
        let acting = authenticate(server, bounded).await?;
        let acting = act_as(server, acting)?;
        let seats = admit(server, &acting, &endpoint).await?;
        let authorized = authorize(server, Authorized::new(acting, seats))?;
        dispatch(server, authorized, route, &endpoint).await
    };
    match deadline {
        None => rest.await,
        Some(deadline) => tokio::time::timeout_at(deadline, rest).await.unwrap_or_else(|_| {
            answered_as(&record, &endpoint);
            Err(Status::timeout("request did not complete within the allotted timeout").into())
        }),
    }
}

/// Where the request leads, and what it counts as.
fn destination(server: &Server, bounded: &Bounded) -> (Route, Arc<Endpoint>) {
    let Bounded { received, info, .. } = bounded;
    let route = route(&server.catalog.peek().resources, &info.path);
    let is_apply = header_text(&received.parts.headers, &CONTENT_TYPE).starts_with(APPLY);
    let endpoint = Endpoint::of(info, &received.query, is_apply, &route);
    (route, Arc::new(endpoint))
}

/// From here on the answer counts, as one of that endpoint.
fn answered_as(record: &Record, endpoint: &Arc<Endpoint>) {
    // Later calls say the same.
    let _first = record.endpoint.set(Arc::clone(endpoint));
}

/// What the request asks for, and until when it may take (spec: apimachinery 0, 0.1).
fn bound(server: &Server, received: Received) -> Result<Bounded, Failure> {
    let uri = &received.parts.uri;
    let method = received.parts.method.as_str();
    let info = RequestInfo::resolve(method, uri.path(), uri.query())
        .map_err(|error| undetermined(&error))?;
    let deadline = if info.is_long_running() {
        None
    } else {
        Some(received.at + allotted(received.query.first("timeout"), server.request_timeout)?)
    };
    Ok(Bounded { received, info: Arc::new(info), deadline })
}

fn undetermined(error: &RequestInfoError) -> Status {
    match error {
        RequestInfoError::NoResource { .. } => Status::internal_error(&error.to_string()),
        RequestInfoError::BadEscape(_) => Status::bad_request("the path cannot be decoded"),
    }
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
async fn authenticate(server: &Server, mut bounded: Bounded) -> Result<Acting, Failure> {
    let Received { record, connection, parts, .. } = &mut bounded.received;
    let authenticator = &server.access.authenticator;
    let certificate = connection.certificate.as_ref().map(|shown| PeerCertificate {
        der: &shown.der,
        is_client: shown.verified,
        is_front_proxy: shown.front_proxy,
    });
    let credentials =
        Credentials { headers: &parts.headers, path: &bounded.info.path, certificate };
    let (now, begin) = (server.clock.timestamp().unix_seconds(), Instant::now());
    let mut found = authenticator.authenticate(&credentials, now);
    if matches!(found.outcome, Outcome::Unauthorized(_))
        && let Some(issuer) = authenticator.issuer_to_ask(&parts.headers)
        && server.access.issuers.catch_up(&issuer).await
    {
        found = authenticator.authenticate(&credentials, now);
    }
    let took = begin.elapsed();
    found.warnings.into_iter().for_each(|warning| record.warn(warning.to_owned()));
    authenticator.strip_credentials(&mut parts.headers);
    let user = found.outcome.into_user();
    let name = user.as_ref().ok().map(|user| user.name.as_str());
    server.metrics.requests.authenticated(name, took);
    server.metrics.requests.passed(Filter::Authentication, took);
    let user = user.map_err(|why| {
        tracing::debug!(%why, "unauthenticated");
        Status::unauthorized()
    })?;
    if user.is_in(UNAUTHENTICATED_GROUP) && parts.version == Version::HTTP_2 {
        // Nobody in particular does not get to keep a connection of many streams.
        connection.close();
    }
    Ok(Acting { bounded, user: Arc::new(user) })
}

/// On whose behalf the request acts.
fn act_as(server: &Server, acting: Acting) -> Result<Acting, Failure> {
    let begin = Instant::now();
    let Acting { mut bounded, mut user } = acting;
    let headers = &mut bounded.received.parts.headers;
    let wanted = requested_user(headers)
        .map_err(|error| Failure::Forbidden(Box::new(Status::bad_request(error.to_string()))))?;
    if let Some(wanted) = wanted {
        let Access { authorizer, impersonation, .. } = &server.access;
        let attributes = Attributes::of_request(&user, &bounded.info);
        user = Arc::new(impersonate(authorizer, *impersonation, &attributes, &wanted)?.user);
        strip_headers(headers);
    }
    server.metrics.requests.passed(Filter::Impersonation, begin.elapsed());
    // Set once, here.
    let _first = bounded.received.record.user.set(user.name.clone());
    Ok(Acting { bounded, user })
}

/// Waits until the request may run.
async fn admit(
    server: &Server,
    acting: &Acting,
    endpoint: &Arc<Endpoint>,
) -> Result<Seats, Failure> {
    let begin = Instant::now();
    let admitted = server.flow_control.admit(applicant(acting, begin)).await;
    match &admitted {
        Ok(_) => {
            server.metrics.requests.passed(Filter::PriorityAndFairness, begin.elapsed());
        }
        Err(_) => answered_as(&acting.bounded.received.record, endpoint),
    }
    admitted
}

/// The request as flow control looks at it.
fn applicant(acting: &Acting, now: Instant) -> Applicant<'_> {
    let Acting { bounded, user } = acting;
    Applicant {
        info: &bounded.info,
        query: bounded.received.parts.uri.query().unwrap_or_default(),
        user,
        record: &bounded.received.record,
        received: bounded.received.at.into_std(),
        now: now.into_std(),
        deadline: bounded.deadline.map(Instant::into_std),
    }
}

/// Whether the user may do what the request asks for.
fn authorize(server: &Server, request: Authorized) -> Result<Authorized, Failure> {
    let begin = Instant::now();
    let attributes = Attributes::of_request(&request.user, &request.info);
    let checked = server.access.authorizer.check(&attributes);
    let took = begin.elapsed();
    server.metrics.requests.authorized(checked.is_ok(), took);
    checked?;
    server.metrics.requests.passed(Filter::Authorization, took);
    Ok(request)
}

/// Hands the request to whoever answers its path.
async fn dispatch(
    server: &Arc<Server>,
    request: Authorized,
    route: Route,
    endpoint: &Arc<Endpoint>,
) -> Result<Reply, Failure> {
    let info = Arc::clone(&request.info);
    answered_as(&request.record, endpoint);
    match route {
        Route::Objects(place) => {
            if endpoint.is_watch() {
                let watching = server.metrics.requests.watching(endpoint, Instant::now());
                *request.record.watching.lock() = Some(watching);
            }
            handlers::serve(server, request, place).await
        }
        Route::UnknownInGroup => Err(Status::unknown_resource().into()),
        Route::GroupVersion { group, version } => {
            nonresource::group_version(server, &request, &group, &version)
        }
        Route::Group(group) => nonresource::group(server, &request, &group),
        Route::Other => nonresource::serve(server, request, &info.path).await,
    }
}

/// As much of a name as fits in a line.
fn start_of(name: &str) -> &str {
    &name[..name.floor_char_boundary(LOGGED_NAME_BYTES_MAX)]
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
        let turn = record.turn.get();
        let classified = turn.map(|turn| &turn.classification);
        let work = turn.map(|turn| &turn.work);
        tracing::debug!(
            audit_id = record.audit_id,
            method = %self.method,
            path = self.path,
            status = response.status().as_u16(),
            user = record.user.get().map(String::as_str),
            apf_fs = classified.map(|classified| start_of(classified.flow_schema_name())),
            apf_pl = classified.map(|classified| start_of(classified.priority_level_name())),
            apf_iseats = work.map(|work| work.initial_seats),
            apf_fseats = work.map(|work| work.final_seats),
            apf_additional_latency_seconds =
                work.map(|work| work.additional_latency.as_secs_f64()),
            apf_queue_wait_seconds = turn.map(|turn| turn.waited.as_secs_f64()),
            latency_seconds = Instant::now().duration_since(self.at).as_secs_f64(),
            "served"
        );
    }
}

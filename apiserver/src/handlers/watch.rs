//! Watching (spec: apimachinery 3.5).

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use apf::watch_tracker::WatchRegistration;
use api::status::Status;
use axum::body::Body;
use bytes::Bytes;
use futures_util::StreamExt as _;
use http::Response;
use http::header::{CONTENT_TYPE, HeaderValue};
use storage::cache::{Event, FUTURE_WAIT, Freshness, ReadError, Subscription};
use storage::{EventKind, Revision};
use tokio::time::Instant;

use super::frame::Framing;
use super::options::ListOptions;
use super::present::{IncludeObject, Presenter};
use super::read::{selects, wrong_version};
use super::{Call, failure, frame, versions, web_socket};
use crate::codec::accept::{self, Accepted, Transform};
use crate::codec::{MediaType, json};
use crate::flow_control::Seats;
use crate::metrics::WatchMetrics;
use crate::objects::{Object, ObjectStore};
use crate::reply::Reply;
use crate::request::query::parse_uint;
use crate::resources::Resource;
use crate::server::Server;

/// How often a watch that wants bookmarks gets one.
const BOOKMARK_INTERVAL: Duration = Duration::from_secs(60);
/// How long before its end a watch gets a last bookmark.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);
/// A bookmark that came at a bad moment is tried again after this.
const BOOKMARK_RETRY: Duration = Duration::from_millis(100);

/// The resource version that a watch starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// From the newest state.
    Latest,
    /// From any state.
    Any,
    /// After a revision.
    After(Revision),
}

pub(super) async fn serve(mut call: Call<'_>) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::WATCH)?;
    let options = ListOptions::read(&call.request.query, true)?;
    call.check_fields(&options)?;
    let include_object = match accepted.transform {
        Transform::Table(_) => IncludeObject::parse(call.request.query.text("includeObject"))?,
        _ => IncludeObject::Metadata,
    };
    let start = match options.resource_version.as_str() {
        "" => Start::Latest,
        "0" => Start::Any,
        text => {
            let revision =
                parse_uint(text).map_err(|why| Status::other(wrong_version(text, &why)))?;
            Start::After(Revision(revision))
        }
    };
    call.presenter(accepted)?.check_form(false)?;
    let framing = if web_socket::is_requested(&call.request.parts.headers) {
        Framing::Messages
    } else {
        Framing::Stream
    };
    let seats = std::mem::take(&mut call.request.seats);
    let form = Form { accepted, include_object, framing };
    let watcher = Watcher::new(&call, options, form);
    let events = watcher.start(start, seats).await?;
    let media_type = accepted.media_type;
    Ok(match framing {
        Framing::Stream => Reply::Raw(Box::new(streamed(events, media_type))),
        Framing::Messages => {
            let form = web_socket::Form::of(media_type);
            Reply::Handshake(Box::new(web_socket::answer(&mut call.request, events, form)))
        }
    })
}

/// An answer whose body goes on as long as the watch.
fn streamed(
    events: impl futures_util::Stream<Item = Bytes> + Send + 'static,
    media_type: MediaType,
) -> Response<Body> {
    let mut response = Response::new(Body::from_stream(events.map(Ok::<_, Infallible>)));
    let content_type = HeaderValue::from_static(frame::content_type(media_type));
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

/// How events are written.
#[derive(Debug, Clone, Copy)]
struct Form {
    accepted: Accepted,
    include_object: IncludeObject,
    framing: Framing,
}

impl Form {
    fn write(self, event_type: &str, object: &[u8]) -> Option<Bytes> {
        frame::write(self.accepted.media_type, self.framing, event_type, object)
    }
}

/// What a watch sends, and how.
struct Watcher {
    server: Arc<Server>,
    resource: Arc<Resource>,
    store: Arc<ObjectStore>,
    namespace: String,
    /// Empty for all objects.
    name: String,
    options: ListOptions,
    form: Form,
    /// The next Table gets headings.
    columns: bool,
    ends_at: Instant,
    /// Counts what is sent.
    metrics: WatchMetrics,
    /// Counted among those who hear of changes, as long as this is kept.
    _counted: Option<WatchRegistration>,
}

impl Watcher {
    fn new(call: &Call<'_>, options: ListOptions, form: Form) -> Self {
        let lasts = options
            .timeout_seconds
            .map_or_else(|| random_between(call.server.min_request_timeout), Duration::from_secs);
        Self {
            server: Arc::clone(call.server),
            resource: Arc::clone(&call.resource),
            store: Arc::clone(&call.store),
            namespace: call.namespace.clone(),
            name: call.name.clone(),
            options,
            form,
            columns: true,
            ends_at: Instant::now() + lasts,
            metrics: call.server.metrics.watch(
                &call.resource.kind.group,
                &call.resource.kind.version,
                &call.resource.described.plural,
            ),
            _counted: call.server.flow_control.register_watch(&call.request.info),
        }
    }

    async fn start(
        mut self,
        start: Start,
        seats: Seats,
    ) -> Result<impl futures_util::Stream<Item = Bytes>, Status> {
        let cache = Arc::clone(&self.store.cache);
        let wants_state = self.options.send_initial_events == Some(true);
        let freshness = match start {
            Start::Latest => Freshness::Consistent,
            Start::After(revision) if wants_state => Freshness::NotOlderThan(revision),
            Start::Any | Start::After(_) => Freshness::Any,
        };
        let mut pending = VecDeque::new();
        let subscription = match cache.wait_until(freshness).await {
            Ok(()) => match start {
                Start::After(revision) if !wants_state => {
                    // A revision in the future is waited for in silence.
                    cache.subscribe(revision.min(cache.progress()))
                }
                _ => Ok(cache.subscribe_with_state()),
            },
            Err(error) => Err(error),
        };
        let mut subscription = match subscription {
            Ok(subscription) => Some(subscription),
            Err(error @ ReadError::Store(_)) => return Err(failure::read(&error)),
            Err(error) => {
                let status = json::to_vec(&refusal(&error));
                pending.extend(self.form.write("ERROR", &status));
                None
            }
        };
        let skip_up_to = match start {
            Start::After(revision) => revision,
            Start::Latest | Start::Any => Revision(0),
        };
        if let Some(subscription) = &mut subscription {
            self.begin(subscription, wants_state, skip_up_to, &mut pending).await?;
        }
        self.metrics.begins_with(pending.len());
        let initial = Initial { _seats: seats, left: pending.len() }.unless_over();
        let next_bookmark = self.first_bookmark();
        let live = subscription.map(|subscription| Live {
            skip_up_to: skip_up_to.max(subscription.revision_if(wants_state)),
            events: subscription.events,
            next_bookmark,
        });
        let stream = Stream { watcher: self, pending, initial, live };
        Ok(futures_util::stream::unfold(stream, |mut stream| async move {
            stream.next().await.map(|bytes| (bytes, stream))
        }))
    }

    /// The events that are there at the start.
    async fn begin(
        &mut self,
        subscription: &mut Subscription<Object>,
        wants_state: bool,
        skip_up_to: Revision,
        pending: &mut VecDeque<Bytes>,
    ) -> Result<(), Status> {
        if let (true, Some(list)) = (wants_state, subscription.initial.take()) {
            let entries = list.entries.to_vec();
            for entry in versions::as_served(&self.server, &self.resource, entries).await? {
                if self.takes(&entry.object) {
                    pending.extend(self.event("ADDED", &entry.object));
                }
            }
            if self.options.allow_watch_bookmarks {
                pending.extend(self.bookmark(subscription.revision, true));
            }
        }
        for event in std::mem::take(&mut subscription.backlog) {
            if event.revision() > skip_up_to {
                pending.extend(self.change(event).await?);
            }
        }
        Ok(())
    }

    fn takes(&self, object: &Object) -> bool {
        (self.namespace.is_empty() || object.metadata.namespace == self.namespace)
            && (self.name.is_empty() || object.metadata.name == self.name)
            && selects(&self.options, &self.resource, object)
    }

    /// What a change is to this watch.
    async fn change(&mut self, event: Arc<Event<Object>>) -> Result<Option<Bytes>, Status> {
        let event = versions::event_as_served(&self.server, &self.resource, event).await?;
        Ok(self.matched(&event))
    }

    /// Objects come, change and go as they match or not.
    fn matched(&mut self, event: &Event<Object>) -> Option<Bytes> {
        let before = event.previous.as_ref().is_some_and(|entry| self.takes(&entry.object));
        let after = event.kind == EventKind::Put && self.takes(&event.current.object);
        match (before, after) {
            (false, false) => None,
            (false, true) => self.event("ADDED", &event.current.object),
            (true, true) => self.event("MODIFIED", &event.current.object),
            (true, false) if event.kind == EventKind::Delete => {
                self.event("DELETED", &event.current.object)
            }
            (true, false) => {
                // As it was when it last matched, at the revision at which it stopped to.
                let previous = event.previous.as_ref()?;
                let value = previous.object.value(&self.store.resource);
                let layout = self.store.resource.layout;
                self.event("DELETED", &Object::new(value, event.revision().0, layout))
            }
        }
    }

    fn presenter(&self) -> Presenter<'_> {
        Presenter {
            resource: &self.resource,
            accepted: self.form.accepted,
            include_object: self.form.include_object,
            now: self.server.clock.timestamp(),
        }
    }

    /// An event; `None` for an object that cannot be shown as asked.
    fn event(&mut self, event_type: &str, object: &Object) -> Option<Bytes> {
        let text = self.presenter().object_text(object, self.columns).ok()?;
        self.columns &= self.form.accepted.transform == Transform::None;
        self.form.write(event_type, &text)
    }

    fn bookmark(&self, revision: Revision, ends_initial_events: bool) -> Option<Bytes> {
        let text = self.presenter().bookmark(revision.0, ends_initial_events);
        self.form.write("BOOKMARK", &text)
    }

    fn first_bookmark(&self) -> Option<Instant> {
        self.options.allow_watch_bookmarks.then(|| self.bookmark_after(Instant::now()))
    }

    /// Once a minute, and once shortly before the end.
    fn bookmark_after(&self, now: Instant) -> Instant {
        let last = self.ends_at.checked_sub(LAST_BOOKMARK).filter(|last| *last > now);
        last.map_or(now + BOOKMARK_INTERVAL, |last| last.min(now + BOOKMARK_INTERVAL))
    }
}

/// Makes the revision that the initial state stands for the one to go on from.
trait StartsFrom {
    fn revision_if(&self, wants_state: bool) -> Revision;
}

impl StartsFrom for Subscription<Object> {
    fn revision_if(&self, wants_state: bool) -> Revision {
        // Without the state, what comes next is told from the past by the subscription itself.
        if wants_state { self.revision } else { Revision(0) }
    }
}

struct Live {
    events: tokio::sync::mpsc::Receiver<Arc<Event<Object>>>,
    skip_up_to: Revision,
    next_bookmark: Option<Instant>,
}

/// The events that a watch begins with, and the seats it holds until the connection took them all
/// (spec: apf 8.4). What comes later costs nobody a seat.
struct Initial {
    _seats: Seats,
    left: usize,
}

impl Initial {
    fn unless_over(self) -> Option<Self> {
        (self.left > 0).then_some(self)
    }

    fn after_one(self) -> Option<Self> {
        Self { left: self.left.saturating_sub(1), ..self }.unless_over()
    }
}

/// A watch that is being sent.
struct Stream {
    watcher: Watcher,
    pending: VecDeque<Bytes>,
    /// `None` once they were sent.
    initial: Option<Initial>,
    /// `None` for a watch that only says why there is none.
    live: Option<Live>,
}

impl Stream {
    /// Says why there is nothing more to come.
    fn end_with(&mut self, status: &Status) {
        self.pending.extend(self.watcher.form.write("ERROR", &json::to_vec(status)));
        self.live = None;
    }

    /// The next piece; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.pending.pop_front() {
                self.watcher.metrics.sent(bytes.len());
                self.initial = self.initial.take().and_then(Initial::after_one);
                return Some(bytes);
            }
            let live = self.live.as_mut()?;
            let bookmark = live.next_bookmark.unwrap_or(self.watcher.ends_at);
            tokio::select! {
                event = live.events.recv() => {
                    let event = event?;
                    if event.revision() > live.skip_up_to {
                        match self.watcher.change(event).await {
                            Ok(bytes) => self.pending.extend(bytes),
                            Err(status) => self.end_with(&status),
                        }
                    }
                }
                () = tokio::time::sleep_until(self.watcher.ends_at) => return None,
                () = tokio::time::sleep_until(bookmark), if live.next_bookmark.is_some() => {
                    // Read before it is seen that no event waits, so that none is behind it.
                    let revision = self.watcher.store.cache.progress();
                    let now = Instant::now();
                    // A closed channel may hide events that were never sent.
                    if live.events.is_empty() && !live.events.is_closed() {
                        self.pending.extend(self.watcher.bookmark(revision, false));
                        live.next_bookmark = Some(self.watcher.bookmark_after(now));
                    } else {
                        live.next_bookmark = Some(now + BOOKMARK_RETRY);
                    }
                }
                () = self.watcher.server.stop.cancelled() => return None,
            }
        }
    }
}

fn refusal(error: &ReadError) -> Status {
    match error {
        ReadError::TooOld { requested, oldest } => {
            Status::expired(format!("too old resource version: {requested} ({oldest})"))
        }
        other => failure::read(other),
    }
}

/// Between once and twice as long, so that watches do not all end at once.
fn random_between(at_least: Duration) -> Duration {
    let random = u16::from_be_bytes([
        uuid::Uuid::new_v4().as_bytes()[0],
        uuid::Uuid::new_v4().as_bytes()[1],
    ]);
    debug_assert!(FUTURE_WAIT < Duration::from_secs(60));
    at_least + at_least.mul_f64(f64::from(random) / f64::from(u16::MAX))
}

//! Watches over WebSockets, one message for each event (spec: apimachinery 3.5).

mod channel;
mod handshake;

use axum::body::Body;
use bytes::Bytes;
use futures_util::Stream;
use http::Response;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;

pub(super) use auth::authenticate::is_web_socket as is_requested;
pub(super) use channel::Form;

use crate::request::Authorized;

/// What a watch over a WebSocket counts as: the reference writes no status itself there.
const COUNTED_CODE: u16 = 0;

/// Answers the handshake. If it is good, the events are sent on the connection from then on;
/// otherwise there is no watch.
pub(super) fn answer(
    request: &mut Authorized,
    events: impl Stream<Item = Bytes> + Send + 'static,
    form: Form,
) -> Response<Body> {
    let upgrade = request.parts.extensions.remove::<OnUpgrade>();
    let handshake = handshake::Handshake::read(&request.parts.headers, upgrade.is_some());
    let (handshake, upgrade) = match (handshake, upgrade) {
        (Ok(handshake), Some(upgrade)) => (handshake, upgrade),
        (Ok(_), None) => return handshake::Refusal::NotUpgradable.response(),
        (Err(refusal), _) => return refusal.response(),
    };
    let watching = request.record.watching.lock().take();
    request.connection.continue_with(async move {
        let _counted = watching.map(|watching| watching.answered(COUNTED_CODE));
        // A client that is gone before it got the answer hears nothing more.
        if let Ok(upgraded) = upgrade.await {
            channel::send(TokioIo::new(upgraded), events, form).await;
        }
    });
    handshake.response()
}

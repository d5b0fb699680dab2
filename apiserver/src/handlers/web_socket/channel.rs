//! A WebSocket on which only the server has something to say.

use std::ops::ControlFlow;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, Stream, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use crate::codec::MediaType;

/// Bytes of a client's message: what it says is not read, only thrown away.
const HEARD_BYTES_MAX: usize = 64 * 1024;
/// What is read at a time. Mostly these are pings.
const READ_BYTES: usize = 4 * 1024;
/// A message that takes longer than this to be sent has nobody who reads it.
const SEND_MAX: Duration = Duration::from_secs(60);
/// How long the client has to say goodbye.
const CLOSE_MAX: Duration = Duration::from_millis(500);

/// What messages are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::handlers) enum Form {
    /// Text, as JSON is.
    Text,
    /// Bytes, as protobuf is.
    Binary,
}

impl Form {
    /// What an event is written as in that media type.
    pub(in crate::handlers) fn of(media_type: MediaType) -> Self {
        match media_type {
            MediaType::Json | MediaType::Yaml => Self::Text,
            MediaType::Protobuf => Self::Binary,
        }
    }

    fn message(self, bytes: Bytes) -> Option<Message> {
        match self {
            Self::Text => Utf8Bytes::try_from(bytes).ok().map(Message::Text),
            Self::Binary => Some(Message::Binary(bytes)),
        }
    }
}

/// Sends each event as a message of its own, until there is none any more or the client leaves.
pub(super) async fn send<IO>(io: IO, events: impl Stream<Item = Bytes>, form: Form)
where
    IO: AsyncRead + AsyncWrite + Unpin,
{
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(0)
        .max_frame_size(Some(HEARD_BYTES_MAX))
        .max_message_size(Some(HEARD_BYTES_MAX));
    let mut socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
    let mut events = pin!(events);
    let code = loop {
        let next = tokio::select! {
            heard = socket.next() => after(heard.as_ref()),
            event = events.next() => match event.and_then(|event| form.message(event)) {
                Some(message) => match timeout(SEND_MAX, socket.send(message)).await {
                    Ok(Ok(())) => ControlFlow::Continue(()),
                    // Nobody is there to hear why.
                    Ok(Err(_)) | Err(_) => return,
                },
                None => ControlFlow::Break(CloseCode::Normal),
            },
        };
        if let ControlFlow::Break(code) = next {
            break code;
        }
    };
    let _given_up = timeout(CLOSE_MAX, close(&mut socket, code)).await;
}

/// Whether to go on after what the client said. Pings are answered by the library.
fn after(heard: Option<&Result<Message, Error>>) -> ControlFlow<CloseCode> {
    match heard {
        Some(Ok(Message::Close(_))) | None => ControlFlow::Break(CloseCode::Normal),
        Some(Ok(_)) => ControlFlow::Continue(()),
        Some(Err(Error::Capacity(_))) => ControlFlow::Break(CloseCode::Size),
        Some(Err(Error::Protocol(_))) => ControlFlow::Break(CloseCode::Protocol),
        Some(Err(_)) => ControlFlow::Break(CloseCode::Normal),
    }
}

/// Says goodbye, waits for the client to do so, and ends the connection below.
async fn close<IO>(socket: &mut WebSocketStream<IO>, code: CloseCode)
where
    IO: AsyncRead + AsyncWrite + Unpin,
{
    let frame = CloseFrame { code, reason: Utf8Bytes::default() };
    // Refused where the client was first; then reading on sends the library's answer to that.
    let _said = socket.close(Some(frame)).await;
    while let Some(Ok(_)) = socket.next().await {}
    let _gone = socket.get_mut().shutdown().await;
}

#[cfg(test)]
mod tests;

//! How the events of a watch follow each other in its answer (spec: apimachinery 3.5, appendix C).

use bytes::Bytes;

use crate::codec::{MediaType, protobuf};

/// The content type of a watch's answer.
pub(super) fn content_type(media_type: MediaType) -> &'static str {
    match media_type {
        MediaType::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
        MediaType::Json | MediaType::Yaml => "application/json",
    }
}

/// How an event is told from the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// By itself, in one stream of bytes: JSON by the end of its line, protobuf by its length.
    Stream,
    /// By what carries it, as a WebSocket does. The end of line stays: the reference leaves it.
    Messages,
}

/// An event about an object that is given as JSON. `None` for what has no form in protobuf.
pub(super) fn write(
    media_type: MediaType,
    framing: Framing,
    event_type: &str,
    object: &[u8],
) -> Option<Bytes> {
    if media_type == MediaType::Protobuf {
        let object = serde_json::from_slice(object).ok()?;
        let object = protobuf::known::write(&object)?;
        let event = protobuf::watch_event(event_type, &object);
        return match framing {
            Framing::Messages => Some(event.into()),
            Framing::Stream => protobuf::with_length(&event).map(Bytes::from),
        };
    }
    let mut line = Vec::with_capacity(object.len() + 40);
    line.extend_from_slice(b"{\"type\":\"");
    line.extend_from_slice(event_type.as_bytes());
    line.extend_from_slice(b"\",\"object\":");
    line.extend_from_slice(object);
    line.extend_from_slice(b"}\n");
    Some(line.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &[u8] = br#"{"kind":"Status","apiVersion":"v1","metadata":{},"code":410}"#;

    #[test]
    fn in_json_an_event_is_a_line() {
        let line = write(MediaType::Json, Framing::Stream, "ERROR", b"{}").unwrap();
        assert_eq!(line, &b"{\"type\":\"ERROR\",\"object\":{}}\n"[..]);
    }

    #[test]
    fn in_protobuf_an_event_has_its_length_in_front() {
        let frame = write(MediaType::Protobuf, Framing::Stream, "ERROR", STATUS).unwrap();
        let length = u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]);
        assert_eq!(usize::try_from(length).unwrap(), frame.len() - 4);
        assert!(frame.windows(4).any(|bytes| bytes == protobuf::PREFIX));
    }

    #[test]
    fn where_each_event_is_a_message_it_has_no_length_in_front() {
        let event = write(MediaType::Protobuf, Framing::Messages, "ERROR", STATUS).unwrap();
        let frame = write(MediaType::Protobuf, Framing::Stream, "ERROR", STATUS).unwrap();
        assert_eq!(event, frame[4..]);
        let line = write(MediaType::Json, Framing::Messages, "ERROR", b"{}").unwrap();
        assert!(line.ends_with(b"}\n"));
    }

    #[test]
    fn what_has_no_form_in_protobuf_is_left_out() {
        assert_eq!(
            write(MediaType::Protobuf, Framing::Stream, "ADDED", br#"{"kind":"Table"}"#),
            None
        );
    }
}

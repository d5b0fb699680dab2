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

/// An event about an object that is given as JSON: a line, or in protobuf a message with its
/// length in front. `None` for what has no form in protobuf.
pub(super) fn write(media_type: MediaType, event_type: &str, object: &[u8]) -> Option<Bytes> {
    if media_type == MediaType::Protobuf {
        let object = serde_json::from_slice(object).ok()?;
        let message = protobuf::known::write(&object)?;
        return protobuf::watch_frame(event_type, &message).map(Bytes::from);
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
        let line = write(MediaType::Json, "ERROR", b"{}").unwrap();
        assert_eq!(line, &b"{\"type\":\"ERROR\",\"object\":{}}\n"[..]);
    }

    #[test]
    fn in_protobuf_an_event_has_its_length_in_front() {
        let frame = write(MediaType::Protobuf, "ERROR", STATUS).unwrap();
        let length = u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]);
        assert_eq!(usize::try_from(length).unwrap(), frame.len() - 4);
        assert!(frame.windows(4).any(|bytes| bytes == protobuf::PREFIX));
    }

    #[test]
    fn what_has_no_form_in_protobuf_is_left_out() {
        assert_eq!(write(MediaType::Protobuf, "ADDED", br#"{"kind":"Table"}"#), None);
    }
}

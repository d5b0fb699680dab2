//! Reading bodies, up to a bound.

use std::sync::Arc;

use api::status::Status;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use super::Record;

/// The largest body of a request.
pub const BODY_BYTES_MAX: usize = 3 * 1024 * 1024;

/// A body that was not read yet.
pub struct RequestBody {
    incoming: Incoming,
    record: Arc<Record>,
}

impl RequestBody {
    pub(super) fn new(incoming: Incoming, record: Arc<Record>) -> Self {
        Self { incoming, record }
    }
}

/// Reads a whole body, and notes how large it is.
///
/// # Errors
///
/// 413 for one that is too large, 400 for one that breaks off.
pub async fn read_body(body: &mut RequestBody) -> Result<Bytes, Status> {
    let too_large = || Status::request_entity_too_large(&format!("limit is {BODY_BYTES_MAX}"));
    let mut whole = BytesMut::new();
    while let Some(frame) = body.incoming.frame().await {
        let frame = frame.map_err(|error| Status::bad_request(error.to_string()))?;
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > BODY_BYTES_MAX {
            return Err(too_large());
        }
        whole.extend_from_slice(&data);
    }
    // A body is read once.
    let _first = body.record.body_bytes.set(whole.len());
    Ok(whole.freeze())
}

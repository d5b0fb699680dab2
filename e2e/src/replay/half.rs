//! Requests sent but for their last byte, so that they hold their seats in the server.

use std::io::BufReader;
use std::time::Duration;

use crate::case::Call;
use crate::error::Error;
use crate::http::{Connection, Head, Response, Timeouts, read_response};
use crate::target::{Target, send};

/// How long the answer may take once the request is whole.
const ANSWER_WAIT: Duration = Duration::from_secs(90);

/// Such a request. Dropping it closes the connection.
pub(super) struct Half {
    connection: Connection,
    method: String,
    last: Vec<u8>,
}

impl Half {
    pub(super) fn begin(target: &Target, call: &Call) -> Result<Self, Error> {
        let mut message = target.message(call)?;
        message.default_header("Connection", "close");
        let mut bytes = message.to_bytes(&target.address);
        let last = bytes.split_off(bytes.len().saturating_sub(1));
        let timeouts = Timeouts { each: ANSWER_WAIT, whole: None };
        let mut connection = target.address.connect(timeouts)?;
        send(&mut connection, &bytes)?;
        Ok(Self { connection, method: message.method, last })
    }

    /// Sends the last byte. A connection that ends without an answer counts as status 0.
    pub(super) fn finish(mut self) -> Response {
        self.connection.renew(ANSWER_WAIT);
        // The server may have answered and hung up before: its answer is read all the same.
        let _sent = send(&mut self.connection, &self.last);
        read_response(&mut BufReader::new(self.connection), &self.method)
            .unwrap_or_else(|why| no_answer(&why))
    }
}

/// Stands for an answer that never came.
pub(super) fn no_answer(why: &Error) -> Response {
    let head = Head { status: 0, headers: Vec::new() };
    Response { head, body: why.to_string().into_bytes() }
}

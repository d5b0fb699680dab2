//! A server to send requests to, and who may send them.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _, Write as _};

use crate::case::{Body, Call, Sender};
use crate::error::Error;
use crate::http::{Address, Connection, Message, Response, Timeouts, read_response};
use crate::json::{Members, ascii};

/// The tokens that the recorded cases use, as `name=token` with commas between.
pub const TOKENS: &str = "admin=admintoken,alice=alicetoken,bob=bobtoken,node=nodetoken,\
                          kcm=kcmtoken,sched=schedtoken";

/// How long a request may take in all, in seconds: longer than any time-out of the server.
const CALL_SECONDS: u64 = 90;

/// Larger messages may be answered before they are sent.
const LARGE_BYTES: usize = 64 << 10;

/// A server, and the bearer tokens that it knows.
#[derive(Debug, Clone)]
pub struct Target {
    /// Where it listens.
    pub address: Address,
    tokens: BTreeMap<String, String>,
}

impl Target {
    /// A server at an address, with tokens as `name=token,name=token`.
    #[must_use]
    pub fn new(address: Address, tokens: &str) -> Self {
        let pairs = tokens.split(',').filter_map(|pair| pair.split_once('='));
        let tokens = pairs.map(|(name, token)| (name.to_owned(), token.to_owned())).collect();
        Self { address, tokens }
    }

    /// The token of a sender, `None` for anonymous.
    ///
    /// # Errors
    ///
    /// [`Error::Token`]
    pub fn token(&self, sender: &Sender) -> Result<Option<&str>, Error> {
        match sender {
            Sender::Anonymous => Ok(None),
            Sender::Named(name) => {
                let token = self.tokens.get(name).ok_or_else(|| Error::Token(name.clone()))?;
                Ok(Some(token))
            }
        }
    }

    /// The request as it is sent. Nothing is left to fill in in `call`.
    ///
    /// # Errors
    ///
    /// [`Error::Token`]
    pub fn message(&self, call: &Call) -> Result<Message, Error> {
        let mut headers = vec![("User-Agent".to_owned(), "conformance/1.0".to_owned())];
        if let Some(token) = self.token(&call.sender)? {
            headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
        }
        for (name, value) in &call.headers {
            headers.retain(|(given, _)| given != name);
            headers.extend(value.iter().map(|value| (name.clone(), value.clone())));
        }
        let body = match &call.body {
            Body::None => None,
            Body::Json(value) => Some(ascii(value, Members::AsTheyStand).into_bytes()),
            Body::Text(text) => Some(text.clone().into_bytes()),
            Body::Bytes(bytes) => Some(bytes.clone()),
        };
        let mut message =
            Message { method: call.method.clone(), path: call.path.clone(), headers, body };
        if matches!(call.body, Body::Json(_)) {
            message.default_header("Content-Type", "application/json");
        }
        Ok(message)
    }

    /// Sends a request on a connection of its own and takes the whole answer.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Http`], [`Error::Token`]
    pub fn call(&self, call: &Call) -> Result<Response, Error> {
        self.send(&self.message(call)?)
    }

    /// Sends a message on a connection of its own and takes the whole answer.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] or [`Error::Http`]
    pub fn send(&self, message: &Message) -> Result<Response, Error> {
        let mut connection = self.address.connect(Timeouts::of_seconds(CALL_SECONDS))?;
        let bytes = message.to_bytes(&self.address);
        let sent = if bytes.len() > LARGE_BYTES {
            connection.send_watching(&bytes).map_err(Error::io("sending"))
        } else {
            send(&mut connection, &bytes).map(|()| Vec::new())
        };
        // A server may answer and hang up before it has read all: the answer counts.
        let (early, failed) = match sent {
            Ok(early) => (early, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let mut answer = BufReader::new(early.as_slice().chain(connection));
        read_response(&mut answer, &message.method).map_err(|why| failed.unwrap_or(why))
    }
}

/// Writes all of it.
pub(crate) fn send(connection: &mut Connection, bytes: &[u8]) -> Result<(), Error> {
    connection.write_all(bytes).and_then(|()| connection.flush()).map_err(Error::io("sending"))
}

impl Call {
    /// A request of the administrator without a body.
    #[must_use]
    pub fn of(method: &str, path: impl Into<String>) -> Self {
        Self {
            method: method.to_owned(),
            path: path.into(),
            sender: Sender::Named("admin".to_owned()),
            headers: Vec::new(),
            body: Body::None,
        }
    }

    /// The same with a header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), Some(value.to_owned())));
        self
    }

    /// The same with a body.
    #[must_use]
    pub fn with_body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    /// The same from somebody else.
    #[must_use]
    pub fn sent_by(mut self, sender: Sender) -> Self {
        self.sender = sender;
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn target() -> Target {
        Target::new(Address::parse("https://h:1").unwrap(), TOKENS)
    }

    #[test]
    fn a_header_without_a_value_is_left_out() {
        let mut call = Call::of("GET", "/x").with_header("Accept", "a/b");
        call.headers.push(("Authorization".to_owned(), None));
        let message = target().message(&call).unwrap();
        let names: Vec<_> = message.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["User-Agent", "Accept"]);
    }

    #[test]
    fn json_is_sent_in_ascii_with_its_media_type() {
        let call = Call::of("POST", "/x").with_body(Body::Json(json!({"b": "é", "a": 1})));
        let message = target().message(&call).unwrap();
        assert_eq!(message.body.unwrap(), br#"{"b": "\u00e9", "a": 1}"#);
        assert_eq!(message.headers.last().unwrap().1, "application/json");
    }

    #[test]
    fn an_unknown_sender_is_an_error() {
        let call = Call::of("GET", "/x").sent_by(Sender::Named("eve".to_owned()));
        assert!(matches!(target().message(&call), Err(Error::Token(name)) if name == "eve"));
    }
}

//! A small blocking HTTP/1.1 client. The usual ones cannot hold back a request's last byte, send
//! wrong requests, or say exactly which headers are sent.

mod answer;
mod transport;

pub use answer::{BodyReader, Head, Response, read_head, read_response};
pub use transport::{Address, Connection, Timeouts};

/// A request as it goes over the wire.
#[derive(Debug, Clone)]
pub struct Message {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers, in this order.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<Vec<u8>>,
}

impl Message {
    fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name))
    }

    /// Adds a header unless there is one of that name.
    pub fn default_header(&mut self, name: &str, value: impl Into<String>) {
        if !self.has(name) {
            self.headers.push((name.to_owned(), value.into()));
        }
    }

    /// The bytes to send, with `Host` and `Content-Length` where they were not given.
    #[must_use]
    pub fn to_bytes(&self, address: &Address) -> Vec<u8> {
        let mut message = self.clone();
        message.default_header("Host", address.authority());
        message.default_header("Accept-Encoding", "identity");
        let writes = matches!(self.method.as_str(), "POST" | "PUT" | "PATCH");
        let length = self.body.as_ref().map(Vec::len).or(writes.then_some(0));
        if let Some(length) = length
            && !self.has("Transfer-Encoding")
        {
            message.default_header("Content-Length", length.to_string());
        }
        let mut head = format!("{} {} HTTP/1.1\r\n", message.method, message.path);
        for (name, value) in &message.headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        head.push_str("\r\n");
        let mut bytes = latin1(&head);
        bytes.extend_from_slice(self.body.as_deref().unwrap_or_default());
        bytes
    }
}

/// Headers are sent as Latin-1 where they can be, else as UTF-8.
fn latin1(text: &str) -> Vec<u8> {
    let bytes = text.chars().map(|c| u8::try_from(u32::from(c)));
    bytes.collect::<Result<_, _>>().unwrap_or_else(|_| text.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(method: &str, headers: &[(&str, &str)], body: Option<&[u8]>) -> String {
        let headers = headers.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let message = Message {
            method: method.to_owned(),
            path: "/x".to_owned(),
            headers,
            body: body.map(<[u8]>::to_vec),
        };
        let address = Address::parse("https://h:1").unwrap();
        String::from_utf8_lossy(&message.to_bytes(&address)).into_owned()
    }

    #[test]
    fn a_get_has_no_length_and_an_empty_post_has_one() {
        let get = sent("GET", &[("A", "b")], None);
        assert_eq!(
            get,
            "GET /x HTTP/1.1\r\nA: b\r\nHost: h:1\r\nAccept-Encoding: identity\r\n\r\n"
        );
        assert!(sent("POST", &[], None).contains("\r\nContent-Length: 0\r\n"));
        assert!(sent("PUT", &[], Some(b"ab")).ends_with("\r\nContent-Length: 2\r\n\r\nab"));
    }

    #[test]
    fn what_is_given_is_not_added() {
        let given = [("host", "x"), ("accept-encoding", "gzip"), ("transfer-encoding", "chunked")];
        let sent = sent("POST", &given, Some(b"0\r\n\r\n"));
        assert!(!sent.contains("Host") && !sent.contains("identity") && !sent.contains("Length"));
    }
}

//! Answers: the head, and the body in any of its framings.

use std::io::{self, BufRead, Read};

use crate::error::Error;

/// Heads larger than this are an error.
const MAX_HEAD_BYTES: usize = 1 << 20;

/// Bodies larger than this are an error.
const MAX_BODY_BYTES: u64 = 256 << 20;

/// Status and headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// Names as sent, values as Latin-1.
    pub headers: Vec<(String, String)>,
}

impl Head {
    /// The last header of that name, which is given in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().rev().filter(|(n, _)| n.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.as_str())
    }
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Status and headers.
    pub head: Head,
    /// The body, its chunks put together.
    pub body: Vec<u8>,
}

fn http(why: impl Into<String>) -> Error {
    Error::Http(why.into())
}

/// Reads up to the end of the head, informational ones passed over.
///
/// # Errors
///
/// [`Error::Io`] or [`Error::Http`]
pub fn read_head(from: &mut impl BufRead) -> Result<Head, Error> {
    loop {
        let head = one_head(from)?;
        if head.status >= 200 || head.status == 101 {
            return Ok(head);
        }
    }
}

fn one_head(from: &mut impl BufRead) -> Result<Head, Error> {
    let mut left = MAX_HEAD_BYTES;
    let first = line(from, &mut left)?;
    let mut words = first.split_ascii_whitespace();
    let status = match (words.next(), words.next().map(str::parse)) {
        (Some(version), Some(Ok(status))) if version.starts_with("HTTP/1.") => status,
        _ => return Err(http(format!("it starts with {first:?}"))),
    };
    let mut headers = Vec::new();
    loop {
        let line = line(from, &mut left)?;
        if line.is_empty() {
            return Ok(Head { status, headers });
        }
        let (name, value) =
            line.split_once(':').ok_or_else(|| http(format!("{line:?} is no header")))?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
}

/// A line without its end, as Latin-1.
fn line(from: &mut impl BufRead, left: &mut usize) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(*left).unwrap_or(u64::MAX);
    let read = from.take(limit).read_until(b'\n', &mut bytes).map_err(Error::io("reading"))?;
    *left -= read;
    if bytes.pop() != Some(b'\n') {
        return Err(http(if *left == 0 { "its head is too long" } else { "the connection ended" }));
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    Ok(bytes.into_iter().map(char::from).collect())
}

/// Reads a whole answer to a request of this method.
///
/// # Errors
///
/// [`Error::Io`] or [`Error::Http`]
pub fn read_response(from: &mut impl BufRead, method: &str) -> Result<Response, Error> {
    let head = read_head(from)?;
    let mut body = Vec::new();
    let reader = BodyReader::new(from, &head, method)?;
    let read = reader.take(MAX_BODY_BYTES + 1).read_to_end(&mut body);
    read.map_err(Error::io("reading a body"))?;
    if u64::try_from(body.len()).is_ok_and(|length| length > MAX_BODY_BYTES) {
        return Err(http("its body is too long"));
    }
    Ok(Response { head, body })
}

/// A body, read as it comes.
pub struct BodyReader<R> {
    from: R,
    framing: Framing,
}

enum Framing {
    /// That many bytes are left.
    Length(u64),
    /// That many bytes of this chunk are left; `None` before the first one.
    Chunks(Option<u64>),
    /// Until the connection ends.
    Close,
}

impl<R: BufRead> BodyReader<R> {
    /// The body that follows a head.
    ///
    /// # Errors
    ///
    /// [`Error::Http`] where its length cannot be understood.
    pub fn new(from: R, head: &Head, method: &str) -> Result<Self, Error> {
        let chunked = head.header("transfer-encoding").is_some_and(|v| v.contains("chunked"));
        let framing = if method == "HEAD" || matches!(head.status, 204 | 304) {
            Framing::Length(0)
        } else if chunked {
            Framing::Chunks(None)
        } else if let Some(length) = head.header("content-length") {
            Framing::Length(length.parse().map_err(|_| http(format!("length {length:?}")))?)
        } else {
            Framing::Close
        };
        Ok(Self { from, framing })
    }

    /// Starts the next chunk and returns its size; 0 is the last one.
    fn next_chunk(&mut self, first: bool) -> io::Result<u64> {
        let bad = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
        let mut left = MAX_HEAD_BYTES;
        let mut line = || line(&mut self.from, &mut left).map_err(|why| bad(why.to_string()));
        if !first {
            line()?;
        }
        let size = line()?;
        let digits = size.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(digits, 16).map_err(|_| bad(format!("chunk {size:?}")))?;
        if size == 0 {
            while !line()?.is_empty() {}
        }
        Ok(size)
    }
}

impl<R: BufRead> Read for BodyReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Framing::Chunks(left @ (None | Some(0))) = self.framing {
            let size = self.next_chunk(left.is_none())?;
            self.framing = if size == 0 { Framing::Length(0) } else { Framing::Chunks(Some(size)) };
        }
        let (Framing::Length(left) | Framing::Chunks(Some(left))) = &mut self.framing else {
            return self.from.read(buffer);
        };
        if *left == 0 || buffer.is_empty() {
            return Ok(0);
        }
        let most = buffer.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
        let read = self.from.read(&mut buffer[..most])?;
        if read == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the body ends too early"));
        }
        *left -= u64::try_from(read).unwrap_or(*left);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, method: &str) -> Result<Response, Error> {
        read_response(&mut text.as_bytes(), method)
    }

    #[test]
    fn a_body_has_the_length_it_is_said_to_have() {
        let response =
            read("HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 2\r\n\r\nabc", "GET").unwrap();
        assert_eq!((response.head.status, response.body.as_slice()), (200, b"ab".as_slice()));
        assert_eq!(response.head.header("a"), Some("b"));
    }

    #[test]
    fn chunks_are_put_together_and_trailers_passed_over() {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                    2\r\nab\r\n3;x\r\ncde\r\n0\r\nT: t\r\n\r\nrest";
        assert_eq!(read(text, "GET").unwrap().body, b"abcde");
    }

    #[test]
    fn without_a_length_the_body_goes_on_to_the_end() {
        assert_eq!(read("HTTP/1.1 200 OK\r\n\r\nabc", "GET").unwrap().body, b"abc");
    }

    #[test]
    fn an_answer_to_head_has_no_body_and_informational_heads_are_passed_over() {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
        let response = read(text, "HEAD").unwrap();
        assert_eq!((response.head.status, response.body.len()), (200, 0));
    }

    #[test]
    fn an_answer_that_is_cut_off_is_an_error() {
        for cut in [
            "",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "SSH-2.0\r\n",
        ] {
            assert!(read(cut, "GET").is_err(), "{cut:?}");
        }
    }
}

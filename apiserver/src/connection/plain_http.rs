//! An answer for clients that forgot the `s` of `https`.

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::limits;

/// How requests begin. A TLS record begins with a byte below 0x20.
const METHODS: [&[u8; 5]; 5] = [b"GET /", b"HEAD ", b"POST ", b"PUT /", b"OPTIO"];

/// What the reference says.
const ANSWER: &[u8] =
    b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/// Whether the client spoke HTTP without TLS; it was told so then. Whoever says nothing at all is
/// left to the time limit of the handshake.
pub(super) async fn answered(stream: &mut TcpStream) -> bool {
    let mut head = [0; 5];
    let peeked = tokio::time::timeout(limits::HANDSHAKE_MAX, stream.peek(&mut head)).await;
    if !matches!(peeked, Ok(Ok(5))) || !METHODS.contains(&&head) {
        return false;
    }
    // What was sent has to be read, or closing the socket takes the answer back.
    drop(stream.try_read(&mut [0; 4096]));
    drop(stream.write_all(ANSWER).await);
    drop(stream.shutdown().await);
    true
}

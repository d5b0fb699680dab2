//! Watches kept open, and GETs left waiting: a thread reads, steps look.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::case::Call;
use crate::clock::Deadline;
use crate::error::Error;
use crate::http::{BodyReader, Connection, Head, Timeouts, read_head};
use crate::target::{Target, send};

/// How long a stream may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// How long to wait for an answer's head unless a step says so.
const SETTLE: Duration = Duration::from_millis(400);

/// A moment for what is under way.
const MOMENT: Duration = Duration::from_millis(100);

/// After the awaited events, others that should not be there get this long to show.
const STRAY_EVENTS: Duration = Duration::from_millis(150);

/// A stream with more events than this between two looks ends.
const MAX_LINES: usize = 100_000;

/// Longer lines are cut.
const MAX_LINE_BYTES: u64 = 64 << 20;

#[derive(Default)]
struct State {
    head: Option<Head>,
    lines: Vec<Vec<u8>>,
    ended: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock());
        self.changed.notify_all();
    }

    /// Waits until it holds, for so long at most; tells whether it does.
    fn wait(&self, wait: Duration, holds: impl Fn(&State) -> bool) -> bool {
        let deadline = Deadline::after(wait);
        let mut state = self.state.lock();
        while !holds(&state) && !deadline.passed() {
            let _timed_out = self.changed.wait_for(&mut state, deadline.left());
        }
        holds(&state)
    }
}

/// An open stream. Dropping it closes the connection.
pub(super) struct Stream {
    shared: Arc<Shared>,
    socket: TcpStream,
    reader: Option<JoinHandle<()>>,
}

impl Stream {
    /// Sends the request and gives the server a while to answer.
    pub(super) fn open(
        target: &Target,
        call: &Call,
        settle: Option<Duration>,
    ) -> Result<Self, Error> {
        let message = target.message(call)?;
        let timeouts = Timeouts { each: SILENCE, whole: None };
        let mut connection = target.address.connect(timeouts)?;
        send(&mut connection, &message.to_bytes(&target.address))?;
        let socket = connection.socket().try_clone().map_err(Error::io("opening a stream"))?;
        let shared = Arc::new(Shared::default());
        let reader = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                // However a stream ends, what it brought until then is what counts.
                let _ended = read(connection, &shared);
                shared.change(|state| state.ended = true);
            }
        });
        let stream = Self { shared, socket, reader: Some(reader) };
        let settle = settle.unwrap_or(SETTLE);
        stream.shared.wait(settle, |state| state.head.is_some());
        std::thread::sleep(MOMENT.min(settle));
        Ok(stream)
    }

    /// The answer's head, once it is there.
    pub(super) fn head(&self) -> Option<Head> {
        self.shared.state.lock().head.clone()
    }

    /// Takes the lines so far: once there are so many, or else when the time is over.
    pub(super) fn collect(&self, count: Option<usize>, wait: Duration) -> Vec<Vec<u8>> {
        let enough = |state: &State| count.is_some_and(|count| state.lines.len() >= count);
        self.shared.wait(wait, |state| state.ended || enough(state));
        if count.is_some() {
            std::thread::sleep(STRAY_EVENTS);
        }
        std::mem::take(&mut self.shared.state.lock().lines)
    }

    /// Whether the server ends it within this time.
    pub(super) fn ends_within(&self, wait: Duration) -> bool {
        self.shared.wait(wait, |state| state.ended)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // It fails where the server has closed the connection already.
        let _closed = self.socket.shutdown(Shutdown::Both);
        if let Some(reader) = self.reader.take() {
            // A reader that panicked has ended, too.
            let _joined = reader.join();
        }
    }
}

fn read(connection: Connection, shared: &Shared) -> Result<(), Error> {
    let mut from = BufReader::new(connection);
    let head = read_head(&mut from)?;
    let streams = head.status == 200;
    let body = BodyReader::new(from, &head, "GET")?;
    shared.change(|state| state.head = Some(head));
    let mut body = BufReader::new(body);
    if !streams {
        let mut whole = Vec::new();
        body.take(MAX_LINE_BYTES).read_to_end(&mut whole).map_err(Error::io("reading"))?;
        shared.change(|state| state.lines.push(whole));
        return Ok(());
    }
    loop {
        let mut line = Vec::new();
        let read = (&mut body).take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        if read.map_err(Error::io("reading a stream"))? == 0 {
            return Ok(());
        }
        if !line.trim_ascii().is_empty() {
            shared.change(|state| state.lines.push(line));
        }
        if shared.state.lock().lines.len() > MAX_LINES {
            return Err(Error::Http("more events than anybody asked for".to_owned()));
        }
    }
}

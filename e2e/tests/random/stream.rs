//! A watch that is read all the time.

use std::io::{BufRead as _, BufReader, Write as _};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use e2e::case::Call;
use e2e::http::{BodyReader, Timeouts, read_head};
use e2e::target::Target;
use serde_json::Value;

use crate::judge::{Event, version};
use crate::kind::Kind;

/// How long an event may take.
const EVENT_WAIT: Duration = Duration::from_secs(60);
/// How many events may wait until the round is over: more than a round has.
const EVENTS_MAX: usize = 20_000;

pub(crate) struct Stream(Receiver<Event>);

impl Stream {
    /// Watches a kind from now on.
    pub(crate) fn open(target: &Target, kind: Kind) -> Self {
        let list = target.call(&Call::of("GET", kind.path())).unwrap();
        let list: Value = serde_json::from_slice(&list.body).unwrap();
        let from = version(&list);
        let path = format!("{}?watch=1&resourceVersion={from}&timeoutSeconds=36000", kind.path());
        let message = target.message(&Call::of("GET", path)).unwrap();
        let timeouts = Timeouts { each: Duration::from_secs(36_000), whole: None };
        let mut connection = target.address.connect(timeouts).unwrap();
        connection.write_all(&message.to_bytes(&target.address)).unwrap();
        connection.flush().unwrap();
        let mut answer = BufReader::new(connection);
        let head = read_head(&mut answer).unwrap();
        assert_eq!(head.status, 200);
        let lines = BufReader::new(BodyReader::new(answer, &head, "GET").unwrap()).lines();
        let (sender, events) = sync_channel(EVENTS_MAX);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut event: Value = serde_json::from_str(&line).unwrap();
                let what = event["type"].as_str().unwrap().to_owned();
                // The test is over where nobody listens.
                if sender.send(Event { what, object: event["object"].take() }).is_err() {
                    return;
                }
            }
        });
        Self(events)
    }

    /// All events up to the one with this version, which must come.
    pub(crate) fn read_to(&self, end: u64) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let event = self.0.recv_timeout(EVENT_WAIT).unwrap();
            assert_ne!(event.what, "ERROR", "{}", event.object);
            let last = event.version();
            events.push(event);
            if last >= end {
                assert_eq!(last, end, "the last event of the round did not come");
                return events;
            }
        }
    }
}

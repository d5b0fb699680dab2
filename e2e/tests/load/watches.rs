//! A watch holds its seat until its client took the events that it begins with.

use std::io::{BufReader, Read as _, Write as _};
use std::time::Duration;

use e2e::case::{Body, Call};
use e2e::clock::poll;
use e2e::http::{BodyReader, Timeouts, read_head};
use serde_json::json;

use crate::support::{LEVELS, Loaded, as_user, level};

const ANNOTATION_BYTES: usize = 200 << 10;
/// Together more than sockets buffer.
const OBJECTS: usize = 64;

fn executing(loaded: &Loaded) -> f64 {
    let gauge = "apiserver_flowcontrol_current_executing_requests";
    loaded.metrics().sum(gauge, &[("priority_level", "watching")])
}

#[test]
fn a_watch_holds_its_seat_until_its_initial_events_were_taken() {
    let mut loaded = Loaded::start(&[]);
    for number in 0..OBJECTS {
        let object = json!({
            "metadata": {
                "name": format!("large-{number}"),
                "annotations": { "filler": "x".repeat(ANNOTATION_BYTES) },
            },
            "spec": level(0, 0),
        });
        let create = Call::of("POST", LEVELS).with_body(Body::Json(object));
        assert_eq!(loaded.call(&create).0, 201);
    }
    loaded.create(LEVELS, "watching", &level(1, 64));
    loaded.lead("watcher", &["watcher"], "watching", 600);
    let path = format!(
        "{LEVELS}?watch=1&allowWatchBookmarks=true&sendInitialEvents=true\
         &resourceVersionMatch=NotOlderThan"
    );
    let target = loaded.server.target();
    let message = target.message(&as_user(Call::of("GET", path), "watcher")).unwrap();
    let mut connection = target.address.connect(Timeouts::of_seconds(60)).unwrap();
    connection.write_all(&message.to_bytes(&target.address)).unwrap();
    connection.flush().unwrap();
    let mut answer = BufReader::new(connection);
    let head = read_head(&mut answer).unwrap();
    assert_eq!(head.status, 200);
    // It is not read on: the seat stays taken.
    let settled = poll(Duration::from_secs(1), Duration::from_millis(50), || {
        (executing(&loaded) != 1.0).then_some(())
    });
    assert!(settled.is_none(), "the seat is free though most events are still to come");
    let mut events = BodyReader::new(answer, &head, "GET").unwrap();
    let mut seen = Vec::new();
    while !contains(&seen, b"k8s.io/initial-events-end") {
        let mut piece = vec![0; 1 << 20];
        let count = events.read(&mut piece).unwrap();
        assert!(count > 0, "the watch ended");
        // The end may lie across two pieces.
        seen = [&seen[seen.len().saturating_sub(64)..], &piece[..count]].concat();
    }
    let freed = poll(Duration::from_secs(10), Duration::from_millis(10), || {
        (executing(&loaded) == 0.0).then_some(())
    });
    assert!(freed.is_some(), "the seat is still taken");
    let watches = [("priority_level", "watching"), ("type", "watch")];
    let executed = "apiserver_flowcontrol_request_execution_seconds_count";
    assert_eq!(loaded.metrics().sum(executed, &watches), 1.0);
    let running = [("verb", "WATCH"), ("resource", "prioritylevelconfigurations")];
    // The server's own watch of the configuration is the other one.
    assert_eq!(loaded.metrics().sum("apiserver_longrunning_requests", &running), 2.0);
    drop(events);
    let ended = poll(Duration::from_secs(10), Duration::from_millis(10), || {
        (loaded.metrics().sum("apiserver_longrunning_requests", &running) == 1.0).then_some(())
    });
    assert!(ended.is_some(), "the watch still counts as running");
    loaded.assert_at_rest();
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

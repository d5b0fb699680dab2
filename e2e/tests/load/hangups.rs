//! Clients that go away at any moment leave nothing behind.

use std::time::Duration;

use e2e::case::Call;
use e2e::clock::poll;

use crate::support::{FLOW_SCHEMAS, LEVELS, Loaded, as_user, level};

/// Far less than what a request may wait in a queue.
const AT_ONCE: Duration = Duration::from_secs(5);
const WAITING: usize = 30;

#[test]
fn a_client_that_goes_away_gives_back_its_place_and_its_seat_at_once() {
    let mut loaded = Loaded::start(&[]);
    loaded.create(LEVELS, "narrow", &level(1, 8));
    loaded.lead("anybody", &["*"], "narrow", 500);
    let of_level = [("priority_level", "narrow")];
    let gauge = |loaded: &Loaded, name: &str| {
        loaded.metrics().sum(&format!("apiserver_flowcontrol_{name}"), &of_level)
    };
    let becomes = |name: &str, value: f64| {
        let found = poll(AT_ONCE, Duration::from_millis(10), || {
            (gauge(&loaded, name) == value).then_some(())
        });
        assert!(found.is_some(), "{name} is {}, not {value}", gauge(&loaded, name));
    };
    let seats = gauge(&loaded, "current_limit_seats");
    let mut holders: Vec<_> = (0..seats as usize).map(|_| loaded.client()).collect();
    for holder in &mut holders {
        // It stays as it is: the server waits for its body.
        assert!(holder.begin("holder").is_ok());
    }
    becomes("current_executing_seats", seats);

    let list = as_user(Call::of("GET", FLOW_SCHEMAS), "leaver");
    let mut leavers: Vec<_> = (0..WAITING).map(|_| loaded.client()).collect();
    leavers.iter_mut().for_each(|leaver| leaver.send(&list));
    becomes("current_inqueue_requests", WAITING as f64);
    drop(leavers);
    becomes("current_inqueue_requests", 0.0);
    let timed_out = [("priority_level", "narrow"), ("reason", "time-out")];
    let rejected =
        loaded.metrics().sum("apiserver_flowcontrol_rejected_requests_total", &timed_out);
    assert_eq!(rejected, WAITING as f64);

    drop(holders.pop());
    becomes("current_executing_seats", seats - 1.0);
    assert_eq!(loaded.client().call(&list).head.status, 200);
    drop(holders);
    becomes("current_executing_seats", 0.0);
    loaded.assert_at_rest();
}

//! The configuration changes all the time, and nobody notices.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use e2e::case::{Body, Call};
use e2e::clock::{Deadline, now, poll};
use serde_json::{Value, json};

use crate::support::{
    FLOW_SCHEMAS, LEVELS, Loaded, Stop, as_user, at_full_size, flow_schema, level,
};

/// How often something is edited.
const PERIOD: Duration = Duration::from_millis(50);
/// For so long if the environment does not say otherwise.
const SECONDS: u64 = 10;
const NAMES: u64 = 4;

fn edit_time() -> Duration {
    let asked = std::env::var("LOAD_TEST_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(asked.unwrap_or(SECONDS))
}

/// Numbers that look random and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Puts, changes or deletes one of a few levels and FlowSchemas.
fn edit(loaded: &Loaded, random: &mut Random) {
    let (path, name, spec) = if random.below(2) == 0 {
        let queues = [0, 1, 8, 64][random.below(4) as usize];
        let shares = random.below(40) as u32;
        (LEVELS, format!("level-{}", random.below(NAMES)), level(shares, queues))
    } else {
        let level = format!("level-{}", random.below(NAMES));
        let users: Vec<_> = (0..=random.below(3)).map(|_| user(random.below(NAMES))).collect();
        let users: Vec<_> = users.iter().map(String::as_str).collect();
        let precedence = 500 + random.below(10) as u32;
        (
            FLOW_SCHEMAS,
            format!("schema-{}", random.below(NAMES)),
            flow_schema(&users, &level, precedence),
        )
    };
    let object = format!("{path}/{name}");
    if random.below(4) == 0 {
        let (status, body) = loaded.call(&Call::of("DELETE", object));
        assert!([200, 404].contains(&status), "{body}");
        return;
    }
    let body = json!({ "metadata": { "name": name }, "spec": spec });
    let put = Call::of("PUT", object).with_body(Body::Json(body.clone()));
    let (status, answer) = loaded.call(&put);
    if status == 404 {
        let create = Call::of("POST", path).with_body(Body::Json(body));
        assert_eq!(loaded.call(&create).0, 201);
    } else {
        assert_eq!(status, 200, "{answer}");
    }
}

fn user(number: u64) -> String {
    format!("user-{number}")
}

/// Something that is asked for under load.
fn request(random: &mut Random) -> Call {
    // Some levels have no seats at all: a quarter of this is how long requests wait there.
    let timeout = "timeout=4s";
    let call = match random.below(8) {
        0 => Call::of("GET", format!("{FLOW_SCHEMAS}?watch=1&timeoutSeconds=1")),
        1..=3 => Call::of("GET", format!("/version?{timeout}")),
        4 | 5 => Call::of("GET", format!("{FLOW_SCHEMAS}?{timeout}")),
        _ => Call::of("POST", format!("{FLOW_SCHEMAS}?dryRun=All&{timeout}")).with_body(
            Body::Json(json!({
                "metadata": { "name": "dry" },
                "spec": flow_schema(&["nobody"], "exempt", 9999),
            })),
        ),
    };
    as_user(call, &user(random.below(NAMES)))
}

#[test]
fn edits_at_random_under_load_stick_nowhere() {
    let mut loaded =
        Loaded::start(&["--max-requests-inflight=30", "--max-mutating-requests-inflight=10"]);
    let (stop, answers, clients) =
        (Stop::default(), AtomicUsize::new(0), if at_full_size() { 64 } else { 16 });
    let mut edits = 0;
    std::thread::scope(|scope| {
        let _stop = stop.at_end();
        let (loaded, stop, answers) = (&loaded, &stop, &answers);
        for seed in 1..=clients {
            scope.spawn(move || {
                let (mut client, mut random) = (loaded.client(), Random(seed));
                while !stop.is_set() {
                    let status = client.call(&request(&mut random)).head.status;
                    assert!([200, 201, 429].contains(&status), "answered with {status}");
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let (deadline, mut random) = (Deadline::after(edit_time()), Random(0));
        while !deadline.passed() {
            let begin = now();
            edit(loaded, &mut random);
            edits += 1;
            std::thread::sleep(PERIOD.saturating_sub(begin.elapsed()));
        }
    });
    println!("{edits} edits, {} answers", answers.load(Ordering::Relaxed));
    assert!(edits > 20 && answers.into_inner() > 100);
    loaded.assert_at_rest();
    // Levels that are gone are let go.
    for number in 0..NAMES {
        loaded.call(&Call::of("DELETE", format!("{FLOW_SCHEMAS}/schema-{number}")));
        loaded.call(&Call::of("DELETE", format!("{LEVELS}/level-{number}")));
    }
    let dump = Call::of("GET", "/debug/api_priority_and_fairness/dump_priority_levels");
    let gone = poll(Duration::from_secs(10), Duration::from_millis(20), || {
        let dump = loaded.server.target().call(&dump).unwrap().body;
        (!String::from_utf8(dump).unwrap().contains("level-")).then_some(())
    });
    assert!(gone.is_some(), "levels nobody wants are still there");
}

/// The FlowSchema that claimed a request, by its uid.
fn claimed_by(loaded: &Loaded, call: &Call) -> Option<String> {
    let response = loaded.server.target().call(call).unwrap();
    response.head.header("x-kubernetes-pf-flowschema-uid").map(str::to_owned)
}

#[test]
fn an_edit_takes_effect_within_milliseconds() {
    let loaded = Loaded::start(&[]);
    // Others that have to be looked at as well.
    for number in 0..if at_full_size() { 500 } else { 50 } {
        let spec = flow_schema(&["nobody"], "exempt", 9000);
        loaded.create(FLOW_SCHEMAS, &format!("other-{number}"), &spec);
    }
    let ask = as_user(Call::of("GET", "/version"), "somebody");
    let mut slowest = Duration::ZERO;
    for number in 0..5 {
        let name = format!("fresh-{number}");
        let spec = flow_schema(&["somebody"], "global-default", 900 - number);
        let object = json!({ "metadata": { "name": name }, "spec": spec });
        let create = Call::of("POST", FLOW_SCHEMAS).with_body(Body::Json(object));
        let (status, created): (u16, Value) = loaded.call(&create);
        let begin = now();
        assert_eq!(status, 201);
        let uid = created["metadata"]["uid"].as_str().map(str::to_owned);
        let used = poll(Duration::from_secs(10), Duration::from_millis(1), || {
            (claimed_by(&loaded, &ask) == uid).then(|| begin.elapsed())
        });
        slowest = slowest.max(used.unwrap());
    }
    println!("in use after {slowest:?} at most");
    // Generous: each question is a TLS handshake of its own, on a busy machine.
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
}

//! Clients that come back at once, whatever they are told.

use std::sync::atomic::{AtomicUsize, Ordering};

use e2e::case::Call;

use crate::support::{LEVELS, Loaded, as_user, at_full_size, level};

/// How often each client asks.
const REQUESTS_EACH: usize = 3;
/// Over how many connections.
const CONNECTIONS: usize = 200;
/// What rounds of the same load may differ in, in kilobytes.
const GROWTH_MAX_KILOBYTES: u64 = 16 << 10;

/// What the clients were answered.
#[derive(Debug, Default)]
struct Answers {
    served: AtomicUsize,
    rejected: AtomicUsize,
}

/// So many clients, each a user of its own, over fewer connections.
fn storm(loaded: &Loaded, clients: usize, answers: &Answers) {
    let connections = clients.min(CONNECTIONS);
    std::thread::scope(|scope| {
        for connection in 0..connections {
            scope.spawn(move || {
                let mut client = loaded.client();
                for number in (connection..clients).step_by(connections) {
                    let call = as_user(Call::of("GET", "/version"), &format!("client-{number}"));
                    for _ in 0..REQUESTS_EACH {
                        let answer = client.call(&call);
                        match answer.head.status {
                            200 => answers.served.fetch_add(1, Ordering::Relaxed),
                            429 => {
                                let seconds = answer.head.header("retry-after").unwrap();
                                assert!(seconds.parse::<u64>().unwrap() >= 1);
                                answers.rejected.fetch_add(1, Ordering::Relaxed)
                            }
                            other => panic!("answered with {other}"),
                        };
                    }
                }
            });
        }
    });
}

#[test]
fn clients_that_ignore_retry_after_cost_no_memory_and_every_request_is_counted() {
    let mut loaded = Loaded::start(&[]);
    loaded.create(LEVELS, "narrow", &level(1, 0));
    loaded.lead("anybody", &[], "narrow", 500);
    let clients = if at_full_size() { 10_000 } else { 600 };
    let (few, answers) = (CONNECTIONS.max(clients / 10), Answers::default());
    let seats = loaded
        .metrics()
        .sum("apiserver_flowcontrol_current_limit_seats", &[("priority_level", "narrow")]);
    assert!((1.0..10.0).contains(&seats), "{seats} seats");
    let mut holders: Vec<_> = (0..seats as usize).map(|_| loaded.client()).collect();
    let held: Vec<_> = holders.iter_mut().map(|client| client.begin("holder").unwrap()).collect();
    // The first round is for everything that is made once.
    storm(&loaded, few, &answers);
    let before = loaded.resident_kilobytes();
    storm(&loaded, clients, &answers);
    let after = loaded.resident_kilobytes();
    assert_eq!(answers.served.load(Ordering::Relaxed), 0, "somebody got a seat that was taken");
    for held in held {
        assert_eq!(held.finish(), 201);
    }
    storm(&loaded, few, &answers);
    println!("memory before {before} kB, after {after} kB; {answers:?}");
    assert!(after < before + GROWTH_MAX_KILOBYTES, "{before} kB grew to {after} kB");

    let (served, rejected) = (answers.served.into_inner(), answers.rejected.into_inner());
    assert!(served > 0);
    assert_eq!(served + rejected, (clients + 2 * few) * REQUESTS_EACH);
    let metrics = loaded.metrics();
    let of_level = [("priority_level", "narrow")];
    let counted = |name: &str, labels: &[(&str, &str)]| metrics.sum(name, labels) as usize;
    let holders = seats as usize;
    assert_eq!(
        counted("apiserver_flowcontrol_dispatched_requests_total", &of_level),
        served + holders
    );
    assert_eq!(counted("apiserver_flowcontrol_rejected_requests_total", &of_level), rejected);
    let ended = [("code", "429"), ("subresource", "/version")];
    assert_eq!(counted("apiserver_request_total", &ended), rejected);
    assert_eq!(counted("apiserver_request_terminations_total", &ended), rejected);
    let answered = [("code", "200"), ("subresource", "/version")];
    assert_eq!(counted("apiserver_request_total", &answered), served);
    let executed = "apiserver_flowcontrol_request_execution_seconds_count";
    assert_eq!(counted(executed, &of_level), served + holders);
    loaded.assert_at_rest();
}

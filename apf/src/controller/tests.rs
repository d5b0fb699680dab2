use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use api::time::SystemClock;
use futures_util::future::join_all;

use super::*;
use crate::bootstrap;
use crate::config::CATCH_ALL;
use crate::dump::Detail;
use crate::queueset::RejectReason;
use crate::test_support::{
    Ask, Harness, RequestInfo, queue_level, reject_level, schema_for_user, strings, vectors,
};

fn with_defaults(options: Options) -> FlowController {
    let controller = FlowController::new(options, &SystemClock);
    let schemas = bootstrap::flow_schemas().map(|object| Arc::new(object.build())).collect();
    let levels = bootstrap::priority_levels().map(|object| Arc::new(object.build())).collect();
    let updates = controller.digest(schemas, levels);
    assert_eq!(updates.len(), 11);
    controller
}

fn poll_once<F: Future>(future: std::pin::Pin<&mut F>) -> bool {
    future.poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

#[test]
fn requests_are_classified_as_recorded() {
    let controller = with_defaults(Options::default());
    let recorded = vectors("classification");
    for case in recorded["defaultConfig"].as_array().unwrap() {
        let info =
            RequestInfo::read(case["method"].as_str().unwrap(), case["url"].as_str().unwrap());
        let digest = RequestDigest {
            user_name: case["user"].as_str().unwrap(),
            groups: &strings(&case["groups"]),
            target: info.target(),
        };
        let classification = controller.classify(&digest).unwrap();
        assert_eq!(classification.flow_schema_name(), case["flowSchema"], "{case}");
        assert_eq!(classification.priority_level_name(), case["priorityLevel"], "{case}");
        let in_use = controller.in_use.load();
        let schema = in_use.classify(&digest).unwrap();
        let (distinguisher, hash) = schema.flow_of(&digest);
        assert_eq!(distinguisher, case["flowDistinguisher"], "{case}");
        let queued = !matches!(classification.priority_level_name(), "exempt" | "catch-all");
        assert_eq!(hash != 0, queued, "{case}");
    }
}

#[test]
fn there_are_two_levels_before_anything_is_stored() {
    let controller = FlowController::new(Options::default(), &SystemClock);
    let limits = controller.limits();
    assert_eq!(limits.keys().collect::<Vec<_>>(), ["catch-all", "exempt"]);
    assert_eq!(limits[CATCH_ALL].current, 600);
    let ask = RequestDigest {
        user_name: "ghost",
        groups: &[],
        target: crate::digest::Target::NonResource { verb: "get", path: "/" },
    };
    let classification = controller.classify(&ask).unwrap();
    assert_eq!(classification.flow_schema_name(), CATCH_ALL);
    assert_eq!(classification.flow_schema_uid(), "");
}

#[test]
fn limits_of_the_default_levels_are_those_of_the_reference() {
    let limits = with_defaults(Options::default()).limits();
    let current = |name: &str| limits[name].current;
    let levels = ["exempt", "node-high", "system", "leader-election", "workload-high"];
    assert_eq!(levels.map(current), [0, 170, 117, 58, 114]);
    assert_eq!(["workload-low", "global-default", "catch-all"].map(current), [56, 56, 30]);
}

#[tokio::test(start_paused = true)]
async fn levels_borrow_according_to_demand() {
    let harness = Harness::new(20);
    let schemas = vec![schema_for_user("a", "busy"), schema_for_user("b", "lazy")];
    let lender = |name| {
        let mut level = Arc::unwrap_or_clone(queue_level(name, 20, (4, 1, 50)));
        level.spec.limited.as_mut().unwrap().lendable_percent = Some(50);
        Arc::new(level)
    };
    drop(harness.controller.digest(schemas, vec![lender("busy"), lender("lazy")]));
    let before = harness.controller.limits()["busy"].current;
    let ask = Ask::by("a");
    let mut asks: Vec<_> = (0..40).map(|_| Box::pin(harness.admit(&ask))).collect();
    let mut admitted = Vec::new();
    for ask in &mut asks {
        if let std::task::Poll::Ready(result) =
            ask.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        {
            admitted.push(result.unwrap());
        }
    }
    assert_eq!(admitted.len() as u64, before);
    tokio::time::advance(ADJUSTMENT_PERIOD).await;
    harness.controller.adjust();
    let after = harness.controller.limits()["busy"].current;
    assert!(after > before, "{after} after {before}");
    assert_eq!(harness.observer.number("executing_seats").unsigned_abs(), after);
    drop((asks, admitted));
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn raising_the_limit_lets_waiting_requests_in() {
    let harness = Harness::with_one_seat(5, &["a"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let ask = Ask::by("a");
    let mut second = pin!(harness.admit(&ask));
    assert!(!poll_once(second.as_mut()));
    let level = queue_level("narrow", 500, (1, 1, 5));
    drop(harness.controller.digest(vec![schema_for_user("a", "narrow")], vec![level]));
    assert_eq!(harness.controller.limits()["narrow"].current, 2);
    let second = second.await.unwrap();
    drop((first, second));
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_level_that_turns_to_reject_drains_its_queues() {
    let harness = Harness::with_one_seat(5, &["a"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let ask = Ask::by("a");
    let mut second = pin!(harness.admit(&ask));
    assert!(!poll_once(second.as_mut()));
    let level = reject_level("narrow", 5);
    drop(harness.controller.digest(vec![schema_for_user("a", "narrow")], vec![level]));
    let rejected = harness.admit(&ask).await.unwrap_err();
    assert_eq!(rejected.reason, RejectReason::ConcurrencyLimit);
    drop(first);
    drop(second.await.unwrap());
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_deleted_level_drains_and_then_goes() {
    let harness = Harness::with_one_seat(5, &["a"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let ask = Ask::by("a");
    let mut second = pin!(harness.admit(&ask));
    assert!(!poll_once(second.as_mut()));
    let updates = harness.controller.digest(vec![schema_for_user("a", "narrow")], vec![]);
    assert_eq!(updates[0].status, "True");
    assert!(
        harness
            .controller
            .dump_priority_levels()
            .contains("narrow,            1,            false,  true,")
    );
    let elsewhere = harness.admit(&ask).await.unwrap();
    assert_eq!(elsewhere.classification.priority_level_name(), CATCH_ALL);

    let mut idle = pin!(harness.controller.unwanted_level_idle());
    assert!(!poll_once(idle.as_mut()));
    drop(first);
    drop(second.await.unwrap());
    idle.await;
    drop(harness.controller.digest(vec![schema_for_user("a", "narrow")], vec![]));
    assert!(!harness.controller.limits().contains_key("narrow"));
    drop(elsewhere);
    harness.assert_nothing_is_left();
    // Its series go on.
    assert!(harness.controller.level_ratios().iter().any(|level| level.priority_level == "narrow"));
}

#[tokio::test(start_paused = true)]
async fn a_level_that_comes_back_while_it_drains_keeps_its_queues() {
    let harness = Harness::with_one_seat(5, &["a"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let schemas = || vec![schema_for_user("a", "narrow")];
    drop(harness.controller.digest(schemas(), vec![]));
    drop(harness.controller.digest(schemas(), vec![queue_level("narrow", 5, (1, 1, 5))]));
    let ask = Ask::by("a");
    let mut second = pin!(harness.admit(&ask));
    assert!(!poll_once(second.as_mut()));
    drop(first);
    drop(second.await.unwrap());
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn dumps_show_what_waits_and_executes() {
    let harness = Harness::with_one_seat(5, &["a"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let ask = Ask::by("a");
    let mut second = pin!(harness.admit(&ask));
    assert!(!poll_once(second.as_mut()));
    let queues = harness.controller.dump_queues();
    let queue = queues.lines().nth(1).unwrap().replace(' ', "");
    assert_eq!(queue, "narrow,0,1,1,1,0.00300000ss,1,1,0.00300000ss");
    let requests = harness.controller.dump_requests(Detail::Included);
    let rows: Vec<Vec<&str>> =
        requests.lines().skip(1).map(|row| row.split(',').map(str::trim).collect()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0][..5], ["narrow", "of-a", "0", "0", ""]);
    assert_eq!(rows[0][9], "0001-01-01T00:00:00Z");
    assert_eq!(rows[1][..4], ["narrow", "of-a", "0", "-1"]);
    assert_eq!(rows[1][5], rows[1][9]);
    assert_eq!(rows[1][10..12], ["a", "get"]);
    let levels = harness.controller.dump_priority_levels();
    let narrow = levels.lines().last().unwrap().replace(' ', "");
    assert_eq!(narrow, "narrow,1,false,false,1,1,1,0,0,0");
    drop(first);
    drop(second.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn rejections_lengthen_the_wait_of_their_level() {
    let harness = Harness::new(2);
    let schemas = vec![schema_for_user("a", "strict")];
    drop(harness.controller.digest(schemas, vec![reject_level("strict", 5)]));
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let mut waits = Vec::new();
    for _ in 0..4 {
        for _ in 0..10 {
            waits.push(harness.admit(&Ask::by("a")).await.unwrap_err().retry_after_seconds);
        }
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert!(waits.is_sorted());
    assert_eq!((waits[0], waits[39]), (1, 4));
    drop(first);
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn exempt_requests_and_rejected_ones_are_observed_in_the_order_of_the_reference() {
    let harness = Harness::new(2);
    let schemas = vec![schema_for_user("a", "strict"), schema_for_user("root", "exempt")];
    let exempt = bootstrap::priority_levels().find(|object| object.name == "exempt").unwrap();
    let levels = vec![reject_level("strict", 5), Arc::new(exempt.build())];
    drop(harness.controller.digest(schemas, levels));
    let observer = &harness.observer;
    let exempt = harness.admit(&Ask::by("root")).await.unwrap();
    assert_eq!(exempt.classification.priority_level_name(), "exempt");
    assert_eq!(observer.take_events(), ["estimated 1", "dispatched 1"]);
    drop(exempt);
    assert_eq!(observer.take_events(), ["executed regular 0ns", "freed 1"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    assert_eq!(observer.take_events(), ["estimated 1", "waited 0ns true", "dispatched 1"]);
    assert!(harness.admit(&Ask::by("a")).await.is_err());
    let rejected = ["estimated 1", "rejected concurrency-limit", "waited 0ns false"];
    assert_eq!(observer.take_events(), rejected);
    drop(first);
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_mouse_beside_an_elephant_waits_about_one_service() {
    const SERVICE: Duration = Duration::from_millis(100);
    let harness = Arc::new(Harness::new(8));
    let schemas = vec![schema_for_user("elephant", "shared"), schema_for_user("mouse", "shared")];
    drop(harness.controller.digest(schemas, vec![queue_level("shared", 5, (64, 6, 50))]));
    assert_eq!(harness.controller.limits()["shared"].current, 4);
    let herd: Vec<_> = (0..200)
        .map(|_| {
            let harness = Arc::clone(&harness);
            tokio::spawn(async move {
                let ask = Ask { wait: Duration::from_secs(60), ..Ask::by("elephant") };
                loop {
                    let admitted = harness.admit(&ask).await.unwrap();
                    tokio::time::sleep(SERVICE).await;
                    drop(admitted);
                }
            })
        })
        .collect();
    tokio::time::sleep(SERVICE * 10).await;
    for _ in 0..50 {
        let admitted = harness.admit(&Ask::by("mouse")).await.unwrap();
        assert!(admitted.waited <= SERVICE * 2, "{:?}", admitted.waited);
        tokio::time::sleep(SERVICE).await;
    }
    for task in herd {
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
    }
    harness.assert_nothing_is_left();
}

/// Requests on several threads while the configuration changes under them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn live_edits_lose_no_request() {
    const USERS: [&str; 3] = ["a", "b", "c"];
    let harness = Arc::new(Harness::new(8));
    let editor = tokio::spawn({
        let harness = Arc::clone(&harness);
        async move {
            for edit in 0..400_i32 {
                let schemas = USERS.iter().map(|user| schema_for_user(user, "moving")).collect();
                let levels = match edit % 5 {
                    0 => vec![queue_level("moving", 1 + edit % 40, (4, 2, 3))],
                    1 => vec![reject_level("moving", 1 + edit % 40)],
                    2 => vec![queue_level("moving", 10, (1, 1, 50))],
                    3 => vec![],
                    _ => vec![queue_level("moving", 30, (16, 3, 50))],
                };
                drop(harness.controller.digest(schemas, levels));
                harness.controller.adjust();
                tokio::task::yield_now().await;
            }
            // Whoever waits still has to get in.
            let schemas = USERS.iter().map(|user| schema_for_user(user, "moving")).collect();
            drop(harness.controller.digest(schemas, vec![queue_level("moving", 30, (16, 3, 50))]));
        }
    });
    let clients = (0..64_usize).map(|client| {
        let harness = Arc::clone(&harness);
        tokio::spawn(async move {
            let ask = Ask::by(USERS[client % 3]);
            let mut served = 0_i64;
            for _ in 0..200 {
                if let Ok(admitted) = harness.admit(&ask).await {
                    tokio::task::yield_now().await;
                    drop(admitted);
                    served += 1;
                }
            }
            served
        })
    });
    let served: i64 = join_all(clients).await.into_iter().map(Result::unwrap).sum();
    editor.await.unwrap();
    harness.assert_nothing_is_left();
    let observer = &harness.observer;
    assert_eq!(observer.number("dispatched"), served);
    assert_eq!(observer.number("dispatched") + observer.number("rejected"), 64 * 200);
}

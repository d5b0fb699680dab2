use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{advance, sleep};

use crate::queueset::RejectReason;
use crate::test_support::{Ask, Harness};

/// Polls a future as if nothing ever woke it.
fn poll_once<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[tokio::test(start_paused = true)]
async fn a_request_waits_until_the_one_before_it_is_over() {
    let harness = Harness::with_one_seat(5, &["a", "b"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let ask = Ask::by("b");
    let mut second = pin!(harness.admit(&ask));
    assert!(poll_once(second.as_mut()).is_pending());
    advance(Duration::from_secs(7)).await;
    assert!(poll_once(second.as_mut()).is_pending());
    drop(first);
    let second = second.await.unwrap();
    assert_eq!(second.waited, Duration::from_secs(7));
    assert_eq!(second.classification.flow_schema_uid(), "uid of b");
    assert_eq!(second.classification.priority_level_uid(), "uid of narrow");
    drop(second);
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_request_leaves_its_queue_at_its_deadline() {
    let harness = Harness::with_one_seat(5, &["a"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let rejected = harness.admit(&Ask::by("a")).await.unwrap_err();
    assert_eq!(rejected.reason, RejectReason::TimeOut);
    assert_eq!(rejected.retry_after_seconds, 1);
    // Timers have a granularity of a millisecond.
    let late = rejected.waited.checked_sub(Duration::from_secs(15)).unwrap();
    assert!(late <= Duration::from_millis(1));
    drop(first);
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_request_is_rejected_at_once_when_its_queue_is_full() {
    let harness = Harness::with_one_seat(1, &["a"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let ask = Ask::by("a");
    let mut second = pin!(harness.admit(&ask));
    assert!(poll_once(second.as_mut()).is_pending());
    let rejected = harness.admit(&Ask::by("a")).await.unwrap_err();
    assert_eq!((rejected.reason, rejected.waited), (RejectReason::QueueFull, Duration::ZERO));
    drop(first);
    drop(second.await.unwrap());
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_has_passed_does_not_matter_to_a_request_that_need_not_wait() {
    let harness = Harness::with_one_seat(1, &["a"]);
    let ask = Ask { wait: Duration::ZERO, ..Ask::by("a") };
    let first = harness.admit(&ask).await.unwrap();
    assert_eq!(harness.admit(&ask).await.unwrap_err().reason, RejectReason::TimeOut);
    drop(first);
    harness.assert_nothing_is_left();
}

/// One life of a request, which has an await wherever a real one may be given up.
async fn live(harness: &Harness, ask: &Ask) {
    if let Ok(mut admitted) = harness.admit(ask).await {
        tokio::task::yield_now().await;
        admitted.seats.release();
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn giving_up_at_any_await_leaves_nothing_behind() {
    for holder_leaves_after in 0..8 {
        for polls in 0..8 {
            let harness = Harness::with_one_seat(5, &["a", "b"]);
            let mut holder = Some(harness.admit(&Ask::by("a")).await.unwrap());
            let ask = Ask::by("b");
            {
                let mut life = pin!(live(&harness, &ask));
                for poll in 0..polls {
                    if poll == holder_leaves_after {
                        holder = None;
                    }
                    if poll_once(life.as_mut()).is_ready() {
                        break;
                    }
                }
            }
            drop(holder);
            harness.assert_nothing_is_left();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn giving_up_after_dispatch_but_before_hearing_of_it_frees_the_seats() {
    let harness = Harness::with_one_seat(5, &["a", "b", "c"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let (ask_b, ask_c) = (Ask::by("b"), Ask::by("c"));
    let mut third = pin!(harness.admit(&ask_c));
    {
        let mut second = pin!(harness.admit(&ask_b));
        assert!(poll_once(second.as_mut()).is_pending());
        assert!(poll_once(third.as_mut()).is_pending());
        drop(first);
    }
    drop(third.await.unwrap());
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_request_dispatched_at_its_deadline_executes() {
    let harness = Harness::with_one_seat(5, &["a", "b"]);
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    let ask = Ask::by("b");
    let mut second = pin!(harness.admit(&ask));
    assert!(poll_once(second.as_mut()).is_pending());
    advance(Duration::from_secs(16)).await;
    drop(first);
    assert!(second.await.is_ok());
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_panic_frees_the_seats() {
    let harness = Arc::new(Harness::with_one_seat(5, &["a"]));
    let shared = Arc::clone(&harness);
    let task = tokio::spawn(async move {
        let _admitted = shared.admit(&Ask::by("a")).await.unwrap();
        panic!("the handler is broken");
    });
    assert!(task.await.unwrap_err().is_panic());
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_watch_gives_its_seats_back_early_and_only_once() {
    let harness = Harness::with_one_seat(5, &["a"]);
    let mut watch = harness.admit(&Ask::by("a").verb("watch")).await.unwrap();
    advance(Duration::from_secs(2)).await;
    watch.seats.release();
    harness.assert_nothing_is_left();
    assert!(harness.observer.take_events().contains(&"executed watch 2s".to_owned()));
    watch.seats.release();
    let other = harness.admit(&Ask::by("a")).await.unwrap();
    drop(watch);
    assert_eq!(harness.observer.number("executing_seats"), 1);
    drop(other);
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn seats_linger_while_watches_are_told() {
    let harness = Harness::with_one_seat(5, &["a"]);
    let ask = Ask::by("a").verb("update");
    let _watches: Vec<_> =
        (0..10).map(|_| harness.controller.register_watch(&ask.target(), None).unwrap()).collect();
    let admitted = harness.admit(&ask).await.unwrap();
    assert_eq!((admitted.work.final_seats, admitted.work.max_seats()), (1, 1));
    drop(admitted);
    assert_eq!(harness.observer.number("executing_requests"), 0);
    assert_eq!(harness.observer.number("executing_seats"), 1);
    let waiting = harness.admit(&ask).await.unwrap();
    assert!(waiting.waited >= Duration::from_millis(5), "{:?}", waiting.waited);
    drop(waiting);
    sleep(Duration::from_millis(10)).await;
    harness.assert_nothing_is_left();
}

#[test]
fn seats_do_not_linger_without_a_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let harness = Harness::with_one_seat(5, &["a"]);
    let ask = Ask::by("a").verb("update");
    let _watches: Vec<_> =
        (0..10).map(|_| harness.controller.register_watch(&ask.target(), None)).collect();
    let admitted = runtime.block_on(harness.admit(&ask)).unwrap();
    drop(runtime);
    drop(admitted);
    harness.assert_nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn every_way_through_a_gate_is_observed_in_the_order_of_the_reference() {
    let harness = Harness::with_one_seat(1, &["a"]);
    let observer = &harness.observer;
    let first = harness.admit(&Ask::by("a")).await.unwrap();
    assert_eq!(
        observer.take_events(),
        ["estimated 1", "queued 1", "waited 0ns true", "dispatched 1"]
    );
    let ask = Ask { wait: Duration::from_secs(1), ..Ask::by("a") };
    let mut second = pin!(harness.admit(&ask));
    assert!(poll_once(second.as_mut()).is_pending());
    assert_eq!(observer.take_events(), ["estimated 1", "queued 1", "enqueued 1"]);
    assert!(harness.admit(&Ask::by("a")).await.is_err());
    assert_eq!(observer.take_events(), ["estimated 1", "rejected queue-full", "waited 0ns false"]);
    advance(Duration::from_secs(1)).await;
    assert!(second.await.is_err());
    assert_eq!(observer.take_events(), ["rejected time-out", "dequeued 1", "waited 1s true"]);
    drop(first);
    assert_eq!(observer.take_events(), ["executed regular 1s", "freed 1"]);
}

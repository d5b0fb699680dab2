//! Random writes by several clients at once, and what must hold after all of them: nothing fails
//! inside the server, nothing that was acknowledged is lost or changed by others, versions only go
//! up, every field has an owner, what changes nothing writes nothing, and a watch sees exactly what
//! was acknowledged, in order.
//!
//! `$E2E_RANDOM_STEPS` says how many steps (a few thousand when left out), `$E2E_RANDOM_SEED` which.
//! The order in which writers meet is not repeated by a seed, what each tries is.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

mod content;
mod dice;
mod judge;
mod kind;
mod operation;
mod stream;
mod worker;

use std::collections::BTreeMap;
use std::time::Duration;

use e2e::binary;
use e2e::case::Call;
use e2e::clock::poll;
use e2e::server::{Backend, Launch};

use judge::Judge;
use kind::Kind;
use stream::Stream;
use worker::{Tally, Worker};

/// With a release build there is time for more.
const STEPS: [u64; 2] = [1_000, 5_000];
const SEED: u64 = 20_261_130;
const WRITERS: u64 = 4;
/// After so many steps everything is looked at, so that a long run keeps no more than this.
const ROUND_STEPS: u64 = 2_000;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

#[test]
fn nothing_is_lost_whatever_is_written() {
    let steps = STEPS[usize::from(std::env::var_os("APISERVER_BINARY").is_some())];
    let (steps, seed) = (number("E2E_RANDOM_STEPS", steps), number("E2E_RANDOM_SEED", SEED));
    let folder = tempfile::tempdir().unwrap();
    let binary = binary::server().unwrap_or_else(|why| panic!("{why}"));
    let mut server = Launch::new(&binary, folder.path(), Backend::Sled).start().unwrap();
    let target = server.target().clone();
    let mut followed: BTreeMap<_, _> = Kind::ALL
        .into_iter()
        .map(|kind| (kind, (Judge::new(kind), Stream::open(&target, kind))))
        .collect();
    let mut workers: Vec<_> = (0..WRITERS).map(|n| Worker::new(&target, n, seed)).collect();
    let mut done = 0;
    while done < steps {
        let todo = ROUND_STEPS.min(steps - done);
        std::thread::scope(|scope| {
            for worker in &mut workers {
                scope.spawn(|| (0..todo / WRITERS).for_each(|_| worker.step()));
            }
        });
        done += todo;
        let acknowledged: Vec<_> = workers
            .iter_mut()
            .flat_map(|worker| std::mem::take(&mut worker.acknowledged))
            .collect();
        for (kind, (judge, stream)) in &mut followed {
            let end = worker::mark(&target, *kind, done);
            judge.round(acknowledged.clone(), stream.read_to(end));
        }
    }
    for (kind, (judge, stream)) in &mut followed {
        // The server may still have a status to write.
        let agreed = poll(Duration::from_secs(30), Duration::from_millis(50), || {
            done += 1;
            judge.round(Vec::new(), stream.read_to(worker::mark(&target, *kind, done)));
            let list = target.call(&Call::of("GET", kind.path())).unwrap();
            judge.agrees(&serde_json::from_slice(&list.body).unwrap()).then_some(())
        });
        assert!(agreed.is_some(), "a list of {kind:?} is not what the watch showed");
    }
    let mut tally = Tally::default();
    workers.iter().for_each(|worker| tally.add(&worker.tally));
    println!("{steps} steps with seed {seed}: {tally:?}");
    // Everything that is meant to happen does.
    for statuses in [200..201, 201..202, 404..405, 409..410, 422..423] {
        assert!(tally.of(statuses.clone()) > 0, "no answer was {statuses:?}: {tally:?}");
    }
    assert_eq!(server.wait(Duration::ZERO), None, "it has ended");
    assert!(!server.log_tail().contains("panicked"), "{}", server.log_tail());
}

//! The garbage collector: what lost its owners goes, and what is to go in order goes in order
//! (spec: apimachinery 2.12, 6.2).
//!
//! [`graph`] and [`verdict`] decide and are pure; [`see`] sees, [`act`] does. Nothing is
//! remembered but in the objects' finalizers and references, so a restart begins where it was.

mod act;
mod graph;
mod see;
#[cfg(test)]
mod simulation;
mod verdict;

use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, MissedTickBehavior};

use self::act::{Actor, Outcome};
use self::graph::{Graph, Job, Task};
use super::follow::{Followed, Sight};
use super::until_stopped;
use crate::server::Server;

/// So many jobs are under way together.
const TOGETHER: usize = 32;
/// How often new kinds are looked for, and failed jobs are tried again.
const RETRY: Duration = Duration::from_secs(1);
/// How often owners are looked for again whose kind is not served or not followed.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// Collects until the server stops.
pub(super) fn start(server: &Arc<Server>) {
    until_stopped(server, Collector::new(server).run());
}

/// A job under way.
type Running = Pin<Box<dyn Future<Output = (Task, Outcome)> + Send>>;

struct Collector {
    followed: Followed,
    graph: Graph,
    actor: Arc<Actor>,
    under_way: BTreeSet<Task>,
    running: FuturesUnordered<Running>,
    failed: BTreeSet<Task>,
    undecided: BTreeSet<Task>,
}

impl Collector {
    fn new(server: &Arc<Server>) -> Self {
        Self {
            followed: Followed::new(server, see::is_collectable),
            graph: Graph::default(),
            actor: Arc::new(Actor::new(server)),
            under_way: BTreeSet::new(),
            running: FuturesUnordered::new(),
            failed: BTreeSet::new(),
            undecided: BTreeSet::new(),
        }
    }

    async fn run(mut self) {
        let mut ticks = tokio::time::interval(RETRY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut looked = Instant::now();
        loop {
            self.begin_what_can_begin();
            tokio::select! {
                sight = self.followed.next() => self.see(sight),
                Some((task, outcome)) = self.running.next() => self.end(task, outcome),
                _ = ticks.tick() => {
                    let came = self.followed.catch_up();
                    let again = !came.is_empty() || looked.elapsed() >= LOOK_AGAIN;
                    came.into_iter().for_each(|sight| self.see(sight));
                    std::mem::take(&mut self.failed).into_iter().for_each(|t| self.graph.put_back(t));
                    if again {
                        looked = Instant::now();
                        let undecided = std::mem::take(&mut self.undecided);
                        undecided.into_iter().for_each(|task| self.graph.put_back(task));
                    }
                }
            }
        }
    }

    /// Jobs begin only when everything that happened was seen: who lets dependents go must know
    /// all of them.
    fn begin_what_can_begin(&mut self) {
        while self.running.len() < TOGETHER {
            while let Some(sight) = self.followed.next_ready() {
                self.see(sight);
            }
            let Some((task, job)) = self.graph.next(&self.under_way) else { break };
            self.begin(task, job);
        }
    }

    fn begin(&mut self, task: Task, job: Job) {
        let (Job::Check { place, .. } | Job::Finish { place } | Job::Orphan { place, .. }) = &job;
        let Some(store) = self.followed.store(&place.prefix).map(Arc::clone) else { return };
        let dependents = match &job {
            Job::Orphan { dependents, .. } => dependents.as_slice(),
            _ => &[],
        };
        let stores = dependents.iter().filter_map(|(_, place)| {
            self.followed
                .store(&place.prefix)
                .map(|store| (Arc::clone(&place.prefix), Arc::clone(store)))
        });
        let (stores, actor) = (stores.collect(), Arc::clone(&self.actor));
        self.under_way.insert(task.clone());
        self.running.push(Box::pin(async move {
            let outcome = actor.perform(&task, &job, store, stores).await;
            (task, outcome)
        }));
    }

    fn see(&mut self, sight: Sight) {
        see::see(&mut self.graph, sight);
    }

    fn end(&mut self, task: Task, outcome: Outcome) {
        self.under_way.remove(&task);
        match outcome {
            Outcome::Done => {
                // An owner of a kind that is not followed yet may go unseen.
                if let Task::Check(uid) = &task
                    && self.graph.has_unseen_owner(uid)
                {
                    self.undecided.insert(task);
                }
            }
            Outcome::Failed(error) => {
                tracing::debug!(?task, error, "the garbage collector tries again");
                self.failed.insert(task);
            }
            Outcome::Undecided => drop(self.undecided.insert(task)),
            Outcome::ElsewhereOwned(found) => {
                let elsewhere = |owner: &&act::Missing| {
                    let at = self.graph.namespace_of(&owner.uid);
                    at.is_some_and(|namespace| {
                        !namespace.is_empty() && namespace != found.namespace
                    })
                };
                let owners = found.owners.iter().filter(elsewhere).cloned().collect::<Vec<_>>();
                if !owners.is_empty() {
                    let actor = Arc::clone(&self.actor);
                    self.under_way.insert(task.clone());
                    self.running.push(Box::pin(async move {
                        actor.report(&found, &owners).await;
                        (task, Outcome::Done)
                    }));
                }
            }
        }
    }
}

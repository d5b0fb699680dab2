//! Keeps an issuer's keys fresh in the background.

use std::sync::Arc;
use std::time::Duration;

use auth::authenticate::jwt::IssuerKeys;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::limits;
use super::source::Source;

/// How the fetching of one issuer's keys stands.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// A fetch is under way, or about to be.
    busy: bool,
    /// Keys were fetched at least once.
    fetched: bool,
    /// When the last fetch ended.
    ended: Option<Instant>,
}

/// Fetches one issuer's keys again and again, until it is dropped.
pub(super) struct Refresher {
    /// The keys.
    pub(super) keys: Arc<IssuerKeys>,
    progress: Arc<watch::Sender<Progress>>,
    asked: Arc<Notify>,
    _task: AbortOnDropHandle<()>,
}

impl Refresher {
    /// Starts to fetch.
    pub(super) fn start(issuer: String, source: Source) -> Self {
        let keys = Arc::new(IssuerKeys::default());
        let progress = Progress { busy: true, fetched: false, ended: None };
        let progress = Arc::new(watch::Sender::new(progress));
        let asked = Arc::new(Notify::new());
        let work = Work {
            issuer,
            source,
            keys: Arc::clone(&keys),
            progress: Arc::clone(&progress),
            asked: Arc::clone(&asked),
        };
        let task = AbortOnDropHandle::new(tokio::spawn(work.run()));
        Self { keys, progress, asked, _task: task }
    }

    /// Has keys fetched unless that was just done, and waits a moment for them. Whether there is
    /// reason to look again.
    pub(super) async fn catch_up(&self) -> bool {
        if !self.ask() {
            return false;
        }
        let mut progress = self.progress.subscribe();
        let idle = progress.wait_for(|progress| !progress.busy);
        tokio::time::timeout(limits::CATCH_UP_MAX, idle).await.is_ok_and(|idle| idle.is_ok())
    }

    /// Waits until keys were fetched at least once.
    pub(super) async fn ready(&self) {
        let mut progress = self.progress.subscribe();
        // The sender lives as long as this refresher.
        let _fetched = progress.wait_for(|progress| progress.fetched).await;
    }

    /// Whether a fetch is under way, now that one was asked for.
    fn ask(&self) -> bool {
        let mut starts = false;
        self.progress.send_if_modified(|progress| {
            let recent = |ended: Instant| ended.elapsed() < limits::ASK_INTERVAL;
            starts = !progress.busy && !progress.ended.is_some_and(recent);
            progress.busy |= starts;
            starts
        });
        if starts {
            self.asked.notify_one();
        }
        self.progress.borrow().busy
    }
}

struct Work {
    issuer: String,
    source: Source,
    keys: Arc<IssuerKeys>,
    progress: Arc<watch::Sender<Progress>>,
    asked: Arc<Notify>,
}

impl Work {
    async fn run(self) {
        loop {
            let pause = self.fetch().await;
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.asked.notified() => {}
            }
            self.progress.send_modify(|progress| progress.busy = true);
        }
    }

    /// Fetches once; how long that is good for.
    async fn fetch(&self) -> Duration {
        let fetched = self.source.fetch().await;
        let ok = fetched.is_ok();
        match fetched {
            Ok(keys) => {
                tracing::debug!(issuer = self.issuer, keys = keys.len(), "fetched keys");
                self.keys.replace(keys);
            }
            Err(why) => tracing::warn!(issuer = self.issuer, %why, "cannot fetch keys"),
        }
        self.progress.send_modify(|progress| {
            progress.busy = false;
            progress.fetched |= ok;
            progress.ended = Some(Instant::now());
        });
        if ok { limits::REFRESH_INTERVAL } else { limits::RETRY_INTERVAL }
    }
}

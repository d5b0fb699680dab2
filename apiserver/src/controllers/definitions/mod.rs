//! Looks after the definitions of custom resources: accepts their names, serves their objects, and
//! when they go takes their objects with them (spec: apimachinery 9.1).

mod cleanup;
mod known;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use kinds::definition;
use serde_json::Value;
use storage::cache::{Freshness, Subscription};

use super::until_stopped;
use super::writer::Kind;
use crate::handlers::{Part, Proposal};
use crate::objects::Object;
use crate::server::Server;
use known::{Known, KnownDefinitions};

const GROUP: &str = "apiextensions.k8s.io";
const PLURAL: &str = "customresourcedefinitions";
const FIELD_MANAGER: &str = "kube-apiserver";

/// When something is tried again that failed.
const RETRY: Duration = Duration::from_secs(1);

/// Serves what is defined, and from then on follows the definitions.
pub(super) async fn start(server: &Arc<Server>) -> Result<(), String> {
    let Ok(kind) = Kind::find(server, GROUP, "v1", PLURAL) else { return Ok(()) };
    let mut watch = kind.store.cache.subscribe_with_state();
    let mut controller = Controller::new(kind);
    controller.pass().await?;
    until_stopped(server, async move {
        loop {
            controller.next(&mut watch).await;
            let passed = controller.pass().await;
            controller.retry = passed.is_err();
            if let Err(error) = passed {
                tracing::error!(%error, "definitions could not be followed");
            }
        }
    });
    Ok(())
}

struct Controller {
    kind: Arc<Kind>,
    known: KnownDefinitions,
    /// What takes objects of definitions away, each ending with the definition's name.
    cleanups: FuturesUnordered<BoxFuture<'static, String>>,
    cleaning: BTreeSet<String>,
    retry: bool,
}

impl Controller {
    fn new(kind: Kind) -> Self {
        Self {
            kind: Arc::new(kind),
            known: KnownDefinitions::default(),
            cleanups: FuturesUnordered::new(),
            cleaning: BTreeSet::new(),
            retry: false,
        }
    }

    /// Waits for something to do.
    async fn next(&mut self, watch: &mut Subscription<Object>) {
        let again = async {
            if self.retry { tokio::time::sleep(RETRY).await } else { std::future::pending().await }
        };
        tokio::select! {
            event = watch.events.recv() => {
                if event.is_none() {
                    *watch = self.kind.store.cache.subscribe_with_state();
                }
                // One look at all is enough for those that wait behind it.
                while watch.events.try_recv().is_ok() {}
            }
            Some(name) = self.cleanups.next() => {
                self.cleaning.remove(&name);
                self.known.set_empty(&name);
            }
            () = again => {}
        }
    }

    async fn pass(&mut self) -> Result<(), String> {
        let list = self.kind.store.cache.list(Freshness::Consistent).await;
        let list = list.map_err(|error| error.to_string())?;
        self.known.refresh(&list.entries, &self.kind.store.resource);
        self.accept_names().await?;
        self.serve().await?;
        self.establish().await?;
        self.clean_up().await
    }

    /// Settles which names definitions get, in the order in which they ask.
    async fn accept_names(&mut self) -> Result<(), String> {
        while let Some(name) = self.known.next_unsettled() {
            let Some(known) = self.known.get(&name) else { continue };
            let group = known.group().to_owned();
            let taken = self.known.taken_names(&group);
            let named = |live: &Value, now: &str| definition::with_names(live, &taken, now);
            let written = write_status(&self.kind, &name, named).await?;
            if let Some(written) = written {
                self.known.replace(&name, written);
            }
        }
        Ok(())
    }

    async fn serve(&mut self) -> Result<(), String> {
        let catalog = &self.kind.server.catalog;
        if self.known.compile(catalog).await {
            let served = self.known.served();
            let swapped = catalog.serve(&served).await;
            if swapped.is_err() {
                self.known.forget_served();
            }
            swapped.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Says of those whose objects are served now that they are.
    async fn establish(&mut self) -> Result<(), String> {
        let now = self.now();
        let ready = |known: &Known| definition::established(&known.value, &now).is_some();
        for name in self.known.names(ready) {
            let written = write_status(&self.kind, &name, definition::established).await?;
            if let Some(written) = written {
                self.known.replace(&name, written);
            }
        }
        Ok(())
    }

    /// Begins to take away the objects of definitions that go, and lets those go that have none.
    async fn clean_up(&mut self) -> Result<(), String> {
        for name in self.known.names(Known::awaits_cleanup) {
            let Some(known) = self.known.get(&name) else { continue };
            if known.is_empty {
                cleanup::let_go(&self.kind, &name).await?;
            } else if self.cleaning.insert(name.clone()) {
                let cleanup = cleanup::Cleanup::new(&self.kind, &name, known);
                self.cleanups.push(Box::pin(cleanup.run()));
            }
        }
        Ok(())
    }

    fn now(&self) -> String {
        self.kind.server.clock.timestamp().to_string()
    }
}

/// Writes the status that `change` gives a definition, if it gives another one. `None` if the
/// definition is gone, or stays as it is.
async fn write_status(
    kind: &Kind,
    name: &str,
    change: impl Fn(&Value, &str) -> Option<Value>,
) -> Result<Option<Value>, String> {
    let context = kind.context(FIELD_MANAGER, "", name, Part::STATUS);
    let now = kind.server.clock.timestamp().to_string();
    let live = match context.live().await {
        Ok(Some(live)) => live.object.value(&kind.store.resource),
        Ok(None) => return Ok(None),
        Err(status) => return Err(status.message),
    };
    if change(&live, &now).is_none() {
        return Ok(None);
    }
    let propose = |live: &Value| {
        let object = change(live, &now).unwrap_or_else(|| live.clone());
        Ok(Proposal { object, applied: false, uid: None })
    };
    match context.update(propose).await {
        Ok(written) => Ok(Some(written.value(&kind.store.resource))),
        Err(status) if status.code == 404 => Ok(None),
        Err(status) => Err(format!("{name}: {}", status.message)),
    }
}

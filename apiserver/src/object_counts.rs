//! How many objects are stored and how large they are, counted from time to time: the work of a
//! list is estimated by it (spec: apf 6.2).
//!
//! As on the reference the counts may be some minutes old, so that a list of objects that were
//! made just now is taken for less work than it is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use apf::estimate::{ObjectStatistics, ObjectStatisticsSource};
use arc_swap::ArcSwap;
use tokio::time::Instant;

use crate::catalog::Catalog;
use crate::metrics::Metrics;

/// Counts that are older than this are not believed.
const FRESH_FOR: Duration = Duration::from_secs(3 * 60);
/// By how much the time between two counts may be longer than asked for.
const JITTER: f64 = 1.2;

/// The latest counts.
#[derive(Debug)]
pub struct ObjectCounts {
    catalog: Arc<Catalog>,
    /// By group and resource.
    latest: ArcSwap<Counts>,
    /// `None` if nothing is counted.
    period: Option<Duration>,
}

type Counts = BTreeMap<String, BTreeMap<String, Count>>;

#[derive(Debug, Clone, Copy)]
struct Count {
    at: Instant,
    objects: u64,
    bytes: u64,
}

impl ObjectCounts {
    /// Nothing was counted yet. With a period of zero nothing ever is.
    #[must_use]
    pub fn new(catalog: &Arc<Catalog>, period: Duration) -> Self {
        Self {
            catalog: Arc::clone(catalog),
            latest: ArcSwap::default(),
            period: (!period.is_zero()).then_some(period),
        }
    }

    /// Counts now, and then again and again.
    pub async fn keep_counting(&self, metrics: &Metrics) {
        let Some(period) = self.period else { return };
        loop {
            self.count(metrics);
            let random = u16::from_be_bytes(random_bytes());
            let later = period.mul_f64(JITTER * f64::from(random) / f64::from(u16::MAX));
            tokio::time::sleep(period + later).await;
        }
    }

    fn count(&self, metrics: &Metrics) {
        let mut counts = Counts::new();
        for store in self.catalog.now().stores.iter() {
            let (objects, bytes) = store.cache.size();
            let objects = u64::try_from(objects).unwrap_or(u64::MAX);
            let (group, plural) = (&store.resource.kind.group, &store.resource.described.plural);
            let count = Count { at: Instant::now(), objects, bytes };
            counts.entry(group.clone()).or_default().insert(plural.clone(), count);
            metrics.note_objects(group, plural, objects, bytes);
        }
        for (group, resources) in self.latest.load().iter() {
            let still = |plural| counts.get(group).is_some_and(|now| now.contains_key(plural));
            let gone = resources.keys().filter(|plural| !still(*plural));
            gone.for_each(|plural| metrics.forget_objects(group, plural));
        }
        self.latest.store(Arc::new(counts));
    }
}

fn random_bytes() -> [u8; 2] {
    let [first, second, ..] = *uuid::Uuid::new_v4().as_bytes();
    [first, second]
}

impl ObjectStatisticsSource for ObjectCounts {
    fn object_statistics(&self, api_group: &str, resource: &str) -> ObjectStatistics {
        let counts = self.latest.load();
        let count = counts.get(api_group).and_then(|resources| resources.get(resource));
        match count.copied() {
            None => ObjectStatistics::Unknown,
            Some(count) if count.at.elapsed() > FRESH_FOR => ObjectStatistics::Stale,
            Some(Count { objects, bytes, .. }) => ObjectStatistics::Known {
                count: objects,
                average_bytes: bytes.checked_div(objects).unwrap_or_default(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use storage::Backend;
    use storage::memory::Memory;

    use super::*;
    use crate::metrics::tests::metrics;
    use crate::nonresource::AboutServer;
    use crate::resources::Resources;
    use crate::resources::custom::Compiled;
    use crate::resources::custom::testing::definition;

    const MINUTE: Duration = Duration::from_secs(60);
    const GROUP: &str = "flowcontrol.apiserver.k8s.io";

    async fn catalog() -> Arc<Catalog> {
        let backend: Arc<dyn Backend> = Arc::new(Memory::new());
        let built_in = Resources::built_in(&crate::options::RuntimeConfig::default());
        let about = AboutServer::default();
        Arc::new(Catalog::open(&backend, built_in, about).await.unwrap())
    }

    fn known(counts: &ObjectCounts) -> Option<u64> {
        match counts.object_statistics(GROUP, "flowschemas") {
            ObjectStatistics::Known { count, .. } => Some(count),
            ObjectStatistics::Unknown | ObjectStatistics::Stale => None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn objects_count_from_the_next_time_they_are_counted() {
        let catalog = catalog().await;
        let (counts, metrics) = (Arc::new(ObjectCounts::new(&catalog, MINUTE)), metrics());
        assert_eq!(known(&counts), None);
        let counting = Arc::clone(&counts);
        let task = tokio::spawn(async move { counting.keep_counting(&metrics).await });
        tokio::time::sleep(MINUTE / 60).await;
        assert_eq!(known(&counts), Some(0));
        let served = catalog.now();
        let store = served.stores.find(GROUP, "flowschemas").unwrap();
        let key = store.resource.key("", "a");
        store.create(&key, &json!({ "metadata": { "name": "a" } })).await.unwrap();
        assert_eq!(known(&counts), Some(0));
        tokio::time::sleep(MINUTE.mul_f64(1.0 + JITTER)).await;
        assert_eq!(known(&counts), Some(1));
        assert_eq!(counts.object_statistics("", "nopes"), ObjectStatistics::Unknown);
        task.abort();
        tokio::time::sleep(FRESH_FOR + MINUTE).await;
        assert_eq!(counts.object_statistics(GROUP, "flowschemas"), ObjectStatistics::Stale);
    }

    #[tokio::test]
    async fn what_is_served_no_more_is_counted_no_more() {
        let catalog = catalog().await;
        let widgets = Compiled::new(&definition()).unwrap().serve(false);
        let (counts, metrics) = (ObjectCounts::new(&catalog, MINUTE), metrics());
        catalog.serve(&[widgets]).await.unwrap();
        counts.count(&metrics);
        assert!(metrics.text().contains("resource=\"widgets\""));
        catalog.serve(&[]).await.unwrap();
        counts.count(&metrics);
        assert!(!metrics.text().contains("resource=\"widgets\""));
        assert!(metrics.text().contains("resource=\"flowschemas\""));
        assert_eq!(counts.object_statistics("example.com", "widgets"), ObjectStatistics::Unknown);
    }

    #[tokio::test]
    async fn without_a_period_nothing_is_ever_known() {
        let counts = ObjectCounts::new(&catalog().await, Duration::ZERO);
        counts.keep_counting(&metrics()).await;
        assert_eq!(counts.object_statistics(GROUP, "flowschemas"), ObjectStatistics::Unknown);
    }
}

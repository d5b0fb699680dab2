//! Lists, and watches that begin like one (spec: apf 6.2).

use super::{Estimator, EstimatorConfig, ListQuery, ObjectStatistics, WorkEstimate};
use crate::digest::ResourceTarget;

const MAX_SEATS_BY_SIZE: u64 = 100;
const MAX_SEATS_BY_COUNT: u64 = 10;
const BYTES_PER_SEAT: u64 = 100_000;
/// What a list from the cache has in memory at a time.
const CACHE_LIST_BYTES: u64 = 1_000_000;
const OBJECTS_PER_SEAT: u64 = 100;
/// Objects whose number is not known.
const INFINITE_COUNT: u64 = 1_000_000_000;
/// Objects whose size is not known.
const ASSUMED_BYTES: u64 = 1_500_000;

/// What a list reads.
struct ListCost {
    count: u64,
    average_bytes: u64,
    limit: u64,
    single: bool,
    from_cache: bool,
    selects: bool,
}

impl Estimator<'_> {
    pub(super) fn list(&self, target: &ResourceTarget<'_>, query: &str) -> WorkEstimate {
        let by_size = self.config.size_based_list_cost_estimate;
        let cap = self.cap(if by_size { MAX_SEATS_BY_SIZE } else { MAX_SEATS_BY_COUNT });
        let Ok(query) = ListQuery::decode(query) else {
            return WorkEstimate::served_with(cap);
        };
        let is_watch = target.verb == "watch";
        if is_watch && !query.watch_sends_initial_events() {
            return WorkEstimate::ONE_SEAT;
        }
        let (count, average_bytes) =
            match self.objects.object_statistics(target.api_group, target.resource) {
                ObjectStatistics::Unknown => return WorkEstimate::ONE_SEAT,
                ObjectStatistics::Stale => (INFINITE_COUNT, ASSUMED_BYTES),
                ObjectStatistics::Known { count, average_bytes: 0 } if count > 0 => {
                    (count, ASSUMED_BYTES)
                }
                ObjectStatistics::Known { count, average_bytes } => (count, average_bytes),
            };
        let cost = ListCost {
            count,
            average_bytes,
            limit: u64::try_from(query.limit).unwrap_or_default(),
            single: !target.name.is_empty(),
            from_cache: is_watch || !is_delegated(&query, self.config),
            selects: query.selects,
        };
        let seats = if by_size { cost.seats_by_size() } else { cost.seats_by_count() };
        WorkEstimate::served_with(seats.clamp(1, cap))
    }
}

/// Whether a list is served from storage and not from the watch cache.
fn is_delegated(query: &ListQuery, config: EstimatorConfig) -> bool {
    match query.resource_version_match.as_str() {
        "NotOlderThan" => false,
        "" if query.continues => true,
        "" if query.resource_version.is_empty() => !config.consistent_read_from_cache,
        "" => query.limit > 0 && query.resource_version != "0",
        _ => true,
    }
}

impl ListCost {
    /// How many objects there are up to the limit.
    fn limited(&self) -> u64 {
        if self.limit > 0 { self.limit.min(self.count) } else { self.count }
    }

    fn seats_by_size(&self) -> u64 {
        let objects = match self {
            Self { single: true, .. } => 1,
            Self { from_cache: false, selects: true, .. } => self.limited().max(self.count / 2),
            _ => self.limited(),
        };
        let bytes = objects.saturating_mul(self.average_bytes);
        let bytes = if self.from_cache { bytes.min(CACHE_LIST_BYTES) } else { bytes };
        bytes.div_ceil(BYTES_PER_SEAT)
    }

    fn seats_by_count(&self) -> u64 {
        let objects = match self {
            Self { single: true, .. } => 1,
            Self { from_cache: true, .. } => self.count,
            Self { selects: true, .. } => self.count + self.limited(),
            _ => 2 * self.limited(),
        };
        objects.div_ceil(OBJECTS_PER_SEAT)
    }
}

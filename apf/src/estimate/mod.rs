//! How much work a request is: the seats it takes and for how long after its answer
//! (spec: apf 6).

mod list;
mod mutating;
mod query;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::digest::{ResourceTarget, Target};
use crate::seat_seconds::SeatSeconds;

pub use query::{ListQuery, UndecodableQuery};

/// How long a request takes until it is known better (spec: apf 1, G).
pub const ESTIMATED_SERVICE_DURATION: Duration = Duration::from_millis(3);

/// How much work a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkEstimate {
    /// Seats while it is served; at least 1.
    pub initial_seats: u64,
    /// Seats for what it causes after its answer.
    pub final_seats: u64,
    /// How long those are occupied.
    pub additional_latency: Duration,
}

/// Which of the rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EstimatorConfig {
    /// Feature SizeBasedListCostEstimate: lists cost by bytes, not by objects.
    pub size_based_list_cost_estimate: bool,
    /// Feature WatchList: watches cost like lists while they deliver initial events.
    pub watch_list: bool,
    /// Whether the storage can serve the newest data from the watch cache.
    pub consistent_read_from_cache: bool,
}

/// What is known of the stored objects of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectStatistics {
    /// Nothing; the resource may be someone else's.
    Unknown,
    /// Nothing recent.
    Stale,
    /// This.
    Known {
        /// How many there are.
        count: u64,
        /// How large they are on average; 0 if that is not known.
        average_bytes: u64,
    },
}

/// Knows how many objects of a resource there are and how large they are.
pub trait ObjectStatisticsSource: Send + Sync + 'static {
    /// What is known now.
    fn object_statistics(&self, api_group: &str, resource: &str) -> ObjectStatistics;
}

/// A server without statistics, such as one that does not poll its storage.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObjectStatistics;

impl ObjectStatisticsSource for NoObjectStatistics {
    fn object_statistics(&self, _api_group: &str, _resource: &str) -> ObjectStatistics {
        ObjectStatistics::Unknown
    }
}

/// What estimating takes besides the request.
pub struct Estimator<'a> {
    /// Which of the rules hold.
    pub config: EstimatorConfig,
    /// The most seats that the request's level admits for one request, if it says so.
    pub level_max_seats: Option<u64>,
    /// What is known of stored objects.
    pub objects: &'a dyn ObjectStatisticsSource,
    /// How many watches would hear of this change.
    pub interested_watches: &'a dyn Fn(&ResourceTarget<'_>) -> u64,
}

/// An estimate and what it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimated {
    /// The work.
    pub work: WorkEstimate,
    /// How many watches would hear of the request; only for requests that change something.
    pub watch_count: Option<u64>,
}

impl Default for EstimatorConfig {
    fn default() -> Self {
        Self {
            size_based_list_cost_estimate: true,
            watch_list: true,
            consistent_read_from_cache: true,
        }
    }
}

impl WorkEstimate {
    /// One seat while it is served.
    pub const ONE_SEAT: Self = Self::served_with(1);

    const fn served_with(initial_seats: u64) -> Self {
        Self { initial_seats, final_seats: 0, additional_latency: Duration::ZERO }
    }

    /// The seats it occupies throughout.
    #[must_use]
    pub fn max_seats(&self) -> u64 {
        self.initial_seats.max(self.final_seats)
    }

    /// The work after the answer.
    #[must_use]
    pub fn final_work(&self) -> SeatSeconds {
        if self.additional_latency.is_zero() {
            return SeatSeconds::ZERO;
        }
        SeatSeconds::new(self.final_seats as f64, self.additional_latency)
    }

    /// All the work, if serving takes as long as requests are thought to.
    #[must_use]
    pub fn total_work(&self) -> SeatSeconds {
        SeatSeconds::new(self.initial_seats as f64, ESTIMATED_SERVICE_DURATION)
            .plus(self.final_work())
    }
}

impl Estimator<'_> {
    /// How much work a request with this raw query is.
    #[must_use]
    pub fn estimate(&self, target: &Target<'_>, query: &str) -> Estimated {
        let (work, watch_count) = match target {
            Target::NonResource { .. } => (WorkEstimate::ONE_SEAT, None),
            Target::Resource(resource) => match resource.verb {
                "list" => (self.list(resource, query), None),
                "watch" if self.config.watch_list => (self.list(resource, query), None),
                "create" | "update" | "patch" | "delete" => self.mutating(resource),
                _ => (WorkEstimate::ONE_SEAT, None),
            },
        };
        Estimated { work, watch_count }
    }

    /// The most seats, where the verb's own limit is `of_verb`.
    fn cap(&self, of_verb: u64) -> u64 {
        self.level_max_seats.filter(|seats| (1..=of_verb).contains(seats)).unwrap_or(of_verb)
    }
}

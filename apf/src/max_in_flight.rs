//! What limits requests when Priority and Fairness is off (spec: apf 8.8).

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::digest::RequestKind;
use crate::ratios::{InFlight, Phase};

/// Members of this group are served even when there is no room.
const PRIVILEGED_GROUP: &str = "system:masters";
/// The value of the header `Retry-After` of requests that find no room.
pub const RETRY_AFTER_SECONDS: u64 = 1;

/// Limits the number of requests by kind. Long-running requests, watches included, do not pass
/// here.
#[derive(Debug)]
pub struct MaxInFlight {
    /// By kind; `None` if there is no limit.
    limits: [Option<Arc<Semaphore>>; 2],
    in_flight: Arc<InFlight>,
}

/// There is no room for the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many requests of this kind")]
pub struct TooManyRequests;

/// A place among the limited requests; it is free again when this is dropped.
#[must_use = "dropping it frees the place"]
#[derive(Debug)]
pub struct Permit {
    /// The semaphore's permit and what counts it; `None` for requests that are not counted.
    counted: Option<(OwnedSemaphorePermit, Arc<InFlight>, RequestKind)>,
}

impl MaxInFlight {
    /// Limits requests that only read and those that may write to so many at a time; 0 is without
    /// limit. `None` if neither is limited.
    #[must_use]
    pub fn new(read_only: u32, mutating: u32, in_flight: Arc<InFlight>) -> Option<Self> {
        if read_only == 0 && mutating == 0 {
            return None;
        }
        let now = Instant::now().into_std();
        let limit = |kind, limit: u32| {
            in_flight.set_denominator(now, Phase::Executing, kind, u64::from(limit));
            (limit > 0).then(|| Arc::new(Semaphore::new(limit as usize)))
        };
        let limits =
            [limit(RequestKind::ReadOnly, read_only), limit(RequestKind::Mutating, mutating)];
        Some(Self { limits, in_flight })
    }

    /// Takes a place for a request of this kind by a user of these groups.
    ///
    /// # Errors
    ///
    /// [`TooManyRequests`] if there is no room.
    pub fn try_acquire(
        &self,
        kind: RequestKind,
        groups: &[String],
    ) -> Result<Permit, TooManyRequests> {
        let Some(semaphore) = &self.limits[kind.index()] else {
            return Ok(Permit { counted: None });
        };
        match Arc::clone(semaphore).try_acquire_owned() {
            Ok(permit) => {
                let in_flight = Arc::clone(&self.in_flight);
                in_flight.enter(Instant::now().into_std(), Phase::Executing, kind);
                Ok(Permit { counted: Some((permit, in_flight, kind)) })
            }
            Err(_) if groups.iter().any(|group| group == PRIVILEGED_GROUP) => {
                Ok(Permit { counted: None })
            }
            Err(_) => Err(TooManyRequests),
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some((permit, in_flight, kind)) = self.counted.take() {
            in_flight.leave(Instant::now().into_std(), Phase::Executing, kind);
            drop(permit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::epoch;

    fn limited(read_only: u32, mutating: u32) -> (MaxInFlight, Arc<InFlight>) {
        let in_flight = Arc::new(InFlight::new(epoch()));
        (MaxInFlight::new(read_only, mutating, Arc::clone(&in_flight)).unwrap(), in_flight)
    }

    #[test]
    fn places_are_limited_by_kind_and_come_back() {
        let (limits, in_flight) = limited(1, 2);
        let first = limits.try_acquire(RequestKind::ReadOnly, &[]).unwrap();
        assert!(limits.try_acquire(RequestKind::ReadOnly, &[]).is_err());
        let other = limits.try_acquire(RequestKind::Mutating, &[]).unwrap();
        assert_eq!(in_flight.current(Phase::Executing, RequestKind::ReadOnly), 1);
        drop(first);
        assert!(limits.try_acquire(RequestKind::ReadOnly, &[]).is_ok());
        drop(other);
        for kind in RequestKind::ALL {
            assert_eq!(in_flight.current(Phase::Executing, kind), 0);
        }
    }

    #[test]
    fn masters_are_served_without_room_and_zero_is_no_limit() {
        let (limits, in_flight) = limited(1, 0);
        let _first = limits.try_acquire(RequestKind::ReadOnly, &[]).unwrap();
        let masters = ["system:masters".to_owned()];
        let _second = limits.try_acquire(RequestKind::ReadOnly, &masters).unwrap();
        assert_eq!(in_flight.current(Phase::Executing, RequestKind::ReadOnly), 1);
        let _many: Vec<Permit> =
            (0..100).map(|_| limits.try_acquire(RequestKind::Mutating, &[]).unwrap()).collect();
        assert_eq!(in_flight.current(Phase::Executing, RequestKind::Mutating), 0);
        assert!(MaxInFlight::new(0, 0, in_flight).is_none());
    }
}

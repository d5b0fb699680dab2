//! Requests that change something and are heard of by watches (spec: apf 6.3).

use std::time::Duration;

use super::{Estimator, WorkEstimate};
use crate::digest::ResourceTarget;
use crate::seat_seconds::SeatSeconds;

const MAX_SEATS: u64 = 10;
const WATCHES_PER_SEAT: u64 = 10;
/// How long it takes to tell the watches of one seat.
const EVENT_DURATION: Duration = Duration::from_millis(5);

impl Estimator<'_> {
    /// The work, and how many watches hear of it unless it changes nothing that is watched.
    pub(super) fn mutating(&self, target: &ResourceTarget<'_>) -> (WorkEstimate, Option<u64>) {
        if target.resource == "serviceaccounts" && target.subresource == "token" {
            return (WorkEstimate::ONE_SEAT, None);
        }
        let watches = (self.interested_watches)(target);
        if watches < WATCHES_PER_SEAT {
            return (WorkEstimate::ONE_SEAT, Some(watches));
        }
        let uncapped = watches.div_ceil(WATCHES_PER_SEAT);
        let work = SeatSeconds::new(uncapped as f64, EVENT_DURATION);
        let final_seats = uncapped.min(self.cap(MAX_SEATS));
        let additional_latency = work.duration_per_seat(final_seats as f64);
        (WorkEstimate { initial_seats: 1, final_seats, additional_latency }, Some(watches))
    }
}

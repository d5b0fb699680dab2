//! How many seats each level has before borrowing (spec: apf 5.1, 6.1).

use super::level::{LevelKind, LevelSpec};

/// The largest part of its level's seats that one request may ask for.
const MAX_SEATS_FRACTION: f64 = 0.15;

/// A level's limits, in seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// NominalCL: its part of the server's seats.
    pub nominal: u64,
    /// MinCL: what stays when it has lent all it lends.
    pub min: u64,
    /// MaxCL: what it has when it has borrowed all it may.
    pub max: u64,
}

/// The sum of the shares of all levels.
#[must_use]
pub fn share_sum<'a>(specs: impl IntoIterator<Item = &'a LevelSpec>) -> u64 {
    specs.into_iter().map(|spec| u64::from(spec.nominal_concurrency_shares)).sum()
}

impl Limits {
    /// The limits of a level of a server with `server_concurrency_limit` seats, where the shares of
    /// all levels sum up to `share_sum`.
    #[must_use]
    pub fn of(spec: &LevelSpec, server_concurrency_limit: u64, share_sum: u64) -> Self {
        let shares = f64::from(spec.nominal_concurrency_shares);
        let nominal = server_concurrency_limit as f64 * shares / share_sum.max(1) as f64;
        let nominal = nominal.ceil() as u64;
        let borrowing = match spec.kind {
            LevelKind::Limited { borrowing_limit_percent: Some(percent), .. } => {
                percent_of(nominal, percent)
            }
            LevelKind::Limited { borrowing_limit_percent: None, .. } | LevelKind::Exempt => {
                server_concurrency_limit
            }
        };
        let lendable = percent_of(nominal, spec.lendable_percent);
        Self { nominal, min: nominal.saturating_sub(lendable), max: nominal + borrowing }
    }

    /// How many seats one request of the level may ask for; `None` if the level has no queues and
    /// the limits of the verbs hold alone.
    #[must_use]
    pub fn max_seats(&self, spec: &LevelSpec) -> Option<u64> {
        spec.queuing().map(|queuing| max_seats(self.nominal, queuing.dealer.hand_size()))
    }
}

fn max_seats(nominal: u64, hand_size: u32) -> u64 {
    let fraction = (MAX_SEATS_FRACTION * nominal as f64).ceil() as u64;
    fraction.min(nominal / u64::from(hand_size)).max(1)
}

fn percent_of(seats: u64, percent: u32) -> u64 {
    (seats as f64 * f64::from(percent) / 100.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::vectors;

    #[test]
    fn most_seats_of_a_request_are_as_recorded() {
        for case in vectors("limits")["maxSeats"].as_array().unwrap() {
            let hand_size = u32::try_from(case["handSize"].as_u64().unwrap()).unwrap();
            let seats = max_seats(case["nominalCL"].as_u64().unwrap(), hand_size);
            assert_eq!(Some(seats), case["maxSeats"].as_u64(), "{case}");
        }
    }
}

//! Seat-seconds in fixed point (spec: apf 7.1).

use std::fmt;
use std::time::Duration;

/// Units of one seat-second.
const UNITS: u64 = 100_000_000;
/// Nanoseconds with one seat that make one unit.
const NANOS_PER_UNIT: f64 = 10.0;

/// An amount of work, or a reading of a progress meter: so many seats for so long.
///
/// 64 bits, 10⁸ units to the seat-second. Negative amounts wrap around, and so do addition and
/// subtraction, so that differences come out right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct SeatSeconds(u64);

impl SeatSeconds {
    /// No work.
    pub const ZERO: Self = Self(0);
    /// At this reading a progress meter is wound back (spec: apf 7.4).
    pub(crate) const EPOCH_END: Self = Self(13_835_058_055_282_163_710);
    /// By so much it is wound back.
    pub(crate) const EPOCH_STEP: Self = Self(9_223_372_036_854_775_807);

    /// From units.
    #[must_use]
    pub const fn from_units(units: u64) -> Self {
        Self(units)
    }

    /// `seats` seats for `duration`.
    #[must_use]
    pub fn new(seats: f64, duration: Duration) -> Self {
        Self::from_nanos(seats, nanos(duration))
    }

    /// `seats` seats for `longer` less `shorter`, which may be negative and wraps then.
    #[must_use]
    pub fn of_difference(seats: f64, longer: Duration, shorter: Duration) -> Self {
        Self::from_nanos(seats, nanos(longer) - nanos(shorter))
    }

    fn from_nanos(seats: f64, nanos: f64) -> Self {
        Self(((seats * nanos / NANOS_PER_UNIT).round() as i64).cast_unsigned())
    }

    /// The units.
    #[must_use]
    pub const fn units(self) -> u64 {
        self.0
    }

    /// As a number of seat-seconds.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / UNITS as f64
    }

    /// How long each of `seats` seats is occupied by this work.
    #[must_use]
    pub fn duration_per_seat(self, seats: f64) -> Duration {
        Duration::from_nanos((self.0 as f64 / seats * NANOS_PER_UNIT) as u64)
    }

    /// The sum, which wraps.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// The difference, which wraps.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }

    /// Winds a reading back by one epoch, and says whether it was far enough along.
    pub(crate) fn wind_back(&mut self) -> bool {
        let far_enough = *self >= Self::EPOCH_STEP;
        *self = self.minus(Self::EPOCH_STEP);
        far_enough
    }
}

/// By way of 64 bits, which are faster than the 128 of `as_nanos` and enough for centuries.
fn nanos(duration: Duration) -> f64 {
    let seconds = duration.as_secs().saturating_mul(1_000_000_000);
    seconds.saturating_add(u64::from(duration.subsec_nanos())) as f64
}

impl fmt::Display for SeatSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:08}ss", self.0 / UNITS, self.0 % UNITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Json, vectors};

    fn units(case: &Json) -> SeatSeconds {
        SeatSeconds::from_units(case["raw"].as_str().unwrap().parse().unwrap())
    }

    #[test]
    fn seats_times_durations_are_as_recorded() {
        for case in vectors("seat-seconds")["seatsTimesDuration"].as_array().unwrap() {
            let seats = case["seats"].as_f64().unwrap();
            let nanos = case["durationNs"].as_i64().unwrap();
            let size = Duration::from_nanos(nanos.unsigned_abs());
            let amount = if nanos < 0 {
                SeatSeconds::of_difference(seats, Duration::ZERO, size)
            } else {
                SeatSeconds::new(seats, size)
            };
            assert_eq!(amount, units(case), "{case}");
            assert_eq!(amount.to_string(), case["string"].as_str().unwrap());
            assert_eq!(amount.as_f64(), case["float"].as_f64().unwrap());
        }
    }

    #[test]
    fn durations_per_seat_are_as_recorded() {
        for case in vectors("seat-seconds")["durationPerSeat"].as_array().unwrap() {
            let per_seat = units(case).duration_per_seat(case["seats"].as_f64().unwrap());
            assert_eq!(
                per_seat.as_nanos(),
                u128::from(case["durationPerSeatNs"].as_u64().unwrap())
            );
        }
    }

    #[test]
    fn texts_are_as_recorded() {
        for case in vectors("seat-seconds")["strings"].as_array().unwrap() {
            assert_eq!(units(case).to_string(), case["string"].as_str().unwrap());
        }
    }
}

//! Points in time as they stand in objects, and where they come from.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// RFC 3339 in UTC with whole seconds: `2006-01-02T15:04:05Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Timestamp(jiff::Timestamp);

/// RFC 3339 in UTC with six digits of microseconds: `2006-01-02T15:04:05.000000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct MicroTime(jiff::Timestamp);

/// The text is not a point in time in RFC 3339.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a time in RFC 3339: {0:?}")]
pub struct ParseError(String);

impl Timestamp {
    /// The second in which `time` lies.
    #[must_use]
    pub fn from_system_time(time: std::time::SystemTime) -> Self {
        jiff::Timestamp::try_from(time).map_or_else(|_| Self::default(), Self::from_jiff)
    }

    /// Seconds since the Unix epoch.
    #[must_use]
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        jiff::Timestamp::from_second(seconds).ok().map(Self)
    }

    /// Seconds since the Unix epoch.
    #[must_use]
    pub fn unix_seconds(self) -> i64 {
        self.0.as_second()
    }

    fn from_jiff(time: jiff::Timestamp) -> Self {
        Self(jiff::Timestamp::from_second(time.as_second()).unwrap_or_default())
    }
}

impl MicroTime {
    /// The microsecond in which `time` lies.
    #[must_use]
    pub fn from_system_time(time: std::time::SystemTime) -> Self {
        Self(jiff::Timestamp::try_from(time).unwrap_or_default())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for MicroTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.0)
    }
}

impl FromStr for Timestamp {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse(text).map(Self::from_jiff)
    }
}

impl FromStr for MicroTime {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse(text).map(Self)
    }
}

fn parse(text: &str) -> Result<jiff::Timestamp, ParseError> {
    text.parse().map_err(|_| ParseError(text.to_owned()))
}

macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

as_text!(Timestamp, MicroTime);

/// Wall time. Tests bring their own.
pub trait Clock: Send + Sync + 'static {
    /// The current wall time; it may jump in either direction.
    fn now(&self) -> std::time::SystemTime;

    /// The current second.
    fn timestamp(&self) -> Timestamp {
        Timestamp::from_system_time(self.now())
    }
}

/// The machine's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the place that asks for wall time")]
    fn now(&self) -> std::time::SystemTime {
        std::time::SystemTime::now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_written_with_whole_seconds() {
        let time: Timestamp = "2026-11-30T05:27:51.75+01:00".parse().unwrap();
        assert_eq!(time.to_string(), "2026-11-30T04:27:51Z");
    }

    #[test]
    fn micro_times_are_written_with_six_digits() {
        let time: MicroTime = "2026-11-30T05:27:51.5Z".parse().unwrap();
        assert_eq!(time.to_string(), "2026-11-30T05:27:51.500000Z");
    }
}

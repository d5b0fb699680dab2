//! Points in time and spans of it.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use super::convert::unreadable;
use super::{Evaluated, mismatch};
use crate::cel::eval::EvalError;
use crate::cel::value::Value;
use crate::schema::go_duration;

const SECOND: i64 = 1_000_000_000;

pub(super) fn duration<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Duration(nanos)] => Ok(Value::Duration(*nanos)),
        [Value::Text(text)] => go_duration(text)
            .map(Value::Duration)
            .ok_or_else(|| unreadable("google.protobuf.Duration")),
        _ => mismatch(),
    }
}

pub(super) fn timestamp<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Timestamp(moment)] => Ok(Value::Timestamp(*moment)),
        [Value::Text(text)] => {
            text.parse().map(Value::Timestamp).map_err(|_| unreadable("google.protobuf.Timestamp"))
        }
        [Value::Int(seconds)] => Timestamp::from_second(*seconds)
            .map(Value::Timestamp)
            .map_err(|_| EvalError::message("timestamp overflow")),
        _ => mismatch(),
    }
}

/// A moment as clocks show it, in UTC or in the zone that is named.
fn shown(args: &[Value<'_>]) -> Result<DateTime, EvalError> {
    match args {
        [Value::Timestamp(moment)] => Ok(Offset::UTC.to_datetime(*moment)),
        [Value::Timestamp(moment), Value::Text(zone)] => Ok(time_zone(zone)?.to_datetime(*moment)),
        _ => Err(EvalError::NoSuchOverload),
    }
}

/// Such as `Europe/Berlin` or `+01:00`.
fn time_zone(name: &str) -> Result<TimeZone, EvalError> {
    let unknown = || EvalError::message(format!("unknown time zone {name}"));
    let Some((hours, minutes)) = name.split_once(':') else {
        return TimeZone::get(name).map_err(|_| unknown());
    };
    let (sign, hours) = match hours.strip_prefix('-') {
        Some(hours) => (-1, hours),
        None => (1, hours.strip_prefix('+').unwrap_or(hours)),
    };
    let parsed = hours.parse::<i32>().ok().zip(minutes.parse::<i32>().ok());
    let (hours, minutes) = parsed.ok_or_else(unknown)?;
    let seconds = hours.checked_mul(3600).zip(minutes.checked_mul(60)).map(|(h, m)| sign * (h + m));
    let offset = seconds.and_then(|seconds| Offset::from_seconds(seconds).ok());
    offset.map(TimeZone::fixed).ok_or_else(unknown)
}

fn part<'v>(args: &[Value<'v>], of: fn(&DateTime) -> i64) -> Evaluated<'v> {
    shown(args).map(|shown| Value::Int(of(&shown)))
}

pub(super) fn full_year<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |shown| shown.year().into())
}

/// From 0.
pub(super) fn month<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |shown| i64::from(shown.month()) - 1)
}

/// From 1.
pub(super) fn date<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |shown| shown.day().into())
}

/// From 0.
pub(super) fn day_of_month<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |shown| i64::from(shown.day()) - 1)
}

/// From 0.
pub(super) fn day_of_year<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |shown| i64::from(shown.day_of_year()) - 1)
}

/// From 0, which is Sunday.
pub(super) fn day_of_week<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |shown| shown.weekday().to_sunday_zero_offset().into())
}

fn part_or_whole<'v>(args: &[Value<'v>], of: fn(&DateTime) -> i64, unit: i64) -> Evaluated<'v> {
    match args {
        [Value::Duration(nanos)] => Ok(Value::Int(nanos / unit)),
        _ => part(args, of),
    }
}

pub(super) fn hours<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part_or_whole(args, |shown| shown.hour().into(), 3600 * SECOND)
}

pub(super) fn minutes<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part_or_whole(args, |shown| shown.minute().into(), 60 * SECOND)
}

pub(super) fn seconds<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part_or_whole(args, |shown| shown.second().into(), SECOND)
}

pub(super) fn milliseconds<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part_or_whole(args, |shown| shown.millisecond().into(), SECOND / 1000)
}

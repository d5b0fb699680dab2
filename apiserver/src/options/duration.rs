//! Durations as the reference's flags and queries write them: `1h30m`, `1m0s`, `250ms`.

use std::time::Duration;

/// A span of time; negative ones are told apart from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoDuration {
    /// Whether it is below zero.
    pub negative: bool,
    /// How long it is.
    pub length: Duration,
}

/// Parses a duration.
///
/// # Errors
///
/// The reference's text.
pub fn parse(text: &str) -> Result<GoDuration, String> {
    let invalid = || format!("time: invalid duration {}", validation::text::go_quote(text));
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(GoDuration { negative: false, length: Duration::ZERO });
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut nanoseconds = 0f64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| invalid())?;
        rest = &rest[digits..];
        if rest.is_empty() {
            let quoted = validation::text::go_quote(text);
            return Err(format!("time: missing unit in duration {quoted}"));
        }
        let letters = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        let unit = unit_nanoseconds(&rest[..letters]).ok_or_else(|| {
            let unit = validation::text::go_quote(&rest[..letters]);
            format!("time: unknown unit {unit} in duration {}", validation::text::go_quote(text))
        })?;
        nanoseconds += number * unit;
        rest = &rest[letters..];
    }
    let length = Duration::try_from_secs_f64(nanoseconds / 1e9).map_err(|_| invalid())?;
    Ok(GoDuration { negative: negative && !length.is_zero(), length })
}

fn unit_nanoseconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" => 60e9,
        "h" => 3600e9,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_add_up() {
        for (text, milliseconds) in
            [("1m0s", 60_000), ("1h30m", 5_400_000), ("1.5s", 1500), ("0", 0)]
        {
            let parsed = parse(text).unwrap();
            assert_eq!(
                (parsed.negative, parsed.length.as_millis()),
                (false, milliseconds),
                "{text}"
            );
        }
        assert!(parse("-1s").unwrap().negative);
    }

    #[test]
    fn what_is_not_a_duration_is_named() {
        assert_eq!(parse("abc").unwrap_err(), "time: invalid duration \"abc\"");
        assert_eq!(parse("").unwrap_err(), "time: invalid duration \"\"");
        assert_eq!(parse("5").unwrap_err(), "time: missing unit in duration \"5\"");
        assert_eq!(parse("5x").unwrap_err(), "time: unknown unit \"x\" in duration \"5x\"");
    }
}

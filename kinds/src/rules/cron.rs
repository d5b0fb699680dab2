//! Schedules of CronJobs: five fields, or a word such as `@daily`.

/// The numbers a field may have, and names for them, counted from the smallest.
struct Bounds {
    min: u32,
    max: u32,
    names: &'static [&'static str],
}

const FIELDS: [Bounds; 5] = [
    Bounds { min: 0, max: 59, names: &[] },
    Bounds { min: 0, max: 23, names: &[] },
    Bounds { min: 1, max: 31, names: &[] },
    Bounds {
        min: 1,
        max: 12,
        names: &[
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ],
    },
    Bounds { min: 0, max: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const WORDS: [&str; 7] =
    ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// Reads a schedule.
///
/// # Errors
///
/// What is wrong with it, in the words of the reference.
pub(super) fn check(schedule: &str) -> Result<(), String> {
    if schedule.is_empty() {
        return Err("empty spec string".to_owned());
    }
    let schedule = match schedule.strip_prefix("CRON_TZ=").or(schedule.strip_prefix("TZ=")) {
        Some(rest) => rest.split_once(' ').map_or("", |(_, rest)| rest).trim(),
        None => schedule,
    };
    if schedule.starts_with('@') {
        return check_word(schedule);
    }
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(format!(
            "expected exactly {} fields, found {}: [{}]",
            FIELDS.len(),
            fields.len(),
            fields.join(" ")
        ));
    }
    fields.into_iter().zip(&FIELDS).try_for_each(|(field, bounds)| bounds.check(field))
}

fn check_word(word: &str) -> Result<(), String> {
    if WORDS.contains(&word) {
        return Ok(());
    }
    match word.strip_prefix("@every ") {
        Some(duration) if is_duration(duration) => Ok(()),
        Some(duration) => Err(format!(
            "failed to parse duration {word}: time: invalid duration {}",
            validation::text::go_quote(duration)
        )),
        None => Err(format!("unrecognized descriptor: {word}")),
    }
}

/// Numbers with units, such as `1h30m`.
fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let mut parts = 0;
    while !rest.is_empty() {
        let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = &rest[..rest.len() - unit.len()];
        let known = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"];
        let Some(known) = known.into_iter().find(|known| unit.starts_with(known)) else {
            return false;
        };
        if number.parse::<f64>().is_err() {
            return false;
        }
        rest = &unit[known.len()..];
        parts += 1;
    }
    parts > 0
}

impl Bounds {
    fn check(&self, field: &str) -> Result<(), String> {
        field.split(',').filter(|part| !part.is_empty()).try_for_each(|part| self.check_range(part))
    }

    fn check_range(&self, range: &str) -> Result<(), String> {
        let parts: Vec<&str> = range.split('/').collect();
        let ends: Vec<&str> = parts[0].split('-').collect();
        let (start, mut end) = if matches!(ends[0], "*" | "?") {
            (self.min, self.max)
        } else {
            let start = self.number(ends[0])?;
            match ends[..] {
                [_] => (start, start),
                [_, end] => (start, self.number(end)?),
                _ => return Err(format!("too many hyphens: {range}")),
            }
        };
        let step = match parts[..] {
            [_] => 1,
            [_, step] => {
                if ends.len() == 1 {
                    end = self.max;
                }
                number(step)?
            }
            _ => return Err(format!("too many slashes: {range}")),
        };
        if start < self.min {
            return Err(format!(
                "beginning of range ({start}) below minimum ({}): {range}",
                self.min
            ));
        }
        if end > self.max {
            return Err(format!("end of range ({end}) above maximum ({}): {range}", self.max));
        }
        if start > end {
            return Err(format!(
                "beginning of range ({start}) beyond end of range ({end}): {range}"
            ));
        }
        if step == 0 {
            return Err(format!("step of range should be a positive number: {range}"));
        }
        Ok(())
    }

    fn number(&self, text: &str) -> Result<u32, String> {
        let name = text.to_lowercase();
        match (self.min..).zip(self.names).find(|(_, known)| **known == name) {
            Some((number, _)) => Ok(number),
            None => number(text),
        }
    }
}

fn number(text: &str) -> Result<u32, String> {
    match text.parse::<i64>() {
        Ok(number) if number < 0 => Err(format!("negative number ({number}) not allowed: {text}")),
        Ok(number) => Ok(u32::try_from(number).unwrap_or(u32::MAX)),
        Err(_) => Err(format!(
            "failed to parse int from {text}: strconv.Atoi: parsing {}: invalid syntax",
            validation::text::go_quote(text)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_have_five_fields_or_are_a_word() {
        for schedule in [
            "* * * * *",
            "*/5 0-6,12 ? JAN-mar sun",
            "@daily",
            "@every 1h30m",
            "0 12/2 1 1 1",
            "TZ=UTC 0 0 * * *",
        ] {
            assert_eq!(check(schedule), Ok(()), "{schedule}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_schedule_is_told() {
        for (schedule, text) in [
            ("", "empty spec string"),
            ("a b", "expected exactly 5 fields, found 2: [a b]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("1/2/3 * * * *", "too many slashes: 1/2/3"),
            (
                "* * * * x",
                "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax",
            ),
            ("@never", "unrecognized descriptor: @never"),
        ] {
            assert_eq!(check(schedule).unwrap_err(), text, "{schedule}");
        }
    }
}

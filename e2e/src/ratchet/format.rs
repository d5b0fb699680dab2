//! How the list is written: `file case steps: reason`, steps as `3,7-9,cleanup`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::{Entry, Line, Ratchet};
use crate::error::Error;
use crate::replay::StepKey;

/// What stands at the top of a new list.
pub(super) const HEADER: &str = "\
# Steps of recorded cases that do not agree with the reference yet: `file case steps: reason`.
# This list may only shrink: `cargo run -p e2e -- ratchet` takes out what agrees by now.
";

/// A list has no more steps in one range than this.
const MAX_STEP: usize = 100_000;

impl FromStr for Ratchet {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let line = |(number, line): (usize, &str)| {
            if line.trim().is_empty() || line.starts_with('#') {
                return Ok(Line::Comment(line.to_owned()));
            }
            let entry = entry(line).ok_or_else(|| Error::Ratchet {
                line: number + 1,
                why: format!("{line:?} is not `file case steps: reason`"),
            });
            Ok(Line::Entry(entry?))
        };
        Ok(Self { lines: text.lines().enumerate().map(line).collect::<Result<_, Error>>()? })
    }
}

fn entry(line: &str) -> Option<Entry> {
    let (head, reason) = line.split_once(": ")?;
    let [file, case, steps] = head.split(' ').collect::<Vec<_>>()[..] else { return None };
    let mut keys = BTreeSet::new();
    for part in steps.split(',') {
        if part == "cleanup" {
            keys.insert(StepKey::Cleanup);
            continue;
        }
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last > MAX_STEP {
            return None;
        }
        keys.extend((first..=last).map(StepKey::Step));
    }
    let [file, case, reason] = [file, case, reason].map(str::to_owned);
    Some(Entry { file, case, steps: keys, reason })
}

impl fmt::Display for Ratchet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| match line {
            Line::Comment(text) => writeln!(f, "{text}"),
            Line::Entry(entry) => writeln!(f, "{entry}"),
        })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = ranges(&self.steps);
        write!(f, "{} {} {steps}: {}", self.file, self.case, self.reason)
    }
}

fn ranges(steps: &BTreeSet<StepKey>) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let mut cleanup = false;
    for step in steps {
        match (step, ranges.last_mut()) {
            (StepKey::Cleanup, _) => cleanup = true,
            (StepKey::Step(number), Some((_, last))) if *last + 1 == *number => *last = *number,
            (StepKey::Step(number), _) => ranges.push((*number, *number)),
        }
    }
    let range = |(first, last): (usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let mut parts: Vec<_> = ranges.into_iter().map(range).collect();
    parts.extend(cleanup.then(|| "cleanup".to_owned()));
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_written_as_it_was_read() {
        let text = "# why\n\ncases/a.json a-case 0,2-4,7,cleanup: needs this: and that\n";
        assert_eq!(text.parse::<Ratchet>().unwrap().to_string(), text);
    }

    #[test]
    fn neighbours_are_written_as_a_range() {
        let list: Ratchet = "f c 3,1,2,9,9: r".parse().unwrap();
        assert_eq!(list.to_string(), "f c 1-3,9: r\n");
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        for wrong in ["f c 1", "f c: r", "f c x: r", "f c 3-1: r", "f c 1 2: r", "f c 0-1000000: r"]
        {
            let why = format!("# a\n{wrong}").parse::<Ratchet>().unwrap_err().to_string();
            assert!(why.starts_with("not-yet-passing.txt:2: "), "{why}");
        }
    }
}

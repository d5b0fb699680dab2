//! When rejected clients should try again (spec: apf 8.5).

use std::collections::VecDeque;

/// The longest wait, in seconds.
const MAX_SECONDS: i64 = 32;
/// So many rejections for each second of waiting make the wait longer.
const DROPS_PER_SECOND: i64 = 3;

/// Counts a level's rejections, second by second, and lengthens the wait while there are many. It
/// never shortens without new rejections.
#[derive(Debug, Clone)]
pub struct RetryAfter {
    history: VecDeque<Second>,
    current: Second,
    seconds: i64,
    last_increase: i64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Second {
    at: i64,
    drops: i64,
}

impl Default for RetryAfter {
    fn default() -> Self {
        let (history, current) = (VecDeque::new(), Second::default());
        Self { history, current, seconds: 1, last_increase: 0 }
    }
}

impl RetryAfter {
    /// How many seconds clients should wait: a power of two up to 32, or less on the way down.
    #[must_use]
    pub const fn seconds(&self) -> i64 {
        self.seconds
    }

    /// A request was rejected in this second of any monotonic count.
    pub fn record_drop(&mut self, second: i64) {
        if second == self.current.at {
            self.current.drops += 1;
            return;
        }
        self.history.push_back(self.current);
        let kept = (2 * self.seconds).min(MAX_SECONDS);
        while self.history.front().is_some_and(|old| self.current.at - old.at > kept) {
            self.history.pop_front();
        }
        self.current = Second { at: second, drops: 1 };
        self.adjust(second);
    }

    fn adjust(&mut self, now: i64) {
        let window = now - self.seconds..now;
        let in_window = self.history.iter().filter(|second| window.contains(&second.at));
        let drops: i64 = in_window.map(|second| second.drops).sum();
        if now - self.last_increase >= self.seconds && drops >= DROPS_PER_SECOND * self.seconds {
            self.seconds = (2 * self.seconds).min(MAX_SECONDS);
            self.last_increase = now;
        } else if drops < self.seconds && self.seconds > 1 {
            self.seconds -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::vectors;

    #[test]
    fn waits_are_as_recorded() {
        for scenario in vectors("retry-after").as_array().unwrap() {
            let mut retry_after = RetryAfter::default();
            for step in scenario["steps"].as_array().unwrap() {
                for _ in 0..step["drops"].as_u64().unwrap() {
                    retry_after.record_drop(step["second"].as_i64().unwrap());
                }
                let expected = step["retryAfterAfterwards"].as_i64();
                assert_eq!(Some(retry_after.seconds()), expected, "{} {step}", scenario["name"]);
            }
        }
    }
}

//! Real time, read in one place: these tools time real processes over real sockets.

use std::time::{Duration, Instant};

/// This instant.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "real processes cannot be driven by virtual time")]
pub fn now() -> Instant {
    Instant::now()
}

/// A moment after which waiting ends.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// The moment `wait` from now.
    #[must_use]
    pub fn after(wait: Duration) -> Self {
        Self(now() + wait)
    }

    /// What is left, zero once it has passed.
    #[must_use]
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(now())
    }

    /// Whether it has passed.
    #[must_use]
    pub fn passed(self) -> bool {
        self.left().is_zero()
    }
}

/// Asks again every `pause` until there is an answer or `wait` is over.
pub fn poll<T>(wait: Duration, pause: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Deadline::after(wait);
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if deadline.passed() {
            return None;
        }
        std::thread::sleep(pause.min(deadline.left()));
    }
}

//! The end of the process that started this one.

use std::os::unix::process::parent_id;
use std::time::Duration;

/// How often it is looked for.
const PERIOD: Duration = Duration::from_millis(250);

/// The process that started this one.
#[derive(Debug, Clone, Copy)]
pub struct Parent(u32);

impl Parent {
    /// As it is now: to be asked first of all, since whoever ends before is not missed.
    #[must_use]
    pub fn now() -> Self {
        Self(parent_id())
    }

    /// Waits until it has ended. Asking the kernel for a signal would not do: it comes when the thread
    /// that started this process ends.
    pub async fn ended(self) {
        while parent_id() == self.0 {
            tokio::time::sleep(PERIOD).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_that_ended_meanwhile_is_missed_at_once() {
        // No process is its own parent.
        Parent(std::process::id()).ended().await;
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_runs_is_not() {
        let ended = tokio::time::timeout(PERIOD * 40, Parent::now().ended()).await;
        assert!(ended.is_err());
    }
}

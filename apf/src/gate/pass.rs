//! What a request holds of its gate: a ticket while it waits, seats while it executes.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::oneshot;

use super::{Answered, Gate, now};
use crate::queueset::RequestId;

/// Which request of which gate.
pub(crate) struct Pass {
    pub(crate) gate: Arc<Gate>,
    pub(crate) id: RequestId,
}

/// The seats of a request that executes. Dropping them ends its main phase: they become free at
/// once, or after the additional latency of its work estimate.
#[must_use = "dropping them frees the seats"]
pub struct Seats {
    /// `None` once they were given back.
    held: Option<Pass>,
}

/// A place in a queue. Dropping it leaves the queue; if the request was dispatched meanwhile it
/// ends it.
#[must_use = "dropping it leaves the queue"]
pub(crate) struct Ticket {
    /// `None` once it was turned in.
    held: Option<Pass>,
    dispatched: oneshot::Receiver<()>,
}

impl Seats {
    pub(super) fn new(pass: Pass) -> Self {
        Self { held: Some(pass) }
    }

    /// Gives the seats back before the request is over, as watches do when their initial events
    /// are delivered. Does nothing the second time.
    pub fn release(&mut self) {
        if let Some(pass) = self.held.take() {
            pass.gate.finish(now(), pass.id);
        }
    }

    /// Whether they have not been given back.
    #[must_use]
    pub const fn are_held(&self) -> bool {
        self.held.is_some()
    }
}

impl Drop for Seats {
    fn drop(&mut self) {
        self.release();
    }
}

impl fmt::Debug for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seats").field("held", &self.are_held()).finish()
    }
}

impl Ticket {
    pub(super) fn new(pass: Pass, dispatched: oneshot::Receiver<()>) -> Self {
        Self { held: Some(pass), dispatched }
    }

    /// Waits for the request's turn until `deadline`.
    ///
    /// # Errors
    ///
    /// After how many seconds the client should try again, if its turn did not come.
    pub(crate) async fn wait(mut self, deadline: Instant) -> Result<Seats, u64> {
        let in_time = tokio::time::timeout_at(deadline.into(), &mut self.dispatched).await;
        let dispatched = matches!(in_time, Ok(Ok(())));
        // It is taken out here and when the ticket is dropped, and both end its life.
        let Some(pass) = self.held.take() else { return Err(0) };
        if !dispatched
            // At the deadline the request may just have been dispatched: then it executes.
            && let Some(seconds) = pass.gate.cancel(pass.id, Answered::With429)
        {
            return Err(seconds);
        }
        Ok(Seats::new(pass))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(pass) = self.held.take()
            && pass.gate.cancel(pass.id, Answered::NotAtAll).is_none()
        {
            drop(Seats::new(pass));
        }
    }
}

//! The way of a request through its level (spec: apf 1).

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::snapshot::SchemaInUse;
use super::{Classification, FlowController};
use crate::digest::{RequestDigest, RequestKind};
use crate::estimate::{Estimator, WorkEstimate};
use crate::gate::{Entered, RequestDetails, Retired, Seats, Visitor, now};
use crate::observe::ExecutionType;
use crate::queueset::RejectReason;

/// A request that asks to be served.
pub struct Request<'a> {
    /// Who sends it and what it asks for.
    pub digest: RequestDigest<'a>,
    /// Its raw query, without the question mark.
    pub query: &'a str,
    /// When it asks: from here on it waits.
    pub arrived: Instant,
    /// When it leaves its queue unserved, see [`crate::queue_wait_limit`].
    pub wait_deadline: Instant,
    /// More about it, for dumps.
    pub details: Arc<dyn RequestDetails>,
}

/// A request that may be served.
#[derive(Debug)]
pub struct Admitted {
    /// Which FlowSchema claims it and which level serves it.
    pub classification: Classification,
    /// How much work it is.
    pub work: WorkEstimate,
    /// How long it waited in its queue.
    pub waited: Duration,
    /// Its seats, to be held while it is served.
    pub seats: Seats,
}

/// A request that is not served; it is to be answered with 429.
#[derive(Debug)]
pub struct Rejected {
    /// Which FlowSchema claims it and which level would have served it.
    pub classification: Classification,
    /// How much work it would have been.
    pub work: WorkEstimate,
    /// How long it waited in its queue.
    pub waited: Duration,
    /// Why.
    pub reason: RejectReason,
    /// After how long its client should try again.
    pub retry_after_seconds: u64,
}

/// A request at its level.
struct AtLevel {
    classification: Classification,
    work: WorkEstimate,
    entered: Entered,
}

impl FlowController {
    /// Classifies a request, waits for its turn and admits it, or not. Dropping the future takes
    /// the request out of its queue.
    ///
    /// # Errors
    ///
    /// [`Rejected`] if there is no room, or its turn does not come in time.
    pub async fn admit(&self, request: &Request<'_>) -> Result<Admitted, Rejected> {
        let arrived = request.arrived;
        let AtLevel { classification, work, entered } = self.enter(arrived, request);
        let (reason, retry_after_seconds) = match entered {
            Entered::Executing(seats) => {
                return Ok(Admitted { classification, work, waited: Duration::ZERO, seats });
            }
            Entered::Waiting(ticket) => match ticket.wait(request.wait_deadline).await {
                Ok(seats) => {
                    let waited = now().saturating_duration_since(arrived);
                    return Ok(Admitted { classification, work, waited, seats });
                }
                Err(seconds) => (RejectReason::TimeOut, seconds),
            },
            Entered::Rejected(reason, seconds) => (reason, seconds),
        };
        let waited = now().saturating_duration_since(arrived);
        Err(Rejected { classification, work, waited, reason, retry_after_seconds })
    }

    /// Takes a request to its level. If the level goes out of use at this very moment, the request
    /// is classified anew, as often as that happens.
    fn enter(&self, now: Instant, request: &Request<'_>) -> AtLevel {
        loop {
            let in_use = self.in_use.load();
            let schema = in_use.classify(&request.digest);
            if let Some(Ok(at_level)) = schema.map(|schema| self.enter_level(now, schema, request))
            {
                return at_level;
            }
            drop(in_use);
            // Whoever retired the level holds this until what replaces it is in use.
            drop(self.levels.lock());
        }
    }

    fn enter_level(
        &self,
        now: Instant,
        schema: &SchemaInUse,
        request: &Request<'_>,
    ) -> Result<AtLevel, Retired> {
        let digest = &request.digest;
        let verb = digest.verb();
        let (distinguisher, hash) = schema.flow_of(digest);
        let work = self.estimate(schema, request);
        let visitor = Visitor {
            flow: Arc::clone(&schema.flow),
            distinguisher: distinguisher.into(),
            kind: RequestKind::of_verb(verb),
            execution: ExecutionType::of_verb(verb),
            details: Arc::clone(&request.details),
        };
        let entered = schema.gate.enter(now, visitor, hash, work)?;
        Ok(AtLevel { classification: schema.classification(), work, entered })
    }

    fn estimate(&self, schema: &SchemaInUse, request: &Request<'_>) -> WorkEstimate {
        let estimator = Estimator {
            config: self.options.estimator,
            level_max_seats: schema.level_max_seats,
            objects: &*self.options.objects,
            interested_watches: &|target| self.watches.interested_watches(target),
        };
        let estimated = estimator.estimate(&request.digest.target, request.query);
        let observer = &schema.flow.observer;
        if let Some(watches) = estimated.watch_count {
            observer.watches_counted(watches);
        }
        observer.estimated(estimated.work.max_seats());
        estimated.work
    }
}

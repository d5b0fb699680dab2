//! What a PriorityLevelConfiguration asks for, read into types that cannot contradict themselves
//! (spec: apf 4.3).

use api::flowcontrol::v1::{
    LimitedPriorityLevelConfiguration, PriorityLevelConfigurationSpec, QueuingConfiguration,
};

use crate::shuffle_shard::{Dealer, DealerError};

/// The name of the exempt level and of its FlowSchema.
pub const EXEMPT: &str = "exempt";
/// The name of the level and of the FlowSchema for what no other FlowSchema claims.
pub const CATCH_ALL: &str = "catch-all";

/// What a priority level asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelSpec {
    /// Its part of the server's seats, in proportion to the shares of all levels.
    pub nominal_concurrency_shares: u32,
    /// How much of its seats it lends to others, in percent.
    pub lendable_percent: u32,
    /// How many seats it has and what becomes of requests that find none.
    pub kind: LevelKind,
}

/// How many seats a level has and what becomes of requests that find none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelKind {
    /// Every request runs at once.
    Exempt,
    /// Seats are limited.
    Limited {
        /// How many seats it may borrow, in percent of its own; without limit if unset.
        borrowing_limit_percent: Option<u32>,
        /// What becomes of requests that find no seat.
        response: LimitResponse,
    },
}

/// What becomes of requests that find no seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitResponse {
    /// They are refused.
    Reject,
    /// They wait in queues.
    Queue(Queuing),
}

/// The queues of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queuing {
    /// Deals each flow its queues.
    pub dealer: Dealer,
    /// How many requests may wait in a queue while all seats are taken.
    pub queue_length_limit: u32,
}

/// Why an object says nothing usable. Such an object counts as absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BrokenLevel {
    /// The type and the members do not fit each other. An exempt object without member `exempt`
    /// counts too, although the API accepts it.
    #[error("its type and its members contradict each other")]
    TypeMismatch,
    /// The level named `exempt`, and no other, has to be exempt.
    #[error("exactly the level named exempt has to be exempt")]
    ExemptName,
    /// The limit response and its queues do not fit each other.
    #[error("its limit response and its queuing contradict each other")]
    ResponseMismatch,
    /// No hands can be dealt with such sizes.
    #[error(transparent)]
    Dealer(#[from] DealerError),
}

impl LevelSpec {
    /// Reads the spec of the object named `name`.
    ///
    /// # Errors
    ///
    /// [`BrokenLevel`] if it contradicts itself.
    pub fn read(name: &str, spec: &PriorityLevelConfigurationSpec) -> Result<Self, BrokenLevel> {
        let spec = match (spec.level_type.as_str(), &spec.exempt, &spec.limited) {
            ("Exempt", Some(exempt), None) => Self {
                nominal_concurrency_shares: natural(exempt.nominal_concurrency_shares),
                lendable_percent: natural(exempt.lendable_percent),
                kind: LevelKind::Exempt,
            },
            ("Limited", None, Some(limited)) => Self {
                nominal_concurrency_shares: natural(limited.nominal_concurrency_shares),
                lendable_percent: natural(limited.lendable_percent),
                kind: read_limited(limited)?,
            },
            _ => return Err(BrokenLevel::TypeMismatch),
        };
        if spec.is_exempt() != (name == EXEMPT) {
            return Err(BrokenLevel::ExemptName);
        }
        Ok(spec)
    }

    /// Whether every request runs at once.
    #[must_use]
    pub fn is_exempt(&self) -> bool {
        self.kind == LevelKind::Exempt
    }

    /// The queues, if requests may wait.
    #[must_use]
    pub fn queuing(&self) -> Option<Queuing> {
        match self.kind {
            LevelKind::Limited { response: LimitResponse::Queue(queuing), .. } => Some(queuing),
            LevelKind::Limited { response: LimitResponse::Reject, .. } | LevelKind::Exempt => None,
        }
    }
}

fn read_limited(limited: &LimitedPriorityLevelConfiguration) -> Result<LevelKind, BrokenLevel> {
    let response = &limited.limit_response;
    let response = match (response.response_type.as_str(), &response.queuing) {
        ("Reject", None) => LimitResponse::Reject,
        ("Queue", Some(queuing)) => LimitResponse::Queue(read_queuing(queuing)?),
        _ => return Err(BrokenLevel::ResponseMismatch),
    };
    let borrowing_limit_percent = limited.borrowing_limit_percent.map(|p| natural(Some(p)));
    Ok(LevelKind::Limited { borrowing_limit_percent, response })
}

fn read_queuing(queuing: &QueuingConfiguration) -> Result<Queuing, DealerError> {
    Ok(Queuing {
        dealer: Dealer::new(queuing.queues, queuing.hand_size)?,
        queue_length_limit: natural(Some(queuing.queue_length_limit)),
    })
}

/// Validation has seen to it that there are no negative numbers and defaulting that none is unset.
fn natural(number: Option<i32>) -> u32 {
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, spec: &str) -> Result<LevelSpec, BrokenLevel> {
        LevelSpec::read(name, &serde_json::from_str(spec).unwrap())
    }

    #[test]
    fn specs_that_contradict_themselves_are_broken() {
        let reject =
            r#""limited":{"nominalConcurrencyShares":1,"limitResponse":{"type":"Reject"}}"#;
        let limited = format!(r#"{{"type":"Limited",{reject}}}"#);
        assert!(read("a", &limited).is_ok());
        assert_eq!(read("exempt", &limited), Err(BrokenLevel::ExemptName));
        let both = format!(r#"{{"type":"Limited","exempt":{{}},{reject}}}"#);
        assert_eq!(read("a", &both), Err(BrokenLevel::TypeMismatch));
        assert_eq!(read("exempt", r#"{"type":"Exempt"}"#), Err(BrokenLevel::TypeMismatch));
        assert_eq!(read("a", r#"{"type":"Exempt","exempt":{}}"#), Err(BrokenLevel::ExemptName));
        let queue = r#"{"type":"Limited","limited":{"limitResponse":{"type":"Queue"}}}"#;
        assert_eq!(read("a", queue), Err(BrokenLevel::ResponseMismatch));
    }
}

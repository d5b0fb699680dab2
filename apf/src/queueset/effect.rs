//! What operations on a queue set do besides their answers.

use super::RequestId;
use crate::seat_seconds::SeatSeconds;

/// What happened, in order.
pub type Effects<T> = Vec<Effect<T>>;

/// Something that happened to a request or to the set.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect<T> {
    /// A request began to wait.
    Enqueued {
        /// Which one.
        id: RequestId,
        /// The length of its queue, itself included.
        queue_length: u64,
    },
    /// A request began to execute. If it waited, it does not any more.
    Dispatched {
        /// Which one.
        id: RequestId,
        /// The seats it was thought to occupy while it waited; `None` if it came without queue.
        seats_waited_for: Option<u64>,
        /// The seats it occupies.
        seats: u64,
    },
    /// Seats became free.
    SeatsFreed {
        /// What the shell kept with the request.
        data: T,
        /// How many.
        seats: u64,
    },
    /// The request whose turn it was did not fit.
    NotAccommodated {
        /// Which one.
        id: RequestId,
    },
    /// A queue was dispatched from.
    Ordered(DispatchOrder),
    /// The progress meter was wound back.
    EpochAdvanced {
        /// Whether all readings were far enough along.
        success: bool,
    },
}

/// The readings by which a dispatch was decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DispatchOrder {
    /// The progress meter.
    pub progress: SeatSeconds,
    /// The start of the chosen request.
    pub chosen: SeatSeconds,
    /// The starts of the oldest requests of all queues.
    pub starts: Bounds,
    /// The same less the estimated work of the seats in use; may wrap.
    pub discounted_starts: Bounds,
}

/// The least and the greatest of several readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The least.
    pub min: SeatSeconds,
    /// The greatest.
    pub max: SeatSeconds,
}

/// Why a request is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RejectReason {
    /// Its queue is full and no seat is free.
    QueueFull,
    /// The level has no queues and not enough free seats.
    ConcurrencyLimit,
    /// It waited too long, or its client went away.
    TimeOut,
}

impl RejectReason {
    /// The value of the label `reason`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::QueueFull => "queue-full",
            Self::ConcurrencyLimit => "concurrency-limit",
            Self::TimeOut => "time-out",
        }
    }
}

impl Bounds {
    pub(super) fn widen(bounds: Option<Self>, reading: SeatSeconds) -> Self {
        bounds.map_or(Self { min: reading, max: reading }, |Self { min, max }| Self {
            min: min.min(reading),
            max: max.max(reading),
        })
    }
}

//! API Priority and Fairness: where requests get their seats.

/// The seats of a request; dropping them frees them.
#[derive(Debug, Default)]
pub struct Seats;

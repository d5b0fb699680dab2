//! API Priority and Fairness: which requests are served now, which wait, and which are turned away.
//!
//! The way of a request: [`classify`] finds the FlowSchema that claims it and thereby its priority
//! level and flow, [`estimate`] says how many seats it takes, and the level's [`queueset`] seats it,
//! lets it wait in a fair queue, or rejects it. How many seats a level has comes from its
//! configuration ([`config`]) and from what levels lend each other ([`borrowing`]).
//!
//! All that is pure and told the time. Around it are two thin shells: a [`gate`] for each level, at
//! which requests wait, and the [`controller`], which is what a server uses:
//!
//! ```
//! # use std::sync::Arc;
//! use apf::controller::{FlowController, Options, Request};
//! use apf::digest::{RequestDigest, Target};
//! use apf::gate::RequestDescription;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let controller = FlowController::new(Options::default(), &api::time::SystemClock);
//! let now = tokio::time::Instant::now().into_std();
//! let request = Request {
//!     digest: RequestDigest {
//!         user_name: "alice",
//!         groups: &["system:authenticated".to_owned()],
//!         target: Target::NonResource { verb: "get", path: "/version" },
//!     },
//!     query: "",
//!     arrived: now,
//!     wait_deadline: apf::queue_wait_limit::queue_wait_deadline(
//!         now, None, None, std::time::Duration::from_secs(15),
//!     ),
//!     details: Arc::new(RequestDescription::default()),
//! };
//! let admitted = controller.admit(&request).await.expect("the server is idle");
//! assert_eq!(admitted.classification.priority_level_name(), "catch-all");
//! drop(admitted.seats); // when the request has been served
//! # });
//! ```
//!
//! # Quirks
//!
//! The reference does some things that its documentation does not promise. What is made of them:
//!
//! | quirk | here | where |
//! |---|---|---|
//! | an exempt level's object without member `exempt` counts as absent | kept | [`config`] |
//! | a mandatory level whose object is gone keeps the object's uid | kept | [`config`] |
//! | a digestion ends the period over which demand is watched | kept | [`controller::FlowController::digest`] |
//! | seats that the exempt level uses are shared out all the same | kept, one constant | [`borrowing`] |
//! | `target_seats` of the exempt level is another level's | its own least limit | [`borrowing`] |
//! | a level that loses its queues keeps the cap on its requests' seats | kept | [`controller`] |
//! | seats waiting leak when a request is narrowed | no leak | [`queueset`] |
//! | a request that lingers may remove an unrelated queue | it does not | [`queueset`] |
//! | discounted bounds of a dispatch wrap | kept | [`queueset::DispatchOrder`] |
//! | requests that waited and timed out count as executed | kept | [`observe::FlowObserver::waited`] |
//! | watermarks restart from zero | kept | [`ratios::InFlight`] |

pub mod allocation;
pub mod bootstrap;
pub mod borrowing;
pub mod classify;
pub mod config;
pub mod controller;
pub mod digest;
pub mod dump;
pub mod estimate;
pub mod gate;
pub mod integrator;
pub mod max_in_flight;
pub mod metrics;
pub mod observe;
pub mod queue_wait_limit;
pub mod queueset;
pub mod ratios;
pub mod retry_after;
pub mod seat_seconds;
pub mod shuffle_shard;
pub mod status_writes;
#[cfg(test)]
mod test_support;
pub mod timing_histogram;
pub mod watch_tracker;

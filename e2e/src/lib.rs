//! The server seen from outside: recorded answers replayed, processes started, stopped and
//! measured.

pub mod bench;
pub mod binary;
pub mod case;
pub mod clock;
mod error;
pub mod http;
pub mod json;
pub mod normalise;
pub mod ratchet;
pub mod replay;
pub mod server;
pub mod suite;
pub mod target;
pub mod text;
pub mod upstream;

pub use error::Error;

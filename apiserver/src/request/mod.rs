//! What a request carries.

pub mod query;

//! Who is asking, and may they: authentication, impersonation and authorization as plain functions.
//!
//! Nothing here serves HTTP, waits, or asks for the time: callers hand over headers, a verified
//! certificate and the current second, and get a decision. The order of use is that of the request
//! pipeline (spec: apimachinery 0): [`request_info`], [`authenticate`], [`impersonate`],
//! [`authorize`].

pub mod authenticate;
pub mod authorize;
pub mod impersonate;
pub mod percent;
pub mod request_info;
pub mod user;

pub use user::User;

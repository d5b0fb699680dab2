//! Who else may vouch for users: issuers of tokens, from flags or from a file, and their keys.
//!
//! [`config`] reads and checks what the operator wrote, `https` and `source` fetch an issuer's keys,
//! `refresh` keeps them fresh in the background, and [`Issuers`] is what is in use now. Requests
//! read keys and never fetch them; one whose token names an unknown key waits a moment for the
//! background to ask the issuer ([`Issuers::catch_up`]).

pub mod config;
mod https;
mod issuers;
mod refresh;
mod reload;
mod source;
#[cfg(test)]
mod tests;

pub use config::{AuthenticationConfig, ConfigError, OidcFlags};
pub use issuers::Issuers;
pub(crate) use reload::Reload;

/// What limits the fetching of keys.
pub mod limits {
    use std::time::Duration;

    /// How long one document may take, from looking up the host to its last byte.
    pub const FETCH_MAX: Duration = Duration::from_secs(10);
    /// The most bytes of a document.
    pub const DOCUMENT_BYTES_MAX: usize = 1024 * 1024;
    /// How often keys are fetched when nobody asks.
    pub const REFRESH_INTERVAL: Duration = Duration::from_secs(300);
    /// How long after a failure they are fetched again.
    pub const RETRY_INTERVAL: Duration = Duration::from_secs(10);
    /// How long after any answer an unknown key makes them be fetched again.
    pub const ASK_INTERVAL: Duration = Duration::from_secs(5);
    /// How long a request waits for keys.
    pub const CATCH_UP_MAX: Duration = Duration::from_secs(2);
    /// How often the file is looked at.
    pub const RELOAD_INTERVAL: Duration = Duration::from_secs(1);
    /// How long the issuers of a changed file may take to give their keys.
    pub const RELOAD_MAX: Duration = Duration::from_secs(60);
}

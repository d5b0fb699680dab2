//! Certificates and keys: made at the first start, kept, renewed when they no longer serve.
//!
//! [`Pki::prepare`] gives everything the flags ask for; [`Kubeconfig`] hands it to users. Files of
//! the operator's are read and never written. Our own are `<cert-dir>/<name>.crt` and `.key`.

mod authority;
mod identities;
mod inspect;
mod kubeconfig;
mod names;
mod prepare;
mod store;

use std::path::PathBuf;

pub use authority::{Authority, Subject};
pub use identities::{
    ADMINISTRATORS, CERTIFICATE_IDENTITIES, CertificateIdentity, READERS, SERVICE_ACCOUNT_CONTEXT,
};
pub use kubeconfig::{Identity, Kubeconfig};
pub use names::{hostname, reachable};
pub use prepare::Pki;

/// A certificate or key cannot be read, made or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// What is in a file is not what it should be.
    #[error("{}: {why}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A certificate takes one group at the most.
    #[error("cannot make a certificate for {user}: it is in several groups")]
    Groups {
        /// Whom it was to be for.
        user: String,
    },
    /// A certificate cannot be made.
    #[error("cannot make a certificate: {0}")]
    Make(#[from] rcgen::Error),
}

/// A certificate and its key, in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The certificate.
    pub certificate: String,
    /// The private key.
    pub key: String,
}

/// What a PEM file holds, and where it is, for errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PemFile {
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub text: String,
}

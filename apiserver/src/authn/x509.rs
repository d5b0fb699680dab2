//! Users by their client certificates: the common name is the user, organizations are groups.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::User;
use crate::connection::ClientCertificate;

/// What a certificate shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// A user.
    User(User),
    /// A certificate that we trust, without a name.
    Nobody,
    /// A certificate that we do not trust.
    Untrusted,
}

pub(super) fn user(certificate: &ClientCertificate) -> Shown {
    if !certificate.verified {
        return Shown::Untrusted;
    }
    let Ok((_, parsed)) = X509Certificate::from_der(&certificate.der) else {
        return Shown::Untrusted;
    };
    let subject = parsed.subject();
    let name = subject.iter_common_name().find_map(|name| name.as_str().ok()).unwrap_or_default();
    if name.is_empty() {
        return Shown::Nobody;
    }
    let groups = subject.iter_organization().filter_map(|group| group.as_str().ok());
    let digest = Sha256::digest(&certificate.der).iter().fold(String::new(), |mut text, byte| {
        // Writing into a String cannot fail.
        let _written = write!(text, "{byte:02x}");
        text
    });
    let extra = [(
        "authentication.kubernetes.io/credential-id".to_owned(),
        vec![format!("X509SHA256={digest}")],
    )];
    Shown::User(User {
        name: name.to_owned(),
        uid: String::new(),
        groups: groups.map(str::to_owned).collect(),
        extra: extra.into(),
    })
}

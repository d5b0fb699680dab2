//! Users from client certificates that TLS has verified (spec: apimachinery 5.1).

use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, digest};
use x509_parser::der_parser::oid::Oid;
use x509_parser::prelude::{AttributeTypeAndValue, FromDer, X509Certificate, X509Name};

use crate::user::{CREDENTIAL_ID_KEY, User};

/// The subject attribute that carries a uid, `1.3.6.1.4.1.57683.2`.
const UID_ATTRIBUTE: [u64; 8] = [1, 3, 6, 1, 4, 1, 57683, 2];

/// A certificate that does not say who it is for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// It is no certificate.
    #[error("x509: malformed certificate: {0}")]
    Malformed(String),
    /// Its uid is not a text, is empty, or stands there twice.
    #[error("x509: the subject's uid must be one text that is not empty")]
    BadUid,
}

/// The user of a verified certificate: the common name is the name, organizations are groups.
/// `None` without a common name.
///
/// # Errors
/// [`CertificateError`]
pub fn certificate_user(der: &[u8]) -> Result<Option<User>, CertificateError> {
    let certificate = parse(der)?;
    let subject = certificate.subject();
    let name = last_common_name(subject);
    if name.is_empty() {
        return Ok(None);
    }
    let mut user = User::new(name).with_groups(subject.iter_organization().filter_map(text));
    user.uid = uid(subject)?;
    user.extra.insert(CREDENTIAL_ID_KEY.to_owned(), vec![credential_id(der)]);
    Ok(Some(user))
}

/// The common name of a verified certificate; empty if it has none.
pub(super) fn common_name(der: &[u8]) -> Result<String, CertificateError> {
    Ok(last_common_name(parse(der)?.subject()).to_owned())
}

fn parse(der: &[u8]) -> Result<X509Certificate<'_>, CertificateError> {
    let (_, certificate) = X509Certificate::from_der(der)
        .map_err(|error| CertificateError::Malformed(error.to_string()))?;
    Ok(certificate)
}

fn last_common_name<'a>(subject: &'a X509Name<'_>) -> &'a str {
    subject.iter_common_name().filter_map(text).last().unwrap_or_default()
}

fn uid(subject: &X509Name<'_>) -> Result<String, CertificateError> {
    let Ok(attribute) = Oid::from(&UID_ATTRIBUTE) else { return Ok(String::new()) };
    let mut uids = subject.iter_by_oid(&attribute);
    match (uids.next(), uids.next()) {
        (None, _) => Ok(String::new()),
        (Some(uid), None) => text(uid)
            .filter(|uid| !uid.is_empty())
            .map(ToOwned::to_owned)
            .ok_or(CertificateError::BadUid),
        (Some(_), Some(_)) => Err(CertificateError::BadUid),
    }
}

fn text<'a>(attribute: &'a AttributeTypeAndValue<'_>) -> Option<&'a str> {
    attribute.as_str().ok()
}

fn credential_id(der: &[u8]) -> String {
    let mut id = String::from("X509SHA256=");
    for byte in digest(&SHA256, der).as_ref() {
        // Writing into a String cannot fail.
        let _written = write!(id, "{byte:02x}");
    }
    id
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair};

    use super::*;

    fn certificate(attributes: &[(DnType, &str)]) -> Vec<u8> {
        let mut params = CertificateParams::default();
        params.distinguished_name = rcgen::DistinguishedName::new();
        for (kind, value) in attributes {
            params.distinguished_name.push(kind.clone(), *value);
        }
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn the_subject_names_user_and_group() {
        let der = certificate(&[
            (DnType::CommonName, "alice"),
            (DnType::OrganizationName, "dev"),
            (DnType::CustomDnType(UID_ATTRIBUTE.to_vec()), "u-1"),
        ]);
        let user = certificate_user(&der).unwrap().unwrap();
        assert_eq!((user.name.as_str(), user.uid.as_str()), ("alice", "u-1"));
        assert_eq!(user.groups, ["dev"]);
        let id = &user.extra[CREDENTIAL_ID_KEY][0];
        assert_eq!(id.len(), "X509SHA256=".len() + 64);
        assert!(id.starts_with("X509SHA256="));
    }

    #[test]
    fn without_a_common_name_there_is_no_user() {
        assert_eq!(certificate_user(&certificate(&[(DnType::OrganizationName, "dev")])), Ok(None));
    }

    #[test]
    fn an_empty_uid_is_an_error() {
        let uid = DnType::CustomDnType(UID_ATTRIBUTE.to_vec());
        let der = certificate(&[(DnType::CommonName, "alice"), (uid, "")]);
        assert_eq!(certificate_user(&der), Err(CertificateError::BadUid));
    }

    #[test]
    fn garbage_is_an_error() {
        assert!(matches!(certificate_user(b"nope"), Err(CertificateError::Malformed(_))));
    }
}

//! Whether a certificate that is there still does.

use std::net::IpAddr;

use rcgen::{KeyPair, PublicKeyData as _};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::pem::{Pem, parse_x509_pem};

use super::{Pair, Subject};

/// A certificate is renewed when it is valid for less than this.
const RENEW_BEFORE_SECONDS: i64 = 30 * 86_400;

/// Whether a certificate is that of a key.
pub(super) fn belong_together(certificate: &str, key: &KeyPair) -> bool {
    let of = |pem: Pem| Some(pem.parse_x509().ok()?.public_key().raw.to_vec());
    pem(certificate).and_then(of) == Some(key.subject_public_key_info())
}

/// Whether a certificate is signed by the authority, lasts, is for the subject and has its key.
pub(super) fn serves(pair: &Pair, authority: &str, subject: &Subject<'_>, now: i64) -> bool {
    let (Some(leaf), Some(root)) = (pem(&pair.certificate), pem(authority)) else { return false };
    let (Ok(leaf), Ok(root)) = (leaf.parse_x509(), root.parse_x509()) else { return false };
    let key = KeyPair::from_pem(&pair.key);
    is_lasting(&leaf, now)
        && is_signed_by(&leaf, &root)
        && is_for(&leaf, subject)
        && key.is_ok_and(|key| key.subject_public_key_info() == leaf.public_key().raw)
}

/// Whether somebody else made a certificate: it says that another than the authority signed it.
pub(super) fn is_by_another(certificate: &str, authority: &str) -> bool {
    let (Some(leaf), Some(root)) = (pem(certificate), pem(authority)) else { return false };
    let (Ok(leaf), Ok(root)) = (leaf.parse_x509(), root.parse_x509()) else { return false };
    leaf.issuer().as_raw() != root.subject().as_raw()
}

fn pem(text: &str) -> Option<Pem> {
    parse_x509_pem(text.as_bytes()).ok().map(|(_, pem)| pem)
}

fn is_lasting(certificate: &X509Certificate<'_>, now: i64) -> bool {
    let validity = certificate.validity();
    validity.not_before.timestamp() <= now
        && validity.not_after.timestamp() > now + RENEW_BEFORE_SECONDS
}

/// Compares key identifiers, which every certificate of ours has: nobody else writes there.
fn is_signed_by(leaf: &X509Certificate<'_>, root: &X509Certificate<'_>) -> bool {
    let issuer_key = leaf.extensions().iter().find_map(|extension| {
        let ParsedExtension::AuthorityKeyIdentifier(id) = extension.parsed_extension() else {
            return None;
        };
        id.key_identifier.as_ref().map(|id| id.0)
    });
    let own_key = root.extensions().iter().find_map(|extension| {
        let ParsedExtension::SubjectKeyIdentifier(id) = extension.parsed_extension() else {
            return None;
        };
        Some(id.0)
    });
    issuer_key.is_some() && issuer_key == own_key
}

fn is_for(certificate: &X509Certificate<'_>, subject: &Subject<'_>) -> bool {
    match subject {
        Subject::Client { user, groups } => {
            let name = certificate.subject();
            let users = name.iter_common_name().map(|value| value.as_str().unwrap_or_default());
            let organizations = name.iter_organization();
            let organizations = organizations.map(|value| value.as_str().unwrap_or_default());
            users.eq([*user]) && organizations.eq(groups.iter().copied())
        }
        Subject::Server { names, addresses } => {
            let Ok(Some(alternatives)) = certificate.subject_alternative_name() else {
                return false;
            };
            let covered = &alternatives.value.general_names;
            names.iter().all(|name| covers_name(covered, name))
                && addresses.iter().all(|address| covers_address(covered, *address))
        }
    }
}

fn covers_name(covered: &[GeneralName<'_>], name: &str) -> bool {
    covered.iter().any(|other| matches!(other, GeneralName::DNSName(other) if *other == name))
}

fn covers_address(covered: &[GeneralName<'_>], address: IpAddr) -> bool {
    let octets = match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    };
    covered.iter().any(|other| matches!(other, GeneralName::IPAddress(other) if *other == octets))
}

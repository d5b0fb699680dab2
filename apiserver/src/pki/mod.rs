//! Certificates and keys: made at the first start, kept, renewed when they no longer serve.

mod kubeconfig;
mod store;

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};

pub use kubeconfig::{Identity, Kubeconfig};

/// How long made certificates are valid.
const VALID_DAYS: i64 = 365;

/// A made certificate is renewed when it is valid for less than this.
const RENEW_BEFORE_DAYS: i64 = 30;

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

/// Who signs.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// The authority's certificate, in PEM.
    pub certificate: String,
}

/// Whom a certificate is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The server, under these names and addresses.
    Server {
        /// Host names.
        names: Vec<String>,
        /// Addresses.
        addresses: Vec<IpAddr>,
    },
    /// A user.
    Client {
        /// The user's name.
        user: &'a str,
        /// The user's groups.
        groups: &'a [&'a str],
    },
}

impl Authority {
    /// The authority in a directory; made if there is none.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn load_or_make(directory: &Path) -> Result<Self, Error> {
        let pair = store::load_or_make(directory, "ca", |_| true, make_authority)?;
        let key = KeyPair::from_pem(&pair.key)?;
        let issuer = Issuer::from_ca_cert_pem(&pair.certificate, key)?;
        Ok(Self { issuer, certificate: pair.certificate })
    }

    /// The certificate of a subject, in the file of that name; made if there is none or if the one
    /// there is about to expire or is for somebody else.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn load_or_issue(
        &self,
        directory: &Path,
        name: &str,
        subject: &Subject<'_>,
        now: i64,
    ) -> Result<Pair, Error> {
        let serves = |pair: &Pair| still_serves(&pair.certificate, &self.certificate, subject, now);
        store::load_or_make(directory, name, serves, || self.issue(subject, now))
    }

    fn issue(&self, subject: &Subject<'_>, now: i64) -> Result<Pair, Error> {
        let key = KeyPair::generate()?;
        let certificate = parameters(subject, now).signed_by(&key, &self.issuer)?;
        Ok(Pair { certificate: certificate.pem(), key: key.serialize_pem() })
    }
}

/// The key that service account tokens are signed with; made if there is none.
///
/// # Errors
///
/// See [`Error`].
pub fn load_or_make_signing_key(directory: &Path) -> Result<String, Error> {
    store::load_or_make_key(directory, "sa", || Ok(KeyPair::generate()?.serialize_pem()))
}

fn make_authority() -> Result<Pair, Error> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "apiserver-ca");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let certificate = params.self_signed(&key)?;
    Ok(Pair { certificate: certificate.pem(), key: key.serialize_pem() })
}

fn parameters(subject: &Subject<'_>, now: i64) -> CertificateParams {
    let mut params = CertificateParams::default();
    let day = |offset: i64| {
        let seconds = now + offset * 86_400;
        rcgen::date_time_ymd(1970, 1, 1) + std::time::Duration::from_secs(seconds.unsigned_abs())
    };
    params.not_before = day(-1);
    params.not_after = day(VALID_DAYS);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    match subject {
        Subject::Server { names, addresses } => {
            params.distinguished_name.push(DnType::CommonName, "apiserver");
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
            let names = names.iter().filter_map(|name| name.as_str().try_into().ok());
            params.subject_alt_names = names.map(SanType::DnsName).collect();
            params.subject_alt_names.extend(addresses.iter().copied().map(SanType::IpAddress));
        }
        Subject::Client { user, groups } => {
            params.distinguished_name.push(DnType::CommonName, *user);
            for (index, group) in groups.iter().enumerate() {
                // A name holds one value of each type; organizations beyond the first need one of
                // their own, which no made identity does.
                debug_assert_eq!(index, 0, "one group at the most");
                params.distinguished_name.push(DnType::OrganizationName, *group);
            }
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        }
    }
    params
}

/// Whether a certificate is signed by the authority, lasts, and is for the subject.
fn still_serves(certificate: &str, authority: &str, subject: &Subject<'_>, now: i64) -> bool {
    let parse =
        |pem: &str| x509_parser::pem::parse_x509_pem(pem.as_bytes()).ok().map(|(_, pem)| pem);
    let (Some(pem), Some(authority)) = (parse(certificate), parse(authority)) else { return false };
    let (Ok(certificate), Ok(authority)) = (pem.parse_x509(), authority.parse_x509()) else {
        return false;
    };
    let lasts = certificate.validity().not_after.timestamp() > now + RENEW_BEFORE_DAYS * 86_400;
    let signed = certificate.issuer() == authority.subject()
        && certificate.tbs_certificate.authority_key_matches(&authority);
    lasts && signed && is_for(&certificate, subject)
}

/// Compares key identifiers, where certificates have them.
trait AuthorityKey {
    fn authority_key_matches(
        &self,
        authority: &x509_parser::certificate::X509Certificate<'_>,
    ) -> bool;
}

impl AuthorityKey for x509_parser::certificate::TbsCertificate<'_> {
    fn authority_key_matches(
        &self,
        authority: &x509_parser::certificate::X509Certificate<'_>,
    ) -> bool {
        use x509_parser::extensions::ParsedExtension;
        let issuer_key =
            self.extensions().iter().find_map(|extension| match extension.parsed_extension() {
                ParsedExtension::AuthorityKeyIdentifier(id) => {
                    id.key_identifier.as_ref().map(|id| id.0)
                }
                _ => None,
            });
        let own_key = authority.extensions().iter().find_map(|extension| {
            match extension.parsed_extension() {
                ParsedExtension::SubjectKeyIdentifier(id) => Some(id.0),
                _ => None,
            }
        });
        match (issuer_key, own_key) {
            (Some(issuer), Some(own)) => issuer == own,
            _ => true,
        }
    }
}

fn is_for(
    certificate: &x509_parser::certificate::X509Certificate<'_>,
    subject: &Subject<'_>,
) -> bool {
    use x509_parser::extensions::GeneralName;
    match subject {
        Subject::Client { user, .. } => certificate
            .subject()
            .iter_common_name()
            .any(|name| name.as_str().is_ok_and(|name| name == *user)),
        Subject::Server { names, addresses } => {
            let Ok(Some(alternatives)) = certificate.subject_alternative_name() else {
                return false;
            };
            let has = |wanted: &dyn Fn(&GeneralName<'_>) -> bool| {
                alternatives.value.general_names.iter().any(wanted)
            };
            names
                .iter()
                .all(|name| has(&|other| matches!(other, GeneralName::DNSName(n) if n == name)))
                && addresses.iter().all(|address| {
                    let octets = match address {
                        IpAddr::V4(ip) => ip.octets().to_vec(),
                        IpAddr::V6(ip) => ip.octets().to_vec(),
                    };
                    has(&|other| matches!(other, GeneralName::IPAddress(ip) if *ip == octets))
                })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_796_000_000;

    fn server(names: &[&str]) -> Subject<'static> {
        Subject::Server {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            addresses: vec![IpAddr::from([127, 0, 0, 1])],
        }
    }

    #[test]
    fn what_was_made_is_used_again() {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_make(directory.path()).unwrap();
        let again = Authority::load_or_make(directory.path()).unwrap();
        assert_eq!(authority.certificate, again.certificate);
        let subject = server(&["localhost"]);
        let first = authority.load_or_issue(directory.path(), "server", &subject, NOW).unwrap();
        let second = again.load_or_issue(directory.path(), "server", &subject, NOW).unwrap();
        assert_eq!(first, second);
    }

    #[test]
    fn a_certificate_is_renewed_for_new_names_and_before_it_expires() {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_make(directory.path()).unwrap();
        let issue = |subject: &Subject<'_>, now| {
            authority.load_or_issue(directory.path(), "server", subject, now).unwrap()
        };
        let first = issue(&server(&["localhost"]), NOW);
        let second = issue(&server(&["localhost", "other"]), NOW);
        assert_ne!(first, second);
        assert_ne!(issue(&server(&["localhost", "other"]), NOW + 340 * 86_400), second);
    }

    #[test]
    fn private_keys_are_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        Authority::load_or_make(directory.path()).unwrap();
        let mode = std::fs::metadata(directory.path().join("ca.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn the_signing_key_is_made_once() {
        let directory = tempfile::tempdir().unwrap();
        let first = load_or_make_signing_key(directory.path()).unwrap();
        assert_eq!(first, load_or_make_signing_key(directory.path()).unwrap());
    }
}

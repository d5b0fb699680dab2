//! The authority that signs certificates, and what it signs.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, SanType,
};

use super::{Error, Pair, inspect, store};

/// How long certificates are valid.
const VALID_DAYS: u32 = 365;

const DAY: Duration = Duration::from_secs(86_400);

/// The name of the authority's files, without their endings.
pub(super) const AUTHORITY: &str = "ca";

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
        /// The user's groups, of which a made certificate takes one.
        groups: &'a [&'a str],
    },
}

impl Authority {
    /// The authority in a directory; made if there is none. A made one does not expire.
    ///
    /// # Errors
    ///
    /// See [`Error`]. A broken authority is an error and not replaced, since clients trust it.
    pub fn load_or_make(directory: &Path) -> Result<Self, Error> {
        let files = store::PairFiles::new(directory, AUTHORITY);
        let pair = match files.load()? {
            Some(pair) => pair,
            None => files.save(make_authority()?)?,
        };
        let broken = |path: &Path| {
            let path = path.to_owned();
            move |error: rcgen::Error| Error::Content { path, why: error.to_string() }
        };
        let key = KeyPair::from_pem(&pair.key).map_err(broken(&files.key))?;
        if !inspect::belong_together(&pair.certificate, &key) {
            let why = format!("is not the certificate of the key in {}", files.key.display());
            return Err(Error::Content { path: files.certificate, why });
        }
        let issuer = Issuer::from_ca_cert_pem(&pair.certificate, key);
        let issuer = issuer.map_err(broken(&files.certificate))?;
        Ok(Self { issuer, certificate: pair.certificate })
    }

    /// The certificate of a subject, in the files of that name; made if there is none or if the one
    /// there is broken, about to expire, for somebody else or signed by another authority. `now` is
    /// in seconds since 1970.
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
        let files = store::PairFiles::new(directory, name);
        match files.load()? {
            Some(pair) if inspect::serves(&pair, &self.certificate, subject, now) => Ok(pair),
            _ => files.save(self.issue(subject, now)?),
        }
    }

    fn issue(&self, subject: &Subject<'_>, now: i64) -> Result<Pair, Error> {
        let key = KeyPair::generate()?;
        let certificate = parameters(subject, now)?.signed_by(&key, &self.issuer)?;
        Ok(Pair { certificate: certificate.pem(), key: key.serialize_pem() })
    }
}

fn make_authority() -> Result<Pair, Error> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "apiserver-ca");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let certificate = params.self_signed(&key)?;
    Ok(Pair { certificate: certificate.pem(), key: key.serialize_pem() })
}

fn parameters(subject: &Subject<'_>, now: i64) -> Result<CertificateParams, Error> {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    set_validity(&mut params, now);
    params.use_authority_key_identifier_extension = true;
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
            match groups {
                [] => {}
                [group] => params.distinguished_name.push(DnType::OrganizationName, *group),
                _ => return Err(Error::Groups { user: (*user).to_owned() }),
            }
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        }
    }
    Ok(params)
}

/// Makes a certificate valid from a day ago, for clients whose clocks are behind.
fn set_validity(params: &mut CertificateParams, now: i64) {
    let now = rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(now.max(0).unsigned_abs());
    params.not_before = now - DAY;
    params.not_after = now + DAY * VALID_DAYS;
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_796_000_000;
    const DAY: i64 = 86_400;

    fn server(names: &[&str]) -> Subject<'static> {
        Subject::Server {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            addresses: vec![IpAddr::from([127, 0, 0, 1])],
        }
    }

    fn issue(authority: &Authority, directory: &Path, subject: &Subject<'_>, now: i64) -> Pair {
        authority.load_or_issue(directory, "server", subject, now).unwrap()
    }

    #[test]
    fn what_was_made_is_used_again() {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_make(directory.path()).unwrap();
        let again = Authority::load_or_make(directory.path()).unwrap();
        assert_eq!(authority.certificate, again.certificate);
        for subject in
            [server(&["localhost"]), Subject::Client { user: "somebody", groups: &["some:group"] }]
        {
            let first = issue(&authority, directory.path(), &subject, NOW);
            assert_eq!(first, issue(&again, directory.path(), &subject, NOW + DAY));
        }
    }

    #[test]
    fn a_certificate_is_renewed_for_new_names_and_before_it_expires() {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_make(directory.path()).unwrap();
        let issue = |subject: &Subject<'_>, now| issue(&authority, directory.path(), subject, now);
        let first = issue(&server(&["localhost"]), NOW);
        let second = issue(&server(&["localhost", "other"]), NOW);
        assert_ne!(first, second);
        assert_eq!(issue(&server(&["localhost"]), NOW), second, "fewer names are covered");
        assert_eq!(issue(&server(&["localhost"]), NOW + 334 * DAY), second);
        assert_ne!(issue(&server(&["localhost"]), NOW + 336 * DAY), second);
    }

    #[test]
    fn a_certificate_is_renewed_for_another_user_or_group() {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_make(directory.path()).unwrap();
        let client = |user, group| {
            let subject = Subject::Client { user, groups: &[group] };
            issue(&authority, directory.path(), &subject, NOW)
        };
        let first = client("a", "g");
        let second = client("b", "g");
        let third = client("b", "h");
        assert!(first != second && second != third);
        assert_eq!(client("b", "h"), third);
        let two = Subject::Client { user: "b", groups: &["g", "h"] };
        assert!(authority.load_or_issue(directory.path(), "two", &two, NOW).is_err());
    }

    #[test]
    fn a_certificate_of_another_authority_is_renewed() {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_make(directory.path()).unwrap();
        let first = issue(&authority, directory.path(), &server(&["localhost"]), NOW);
        std::fs::remove_file(directory.path().join("ca.crt")).unwrap();
        let renewed = Authority::load_or_make(directory.path()).unwrap();
        assert_ne!(renewed.certificate, authority.certificate);
        assert_ne!(issue(&renewed, directory.path(), &server(&["localhost"]), NOW), first);
    }

    #[test]
    fn a_broken_certificate_is_renewed_but_a_broken_authority_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_make(directory.path()).unwrap();
        let first = issue(&authority, directory.path(), &server(&["localhost"]), NOW);
        std::fs::write(directory.path().join("server.crt"), "not a certificate").unwrap();
        assert_ne!(issue(&authority, directory.path(), &server(&["localhost"]), NOW), first);
        std::fs::write(directory.path().join("ca.key"), &first.key).unwrap();
        let error = Authority::load_or_make(directory.path()).err().unwrap().to_string();
        assert!(error.contains("ca.crt: is not the certificate of the key in "), "{error}");
        std::fs::write(directory.path().join("ca.key"), "not a key").unwrap();
        let error = Authority::load_or_make(directory.path()).err().unwrap().to_string();
        assert!(error.contains("ca.key: ") && error.lines().count() == 1, "{error}");
    }
}

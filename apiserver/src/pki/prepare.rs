//! Everything that the flags ask for, read or made.

use std::path::Path;

use rcgen::KeyPair;

use super::{
    Authority, CERTIFICATE_IDENTITIES, CertificateIdentity, Error, Identity, Kubeconfig, Pair,
    PemFile, Subject, authority, inspect, names, store,
};
use crate::options::Config;

/// The name of the serving certificate's files, without their endings.
const SERVING: &str = "apiserver";

/// What the server shows, and what it knows its clients by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pki {
    /// The serving certificate, with the chain that belongs to it.
    pub certificate: PemFile,
    /// Its key.
    pub key: PemFile,
    /// Who signs client certificates: the operator's authorities, and ours always.
    pub client_authorities: PemFile,
    /// Who signs the certificates of front proxies.
    pub front_proxy_authorities: Option<PemFile>,
    /// What signs service account tokens.
    pub signing_key: PemFile,
    /// What service account tokens are checked with besides that: public or private keys.
    pub token_keys: Vec<PemFile>,
    /// What clients have to trust, in PEM: the authority that signed the serving certificate or, of
    /// an operator's certificate, that certificate itself.
    pub server_authority: String,
    /// The made client certificates by the kubeconfig's contexts.
    pub clients: Vec<(&'static str, Pair)>,
}

impl Pki {
    /// Reads the files that flags name; makes the others in `--cert-dir`, or uses those there.
    /// `hostname` is this machine's; `now` is in seconds since 1970.
    ///
    /// # Errors
    ///
    /// See [`Error`]; one line, which begins with the file at fault.
    pub fn prepare(config: &Config, hostname: Option<&str>, now: i64) -> Result<Self, Error> {
        let authority = Authority::load_or_make(&config.cert_dir)?;
        let (certificate, key, server_authority) = match &config.tls {
            Some((certificate, key)) => {
                let certificate = store::read(certificate)?;
                let trusted = certificate.text.clone();
                (certificate, store::read(key)?, trusted)
            }
            None => serving(&authority, config, hostname, now)?,
        };
        let (signing_key, token_keys) = token_keys(config)?;
        Ok(Self {
            certificate,
            key,
            client_authorities: client_authorities(&authority, config)?,
            front_proxy_authorities: front_proxy_authorities(config)?,
            signing_key,
            token_keys,
            server_authority,
            clients: clients(&authority, config, now)?,
        })
    }

    /// The kubeconfig for a server at `https://host:port`: a context for each made client
    /// certificate, and for each of the tokens that the caller adds.
    #[must_use]
    pub fn kubeconfig(&self, server: String, tokens: Vec<(&'static str, String)>) -> Kubeconfig {
        let certificates = self.clients.iter().cloned();
        let certificates =
            certificates.map(|(context, pair)| (context, Identity::Certificate(pair)));
        let tokens = tokens.into_iter().map(|(context, token)| (context, Identity::Token(token)));
        Kubeconfig {
            server,
            authority: self.server_authority.clone(),
            users: certificates.chain(tokens).collect(),
        }
    }
}

/// The serving certificate in `--cert-dir` with its key, and what clients have to trust: the one
/// that an operator put there, as the reference takes it from there, or a made one.
fn serving(
    authority: &Authority,
    config: &Config,
    hostname: Option<&str>,
    now: i64,
) -> Result<(PemFile, PemFile, String), Error> {
    let files = store::PairFiles::new(&config.cert_dir, SERVING);
    let is_operators =
        |pair: &Pair| inspect::is_by_another(&pair.certificate, &authority.certificate);
    let (pair, trusted) = match files.load()?.filter(is_operators) {
        Some(pair) => (pair.clone(), pair.certificate),
        None => {
            let subject = names::server(config, hostname);
            let pair = authority.load_or_issue(&config.cert_dir, SERVING, &subject, now)?;
            (pair, authority.certificate.clone())
        }
    };
    let certificate = PemFile { path: files.certificate, text: pair.certificate };
    Ok((certificate, PemFile { path: files.key, text: pair.key }, trusted))
}

/// Ours stays among them, so that the kubeconfig's identities go on being known.
fn client_authorities(authority: &Authority, config: &Config) -> Result<PemFile, Error> {
    let Some(path) = &config.client_ca_file else {
        let path = store::PairFiles::new(&config.cert_dir, authority::AUTHORITY).certificate;
        return Ok(PemFile { path, text: authority.certificate.clone() });
    };
    let mut file = store::read(path)?;
    if !file.text.contains("-----BEGIN CERTIFICATE-----") {
        let why = "holds no certificate".to_owned();
        return Err(Error::Content { path: file.path, why });
    }
    file.text.push('\n');
    file.text.push_str(&authority.certificate);
    Ok(file)
}

fn front_proxy_authorities(config: &Config) -> Result<Option<PemFile>, Error> {
    config.front_proxy.as_ref().map(|proxy| store::read(&proxy.client_ca_file)).transpose()
}

fn clients(
    authority: &Authority,
    config: &Config,
    now: i64,
) -> Result<Vec<(&'static str, Pair)>, Error> {
    let issue = |identity: CertificateIdentity| {
        let subject = Subject::Client { user: identity.user, groups: &[identity.group] };
        let files = format!("client-{}", identity.context);
        let pair = authority.load_or_issue(&config.cert_dir, &files, &subject, now)?;
        Ok((identity.context, pair))
    };
    CERTIFICATE_IDENTITIES.into_iter().map(issue).collect()
}

/// The key that signs tokens, and those that they are checked with besides it.
fn token_keys(config: &Config) -> Result<(PemFile, Vec<PemFile>), Error> {
    let named = config.service_account_key_files.iter().map(|path| store::read(path));
    let keys = named.collect::<Result<Vec<_>, _>>()?;
    let signing_key = match &config.service_account_signing_key_file {
        Some(path) => store::read(path)?,
        None => signing_key(&config.cert_dir)?,
    };
    Ok((signing_key, keys))
}

fn signing_key(directory: &Path) -> Result<PemFile, Error> {
    let make = || Ok(KeyPair::generate()?.serialize_pem());
    store::load_or_make_key(directory.join("sa.key"), make)
}

#[cfg(test)]
mod tests;

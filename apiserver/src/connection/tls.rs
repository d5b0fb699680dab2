//! TLS: what the server shows, and what it makes of clients' certificates.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::CryptoProvider;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ServerConfig, WebPkiClientVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, UnixTime};

/// TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The text is not what it should be.
    #[error("{what}: {why}")]
    Content {
        /// A file or what else the text is from.
        what: String,
        /// What is wrong.
        why: String,
    },
    /// The parts do not fit together.
    #[error("cannot serve with this certificate: {0}")]
    Unusable(#[from] rustls::Error),
}

/// What the server serves with. Certificate, key and client authorities are PEM; `what` names them
/// in errors.
///
/// # Errors
///
/// [`TlsError`]
pub fn server_config(
    certificate: &str,
    key: &str,
    client_authorities: &str,
    what: &Path,
) -> Result<(ServerConfig, Arc<Clients>), TlsError> {
    let content = |why: String| TlsError::Content { what: what.display().to_string(), why };
    let chain = certificates(certificate).map_err(content)?;
    if chain.is_empty() {
        return Err(content("holds no certificate".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes())
        .map_err(|error| content(format!("holds no private key: {error}")))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let clients = Arc::new(Clients::new(client_authorities, &provider).map_err(content)?);
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(Arc::clone(&clients) as Arc<dyn ClientCertVerifier>)
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok((config, clients))
}

fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    CertificateDer::pem_slice_iter(pem.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| format!("holds a broken certificate: {error}"))
}

/// Judges clients' certificates. A wrong one does not end the handshake: it is for authentication
/// to refuse the request, with an answer that says so.
pub struct Clients {
    trusted: Option<Arc<dyn ClientCertVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl Clients {
    fn new(authorities: &str, provider: &Arc<CryptoProvider>) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(authorities)? {
            roots.add(certificate).map_err(|error| error.to_string())?;
        }
        let trusted = if roots.is_empty() {
            None
        } else {
            let verifier =
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
            Some(verifier.build().map_err(|error| error.to_string())?)
        };
        Ok(Self { trusted, provider: Arc::clone(provider) })
    }

    /// Whether the chain is signed by the client authority and valid now.
    #[must_use]
    pub fn verify(&self, chain: &[CertificateDer<'_>], now: UnixTime) -> bool {
        match (&self.trusted, chain.split_first()) {
            (Some(trusted), Some((leaf, intermediates))) => {
                trusted.verify_client_cert(leaf, intermediates, now).is_ok()
            }
            _ => false,
        }
    }
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clients").finish_non_exhaustive()
    }
}

impl ClientCertVerifier for Clients {
    fn offer_client_auth(&self) -> bool {
        true
    }

    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.trusted.as_ref().map_or(&[], |trusted| trusted.root_hint_subjects())
    }

    /// Taken as it is; [`Clients::verify`] judges it once the connection stands.
    fn verify_client_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

//! TLS: what the server shows, and what it makes of clients' certificates.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::CryptoProvider;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ServerConfig, WebPkiClientVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::server::TlsStream;
use tokio_rustls::{Accept, TlsAcceptor};

use super::ClientCertificate;
use crate::pki::PemFile;

/// TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file does not hold what it should.
    #[error("{}: {why}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Certificate and key do not fit together, or cannot be used at all.
    #[error("{}: cannot serve with this certificate: {source}", path.display())]
    Unusable {
        /// The certificate's file.
        path: PathBuf,
        /// Why.
        source: rustls::Error,
    },
}

/// Who signs the certificates of clients; nobody, where there is no file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Authorities<'a> {
    /// Of those who show who they are.
    pub clients: Option<&'a PemFile>,
    /// Of proxies that say who others are.
    pub front_proxies: Option<&'a PemFile>,
}

/// What the server shows, and which clients it trusts.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    clients: Arc<Clients>,
}

impl Tls {
    /// Serves with a certificate (its chain after it) and its key; clients' certificates are judged
    /// by authorities.
    ///
    /// # Errors
    ///
    /// [`TlsError`], which names the file at fault.
    pub fn try_new(
        certificate: &PemFile,
        key: &PemFile,
        authorities: Authorities<'_>,
    ) -> Result<Self, TlsError> {
        let chain = certificates(certificate)?;
        let key = PrivateKeyDer::from_pem_slice(key.text.as_bytes())
            .map_err(|error| content(key, &format!("holds no private key: {error}")))?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let clients = Arc::new(Clients::try_new(authorities, &provider)?);
        let unusable = |source| TlsError::Unusable { path: certificate.path.clone(), source };
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_client_cert_verifier(Arc::clone(&clients) as Arc<dyn ClientCertVerifier>)
            .with_single_cert(chain, key)
            .map_err(unusable)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), clients })
    }

    /// Shakes hands.
    pub(super) fn accept<IO: AsyncRead + AsyncWrite + Unpin>(&self, stream: IO) -> Accept<IO> {
        self.acceptor.accept(stream)
    }

    /// What the client showed, and what is to be thought of it.
    pub(super) fn client_certificate<IO>(
        &self,
        stream: &TlsStream<IO>,
    ) -> Option<ClientCertificate> {
        let chain = stream.get_ref().1.peer_certificates()?;
        let der = chain.first()?.clone().into_owned();
        let now = UnixTime::now();
        Some(ClientCertificate {
            der,
            verified: verify(self.clients.trusted.as_ref(), chain, now),
            front_proxy: verify(self.clients.proxies.as_ref(), chain, now),
        })
    }
}

fn content(file: &PemFile, why: &str) -> TlsError {
    TlsError::Content { path: file.path.clone(), why: why.to_owned() }
}

/// The certificates of a file; one at the least.
fn certificates(file: &PemFile) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(file.text.as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| content(file, &format!("holds a broken certificate: {error}")))?;
    if certificates.is_empty() {
        return Err(content(file, "holds no certificate"));
    }
    Ok(certificates)
}

/// Judges clients' certificates. A wrong one does not end the handshake: it is for authentication
/// to refuse the request, with an answer that says so.
struct Clients {
    trusted: Option<Arc<dyn ClientCertVerifier>>,
    proxies: Option<Arc<dyn ClientCertVerifier>>,
    /// The names of all authorities, from which clients choose what to show.
    hints: Vec<DistinguishedName>,
    provider: Arc<CryptoProvider>,
}

impl Clients {
    fn try_new(
        authorities: Authorities<'_>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, TlsError> {
        let read = |file: Option<&PemFile>| file.map(|file| verifier(file, provider)).transpose();
        let (trusted, proxies) = (read(authorities.clients)?, read(authorities.front_proxies)?);
        let verifiers = trusted.iter().chain(&proxies);
        let hints = verifiers.flat_map(|verifier| verifier.root_hint_subjects().to_vec()).collect();
        Ok(Self { trusted, proxies, hints, provider: Arc::clone(provider) })
    }
}

/// Whether the chain is signed by an authority, for clients, and valid now.
fn verify(
    verifier: Option<&Arc<dyn ClientCertVerifier>>,
    chain: &[CertificateDer<'_>],
    now: UnixTime,
) -> bool {
    match (verifier, chain.split_first()) {
        (Some(verifier), Some((leaf, intermediates))) => {
            verifier.verify_client_cert(leaf, intermediates, now).is_ok()
        }
        _ => false,
    }
}

fn verifier(
    file: &PemFile,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        let added = roots.add(certificate);
        added.map_err(|error| content(file, &format!("holds a broken certificate: {error}")))?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| content(file, &error.to_string()))
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
        &self.hints
    }

    /// Taken as it is; [`verify`] judges it once the connection stands.
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

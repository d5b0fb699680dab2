//! Whom a webhook's `caBundle` makes trusted: whoever an authority in it vouches for, and, as in Go, whoever
//! shows a certificate that is in it itself. envtest puts the webhook's own certificate there.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

#[derive(Debug)]
pub(super) struct Trust {
    pub(super) authorities: Arc<WebPkiServerVerifier>,
    /// All that is in the bundle.
    pub(super) named: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let vouched = self.authorities.verify_server_cert(shown, intermediates, name, ocsp, now);
        match vouched {
            // Its times and its purpose are looked at before its issuer is: these are right.
            Err(Error::InvalidCertificate(CertificateError::UnknownIssuer))
                if self.named.iter().any(|named| named == shown) =>
            {
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authorities.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authorities.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.authorities.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, Issuer, KeyPair};
    use rustls::RootCertStore;

    use super::*;

    fn issued() -> CertificateDer<'static> {
        let (own, other) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let authority = CertificateParams::new(Vec::new()).unwrap();
        let mut leaf = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        leaf.distinguished_name.push(rcgen::DnType::CommonName, "leaf");
        leaf.signed_by(&own, &Issuer::new(authority, other)).unwrap().der().clone()
    }

    fn verify(named: &CertificateDer<'static>, shown: &CertificateDer<'_>, name: &str) -> bool {
        let mut roots = RootCertStore::empty();
        roots.add(named.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let authorities = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let authorities = authorities.build().unwrap();
        let trust = Trust { authorities, named: vec![named.clone()] };
        let name = ServerName::try_from(name).unwrap();
        trust.verify_server_cert(shown, &[], &name, &[], UnixTime::now()).is_ok()
    }

    #[test]
    fn a_certificate_that_is_named_itself_is_trusted_under_its_own_name_only() {
        let named = issued();
        assert!(verify(&named, &named, "127.0.0.1"));
        assert!(!verify(&named, &named, "127.0.0.2"));
        assert!(!verify(&named, &issued(), "127.0.0.1"));
    }
}

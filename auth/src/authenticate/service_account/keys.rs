//! Keys that sign and verify tokens, from PEM files.

use std::fmt;
use std::path::{Path, PathBuf};

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _,
    RsaKeyPair, RsaPublicKeyComponents,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use x509_parser::pem::Pem;
use x509_parser::prelude::{FromDer, SubjectPublicKeyInfo, X509Certificate};
use x509_parser::public_key::{PublicKey as ParsedKey, RSAPublicKey};

use super::pem;

/// Keys that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("key file {path:?} cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The text is not PEM.
    #[error("malformed PEM: {0}")]
    Pem(String),
    /// No block holds a private key that can be used.
    #[error("data does not contain a valid RSA or ECDSA private key")]
    NoPrivateKey,
    /// No block holds a public key that can be used.
    #[error("data does not contain any valid RSA or ECDSA public keys")]
    NoPublicKeys,
    /// The system gives no key.
    #[error("a key could not be generated")]
    Generation,
}

/// How tokens are signed; follows from the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyAlgorithm {
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// RSA PKCS#1 v1.5 with SHA-256.
    Rs256,
}

impl KeyAlgorithm {
    /// The name in headers and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::Rs256 => "RS256",
        }
    }

    pub(super) fn jwt(self) -> Algorithm {
        match self {
            Self::Es256 => Algorithm::ES256,
            Self::Es384 => Algorithm::ES384,
            Self::Rs256 => Algorithm::RS256,
        }
    }
}

/// A key that verifies tokens.
#[derive(Clone)]
pub struct PublicKey {
    /// base64url of the SHA-256 of the key in DER.
    id: String,
    pub(super) material: Material,
    pub(super) decoding: DecodingKey,
}

/// The numbers of a public key, big-endian.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Material {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    Ec { algorithm: KeyAlgorithm, x: Vec<u8>, y: Vec<u8> },
}

impl PublicKey {
    /// The key id in token headers.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How tokens of this key are signed.
    #[must_use]
    pub fn algorithm(&self) -> KeyAlgorithm {
        match &self.material {
            Material::Rsa { .. } => KeyAlgorithm::Rs256,
            Material::Ec { algorithm, .. } => *algorithm,
        }
    }

    /// Reads a `SubjectPublicKeyInfo`; `None` if it is no key that can be used.
    fn from_spki(der: &[u8]) -> Option<Self> {
        let (_, info) = SubjectPublicKeyInfo::from_der(der).ok()?;
        let (material, decoding) = match info.parsed().ok()? {
            ParsedKey::RSA(key) => {
                let (modulus, exponent) = (trim(key.modulus), trim(key.exponent));
                let decoding = DecodingKey::from_rsa_raw_components(modulus, exponent);
                (Material::Rsa { modulus: modulus.to_vec(), exponent: exponent.to_vec() }, decoding)
            }
            ParsedKey::EC(point) => {
                let point = point.data();
                (ec_material(point)?, DecodingKey::from_ec_der(point))
            }
            _ => return None,
        };
        let id = URL_SAFE_NO_PAD.encode(digest(&SHA256, der));
        Some(Self { id, material, decoding })
    }

    /// Reads one PEM block; private keys give their public half.
    fn from_block(block: &Pem) -> Option<Self> {
        let der = block.contents.as_slice();
        match block.label.as_str() {
            "PUBLIC KEY" => Self::from_spki(der),
            "RSA PUBLIC KEY" => {
                let (_, key) = RSAPublicKey::from_der(der).ok()?;
                let components =
                    RsaPublicKeyComponents { n: trim(key.modulus), e: trim(key.exponent) };
                let spki: PublicKeyX509Der<'_> = components.as_der().ok()?;
                Self::from_spki(spki.as_ref())
            }
            "CERTIFICATE" => {
                let (_, certificate) = X509Certificate::from_der(der).ok()?;
                Self::from_spki(certificate.public_key().raw)
            }
            _ => SigningKey::from_block(block).map(|key| key.public),
        }
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// All public keys of a PEM file: public keys, certificates, and the public halves of private keys.
///
/// # Errors
/// [`KeyError`] if the text is not PEM or holds no key that can be used.
pub fn public_keys(text: &[u8]) -> Result<Vec<PublicKey>, KeyError> {
    let keys: Vec<_> = pem::blocks(text)?.iter().filter_map(PublicKey::from_block).collect();
    if keys.is_empty() { Err(KeyError::NoPublicKeys) } else { Ok(keys) }
}

/// The same from a file (`--service-account-key-file`).
///
/// # Errors
/// [`KeyError`]
pub fn read_public_keys(path: &Path) -> Result<Vec<PublicKey>, KeyError> {
    public_keys(&read(path)?)
}

/// A key that signs tokens.
#[derive(Clone)]
pub struct SigningKey {
    public: PublicKey,
    pub(super) encoding: EncodingKey,
}

impl SigningKey {
    /// The first private key of a PEM text: PKCS#1 or PKCS#8 for RSA, SEC 1 or PKCS#8 for EC.
    ///
    /// # Errors
    /// [`KeyError`] if the text is not PEM or holds no key that can be used.
    pub fn from_pem(text: &[u8]) -> Result<Self, KeyError> {
        pem::blocks(text)?.iter().find_map(Self::from_block).ok_or(KeyError::NoPrivateKey)
    }

    /// The same from a file (`--service-account-signing-key-file`).
    ///
    /// # Errors
    /// [`KeyError`]
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        Self::from_pem(&read(path)?)
    }

    /// A new key on P-256, as PEM, for servers that are given none.
    ///
    /// # Errors
    /// [`KeyError::Generation`] if the system gives no randomness.
    pub fn generate_pem() -> Result<String, KeyError> {
        let curve = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(curve, &SystemRandom::new())
            .map_err(|_| KeyError::Generation)?;
        Ok(pem::encode("PRIVATE KEY", document.as_ref()))
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    fn from_block(block: &Pem) -> Option<Self> {
        let der = block.contents.as_slice();
        match block.label.as_str() {
            "RSA PRIVATE KEY" => Self::from_rsa(&RsaKeyPair::from_der(der).ok()?, block),
            "EC PRIVATE KEY" => Self::from_ec(der),
            "PRIVATE KEY" => match RsaKeyPair::from_pkcs8(der) {
                Ok(pair) => Self::from_rsa(&pair, block),
                Err(_) => Self::from_ec(der),
            },
            _ => None,
        }
    }

    fn from_rsa(pair: &RsaKeyPair, block: &Pem) -> Option<Self> {
        let spki: PublicKeyX509Der<'_> = pair.public_key().as_der().ok()?;
        let text = pem::encode(&block.label, &block.contents);
        let encoding = EncodingKey::from_rsa_pem(text.as_bytes()).ok()?;
        Some(Self { public: PublicKey::from_spki(spki.as_ref())?, encoding })
    }

    /// Takes PKCS#8 as well as SEC 1.
    fn from_ec(der: &[u8]) -> Option<Self> {
        let curves = [&ECDSA_P256_SHA256_FIXED_SIGNING, &ECDSA_P384_SHA384_FIXED_SIGNING];
        let pair = curves
            .into_iter()
            .find_map(|curve| EcdsaKeyPair::from_private_key_der(curve, der).ok())?;
        let spki: PublicKeyX509Der<'_> = pair.public_key().as_der().ok()?;
        let encoding = EncodingKey::from_ec_der(pair.to_pkcs8v1().ok()?.as_ref());
        Some(Self { public: PublicKey::from_spki(spki.as_ref())?, encoding })
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}

fn read(path: &Path) -> Result<Vec<u8>, KeyError> {
    std::fs::read(path).map_err(|source| KeyError::Unreadable { path: path.to_owned(), source })
}

/// Coordinates of an uncompressed point; its length tells the curve.
fn ec_material(point: &[u8]) -> Option<Material> {
    let algorithm = match point.len() {
        65 => KeyAlgorithm::Es256,
        97 => KeyAlgorithm::Es384,
        _ => return None,
    };
    let (x, y) = point.strip_prefix(&[4])?.split_at(point.len() / 2);
    Some(Material::Ec { algorithm, x: x.to_vec(), y: y.to_vec() })
}

/// DER puts a zero before numbers whose first bit is set.
fn trim(number: &[u8]) -> &[u8] {
    number.strip_prefix(&[0]).unwrap_or(number)
}

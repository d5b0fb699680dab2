//! Documents by which others can verify tokens: `/openid/v1/jwks` and
//! `/.well-known/openid-configuration`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;

use super::keys::{KeyAlgorithm, Material, PublicKey};

/// The public keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JsonWebKeySet {
    /// The keys, in the server's order.
    pub keys: Vec<JsonWebKey>,
}

/// One public key; numbers are base64url without padding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JsonWebKey {
    /// Always `sig`.
    #[serde(rename = "use")]
    pub usage: &'static str,
    /// `RSA` or `EC`.
    pub kty: &'static str,
    /// Key id.
    pub kid: String,
    /// Curve of an EC key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crv: Option<&'static str>,
    /// Signature algorithm.
    pub alg: &'static str,
    /// X of an EC key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<String>,
    /// Y of an EC key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<String>,
    /// Modulus of an RSA key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<String>,
    /// Exponent of an RSA key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub e: Option<String>,
}

/// The issuer's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenIdConfiguration {
    /// The issuer.
    pub issuer: String,
    /// Where its keys are.
    pub jwks_uri: String,
    /// Always `id_token`.
    pub response_types_supported: [&'static str; 1],
    /// Always `public`.
    pub subject_types_supported: [&'static str; 1],
    /// Algorithms of the keys, each once.
    pub id_token_signing_alg_values_supported: Vec<&'static str>,
}

impl JsonWebKeySet {
    /// The set of these keys.
    #[must_use]
    pub fn new(keys: &[PublicKey]) -> Self {
        Self { keys: keys.iter().map(JsonWebKey::new).collect() }
    }
}

impl JsonWebKey {
    fn new(key: &PublicKey) -> Self {
        let number = |bytes: &[u8]| Some(URL_SAFE_NO_PAD.encode(bytes));
        let empty = Self {
            usage: "sig",
            kty: "RSA",
            kid: key.id().to_owned(),
            crv: None,
            alg: key.algorithm().name(),
            x: None,
            y: None,
            n: None,
            e: None,
        };
        match &key.material {
            Material::Rsa { modulus, exponent } => {
                Self { n: number(modulus), e: number(exponent), ..empty }
            }
            Material::Ec { algorithm, x, y } => {
                let curve = if *algorithm == KeyAlgorithm::Es384 { "P-384" } else { "P-256" };
                Self { kty: "EC", crv: Some(curve), x: number(x), y: number(y), ..empty }
            }
        }
    }
}

impl OpenIdConfiguration {
    /// The configuration of an issuer whose keys can be fetched at `jwks_uri`.
    #[must_use]
    pub fn new(issuer: &str, jwks_uri: &str, keys: &[PublicKey]) -> Self {
        let mut algorithms: Vec<_> = keys.iter().map(|key| key.algorithm().name()).collect();
        algorithms.sort_unstable();
        algorithms.dedup();
        Self {
            issuer: issuer.to_owned(),
            jwks_uri: jwks_uri.to_owned(),
            response_types_supported: ["id_token"],
            subject_types_supported: ["public"],
            id_token_signing_alg_values_supported: algorithms,
        }
    }
}

//! Service account tokens: signed by a key of the server's own (spec: apimachinery 5.3).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::User;

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Claims {
    aud: Vec<String>,
    exp: i64,
    iat: i64,
    iss: String,
    jti: String,
    #[serde(rename = "kubernetes.io")]
    kubernetes: Bound,
    nbf: i64,
    sub: String,
}

/// What a token is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Bound {
    namespace: String,
    serviceaccount: Reference,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Reference {
    name: String,
    uid: String,
}

/// A service account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAccount<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its uid.
    pub uid: &'a str,
}

/// A key that tokens are checked with.
struct Verifier {
    key_id: String,
    algorithm: Algorithm,
    key: DecodingKey,
    /// The public key as it is published.
    published: Value,
}

/// Signs and checks service account tokens.
pub struct ServiceAccounts {
    signer: EncodingKey,
    algorithm: Algorithm,
    key_id: String,
    verifiers: Vec<Verifier>,
    issuers: Vec<String>,
    audiences: Vec<String>,
}

impl ServiceAccounts {
    /// Reads the keys, in PEM. The first issuer signs.
    ///
    /// # Errors
    ///
    /// One line that says which key is wrong.
    pub fn new(
        signing_key: &str,
        further_keys: &[String],
        issuers: Vec<String>,
        audiences: Vec<String>,
    ) -> Result<Self, String> {
        let (signer, algorithm) = signing(signing_key)?;
        let mut verifiers = vec![verifier(signing_key)?];
        for key in further_keys {
            let further = verifier(key)?;
            if verifiers.iter().all(|known| known.key_id != further.key_id) {
                verifiers.push(further);
            }
        }
        let key_id = verifiers[0].key_id.clone();
        Ok(Self { signer, algorithm, key_id, verifiers, issuers, audiences })
    }

    /// The audiences of tokens that name none.
    #[must_use]
    pub fn audiences(&self) -> &[String] {
        &self.audiences
    }

    /// A token for a service account, valid from now on. Times are Unix seconds.
    ///
    /// # Errors
    ///
    /// That of the signing library.
    pub fn sign(
        &self,
        account: &ServiceAccount<'_>,
        now: i64,
        valid_seconds: i64,
    ) -> Result<String, String> {
        let claims = Claims {
            aud: self.audiences.clone(),
            exp: now + valid_seconds,
            iat: now,
            iss: self.issuers.first().cloned().unwrap_or_default(),
            jti: uuid::Uuid::new_v4().to_string(),
            kubernetes: Bound {
                namespace: account.namespace.to_owned(),
                serviceaccount: Reference {
                    name: account.name.to_owned(),
                    uid: account.uid.to_owned(),
                },
            },
            nbf: now,
            sub: format!("system:serviceaccount:{}:{}", account.namespace, account.name),
        };
        let mut header = Header::new(self.algorithm);
        header.kid = Some(self.key_id.clone());
        header.typ = None;
        jsonwebtoken::encode(&header, &claims, &self.signer).map_err(|error| error.to_string())
    }

    /// Whose token it is, if it is one of ours and valid.
    #[must_use]
    pub fn user(&self, token: &str, now: i64) -> Option<User> {
        let header = jsonwebtoken::decode_header(token).ok()?;
        let claims = self
            .verifiers
            .iter()
            .filter(|verifier| header.kid.as_ref().is_none_or(|kid| *kid == verifier.key_id))
            .find_map(|verifier| self.check(verifier, token))?;
        if now < claims.nbf || now >= claims.exp {
            return None;
        }
        let Bound { namespace, serviceaccount } = claims.kubernetes;
        let expected = format!("system:serviceaccount:{namespace}:{}", serviceaccount.name);
        if claims.sub != expected {
            return None;
        }
        let extra = [(
            "authentication.kubernetes.io/credential-id".to_owned(),
            vec![format!("JTI={}", claims.jti)],
        )];
        Some(User {
            name: claims.sub,
            uid: serviceaccount.uid,
            groups: vec![
                "system:serviceaccounts".to_owned(),
                format!("system:serviceaccounts:{namespace}"),
            ],
            extra: extra.into(),
        })
    }

    fn check(&self, verifier: &Verifier, token: &str) -> Option<Claims> {
        // The key says which algorithm it is for; the token has no say in it.
        let mut validation = Validation::new(verifier.algorithm);
        validation.set_issuer(&self.issuers);
        validation.set_audience(&self.audiences);
        // Times are checked against the clock that the server is told.
        validation.validate_exp = false;
        validation.validate_nbf = false;
        let decoded = jsonwebtoken::decode::<Claims>(token, &verifier.key, &validation);
        decoded.ok().map(|decoded| decoded.claims)
    }

    /// The public keys, as `/openid/v1/jwks` shows them.
    #[must_use]
    pub fn published_keys(&self) -> Value {
        let keys: Vec<&Value> = self.verifiers.iter().map(|verifier| &verifier.published).collect();
        json!({ "keys": keys })
    }

    /// The document at `/.well-known/openid-configuration`.
    #[must_use]
    pub fn discovery(&self, server: &str) -> Value {
        let mut algorithms: Vec<String> =
            self.verifiers.iter().map(|verifier| format!("{:?}", verifier.algorithm)).collect();
        algorithms.dedup();
        json!({
            "issuer": self.issuers.first(),
            "jwks_uri": format!("{server}/openid/v1/jwks"),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": algorithms,
        })
    }
}

fn signing(pem: &str) -> Result<(EncodingKey, Algorithm), String> {
    if let Ok(key) = EncodingKey::from_ec_pem(pem.as_bytes()) {
        return Ok((key, Algorithm::ES256));
    }
    EncodingKey::from_rsa_pem(pem.as_bytes())
        .map(|key| (key, Algorithm::RS256))
        .map_err(|error| format!("the service account signing key is no usable key: {error}"))
}

/// The verifier of a private or public key in PEM.
fn verifier(pem: &str) -> Result<Verifier, String> {
    let public = keys::public_key(pem)?;
    let key_id = URL_SAFE_NO_PAD.encode(Sha256::digest(&public.der));
    let (key, algorithm, mut published) = match &public.kind {
        keys::Kind::P256 { x, y } => {
            let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
            let key = DecodingKey::from_ec_components(&x, &y).map_err(|error| error.to_string())?;
            (key, Algorithm::ES256, json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y }))
        }
        keys::Kind::Rsa { n, e } => {
            let (n, e) = (URL_SAFE_NO_PAD.encode(n), URL_SAFE_NO_PAD.encode(e));
            let key =
                DecodingKey::from_rsa_components(&n, &e).map_err(|error| error.to_string())?;
            (key, Algorithm::RS256, json!({ "kty": "RSA", "n": n, "e": e }))
        }
    };
    published["use"] = json!("sig");
    published["kid"] = json!(key_id);
    published["alg"] = json!(format!("{algorithm:?}"));
    Ok(Verifier { key_id, algorithm, key, published })
}

/// Public keys in PEM and out of private ones.
mod keys {
    use aws_lc_rs::encoding::{AsDer as _, PublicKeyX509Der};
    use aws_lc_rs::signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RsaKeyPair,
    };
    use rustls_pki_types::pem::PemObject as _;
    use rustls_pki_types::{PrivateKeyDer, SubjectPublicKeyInfoDer};
    use x509_parser::prelude::{FromDer as _, SubjectPublicKeyInfo};
    use x509_parser::public_key::PublicKey;

    /// A public key.
    pub(super) struct Public {
        /// As SubjectPublicKeyInfo.
        pub(super) der: Vec<u8>,
        /// Its numbers.
        pub(super) kind: Kind,
    }

    /// The numbers of a public key, big-endian.
    pub(super) enum Kind {
        P256 { x: Vec<u8>, y: Vec<u8> },
        Rsa { n: Vec<u8>, e: Vec<u8> },
    }

    pub(super) fn public_key(pem: &str) -> Result<Public, String> {
        let der = match SubjectPublicKeyInfoDer::from_pem_slice(pem.as_bytes()) {
            Ok(der) => der.to_vec(),
            Err(_) => of_private_key(pem)?,
        };
        let kind = numbers(&der)?;
        Ok(Public { der, kind })
    }

    fn of_private_key(pem: &str) -> Result<Vec<u8>, String> {
        let unusable = |why: &str| format!("the service account key is no usable key: {why}");
        let der = PrivateKeyDer::from_pem_slice(pem.as_bytes())
            .map_err(|error| unusable(&error.to_string()))?;
        let public: PublicKeyX509Der<'_> = match &der {
            PrivateKeyDer::Pkcs8(key) => {
                let bytes = key.secret_pkcs8_der();
                if let Ok(pair) = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, bytes)
                {
                    pair.public_key().as_der()
                } else {
                    let pair = RsaKeyPair::from_pkcs8(bytes)
                        .map_err(|error| unusable(&error.to_string()))?;
                    pair.public_key().as_der()
                }
            }
            PrivateKeyDer::Pkcs1(key) => RsaKeyPair::from_der(key.secret_pkcs1_der())
                .map_err(|error| unusable(&error.to_string()))?
                .public_key()
                .as_der(),
            PrivateKeyDer::Sec1(key) => EcdsaKeyPair::from_private_key_der(
                &ECDSA_P256_SHA256_FIXED_SIGNING,
                key.secret_sec1_der(),
            )
            .map_err(|error| unusable(&error.to_string()))?
            .public_key()
            .as_der(),
            _ => return Err(unusable("its form is not known")),
        }
        .map_err(|_| unusable("its public part cannot be written"))?;
        Ok(public.as_ref().to_vec())
    }

    fn numbers(der: &[u8]) -> Result<Kind, String> {
        let wrong = || "the service account key is neither an RSA nor a P-256 key".to_owned();
        let (_, info) = SubjectPublicKeyInfo::from_der(der).map_err(|_| wrong())?;
        match info.parsed().map_err(|_| wrong())? {
            PublicKey::RSA(key) => {
                let plain = |number: &[u8]| {
                    let zeros = number.iter().take_while(|byte| **byte == 0).count();
                    number[zeros..].to_vec()
                };
                Ok(Kind::Rsa { n: plain(key.modulus), e: plain(key.exponent) })
            }
            PublicKey::EC(point) => match point.data() {
                [4, coordinates @ ..] if coordinates.len() == 64 => {
                    let (x, y) = coordinates.split_at(32);
                    Ok(Kind::P256 { x: x.to_vec(), y: y.to_vec() })
                }
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_796_000_000;

    fn accounts() -> ServiceAccounts {
        let key = rcgen::KeyPair::generate().unwrap().serialize_pem();
        let issuer = vec!["https://issuer".to_owned()];
        ServiceAccounts::new(&key, &[], issuer.clone(), issuer).unwrap()
    }

    const ACCOUNT: ServiceAccount<'_> = ServiceAccount { namespace: "ns", name: "sa", uid: "u" };

    #[test]
    fn a_signed_token_names_its_account() {
        let accounts = accounts();
        let token = accounts.sign(&ACCOUNT, NOW, 600).unwrap();
        let user = accounts.user(&token, NOW + 1).unwrap();
        assert_eq!(user.name, "system:serviceaccount:ns:sa");
        assert_eq!(user.groups, ["system:serviceaccounts", "system:serviceaccounts:ns"]);
    }

    #[test]
    fn tokens_of_others_and_old_ones_are_refused() {
        let (ours, theirs) = (accounts(), accounts());
        let token = ours.sign(&ACCOUNT, NOW, 600).unwrap();
        assert_eq!(theirs.user(&token, NOW), None);
        assert_eq!(ours.user(&token, NOW + 600), None);
        assert_eq!(ours.user(&token, NOW - 1), None);
        assert_eq!(ours.user("nonsense", NOW), None);
    }

    #[test]
    fn the_published_key_is_the_one_tokens_name() {
        let accounts = accounts();
        let token = accounts.sign(&ACCOUNT, NOW, 600).unwrap();
        let kid = jsonwebtoken::decode_header(&token).unwrap().kid.unwrap();
        assert_eq!(accounts.published_keys()["keys"][0]["kid"], kid);
    }
}

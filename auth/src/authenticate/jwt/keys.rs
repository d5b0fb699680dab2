//! An issuer's public keys, as JSON Web Key Sets list them.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, PublicKeyUse};
use serde::Deserialize;
use serde_json::Value;

/// The most keys that are read of one set.
const KEYS_MAX: usize = 256;

/// A document that is no key set.
#[derive(Debug, thiserror::Error)]
pub enum KeySetError {
    /// It is no JSON, or does not list keys.
    #[error("oidc: failed to decode keys: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It lists more keys than anybody has.
    #[error("oidc: the key set lists more than {KEYS_MAX} keys")]
    TooMany,
}

/// Keys that verify tokens.
pub struct KeySet(Vec<Key>);

struct Key {
    id: Option<String>,
    decoding: DecodingKey,
}

impl KeySet {
    /// Reads a JSON Web Key Set. Keys of other kinds or for other uses are left out.
    ///
    /// # Errors
    /// [`KeySetError`]
    pub fn from_json(text: &[u8]) -> Result<Self, KeySetError> {
        #[derive(Deserialize)]
        struct Document {
            keys: Vec<Value>,
        }
        let document: Document = serde_json::from_slice(text)?;
        if document.keys.len() > KEYS_MAX {
            return Err(KeySetError::TooMany);
        }
        Ok(Self(document.keys.into_iter().filter_map(Key::read).collect()))
    }

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no key that can be used.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys with this id; all of them for a token that names none.
    pub(super) fn candidates(&self, id: Option<&str>) -> impl Iterator<Item = &DecodingKey> {
        let fits = move |key: &&Key| id.is_none_or(|id| key.id.as_deref() == Some(id));
        self.0.iter().filter(fits).map(|key| &key.decoding)
    }
}

impl Key {
    fn read(key: Value) -> Option<Self> {
        let key: Jwk = serde_json::from_value(key).ok()?;
        let is_pair = matches!(
            key.algorithm,
            AlgorithmParameters::EllipticCurve(_) | AlgorithmParameters::RSA(_)
        );
        if !is_pair || key.common.public_key_use == Some(PublicKeyUse::Encryption) {
            return None;
        }
        Some(Self { decoding: DecodingKey::from_jwk(&key).ok()?, id: key.common.key_id })
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|key| &key.id)).finish()
    }
}

/// The keys of an issuer as they were fetched last; none until then.
#[derive(Debug, Default)]
pub struct IssuerKeys(ArcSwapOption<KeySet>);

impl IssuerKeys {
    /// Puts a newer set in place.
    pub fn replace(&self, keys: KeySet) {
        self.0.store(Some(Arc::new(keys)));
    }

    pub(super) fn current(&self) -> Option<Arc<KeySet>> {
        self.0.load_full()
    }
}

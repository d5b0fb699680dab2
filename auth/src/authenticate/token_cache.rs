//! Tokens that were good a moment ago are good without another look (upstream: ten seconds).
//!
//! So a deleted service account's token lives a little longer, as in the reference, and signatures
//! are verified once and not with each request.

use std::collections::BTreeMap;

use aws_lc_rs::digest::{Context, SHA256};
use parking_lot::Mutex;

use super::token::TokenUser;

const TTL_SECONDS: i64 = 10;
const ENTRIES_MAX: usize = 4096;

type Key = [u8; 32];

/// Remembers good tokens, by their hashes.
#[derive(Debug, Default)]
pub struct TokenCache {
    entries: Mutex<BTreeMap<Key, Entry>>,
}

#[derive(Debug)]
struct Entry {
    found: TokenUser,
    expires_unix_seconds: i64,
}

impl TokenCache {
    pub(super) fn get(&self, token: &str, audiences: &[String], now: i64) -> Option<TokenUser> {
        let entries = self.entries.lock();
        let entry = entries.get(&key(token, audiences))?;
        (now < entry.expires_unix_seconds).then(|| entry.found.clone())
    }

    pub(super) fn put(&self, token: &str, audiences: &[String], found: &TokenUser, now: i64) {
        let mut entries = self.entries.lock();
        if entries.len() >= ENTRIES_MAX {
            entries.retain(|_, entry| now < entry.expires_unix_seconds);
        }
        if entries.len() >= ENTRIES_MAX {
            // Hashes are in no order that means anything, so any entry may go.
            entries.pop_first();
        }
        let entry = Entry { found: found.clone(), expires_unix_seconds: now + TTL_SECONDS };
        entries.insert(key(token, audiences), entry);
    }
}

/// Lengths keep different lists of texts from running into the same bytes.
fn key(token: &str, audiences: &[String]) -> Key {
    let mut context = Context::new(&SHA256);
    for text in std::iter::once(token).chain(audiences.iter().map(String::as_str)) {
        context.update(&text.len().to_be_bytes());
        context.update(text.as_bytes());
    }
    let mut key = Key::default();
    key.copy_from_slice(context.finish().as_ref());
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user::User;

    fn alice() -> TokenUser {
        TokenUser::without_audiences(User::new("alice"))
    }

    #[test]
    fn good_tokens_are_remembered_for_ten_seconds() {
        let cache = TokenCache::default();
        cache.put("t", &[], &alice(), 100);
        assert_eq!(cache.get("t", &[], 109), Some(alice()));
        assert_eq!(cache.get("t", &[], 110), None);
        assert_eq!(cache.get("u", &[], 100), None);
    }

    #[test]
    fn other_audiences_are_another_question() {
        let cache = TokenCache::default();
        let (ab, a_b) = (["ab".to_owned()], ["a".to_owned(), "b".to_owned()]);
        cache.put("t", &ab, &alice(), 100);
        assert_eq!(cache.get("t", &a_b, 100), None);
        assert_eq!(cache.get("t", &ab, 100), Some(alice()));
    }

    #[test]
    fn the_cache_is_bounded() {
        let cache = TokenCache::default();
        for index in 0..ENTRIES_MAX + 10 {
            cache.put(&index.to_string(), &[], &alice(), 100);
        }
        assert_eq!(cache.entries.lock().len(), ENTRIES_MAX);
        cache.put("later", &[], &alice(), 200);
        assert_eq!(cache.entries.lock().len(), 1);
    }
}

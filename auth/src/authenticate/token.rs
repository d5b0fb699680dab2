//! What all kinds of tokens have in common.

use validation::text::go_quote;

use crate::user::User;

/// A user that a credential stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenUser {
    /// The user.
    pub user: User,
    /// Those of the asked audiences that the token is meant for; empty if it says nothing.
    pub audiences: Vec<String>,
}

impl TokenUser {
    pub(super) fn without_audiences(user: User) -> Self {
        Self { user, audiences: Vec::new() }
    }
}

/// Knows one kind of token.
pub trait TokenAuthenticator: Send + Sync {
    /// The token's user; `None` if the token is of another kind, or meant for none of `audiences`.
    ///
    /// # Errors
    /// Says why a token of this kind is not good.
    fn authenticate_token(
        &self,
        token: &str,
        audiences: &[String],
        now_unix_seconds: i64,
    ) -> Result<Option<TokenUser>, String>;
}

/// What two lists of audiences share, in the order of the first.
pub(super) fn intersect(own: &[String], asked: &[String]) -> Vec<String> {
    own.iter().filter(|audience| asked.contains(audience)).cloned().collect()
}

/// Whether a token whose kind knows no audiences passes: it counts as meant for the server's own.
pub(super) fn implicit_audiences(own: &[String], asked: &[String]) -> Option<Vec<String>> {
    let shared = intersect(own, asked);
    (asked.is_empty() || !shared.is_empty()).then_some(shared)
}

/// A list as Go's `%q` prints it.
pub(super) fn quote_list(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| go_quote(text)).collect();
    format!("[{}]", quoted.join(" "))
}

//! Telling users by tokens of others.

use std::sync::Arc;

use arc_swap::ArcSwap;
use jsonwebtoken::{Validation, decode};
use validation::text::go_quote;

use super::claims::{Claims, Header, unverified};
use super::{IssuerKeys, JwtIssuer, SigningAlgorithm};
use crate::authenticate::token::{TokenAuthenticator, TokenUser, implicit_audiences, quote_list};
use crate::user::User;

/// How much earlier than its time a token may come.
const NOT_BEFORE_LEEWAY_SECONDS: i64 = 5 * 60;

/// The tokens of one issuer.
#[derive(Debug, Clone)]
pub struct JwtTokens {
    /// Who issues them.
    pub issuer: JwtIssuer,
    /// Their keys.
    pub keys: Arc<IssuerKeys>,
}

impl JwtTokens {
    fn user(
        &self,
        header: &Header,
        claims: &Claims,
        token: &str,
        now: i64,
    ) -> Result<User, String> {
        let verified = self
            .verify(header, claims, token, now)
            .map_err(|why| format!("oidc: verify token: {why}"))?;
        self.check_required(&verified, self.map(&verified)?)
    }

    /// The claims, once times, signature and audience are known to be right.
    fn verify(
        &self,
        header: &Header,
        claims: &Claims,
        token: &str,
        now: i64,
    ) -> Result<Claims, String> {
        check_times(claims, now)?;
        let algorithm = self.algorithm(&header.alg)?;
        let verified = self.check_signature(header, algorithm, token)?;
        let own = claims.texts("aud").unwrap_or_default();
        let audiences = &self.issuer.audiences;
        if !audiences.iter().any(|audience| own.contains(&audience.as_str())) {
            let mut sorted = audiences.clone();
            sorted.sort_unstable();
            let own: Vec<String> = own.into_iter().map(str::to_owned).collect();
            return Err(format!(
                "oidc: expected audience in {} got {}",
                quote_list(&sorted),
                quote_list(&own)
            ));
        }
        Ok(verified)
    }

    fn algorithm(&self, name: &str) -> Result<SigningAlgorithm, String> {
        let allowed = &self.issuer.algorithms;
        let known = allowed.iter().copied().find(|algorithm| algorithm.name() == name);
        known.ok_or_else(|| {
            let names: Vec<_> = allowed.iter().map(|known| known.name().to_owned()).collect();
            format!(
                "oidc: id token signed with unsupported algorithm, expected {} got {}",
                quote_list(&names),
                go_quote(name)
            )
        })
    }

    fn check_signature(
        &self,
        header: &Header,
        algorithm: SigningAlgorithm,
        token: &str,
    ) -> Result<Claims, String> {
        let keys = self.keys.current().ok_or("oidc: authenticator not initialized")?;
        let validation = signature_only(algorithm);
        keys.candidates(header.kid.as_deref())
            .find_map(|key| decode::<Claims>(token, key, &validation).ok())
            .map(|decoded| decoded.claims)
            .ok_or_else(|| {
                "failed to verify signature: failed to verify id token signature".to_owned()
            })
    }

    fn map(&self, claims: &Claims) -> Result<User, String> {
        let JwtIssuer { username, groups, uid_claim, .. } = &self.issuer;
        let name = claims.text(&username.claim).map_err(|why| {
            format!("oidc: parse username claims {}: {why}", go_quote(&username.claim))
        })?;
        if username.claim == "email" && claims.has("email_verified") {
            let verified = claims.boolean("email_verified");
            if !verified.map_err(|why| format!("oidc: parse 'email_verified' claim: {why}"))? {
                return Err("oidc: email not verified".to_owned());
            }
        }
        let mut user = User::new(username.prefixed(name));
        if let Some(groups) = groups.as_ref().filter(|groups| claims.has(&groups.claim)) {
            let names = claims.texts(&groups.claim).map_err(|why| {
                format!("oidc: parse groups claim {}: {why}", go_quote(&groups.claim))
            })?;
            user.groups = names.into_iter().map(|name| groups.prefixed(name)).collect();
        }
        if let Some(claim) = uid_claim {
            let uid = claims.text(claim);
            user.uid = uid
                .map_err(|why| format!("oidc: parse uid claim {}: {why}", go_quote(claim)))?
                .to_owned();
        }
        Ok(user)
    }

    fn check_required(&self, claims: &Claims, user: User) -> Result<User, String> {
        for (claim, wanted) in &self.issuer.required_claims {
            if !claims.has(claim) {
                return Err(format!("oidc: required claim {claim} not present in ID token"));
            }
            let found = claims.text(claim);
            let found = found.map_err(|why| format!("oidc: parse claim {claim}: {why}"))?;
            if found != wanted {
                return Err(format!(
                    "oidc: required claim {claim} value does not match. Got = {found}, want = \
                     {wanted}"
                ));
            }
        }
        Ok(user)
    }

    /// Whether the token names a key that has not been fetched.
    fn lacks_key_of(&self, header: &Header) -> bool {
        let keys = self.keys.current();
        keys.is_none_or(|keys| keys.candidates(header.kid.as_deref()).next().is_none())
    }
}

/// Times are checked here, by the caller's clock.
fn check_times(claims: &Claims, now: i64) -> Result<(), String> {
    match claims.seconds("exp") {
        Some(expires) if now <= expires => {}
        Some(expires) => {
            return Err(format!("oidc: token is expired (Token Expiry: {expires})"));
        }
        None => return Err("oidc: token is expired (Token Expiry: none)".to_owned()),
    }
    match claims.seconds("nbf") {
        Some(not_before) if now.saturating_add(NOT_BEFORE_LEEWAY_SECONDS) < not_before => {
            Err(format!("oidc: current time {now} before the nbf (not before) time: {not_before}"))
        }
        _ => Ok(()),
    }
}

fn signature_only(algorithm: SigningAlgorithm) -> Validation {
    let mut validation = Validation::new(algorithm.jwt());
    validation.validate_exp = false;
    validation.validate_aud = false;
    validation.required_spec_claims.clear();
    validation
}

/// The tokens of all issuers that are trusted now. Clones see the same issuers.
#[derive(Debug, Clone, Default)]
pub struct ExternalTokens {
    current: Arc<ArcSwap<Vec<JwtTokens>>>,
    api_audiences: Vec<String>,
}

impl ExternalTokens {
    /// Trusts nobody yet; tokens count as meant for these audiences.
    #[must_use]
    pub fn new(api_audiences: Vec<String>) -> Self {
        Self { current: Arc::default(), api_audiences }
    }

    /// Trusts these issuers from now on, and no others.
    pub fn replace(&self, issuers: Vec<JwtTokens>) {
        self.current.store(Arc::new(issuers));
    }

    /// The issuer of a token that cannot be judged before keys are fetched again.
    #[must_use]
    pub fn issuer_to_ask(&self, token: &str) -> Option<String> {
        let (header, claims) = unverified(token)?;
        let issuers = self.current.load();
        let issuer = issuers.iter().find(|known| claims.text("iss") == Ok(&known.issuer.url))?;
        issuer.lacks_key_of(&header).then(|| issuer.issuer.url.clone())
    }
}

impl TokenAuthenticator for ExternalTokens {
    fn authenticate_token(
        &self,
        token: &str,
        audiences: &[String],
        now_unix_seconds: i64,
    ) -> Result<Option<TokenUser>, String> {
        let Some((header, claims)) = unverified(token) else { return Ok(None) };
        let issuers = self.current.load();
        let issuer = issuers.iter().find(|known| claims.text("iss") == Ok(&known.issuer.url));
        let Some(issuer) = issuer else { return Ok(None) };
        let Some(audiences) = implicit_audiences(&self.api_audiences, audiences) else {
            return Ok(None);
        };
        let user = issuer.user(&header, &claims, token, now_unix_seconds)?;
        Ok(Some(TokenUser { user, audiences }))
    }
}

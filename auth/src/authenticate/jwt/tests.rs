use std::sync::Arc;

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::rsa::{KeyPair, KeySize};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, encode};
use serde_json::{Value, json};

use super::*;
use crate::authenticate::service_account::SigningKey;
use crate::authenticate::token::{TokenAuthenticator, TokenUser};

const ISSUER: &str = "https://issuer.example.com";
const NOW: i64 = 1_800_000_000;

/// A key of the issuer, with the document that others verify by.
struct Pair {
    id: &'static str,
    algorithm: Algorithm,
    encoding: EncodingKey,
}

impl Pair {
    fn ec(id: &'static str) -> Self {
        let pem = SigningKey::generate_pem().unwrap();
        let encoding = EncodingKey::from_ec_pem(pem.as_bytes()).unwrap();
        Self { id, algorithm: Algorithm::ES256, encoding }
    }

    fn rsa(id: &'static str, algorithm: Algorithm) -> Self {
        let pkcs8: Pkcs8V1Der<'_> = KeyPair::generate(KeySize::Rsa2048).unwrap().as_der().unwrap();
        let pem = format!(
            "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
            STANDARD.encode(pkcs8.as_ref())
        );
        Self { id, algorithm, encoding: EncodingKey::from_rsa_pem(pem.as_bytes()).unwrap() }
    }

    fn jwk(&self) -> Value {
        let mut jwk = Jwk::from_encoding_key(&self.encoding, self.algorithm).unwrap();
        jwk.common.key_id = Some(self.id.to_owned());
        serde_json::to_value(jwk).unwrap()
    }

    fn sign(&self, claims: &Value) -> String {
        let mut header = jsonwebtoken::Header::new(self.algorithm);
        header.kid = Some(self.id.to_owned());
        encode(&header, claims, &self.encoding).unwrap()
    }
}

fn issuer() -> JwtIssuer {
    JwtIssuer {
        url: ISSUER.to_owned(),
        audiences: vec!["cluster".to_owned(), "another".to_owned()],
        algorithms: SigningAlgorithm::ALL.to_vec(),
        required_claims: Vec::new(),
        username: PrefixedClaim { claim: "sub".to_owned(), prefix: "ext:".to_owned() },
        groups: Some(PrefixedClaim { claim: "groups".to_owned(), prefix: "g:".to_owned() }),
        uid_claim: None,
    }
}

fn key_set(pairs: &[&Pair]) -> KeySet {
    let keys: Vec<Value> = pairs.iter().map(|pair| pair.jwk()).collect();
    KeySet::from_json(json!({ "keys": keys }).to_string().as_bytes()).unwrap()
}

fn tokens(issuer: JwtIssuer, pairs: &[&Pair]) -> ExternalTokens {
    let keys = IssuerKeys::default();
    keys.replace(key_set(pairs));
    let tokens = ExternalTokens::new(vec!["api".to_owned()]);
    tokens.replace(vec![JwtTokens { issuer, keys: Arc::new(keys) }]);
    tokens
}

fn claims(more: Value) -> Value {
    let mut claims =
        json!({ "iss": ISSUER, "aud": "cluster", "exp": NOW + 60, "sub": "alice", "jti": "1" });
    let Value::Object(more) = more else { panic!("claims are objects") };
    claims.as_object_mut().unwrap().extend(more);
    claims
}

fn ask(tokens: &ExternalTokens, token: &str) -> Result<Option<TokenUser>, String> {
    tokens.authenticate_token(token, &[], NOW)
}

/// What comes of claims that a known key signed.
fn user_of(issuer: JwtIssuer, more: Value) -> Result<crate::user::User, String> {
    let pair = Pair::ec("k1");
    let token = pair.sign(&claims(more));
    ask(&tokens(issuer, &[&pair]), &token).map(|found| found.unwrap().user)
}

#[test]
fn claims_become_a_user() {
    let user = user_of(issuer(), json!({ "groups": ["dev", "ops"], "aud": ["x", "another"] }));
    let user = user.unwrap();
    assert_eq!(user.name, "ext:alice");
    assert_eq!(user.groups, ["g:dev", "g:ops"]);
    assert!(user.extra.is_empty() && user.uid.is_empty());
}

#[test]
fn one_group_may_be_a_text_and_none_may_be_missing() {
    assert_eq!(user_of(issuer(), json!({ "groups": "dev" })).unwrap().groups, ["g:dev"]);
    assert!(user_of(issuer(), json!({})).unwrap().groups.is_empty());
    assert_eq!(
        user_of(issuer(), json!({ "groups": 5 })).unwrap_err(),
        "oidc: parse groups claim \"groups\": json: cannot unmarshal number into Go value of type \
         string"
    );
}

#[test]
fn tokens_of_every_algorithm_are_verified() {
    for algorithm in [Algorithm::RS256, Algorithm::RS512, Algorithm::PS256, Algorithm::PS384] {
        let pair = Pair::rsa("r", algorithm);
        let found = ask(&tokens(issuer(), &[&pair]), &pair.sign(&claims(json!({}))));
        assert_eq!(found.unwrap().unwrap().user.name, "ext:alice", "{algorithm:?}");
    }
}

#[test]
fn tokens_of_others_are_not_looked_at() {
    let pair = Pair::ec("k1");
    let tokens = tokens(issuer(), &[&pair]);
    for token in
        [pair.sign(&claims(json!({ "iss": "https://other" }))), "a.b.c".to_owned(), String::new()]
    {
        assert_eq!(ask(&tokens, &token), Ok(None));
    }
}

#[test]
fn what_is_wrong_with_a_token_is_said_in_the_references_words() {
    for (more, error) in [
        (
            json!({ "aud": "elsewhere" }),
            "oidc: verify token: oidc: expected audience in [\"another\" \"cluster\"] got \
             [\"elsewhere\"]",
        ),
        (
            json!({ "exp": NOW - 1 }),
            "oidc: verify token: oidc: token is expired (Token Expiry: 1799999999)",
        ),
        (
            json!({ "sub": 7 }),
            "oidc: parse username claims \"sub\": json: cannot unmarshal number \
                               into Go value of type string",
        ),
    ] {
        assert_eq!(user_of(issuer(), more).unwrap_err(), error);
    }
    assert!(user_of(issuer(), json!({ "nbf": NOW + 301 })).is_err());
    assert!(user_of(issuer(), json!({ "nbf": NOW + 300 })).is_ok());
}

#[test]
fn forged_tokens_are_refused() {
    let (pair, forger) = (Pair::ec("k1"), Pair::ec("k1"));
    let error = ask(&tokens(issuer(), &[&pair]), &forger.sign(&claims(json!({})))).unwrap_err();
    let wrong = "oidc: verify token: failed to verify signature: failed to verify id token \
                 signature";
    assert_eq!(error, wrong);
    // The claims of one token with the signature of another.
    let (one, other) =
        (pair.sign(&claims(json!({}))), pair.sign(&claims(json!({ "sub": "root" }))));
    let cut = |token: &str, at: usize| token.split('.').nth(at).unwrap().to_owned();
    let mixed = format!("{}.{}.{}", cut(&one, 0), cut(&other, 1), cut(&one, 2));
    assert_eq!(ask(&tokens(issuer(), &[&pair]), &mixed).unwrap_err(), wrong);
}

#[test]
fn unsigned_tokens_and_unwanted_algorithms_are_refused() {
    let pair = Pair::ec("k1");
    let token = pair.sign(&claims(json!({})));
    let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
    let unsigned = format!("{none}.{}.", token.split('.').nth(1).unwrap());
    let only_rs256 = JwtIssuer { algorithms: vec![SigningAlgorithm::Rs256], ..issuer() };
    for (token, found) in [(unsigned, "none"), (token, "ES256")] {
        assert_eq!(
            ask(&tokens(only_rs256.clone(), &[&pair]), &token).unwrap_err(),
            format!(
                "oidc: verify token: oidc: id token signed with unsupported algorithm, expected \
                 [\"RS256\"] got \"{found}\""
            )
        );
    }
}

#[test]
fn required_claims_must_be_there_with_their_value() {
    let strict =
        JwtIssuer { required_claims: vec![("tenant".to_owned(), "blue".to_owned())], ..issuer() };
    assert!(user_of(strict.clone(), json!({ "tenant": "blue" })).is_ok());
    assert_eq!(
        user_of(strict.clone(), json!({ "tenant": "red" })).unwrap_err(),
        "oidc: required claim tenant value does not match. Got = red, want = blue"
    );
    assert_eq!(
        user_of(strict, json!({})).unwrap_err(),
        "oidc: required claim tenant not present in ID token"
    );
}

#[test]
fn mail_addresses_count_unless_they_are_known_to_be_unverified() {
    let by_mail = JwtIssuer {
        username: PrefixedClaim { claim: "email".to_owned(), prefix: String::new() },
        uid_claim: Some("sub".to_owned()),
        ..issuer()
    };
    let user = user_of(by_mail.clone(), json!({ "email": "a@b.c" })).unwrap();
    assert_eq!((user.name.as_str(), user.uid.as_str()), ("a@b.c", "alice"));
    assert_eq!(
        user_of(by_mail, json!({ "email": "a@b.c", "email_verified": false })).unwrap_err(),
        "oidc: email not verified"
    );
}

#[test]
fn the_issuer_is_to_be_asked_only_about_keys_that_are_not_known() {
    let (known, new) = (Pair::ec("k1"), Pair::ec("k2"));
    let tokens = tokens(issuer(), &[&known]);
    assert_eq!(tokens.issuer_to_ask(&known.sign(&claims(json!({})))), None);
    assert_eq!(tokens.issuer_to_ask(&new.sign(&claims(json!({})))).as_deref(), Some(ISSUER));
    assert_eq!(tokens.issuer_to_ask(&new.sign(&claims(json!({ "iss": "x" })))), None);
}

#[test]
fn keys_of_other_kinds_and_uses_are_left_out() {
    let pair = Pair::ec("k1");
    let mut for_encryption = pair.jwk();
    for_encryption["use"] = json!("enc");
    let keys = json!({ "keys": [
        { "kty": "oct", "k": "c2VjcmV0", "kid": "secret" },
        { "kty": "EC", "crv": "P-256", "x": "!", "y": "!", "kid": "broken" },
        { "kty": "AKP" },
        for_encryption,
        pair.jwk(),
    ]});
    assert_eq!(KeySet::from_json(keys.to_string().as_bytes()).unwrap().len(), 1);
    for wrong in ["", "[]", "{}", "{\"keys\":5}"] {
        assert!(KeySet::from_json(wrong.as_bytes()).is_err(), "{wrong}");
    }
}

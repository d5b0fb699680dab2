use http::header::{AUTHORIZATION, CONNECTION, SEC_WEBSOCKET_PROTOCOL, UPGRADE};
use http::{HeaderMap, HeaderName, HeaderValue};
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

use super::*;

const API: &str = "https://kubernetes.default.svc";
const NOW: i64 = 1_800_000_000;

fn authenticator() -> Authenticator {
    let audiences = vec![API.to_owned()];
    let file = TokenFile::parse("alicetoken,alice,alice-uid,\"dev,qa\"\n", audiences.clone());
    Authenticator {
        client_certificates: true,
        tokens: vec![Box::new(file.unwrap())],
        api_audiences: audiences,
        ..Authenticator::default()
    }
}

fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

fn bearer(value: &str) -> HeaderMap {
    headers(&[(AUTHORIZATION, value)])
}

fn certificate(common_name: &str) -> Vec<u8> {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
}

fn authenticate(
    authenticator: &Authenticator,
    headers: &HeaderMap,
    certificate: Option<PeerCertificate<'_>>,
) -> Authentication {
    authenticator.authenticate(&Credentials { headers, path: "/healthz", certificate }, NOW)
}

fn name(outcome: Outcome) -> Result<String, String> {
    outcome.into_user().map(|user| user.name).map_err(|error| error.to_string())
}

#[test]
fn good_tokens_give_a_user_in_the_authenticated_group() {
    let found = authenticate(&authenticator(), &bearer("Bearer alicetoken"), None);
    let user = found.outcome.into_user().unwrap();
    assert_eq!((user.name.as_str(), user.uid.as_str()), ("alice", "alice-uid"));
    assert_eq!(user.groups, ["dev", "qa", "system:authenticated"]);
    assert_eq!(found.audiences, [API]);
}

#[test]
fn bad_tokens_are_unauthorized_and_never_anonymous() {
    let found = authenticate(&authenticator(), &bearer("Bearer nope"), None);
    assert_eq!(name(found.outcome), Err(INVALID_BEARER_TOKEN.to_owned()));
}

#[test]
fn requests_without_a_credential_are_anonymous() {
    for value in ["Basic YWRtaW46YWRtaW4=", "Bearer ", "nonsense"] {
        let found = authenticate(&authenticator(), &bearer(value), None);
        assert_eq!(found.outcome, Outcome::Anonymous, "{value}");
        assert!(found.warnings.is_empty());
    }
    assert_eq!(Outcome::Anonymous.into_user(), Ok(User::anonymous()));
}

#[test]
fn tokens_behind_extra_space_are_ignored_with_a_warning() {
    let found = authenticate(&authenticator(), &bearer("Bearer  alicetoken"), None);
    assert_eq!(found.outcome, Outcome::Anonymous);
    assert_eq!(found.warnings, [EXTRA_SPACE_WARNING]);
}

#[test]
fn anonymous_requests_can_be_forbidden_or_kept_to_paths() {
    let on = |paths: &[&str]| Authenticator {
        anonymous: Anonymous::OnPaths(paths.iter().map(|&path| path.to_owned()).collect()),
        ..authenticator()
    };
    let disabled = Authenticator { anonymous: Anonymous::Disabled, ..authenticator() };
    for (authenticator, allowed) in
        [(on(&["/healthz"]), true), (on(&["/livez"]), false), (disabled, false)]
    {
        let outcome = authenticate(&authenticator, &HeaderMap::new(), None).outcome;
        assert_eq!(outcome == Outcome::Anonymous, allowed);
    }
}

#[test]
fn certificates_come_before_tokens_and_bad_ones_do_not_spoil_good_tokens() {
    let der = certificate("carol");
    let shown = |is_client| Some(PeerCertificate { der: &der, is_client, is_front_proxy: false });
    let alice = bearer("Bearer alicetoken");
    let name = |headers: &HeaderMap, certificate| {
        name(authenticate(&authenticator(), headers, certificate).outcome)
    };
    assert_eq!(name(&alice, shown(true)), Ok("carol".to_owned()));
    assert_eq!(name(&bearer("Bearer nope"), shown(true)), Ok("carol".to_owned()));
    assert_eq!(name(&alice, shown(false)), Ok("alice".to_owned()));
    assert_eq!(
        name(&HeaderMap::new(), shown(false)),
        Err("x509: certificate signed by unknown authority".to_owned())
    );
}

#[test]
fn certificates_mean_nothing_without_a_client_authority() {
    let der = certificate("carol");
    let shown = PeerCertificate { der: &der, is_client: false, is_front_proxy: false };
    let authenticator = Authenticator { client_certificates: false, ..authenticator() };
    let found = authenticate(&authenticator, &HeaderMap::new(), Some(shown));
    assert_eq!(found.outcome, Outcome::Anonymous);
}

fn with_front_proxy() -> Authenticator {
    let front_proxy = FrontProxy {
        allowed_names: vec!["proxy".to_owned()],
        username_headers: vec!["X-Remote-User".to_owned()],
        ..FrontProxy::default()
    };
    Authenticator { front_proxy: Some(front_proxy), ..authenticator() }
}

#[test]
fn a_front_proxy_speaks_for_its_users() {
    let remote = || headers(&[(HeaderName::from_static("x-remote-user"), "dave")]);
    for (cn, is_front_proxy, is_client, expected) in [
        ("proxy", true, false, Ok("dave".to_owned())),
        ("proxy", false, true, Ok("proxy".to_owned())),
        ("other", true, true, Ok("other".to_owned())),
        (
            "other",
            true,
            false,
            Err("[x509: subject with cn=other is not in the allowed list, x509: certificate \
                 signed by unknown authority]"
                .to_owned()),
        ),
    ] {
        let der = certificate(cn);
        let shown = PeerCertificate { der: &der, is_client, is_front_proxy };
        let found = authenticate(&with_front_proxy(), &remote(), Some(shown));
        assert_eq!(name(found.outcome), expected, "{cn}");
    }
    assert_eq!(authenticate(&with_front_proxy(), &remote(), None).outcome, Outcome::Anonymous);
}

#[test]
fn browsers_may_show_tokens_as_a_protocol() {
    let protocols = "base64url.bearer.authorization.k8s.io.YWxpY2V0b2tlbg,v4.channel.k8s.io";
    let shown = headers(&[
        (CONNECTION, "Upgrade"),
        (UPGRADE, "websocket"),
        (SEC_WEBSOCKET_PROTOCOL, protocols),
    ]);
    let found = authenticate(&authenticator(), &shown, None);
    assert_eq!(name(found.outcome), Ok("alice".to_owned()));
}

#[test]
fn credentials_are_stripped() {
    let mut shown = headers(&[
        (AUTHORIZATION, "Bearer alicetoken"),
        (HeaderName::from_static("x-remote-user"), "dave"),
        (SEC_WEBSOCKET_PROTOCOL, "base64url.bearer.authorization.k8s.io.YQ, x"),
    ]);
    with_front_proxy().strip_credentials(&mut shown);
    assert_eq!(shown, headers(&[(SEC_WEBSOCKET_PROTOCOL, "x")]));
}

#[test]
fn token_reviews_tell_users_and_audiences() {
    let authenticator = authenticator();
    let found = authenticator.review_token("alicetoken", &[], NOW).unwrap();
    assert_eq!(found.user.groups, ["dev", "qa", "system:authenticated"]);
    assert_eq!(found.audiences, [API]);
    let error = authenticator.review_token("nope", &[], NOW).unwrap_err();
    assert_eq!(error.to_string(), "invalid bearer token");
    assert!(authenticator.review_token("alicetoken", &["vault".to_owned()], NOW).is_err());
}

/// Knows tokens that are good until some second.
struct Expiring(i64);

impl TokenAuthenticator for Expiring {
    fn authenticate_token(
        &self,
        _: &str,
        _: &[String],
        now_unix_seconds: i64,
    ) -> Result<Option<TokenUser>, String> {
        if now_unix_seconds > self.0 {
            return Err("service account token has expired".to_owned());
        }
        Ok(Some(TokenUser { user: User::new("a"), audiences: Vec::new() }))
    }
}

#[test]
fn good_tokens_stay_good_for_ten_seconds() {
    let authenticator =
        Authenticator { tokens: vec![Box::new(Expiring(NOW))], ..Authenticator::default() };
    for (after_seconds, is_good) in [(0, true), (9, true), (10, false)] {
        let found = authenticator.review_token("t", &[], NOW + after_seconds);
        assert_eq!(found.is_ok(), is_good, "{after_seconds}");
    }
    let error = authenticator.review_token("t", &[], NOW + 10).unwrap_err();
    assert_eq!(error.to_string(), "[invalid bearer token, service account token has expired]");
}

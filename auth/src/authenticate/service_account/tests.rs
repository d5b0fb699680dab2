use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::*;
use crate::authenticate::token::{TokenAuthenticator, TokenUser};

const ISSUER: &str = "https://kubernetes.default.svc";
const NOW: i64 = 1_800_000_000;

/// Objects by kind, namespace and name.
#[derive(Clone, Default)]
struct Objects(BTreeMap<(ObjectKind, String, String), LiveObject>);

impl Objects {
    fn with(mut self, kind: ObjectKind, namespace: &str, name: &str, uid: &str) -> Self {
        let object = LiveObject { uid: uid.to_owned(), deleted_unix_seconds: None };
        self.0.insert((kind, namespace.to_owned(), name.to_owned()), object);
        self
    }

    fn deleted_at(mut self, unix_seconds: i64) -> Self {
        self.0.values_mut().for_each(|object| object.deleted_unix_seconds = Some(unix_seconds));
        self
    }
}

impl ObjectLookup for Objects {
    fn find(&self, kind: ObjectKind, namespace: &str, name: &str) -> Option<LiveObject> {
        self.0.get(&(kind, namespace.to_owned(), name.to_owned())).cloned()
    }
}

fn objects() -> Objects {
    Objects::default().with(ObjectKind::ServiceAccount, "ns", "sa", "sa-uid")
}

fn reference(name: &str) -> ObjectRef {
    ObjectRef { name: name.to_owned(), uid: format!("{name}-uid") }
}

fn spec() -> TokenSpec {
    TokenSpec {
        namespace: "ns".to_owned(),
        account: reference("sa"),
        bound: None,
        audiences: vec![ISSUER.to_owned()],
        lifetime_seconds: 600,
        warn_after_seconds: None,
    }
}

fn issuer() -> TokenIssuer {
    let pem = SigningKey::generate_pem().unwrap();
    TokenIssuer { issuer: ISSUER.to_owned(), key: SigningKey::from_pem(pem.as_bytes()).unwrap() }
}

fn verifier(issuer: &TokenIssuer, objects: Objects) -> ServiceAccountTokens {
    ServiceAccountTokens {
        issuers: vec![ISSUER.to_owned()],
        keys: vec![issuer.key.public().clone()],
        api_audiences: vec![ISSUER.to_owned()],
        objects: Arc::new(objects),
    }
}

/// Issues a token now and shows it after some seconds.
fn round_trip(
    spec: &TokenSpec,
    objects: Objects,
    after_seconds: i64,
) -> Result<Option<TokenUser>, String> {
    let issuer = issuer();
    let token = issuer.issue(spec, "token-id", NOW).unwrap();
    verifier(&issuer, objects).authenticate_token(&token, &[], NOW + after_seconds)
}

fn part(token: &str, index: usize) -> String {
    let part = token.split('.').nth(index).unwrap();
    String::from_utf8(URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

#[test]
fn tokens_say_what_the_reference_says_in_its_order() {
    let issuer = issuer();
    let token = issuer.issue(&spec(), "token-id", NOW).unwrap();
    let kid = issuer.key.public().id();
    assert_eq!(part(&token, 0), format!(r#"{{"alg":"ES256","kid":"{kid}"}}"#));
    assert_eq!(
        part(&token, 1),
        r#"{"aud":["https://kubernetes.default.svc"],"exp":1800000600,"iat":1800000000,"iss":"https://kubernetes.default.svc","jti":"token-id","kubernetes.io":{"namespace":"ns","serviceaccount":{"name":"sa","uid":"sa-uid"}},"nbf":1800000000,"sub":"system:serviceaccount:ns:sa"}"#
    );
}

#[test]
fn a_token_names_its_account_and_its_id() {
    let found = round_trip(&spec(), objects(), 0).unwrap().unwrap();
    assert_eq!(found.user.name, "system:serviceaccount:ns:sa");
    assert_eq!(found.user.uid, "sa-uid");
    assert_eq!(found.user.groups, ["system:serviceaccounts", "system:serviceaccounts:ns"]);
    let id =
        ("authentication.kubernetes.io/credential-id".to_owned(), vec!["JTI=token-id".to_owned()]);
    assert_eq!(found.user.extra, BTreeMap::from([id]));
    assert_eq!(found.audiences, [ISSUER]);
}

#[test]
fn bound_tokens_name_pod_and_node() {
    let bound = BoundObject::Pod { pod: reference("pod"), node: Some(reference("node")) };
    let spec = TokenSpec { bound: Some(bound), ..spec() };
    let objects = objects().with(ObjectKind::Pod, "ns", "pod", "pod-uid");
    let extra = round_trip(&spec, objects, 0).unwrap().unwrap().user.extra;
    for (key, value) in [
        ("pod-name", "pod"),
        ("pod-uid", "pod-uid"),
        ("node-name", "node"),
        ("node-uid", "node-uid"),
    ] {
        assert_eq!(extra[&format!("authentication.kubernetes.io/{key}")], [value]);
    }
}

#[test]
fn tokens_die_with_their_objects() {
    let bound = |bound| TokenSpec { bound: Some(bound), ..spec() };
    let cases = [
        (BoundObject::Pod { pod: reference("x"), node: None }, ObjectKind::Pod, "ns", "pod"),
        (BoundObject::Secret(reference("x")), ObjectKind::Secret, "ns", "secret"),
        (BoundObject::Node(reference("x")), ObjectKind::Node, "", "node"),
    ];
    for (object, kind, namespace, name) in cases {
        let spec = bound(object);
        let with = |uid| objects().with(kind, namespace, "x", uid);
        assert!(round_trip(&spec, with("x-uid"), 0).unwrap().is_some(), "{name}");
        assert_eq!(
            round_trip(&spec, objects(), 0),
            Err("service account token has been invalidated".to_owned())
        );
        assert_eq!(
            round_trip(&spec, with("other"), 0),
            Err(format!(
                "{name} UID (other) does not match service account {name} ref claim (x-uid)"
            ))
        );
    }
}

#[test]
fn tokens_die_with_their_account() {
    assert_eq!(
        round_trip(&spec(), Objects::default(), 0),
        Err("serviceaccounts \"sa\" not found".to_owned())
    );
    let reborn = Objects::default().with(ObjectKind::ServiceAccount, "ns", "sa", "new-uid");
    assert_eq!(
        round_trip(&spec(), reborn, 0),
        Err("service account UID (new-uid) does not match claim (sa-uid)".to_owned())
    );
    assert!(round_trip(&spec(), objects().deleted_at(NOW - 60), 0).is_ok());
    assert_eq!(
        round_trip(&spec(), objects().deleted_at(NOW - 61), 0),
        Err("service account ns/sa has been deleted".to_owned())
    );
}

#[test]
fn times_are_checked_with_a_minute_of_grace() {
    for (after_seconds, expected) in [
        (-61, Some("service account token is not valid yet")),
        (-60, None),
        (660, None),
        (661, Some("service account token has expired")),
    ] {
        let error = round_trip(&spec(), objects(), after_seconds).err();
        assert_eq!(error.as_deref(), expected, "{after_seconds}");
    }
}

#[test]
fn tokens_for_others_are_refused() {
    let spec = TokenSpec { audiences: vec!["vault".to_owned()], ..spec() };
    assert_eq!(
        round_trip(&spec, objects(), 0),
        Err("token audiences [\"vault\"] is invalid for the target audiences \
             [\"https://kubernetes.default.svc\"]"
            .to_owned())
    );
    let issuer = issuer();
    let token = issuer.issue(&spec, "id", NOW).unwrap();
    let asked = ["vault".to_owned()];
    let found = verifier(&issuer, objects()).authenticate_token(&token, &asked, NOW).unwrap();
    assert_eq!(found.unwrap().audiences, ["vault"]);
}

#[test]
fn tokens_of_other_issuers_are_somebody_elses() {
    let foreign = TokenIssuer { issuer: "https://other".to_owned(), ..issuer() };
    let token = foreign.issue(&spec(), "id", NOW).unwrap();
    let verifier = verifier(&foreign, objects());
    for token in [token.as_str(), "alicetoken", "a.b.c", "a.b", "", "..", "a.e30.c"] {
        assert_eq!(verifier.authenticate_token(token, &[], NOW), Ok(None), "{token}");
    }
}

#[test]
fn forged_tokens_are_refused() {
    let (ours, theirs) = (issuer(), issuer());
    let verifier = verifier(&ours, objects());
    let forged = theirs.issue(&spec(), "id", NOW).unwrap();
    assert_eq!(
        verifier.authenticate_token(&forged, &[], NOW),
        Err("go-jose/go-jose: error in cryptographic primitive".to_owned())
    );
    let token = ours.issue(&spec(), "id", NOW).unwrap();
    let (head, signature) = token.rsplit_once('.').unwrap();
    let (header, _) = head.split_once('.').unwrap();
    let payload = URL_SAFE_NO_PAD.encode(part(&token, 1).replace("sa-uid", "so-uid"));
    let changed = format!("{header}.{payload}.{signature}");
    assert!(verifier.authenticate_token(&changed, &[], NOW).is_err());
    let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
    let unsigned = format!("{none}.{payload}.");
    assert!(verifier.authenticate_token(&unsigned, &[], NOW).is_err());
}

#[test]
fn audiences_may_be_written_as_one_text() {
    let claims: claims::Claims = serde_json::from_value(json!({"aud": "a"})).unwrap();
    assert_eq!(claims.aud.0, ["a"]);
}

const RSA_PKCS1: &[u8] = include_bytes!("../../../tests/data/keys/rsa-pkcs1.pem");
const RSA_PKCS8: &[u8] = include_bytes!("../../../tests/data/keys/rsa-pkcs8.pem");
const RSA_PUBLIC: &[u8] = include_bytes!("../../../tests/data/keys/rsa-public.pem");
const RSA_PUBLIC_PKCS1: &[u8] = include_bytes!("../../../tests/data/keys/rsa-public-pkcs1.pem");
const EC_SEC1: &[u8] = include_bytes!("../../../tests/data/keys/ec-sec1.pem");
const EC_P384: &[u8] = include_bytes!("../../../tests/data/keys/ec-p384.pem");
const EC_CERTIFICATE: &[u8] = include_bytes!("../../../tests/data/keys/ec-certificate.pem");
/// base64url SHA-256 of `rsa-public.pem` in DER, computed with other tools.
const RSA_KEY_ID: &str = include_str!("../../../tests/data/keys/rsa-key-id.txt");

#[test]
fn every_form_of_private_key_signs_what_its_public_form_verifies() {
    for (private, public, algorithm) in [
        (RSA_PKCS1, RSA_PUBLIC, "RS256"),
        (RSA_PKCS8, RSA_PUBLIC_PKCS1, "RS256"),
        (EC_SEC1, EC_CERTIFICATE, "ES256"),
        (EC_P384, EC_P384, "ES384"),
    ] {
        let key = SigningKey::from_pem(private).unwrap();
        assert_eq!(key.public().algorithm().name(), algorithm);
        let issuer = TokenIssuer { issuer: ISSUER.to_owned(), key };
        let token = issuer.issue(&spec(), "id", NOW).unwrap();
        let keys = public_keys(public).unwrap();
        assert_eq!(keys[0].id(), issuer.key.public().id());
        let verifier = ServiceAccountTokens { keys, ..verifier(&issuer, objects()) };
        assert!(verifier.authenticate_token(&token, &[], NOW).unwrap().is_some(), "{algorithm}");
    }
}

#[test]
fn key_ids_are_hashes_of_the_public_key() {
    assert_eq!(public_keys(RSA_PUBLIC).unwrap()[0].id(), RSA_KEY_ID.trim());
}

#[test]
fn several_keys_may_verify() {
    let both = [RSA_PUBLIC, EC_CERTIFICATE].concat();
    let keys = public_keys(&both).unwrap();
    assert_eq!(keys.len(), 2);
    let issuer =
        TokenIssuer { issuer: ISSUER.to_owned(), key: SigningKey::from_pem(EC_SEC1).unwrap() };
    let token = issuer.issue(&spec(), "id", NOW).unwrap();
    let verifier = ServiceAccountTokens { keys, ..verifier(&issuer, objects()) };
    assert!(verifier.authenticate_token(&token, &[], NOW).unwrap().is_some());
}

#[test]
fn files_without_keys_are_errors() {
    assert!(matches!(SigningKey::from_pem(RSA_PUBLIC), Err(KeyError::NoPrivateKey)));
    assert!(matches!(SigningKey::from_pem(b""), Err(KeyError::NoPrivateKey)));
    assert!(matches!(public_keys(b"nothing"), Err(KeyError::NoPublicKeys)));
    let missing = std::path::Path::new("/does/not/exist");
    assert!(matches!(read_public_keys(missing), Err(KeyError::Unreadable { .. })));
    assert!(matches!(SigningKey::read(missing), Err(KeyError::Unreadable { .. })));
}

#[test]
fn discovery_documents_show_the_public_keys() {
    let keys = public_keys(&[RSA_PUBLIC, EC_CERTIFICATE].concat()).unwrap();
    let set = serde_json::to_value(JsonWebKeySet::new(&keys)).unwrap();
    let names = |key: &Value| key.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&set["keys"][0]), ["use", "kty", "kid", "alg", "n", "e"]);
    assert_eq!(set["keys"][0]["e"], "AQAB");
    assert_eq!(names(&set["keys"][1]), ["use", "kty", "kid", "crv", "alg", "x", "y"]);
    assert_eq!(set["keys"][1]["crv"], "P-256");
    let configuration = OpenIdConfiguration::new(ISSUER, "https://host/openid/v1/jwks", &keys);
    assert_eq!(
        serde_json::to_value(configuration).unwrap(),
        json!({
            "issuer": ISSUER,
            "jwks_uri": "https://host/openid/v1/jwks",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256", "RS256"],
        })
    );
}

use std::path::Path;

use super::*;

const HEAD: &str = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";
const SERVICE_ACCOUNTS: &str = "https://kubernetes.default.svc";

fn read(text: &str) -> Result<AuthenticationConfig, String> {
    AuthenticationConfig::from_text(
        text.as_bytes(),
        Path::new("authn.yaml"),
        &[SERVICE_ACCOUNTS.to_owned()],
    )
    .map_err(|error| error.to_string())
}

/// What is said about a configuration with these lines below `jwt`.
fn refusal(lines: &str) -> String {
    let error = read(&format!("{HEAD}jwt:\n{lines}")).unwrap_err();
    let prefix = "invalid authentication configuration: ";
    error.strip_prefix(prefix).unwrap_or_else(|| panic!("{error}")).to_owned()
}

#[test]
fn a_file_names_issuers_and_what_becomes_of_their_claims() {
    let config = read(&format!(
        "{HEAD}
jwt:
- issuer:
    url: https://one.example.com/
    audiences: [a, b]
    audienceMatchPolicy: MatchAny
  claimValidationRules:
  - {{ claim: tenant, requiredValue: blue }}
  claimMappings:
    username: {{ claim: sub, prefix: 'one:' }}
    groups: {{ claim: roles, prefix: '' }}
    uid: {{ claim: id }}
- issuer:
    url: https://two.example.com
    discoveryURL: https://discovery.example.com/two
    audiences: [c]
  claimMappings:
    username: {{ claim: email, prefix: '' }}
anonymous:
  enabled: true
  conditions: [{{ path: /livez }}]
"
    ))
    .unwrap();
    let [one, two] = config.issuers.as_slice() else { panic!("{config:?}") };
    assert_eq!(one.discovery_url, "https://one.example.com/.well-known/openid-configuration");
    assert_eq!(one.issuer.audiences, ["a", "b"]);
    assert_eq!(one.issuer.required_claims, [("tenant".to_owned(), "blue".to_owned())]);
    assert_eq!(one.issuer.username.prefix, "one:");
    assert_eq!(one.issuer.groups.as_ref().unwrap().claim, "roles");
    assert_eq!(one.issuer.uid_claim.as_deref(), Some("id"));
    assert_eq!(one.issuer.algorithms, SigningAlgorithm::ALL);
    assert_eq!(two.discovery_url, "https://discovery.example.com/two");
    assert_eq!((two.issuer.groups.as_ref(), two.issuer.uid_claim.as_ref()), (None, None));
    assert_eq!(config.anonymous, Some(Anonymous::OnPaths(vec!["/livez".to_owned()])));
}

#[test]
fn json_older_versions_and_no_issuers_are_taken() {
    let text = r#"{"apiVersion":"apiserver.config.k8s.io/v1beta1","kind":"AuthenticationConfiguration","anonymous":{"enabled":false}}"#;
    let config = read(text).unwrap();
    assert_eq!((config.issuers.len(), config.anonymous), (0, Some(Anonymous::Disabled)));
    assert_eq!(read(HEAD).unwrap(), AuthenticationConfig::default());
}

#[test]
fn files_that_are_no_configuration_are_refused() {
    for (text, error) in [
        ("", "empty config data"),
        ("jwt: []", "Object 'Kind' is missing"),
        (
            "apiVersion: v1\nkind: Pod",
            "no kind \"Pod\" is registered for version \"v1\" in scheme \"apiserver\"",
        ),
        (
            &format!("{HEAD}jwt:\n- issuer: {{ uri: x }}\n  foo: 1\n"),
            "strict decoding error: unknown field \"jwt[0].foo\", unknown field \
             \"jwt[0].issuer.uri\"",
        ),
    ] {
        let expected = format!("--authentication-config authn.yaml: {error}");
        assert_eq!(read(text).unwrap_err(), expected);
    }
    assert!(read(&format!("{HEAD}jwt: 5")).is_err());
}

#[test]
fn what_is_wrong_is_said_in_the_references_words() {
    let username = "  claimMappings: { username: { claim: sub, prefix: '' } }\n";
    let issuer = "- issuer: { url: 'https://x', audiences: [a] }\n";
    for (lines, error) in [
        (
            "- issuer: {}\n",
            "[jwt[0].issuer.url: Required value, jwt[0].issuer.audiences: Required value: at \
             least one jwt[0].issuer.audiences is required, jwt[0].claimMappings.username: \
             Required value: claim or expression is required]",
        ),
        (
            &format!("- issuer: {{ url: 'http://x', audiences: [a] }}\n{username}"),
            "jwt[0].issuer.url: Invalid value: \"http://x\": URL scheme must be https",
        ),
        (
            &format!("- issuer: {{ url: '{SERVICE_ACCOUNTS}', audiences: [a] }}\n{username}"),
            "jwt[0].issuer.url: Invalid value: \"https://kubernetes.default.svc\": URL must not \
             overlap with disallowed issuers: [https://kubernetes.default.svc]",
        ),
        (
            &format!(
                "- issuer: {{ url: 'https://x/', discoveryURL: 'https://x', audiences: [a] }}\n\
                 {username}"
            ),
            "jwt[0].issuer.discoveryURL: Invalid value: \"https://x\": discoveryURL must be \
             different from URL",
        ),
        (
            &format!("- issuer: {{ url: 'https://x', audiences: [a, a] }}\n{username}"),
            "[jwt[0].issuer.audiences[1]: Duplicate value: \"a\", \
             jwt[0].issuer.audienceMatchPolicy: Invalid value: \"\": audienceMatchPolicy must be \
             MatchAny for multiple audiences]",
        ),
        (
            &format!(
                "- issuer: {{ url: 'https://x', audiences: [a], certificateAuthority: x }}\n\
                 {username}"
            ),
            "jwt[0].issuer.certificateAuthority: Invalid value: \"<omitted>\": data does not \
             contain any valid RSA or ECDSA certificates",
        ),
        (
            &format!("{issuer}{username}{issuer}{username}"),
            "jwt[1].issuer.url: Duplicate value: \"https://x\"",
        ),
        (
            &format!("{issuer}  claimMappings: {{ username: {{ claim: sub }} }}\n"),
            "jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim \
             is set. It can be set to an empty string to disable prefixing",
        ),
        (
            &format!("{issuer}  claimMappings: {{ username: {{ expression: claims.sub }} }}\n"),
            "jwt[0].claimMappings.username.expression: Invalid value: \"claims.sub\": CEL \
             expressions are not supported by this server yet",
        ),
        (
            &format!(
                "{issuer}{username}  claimValidationRules: [{{ claim: a, message: m }}, {{}}]\n"
            ),
            "[jwt[0].claimValidationRules[0].message: Invalid value: \"m\": may not be specified \
             when claim is set, jwt[0].claimValidationRules[1]: Required value: claim or \
             expression is required]",
        ),
    ] {
        assert_eq!(refusal(lines), error);
    }
    let anonymous = "anonymous: { enabled: false, conditions: [{ path: /x }] }\n";
    assert_eq!(
        read(&format!("{HEAD}{anonymous}")).unwrap_err(),
        "invalid authentication configuration: anonymous.conditions: Invalid value: \
         [{\"path\":\"/x\"}]: enabled should be set to true when conditions are defined"
    );
}

#[test]
fn flags_are_one_issuer_in_short() {
    let flags = OidcFlags {
        issuer_url: "https://x".to_owned(),
        client_id: "cluster".to_owned(),
        username_claim: "sub".to_owned(),
        signing_algorithms: vec![SigningAlgorithm::Rs256],
        ..OidcFlags::default()
    };
    let prefix = |flags: &OidcFlags| {
        let config = AuthenticationConfig::from_flags(flags, &[]).unwrap();
        config.issuers[0].issuer.username.prefix.clone()
    };
    assert_eq!(prefix(&flags), "https://x#");
    assert_eq!(prefix(&OidcFlags { username_prefix: "-".to_owned(), ..flags.clone() }), "");
    assert_eq!(prefix(&OidcFlags { username_prefix: "p:".to_owned(), ..flags.clone() }), "p:");
    assert_eq!(prefix(&OidcFlags { username_claim: "email".to_owned(), ..flags.clone() }), "");
    let wrong = OidcFlags { issuer_url: "http://x".to_owned(), ..flags };
    assert_eq!(
        AuthenticationConfig::from_flags(&wrong, &[]).unwrap_err().to_string(),
        "invalid authentication configuration: jwt[0].issuer.url: Invalid value: \"http://x\": URL \
         scheme must be https"
    );
}

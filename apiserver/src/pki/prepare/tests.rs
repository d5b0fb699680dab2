use std::ffi::OsString;
use std::path::Path;

use x509_parser::extensions::GeneralName;
use x509_parser::pem::parse_x509_pem;

use super::*;
use crate::options::{Command, parse};

const NOW: i64 = 1_796_000_000;

fn config(data: &Path, flags: &[String]) -> Config {
    let data = format!("--data-dir={}", data.display());
    let arguments = ["apiserver".to_owned(), data].into_iter().chain(flags.iter().cloned());
    let Command::Serve(config) = parse(arguments.map(OsString::from)).unwrap() else {
        panic!("a subcommand")
    };
    *config
}

fn prepare(data: &Path, flags: &[String]) -> Pki {
    Pki::prepare(&config(data, flags), Some("Machine"), NOW).unwrap()
}

fn names(pem: &str) -> Vec<String> {
    let (_, pem) = parse_x509_pem(pem.as_bytes()).unwrap();
    let certificate = pem.parse_x509().unwrap();
    let names = certificate.subject_alternative_name().unwrap().unwrap();
    let text = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(name) => (*name).to_owned(),
        GeneralName::IPAddress([a, b, c, d]) => format!("{a}.{b}.{c}.{d}"),
        other => format!("{other:?}"),
    };
    names.value.general_names.iter().map(text).collect()
}

#[test]
fn a_second_start_uses_what_the_first_made() {
    let data = tempfile::tempdir().unwrap();
    let first = prepare(data.path(), &[]);
    assert_eq!(first, prepare(data.path(), &[]));
    let contexts: Vec<_> = first.clients.iter().map(|(context, _)| *context).collect();
    assert_eq!(contexts, ["admin", "developer", "reader", "node"]);
    assert!(first.token_keys.is_empty());
    assert_eq!(first.client_authorities.text, first.server_authority);
}

#[test]
fn the_serving_certificate_covers_every_name_of_the_server() {
    let data = tempfile::tempdir().unwrap();
    let flags = [
        "--advertise-address=192.0.2.7",
        "--bind-address=0.0.0.0",
        "--external-hostname=api.example.org",
        "--service-cluster-ip-range=10.96.0.0/12",
    ];
    let made = prepare(data.path(), &flags.map(str::to_owned));
    let names = names(&made.certificate.text);
    for name in [
        "localhost",
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
        "machine",
        "api.example.org",
        "127.0.0.1",
        "192.0.2.7",
        "10.96.0.1",
    ] {
        assert!(names.iter().any(|covered| covered == name), "{name} in {names:?}");
    }
    assert!(!names.contains(&"0.0.0.0".to_owned()));
}

#[test]
fn the_operators_files_are_used_and_none_is_made_in_their_place() {
    let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let made = prepare(theirs.path(), &[]);
    let pki = theirs.path().join("pki");
    let flag = |name: &str, file: &str| format!("--{name}={}", pki.join(file).display());
    let given = prepare(
        ours.path(),
        &[
            flag("tls-cert-file", "apiserver.crt"),
            flag("tls-private-key-file", "apiserver.key"),
            flag("client-ca-file", "ca.crt"),
            flag("service-account-key-file", "ca.key"),
            flag("service-account-signing-key-file", "sa.key"),
        ],
    );
    assert_eq!((&given.certificate, &given.key), (&made.certificate, &made.key));
    let authorities = &given.client_authorities;
    assert_eq!(authorities.path, pki.join("ca.crt"));
    assert!(authorities.text.starts_with(&made.client_authorities.text), "theirs");
    assert_eq!(authorities.text.matches("BEGIN CERTIFICATE").count(), 2, "and ours");
    assert_eq!(given.server_authority, made.certificate.text);
    assert_eq!(given.signing_key, made.signing_key);
    assert_eq!(given.token_keys.len(), 1);
    assert_eq!(given.token_keys[0].path, pki.join("ca.key"));
    for made in ["sa.key", "apiserver.crt", "apiserver.key"] {
        assert!(!ours.path().join("pki").join(made).exists(), "{made}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_name() {
    let data = tempfile::tempdir().unwrap();
    let empty = data.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    for (path, why) in [
        ("/does/not/exist", "No such file or directory (os error 2)"),
        (empty.to_str().unwrap(), "holds no certificate"),
    ] {
        let config = config(data.path(), &[format!("--client-ca-file={path}")]);
        let error = Pki::prepare(&config, None, NOW).unwrap_err().to_string();
        assert_eq!(error, format!("{path}: {why}"));
    }
}

#[test]
fn the_kubeconfig_has_a_context_for_everybody() {
    let data = tempfile::tempdir().unwrap();
    let tokens = vec![(crate::pki::SERVICE_ACCOUNT_CONTEXT, "token".to_owned())];
    let kubeconfig =
        prepare(data.path(), &[]).kubeconfig("https://localhost:6443".to_owned(), tokens);
    let contexts: Vec<_> = kubeconfig.users.iter().map(|(context, _)| *context).collect();
    assert_eq!(contexts, ["admin", "developer", "reader", "node", "service-account"]);
}

#[test]
fn a_serving_certificate_that_an_operator_put_there_is_used() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("pki");
    std::fs::create_dir(&folder).unwrap();
    let key = KeyPair::generate().unwrap();
    let signed = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
    let certificate = signed.self_signed(&key).unwrap().pem();
    std::fs::write(folder.join("apiserver.crt"), &certificate).unwrap();
    std::fs::write(folder.join("apiserver.key"), key.serialize_pem()).unwrap();
    for _start in ["the first", "a later one"] {
        let prepared = prepare(data.path(), &[]);
        assert_eq!(prepared.certificate.text, certificate);
        assert_eq!(prepared.server_authority, certificate);
    }
}

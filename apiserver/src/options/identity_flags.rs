//! The flags about others who vouch for users, and about who decides, and what they mean.

use std::path::PathBuf;

use auth::authenticate::FrontProxy;
use auth::authenticate::jwt::SigningAlgorithm;

use super::flags::{AUTHENTICATION, AUTHORIZATION, Flag, Kind, flag};
use super::reader::Reader;
use crate::authentication::OidcFlags;

/// See the table in `flags`.
pub(super) static IDENTITY_FLAGS: &[Flag] = &[
    flag(
        AUTHENTICATION,
        "authentication-config",
        Kind::Text,
        "",
        "A file with an AuthenticationConfiguration: issuers of tokens, and who may be anonymous; taken into use again when it changes",
    ),
    flag(AUTHENTICATION, "oidc-issuer-url", Kind::Text, "", "The issuer of tokens, by https"),
    flag(AUTHENTICATION, "oidc-client-id", Kind::Text, "", "The audience of the issuer's tokens"),
    flag(
        AUTHENTICATION,
        "oidc-username-claim",
        Kind::Text,
        "sub",
        "The claim with the user's name",
    ),
    flag(
        AUTHENTICATION,
        "oidc-username-prefix",
        Kind::Text,
        "",
        "What comes in front of names; <issuer># when left out, nothing for - and for mail addresses",
    ),
    flag(AUTHENTICATION, "oidc-groups-claim", Kind::Text, "", "The claim with the user's groups"),
    flag(AUTHENTICATION, "oidc-groups-prefix", Kind::Text, "", "What comes in front of groups"),
    flag(
        AUTHENTICATION,
        "oidc-required-claim",
        Kind::List,
        "",
        "Claims that must have a value, as name=value",
    ),
    flag(
        AUTHENTICATION,
        "oidc-signing-algs",
        Kind::List,
        "RS256",
        "How tokens may be signed: RS, ES or PS with 256, 384 or 512, but for ES512",
    ),
    flag(
        AUTHENTICATION,
        "oidc-ca-file",
        Kind::Text,
        "",
        "Who signs the issuer's certificate; the machine's authorities when left out",
    ),
    flag(
        AUTHENTICATION,
        "oidc-jwks-file",
        Kind::Array,
        "",
        "A file with an issuer's keys, which are then not fetched, as issuer=file",
    ),
    flag(
        AUTHENTICATION,
        "requestheader-client-ca-file",
        Kind::Text,
        "",
        "Who signs the certificates of proxies that name users in headers",
    ),
    flag(
        AUTHENTICATION,
        "requestheader-allowed-names",
        Kind::List,
        "",
        "Common names of such proxies; any when left out",
    ),
    flag(
        AUTHENTICATION,
        "requestheader-username-headers",
        Kind::List,
        "",
        "Headers that may name the user, such as X-Remote-User",
    ),
    flag(
        AUTHENTICATION,
        "requestheader-uid-headers",
        Kind::List,
        "",
        "Headers that may hold the user's uid, such as X-Remote-Uid",
    ),
    flag(
        AUTHENTICATION,
        "requestheader-group-headers",
        Kind::List,
        "",
        "Headers that hold the user's groups, such as X-Remote-Group",
    ),
    flag(
        AUTHENTICATION,
        "requestheader-extra-headers-prefix",
        Kind::List,
        "",
        "What headers with extras begin with, such as X-Remote-Extra-",
    ),
    flag(
        AUTHORIZATION,
        "authorization-config",
        Kind::Text,
        "",
        "A file with an AuthorizationConfiguration, instead of --authorization-mode",
    ),
];

/// The flags that make an issuer.
const OIDC: [&str; 9] = [
    "oidc-issuer-url",
    "oidc-client-id",
    "oidc-username-claim",
    "oidc-username-prefix",
    "oidc-groups-claim",
    "oidc-groups-prefix",
    "oidc-required-claim",
    "oidc-signing-algs",
    "oidc-ca-file",
];

/// Where issuers come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IssuerFlags {
    /// There are none.
    None,
    /// `--oidc-*`
    Oidc(Box<OidcFlags>),
    /// `--authentication-config`
    File(PathBuf),
}

/// Proxies that name users in headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontProxyFlags {
    /// Who signs their certificates.
    pub client_ca_file: PathBuf,
    /// Which of them are trusted with what.
    pub proxy: FrontProxy,
}

pub(super) fn issuers(reader: &mut Reader<'_>) -> IssuerFlags {
    let given = OIDC.into_iter().any(|name| !reader.given(name).is_empty());
    match reader.path("authentication-config") {
        Some(path) => {
            if given {
                reader.refuse("authentication-config file and oidc-* flags are mutually exclusive");
            }
            IssuerFlags::File(path)
        }
        None if given => IssuerFlags::Oidc(Box::new(oidc(reader))),
        None => IssuerFlags::None,
    }
}

fn oidc(reader: &mut Reader<'_>) -> OidcFlags {
    let text = |name: &str| reader.text(name).to_owned();
    let mut flags = OidcFlags {
        issuer_url: text("oidc-issuer-url"),
        client_id: text("oidc-client-id"),
        username_claim: text("oidc-username-claim"),
        username_prefix: text("oidc-username-prefix"),
        groups_claim: text("oidc-groups-claim"),
        groups_prefix: text("oidc-groups-prefix"),
        ca_file: reader.path("oidc-ca-file"),
        ..OidcFlags::default()
    };
    if flags.issuer_url.is_empty() || flags.client_id.is_empty() {
        reader.refuse(
            "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags \
             are set",
        );
    }
    flags.required_claims =
        pairs(reader, "oidc-required-claim", reader.list("oidc-required-claim"));
    for name in reader.list("oidc-signing-algs") {
        match name.parse::<SigningAlgorithm>() {
            Ok(algorithm) => flags.signing_algorithms.push(algorithm),
            Err(unknown) => reader.refuse(unknown.to_string()),
        }
    }
    flags
}

/// Key sets in files, by issuer.
pub(super) fn key_files(reader: &mut Reader<'_>) -> Vec<(String, PathBuf)> {
    let given = reader.given("oidc-jwks-file");
    let pairs = pairs(reader, "oidc-jwks-file", given);
    pairs.into_iter().map(|(issuer, path)| (issuer, PathBuf::from(path))).collect()
}

/// `name=value`; of several values for a name the last counts.
fn pairs(reader: &mut Reader<'_>, flag: &str, given: Vec<&str>) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for text in given {
        let Some((name, value)) = text.split_once('=') else {
            reader.wrong(flag, text, "malformed pair, expect string=string");
            continue;
        };
        let (name, value) = (name.trim(), value.trim());
        pairs.retain(|(known, _)| known != name);
        pairs.push((name.to_owned(), value.to_owned()));
    }
    pairs
}

pub(super) fn front_proxy(reader: &mut Reader<'_>) -> Option<FrontProxyFlags> {
    let mut list = |name: &str| -> Vec<String> {
        let blank = |value: &&str| value.split(',').any(|item| item.trim().is_empty());
        if reader.given(name).iter().any(|value| !value.is_empty() && blank(value)) {
            reader.refuse(format!("empty value in \"{name}\""));
        }
        reader.list(name).into_iter().map(str::to_owned).collect()
    };
    let proxy = FrontProxy {
        username_headers: list("requestheader-username-headers"),
        uid_headers: list("requestheader-uid-headers"),
        group_headers: list("requestheader-group-headers"),
        extra_header_prefixes: list("requestheader-extra-headers-prefix"),
        allowed_names: list("requestheader-allowed-names"),
    };
    let client_ca_file = reader.path("requestheader-client-ca-file")?;
    Some(FrontProxyFlags { client_ca_file, proxy })
}

/// Flags that say what a file with an AuthorizationConfiguration says.
const AUTHORIZATION_FLAGS: [&str; 5] = [
    "authorization-mode",
    "authorization-webhook-config-file",
    "authorization-webhook-version",
    "authorization-webhook-cache-authorized-ttl",
    "authorization-webhook-cache-unauthorized-ttl",
];

pub(super) fn authorization_config(reader: &mut Reader<'_>) -> Option<PathBuf> {
    let path = reader.path("authorization-config")?;
    if AUTHORIZATION_FLAGS.into_iter().any(|name| !reader.given(name).is_empty()) {
        reader.refuse(
            "--authorization-config can not be specified when --authorization-mode or \
             --authorization-webhook-* flags are defined",
        );
    }
    Some(path)
}

//! `AuthorizationConfiguration` of `apiserver.config.k8s.io` (spec: apimachinery 5.5): the modes of
//! `--authorization-mode`, in a file.

use std::collections::BTreeSet;
use std::path::Path;

use api::Schema;
use api::decode::null_as_empty;
use api::schema::Json;
use auth::authorize::AuthorizationMode;
use serde::{Deserialize, Serialize};
use validation::field::{Error, ErrorList, Path as FieldPath};
use validation::format::{Unit, dns_subdomain};

use crate::config_file;

const KIND: &str = "AuthorizationConfiguration";
/// What the reference knows, in the order of its errors.
const TYPES: [&str; 6] = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"];
const WEBHOOK: &str = "Webhook";

/// Who decides, in order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
struct AuthorizationConfiguration {
    /// `AuthorizationConfiguration`
    kind: String,
    /// `apiserver.config.k8s.io/v1` or `…/v1beta1`, which are alike.
    api_version: String,
    /// The authorizers.
    #[serde(deserialize_with = "null_as_empty")]
    #[k8s(list_type = "atomic")]
    authorizers: Vec<AuthorizerConfiguration>,
}

/// One who decides.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apiserver.pkg.apis.apiserver.v1")]
struct AuthorizerConfiguration {
    /// The mode.
    #[serde(rename = "type")]
    kind: String,
    /// What metrics call it.
    name: String,
    /// Where a webhook is; not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook: Option<Json>,
}

/// The modes that a file lists.
///
/// # Errors
///
/// One line with everything that is wrong.
pub(crate) fn read(path: &Path) -> Result<Vec<AuthorizationMode>, String> {
    let at = |error: &dyn std::fmt::Display| format!("--authorization-config {error}");
    let text = config_file::read(path).map_err(|error| at(&error))?;
    parse(&text, path).map_err(|error| at(&error))
}

fn parse(text: &[u8], path: &Path) -> Result<Vec<AuthorizationMode>, String> {
    let configuration: AuthorizationConfiguration =
        config_file::parse(text, path, KIND).map_err(|error| error.to_string())?;
    let (modes, errors) = check(&configuration.authorizers);
    match errors.aggregate() {
        None => Ok(modes),
        Some(errors) => Err(format!("{}: {errors}", path.display())),
    }
}

fn check(authorizers: &[AuthorizerConfiguration]) -> (Vec<AuthorizationMode>, ErrorList) {
    let (root, mut errors) = (FieldPath::new("authorizers"), ErrorList::default());
    let (mut modes, mut types, mut names) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    if authorizers.is_empty() {
        let detail = "at least one authorization mode must be defined";
        errors.push(Error::required(&root, detail));
    }
    for (index, AuthorizerConfiguration { kind, name, webhook }) in authorizers.iter().enumerate() {
        let path = root.index(index);
        let at = path.child("type");
        if kind.is_empty() {
            errors.push(Error::required(&at, ""));
            continue;
        }
        if !TYPES.contains(&kind.as_str()) {
            errors.push(Error::not_supported(&at, kind, &TYPES));
            continue;
        }
        if !types.insert(kind) && kind != WEBHOOK {
            errors.push(Error::duplicate(&at, kind));
            continue;
        }
        check_name(name, &mut names, &path.child("name"), &mut errors);
        match kind.parse() {
            Ok(mode) => modes.push(mode),
            Err(_) => errors.push(Error::invalid(&at, kind, "not supported by this server")),
        }
        if webhook.is_some() && kind != WEBHOOK {
            let detail = "may only be specified when type=Webhook";
            errors.push(Error::invalid(&path.child("webhook"), "non-null", detail));
        }
    }
    (modes, errors)
}

fn check_name<'n>(
    name: &'n str,
    names: &mut BTreeSet<&'n str>,
    path: &FieldPath,
    errors: &mut ErrorList,
) {
    if name.is_empty() {
        errors.push(Error::required(path, ""));
    } else if !names.insert(name) {
        errors.push(Error::duplicate(path, name));
    } else {
        let problems = dns_subdomain(name, Unit::Characters);
        if !problems.is_empty() {
            let detail = format!("authorizer name is invalid: {}", problems.join(", "));
            errors.push(Error::invalid(path, name, detail));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(authorizers: &str) -> Result<Vec<AuthorizationMode>, String> {
        let text = format!(
            "apiVersion: apiserver.config.k8s.io/v1\nkind: {KIND}\nauthorizers: {authorizers}\n"
        );
        parse(text.as_bytes(), Path::new("authz.yaml"))
    }

    #[test]
    fn modes_are_taken_in_their_order() {
        let modes = read("[{ type: Node, name: node }, { type: RBAC, name: rbac }]").unwrap();
        assert_eq!(modes, [AuthorizationMode::Node, AuthorizationMode::Rbac]);
    }

    #[test]
    fn what_is_wrong_is_said_in_the_references_words() {
        for (authorizers, error) in [
            ("[]", "authorizers: Required value: at least one authorization mode must be defined"),
            ("[{ name: a }]", "authorizers[0].type: Required value"),
            (
                "[{ type: Magic, name: a }]",
                "authorizers[0].type: Unsupported value: \"Magic\": supported values: \"ABAC\", \
                 \"AlwaysAllow\", \"AlwaysDeny\", \"Node\", \"RBAC\", \"Webhook\"",
            ),
            (
                "[{ type: RBAC, name: a }, { type: RBAC, name: b }]",
                "authorizers[1].type: Duplicate value: \"RBAC\"",
            ),
            (
                "[{ type: RBAC, name: a, webhook: {} }, { type: Node, name: a }]",
                "[authorizers[0].webhook: Invalid value: \"non-null\": may only be specified when \
                 type=Webhook, authorizers[1].name: Duplicate value: \"a\"]",
            ),
            (
                "[{ type: Webhook, name: a, webhook: { timeout: 3s } }]",
                "authorizers[0].type: Invalid value: \"Webhook\": not supported by this server",
            ),
        ] {
            assert_eq!(read(authorizers).unwrap_err(), format!("authz.yaml: {error}"));
        }
    }
}

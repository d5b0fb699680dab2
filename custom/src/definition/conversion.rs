//! How objects get from one version to another.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format::{self, Unit};

use super::names::label_problem;
use crate::value::Members;

const STRATEGIES: [&str; 2] = ["None", "Webhook"];
/// The versions of `ConversionReview` that there are.
const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

pub(super) fn validate(errors: &mut ErrorList, conversion: &Value, path: &Path) {
    if !conversion.is_object() {
        return;
    }
    let (strategy, strategy_path) = (conversion.text("strategy"), path.child("strategy"));
    if strategy.is_empty() {
        errors.push(Error::required(&strategy_path, ""));
    } else if !STRATEGIES.contains(&strategy) {
        errors.push(Error::not_supported(&strategy_path, strategy, &STRATEGIES));
    }
    let webhook = conversion.member("webhook");
    let (client, client_path) = (webhook.member("clientConfig"), path.child("webhookClientConfig"));
    let versions = webhook.texts("conversionReviewVersions");
    let versions_path = path.child("conversionReviewVersions");
    if strategy != "Webhook" {
        let detail = "should not be set when strategy is not set to Webhook";
        if client.is_object() {
            errors.push(Error::forbidden(&client_path, detail));
        }
        if !versions.is_empty() {
            errors.push(Error::forbidden(&versions_path, detail));
        }
        return;
    }
    if client.is_object() {
        validate_client(errors, client, &client_path);
    } else {
        let detail = "required when strategy is set to Webhook";
        errors.push(Error::required(&client_path, detail));
    }
    validate_versions(errors, &versions, &versions_path);
}

fn validate_client(errors: &mut ErrorList, client: &Value, path: &Path) {
    let service = client.member("service");
    if client.has("url") == service.is_object() {
        let detail = "exactly one of url or service is required";
        errors.push(Error::required(path, detail));
    } else if client.has("url") {
        validate_url(errors, client.text("url"), &path.child("url"));
    } else {
        validate_service(errors, service, &path.child("service"));
    }
}

fn validate_url(errors: &mut ErrorList, url: &str, path: &Path) {
    let form = "; desired format: https://host[/path]";
    let mut fail = |part: &str, detail: String| errors.push(Error::invalid(path, part, detail));
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (before_fragment, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (before_query, query) = before_fragment.split_once('?').unwrap_or((before_fragment, ""));
    let authority = before_query.split('/').next().unwrap_or_default();
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    if scheme != "https" {
        fail(scheme, format!("'https' is the only allowed URL scheme{form}"));
    }
    if host.is_empty() || scheme.is_empty() {
        fail(host, format!("host must be specified{form}"));
    }
    if !user.is_empty() {
        fail(user, "user information is not permitted in the URL".to_owned());
    }
    if !fragment.is_empty() {
        fail(fragment, "fragments are not permitted in the URL".to_owned());
    }
    if !query.is_empty() {
        fail(query, "query parameters are not permitted in the URL".to_owned());
    }
}

fn validate_service(errors: &mut ErrorList, service: &Value, path: &Path) {
    for member in ["name", "namespace"] {
        if service.text(member).is_empty() {
            errors.push(Error::required(&path.child(member), ""));
        }
    }
    if let Some(port) = service.member("port").as_i64().filter(|port| !(1..=65535).contains(port)) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(Error::invalid(&path.child("port"), port, detail));
    }
    if service.has("path") {
        validate_path(errors, service.text("path"), &path.child("path"));
    }
}

fn validate_path(errors: &mut ErrorList, text: &str, path: &Path) {
    let mut fail = |detail: String| errors.push(Error::invalid(path, text, detail));
    if text == "/" || text.is_empty() {
        return;
    }
    if text == "//" {
        fail("segment[0] may not be empty".to_owned());
        return;
    }
    if !text.starts_with('/') {
        fail("must start with a '/'".to_owned());
    }
    // What stands before the first slash is no segment; a slash may end the path.
    let to_check = text.get(1..).unwrap_or_default();
    let to_check = to_check.strip_suffix('/').unwrap_or(to_check);
    for (index, segment) in to_check.split('/').enumerate() {
        if segment.is_empty() {
            fail(format!("segment[{index}] may not be empty"));
            continue;
        }
        for problem in format::dns_subdomain(segment, Unit::Characters) {
            fail(format!("segment[{index}]: {problem}"));
        }
    }
}

fn validate_versions(errors: &mut ErrorList, versions: &[String], path: &Path) {
    if versions.is_empty() {
        errors.push(Error::required(path, ""));
        return;
    }
    for (index, version) in versions.iter().enumerate() {
        let problem = label_problem(version);
        if versions[..index].contains(version) {
            errors.push(Error::invalid(&path.index(index), version, "duplicate version"));
        } else if !problem.is_empty() {
            errors.push(Error::invalid(&path.index(index), version, problem));
        }
    }
    if !versions.iter().any(|version| REVIEW_VERSIONS.contains(&version.as_str())) {
        let detail = format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        errors.push(Error::invalid(path, Shown::json(&versions), detail));
    }
}

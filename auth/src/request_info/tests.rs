use proptest::prelude::*;
use serde::Deserialize;

use super::*;

/// A recorded request; either what it resolves to, or an error.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vector {
    method: String,
    url: String,
    #[serde(default)]
    error: bool,
    #[serde(flatten)]
    expected: Option<Expected>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expected {
    is_resource_request: bool,
    path: String,
    verb: String,
    api_group: String,
    api_version: String,
    namespace: String,
    resource: String,
    subresource: String,
    name: String,
    long_running: bool,
    mutating_kind: bool,
    #[serde(rename = "subjectToAPF")]
    subject_to_apf: bool,
}

fn resolve(method: &str, url: &str) -> Result<RequestInfo, RequestInfoError> {
    match url.split_once('?') {
        Some((path, query)) => RequestInfo::resolve(method, path, Some(query)),
        None => RequestInfo::resolve(method, url, None),
    }
}

fn observed(info: RequestInfo) -> Expected {
    Expected {
        is_resource_request: info.is_resource_request,
        long_running: info.is_long_running(),
        mutating_kind: info.mutating_kind() == MutatingKind::Mutating,
        subject_to_apf: info.is_subject_to_flow_control(),
        path: info.path,
        verb: info.verb,
        api_group: info.api_group,
        api_version: info.api_version,
        namespace: info.namespace,
        resource: info.resource,
        subresource: info.subresource,
        name: info.name,
    }
}

#[test]
fn recorded_requests_resolve_as_recorded() {
    let text = include_str!("../../tests/data/request-info.json");
    let vectors: Vec<Vector> = serde_json::from_str(text).unwrap();
    assert_eq!(vectors.len(), 49);
    for vector in vectors {
        let label = format!("{} {}", vector.method, vector.url);
        let resolved = resolve(&vector.method, &vector.url);
        if vector.error {
            assert!(resolved.is_err(), "{label}");
        } else {
            assert_eq!(Some(observed(resolved.unwrap())), vector.expected, "{label}");
        }
    }
}

#[test]
fn a_special_verb_with_nothing_behind_it_names_the_url() {
    let error = resolve("GET", "/api/v1/watch?a=b").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unable to determine kind and namespace from url, /api/v1/watch?a=b"
    );
}

#[test]
fn selectors_are_kept_for_collections_only() {
    let query = "?fieldSelector=a%3Db&labelSelector=c+in+%28d%29";
    let selectors = |method: &str, path: &str| {
        let info = resolve(method, &format!("{path}{query}")).unwrap();
        (info.field_selector, info.label_selector)
    };
    let kept = ("a=b".to_owned(), "c in (d)".to_owned());
    assert_eq!(selectors("GET", "/api/v1/pods"), kept);
    assert_eq!(selectors("DELETE", "/api/v1/namespaces/x/pods"), kept);
    assert_eq!(selectors("GET", "/api/v1/watch/pods"), Default::default());
    assert_eq!(selectors("GET", "/api/v1/nodes/x"), Default::default());
}

#[test]
fn paths_are_decoded_before_they_are_split() {
    let info = resolve("GET", "/api/v1/namespaces/a%2Fpods").unwrap();
    assert_eq!((info.namespace.as_str(), info.resource.as_str()), ("a", "pods"));
    assert_eq!(resolve("GET", "/%zz"), Err(RequestInfoError::BadEscape(BadEscape)));
}

#[test]
fn parts_are_the_segments_from_the_resource_on() {
    let info = resolve("GET", "/api/v1/namespaces/foo/pods/p/proxy/a/b").unwrap();
    assert_eq!(info.parts, ["pods", "p", "proxy", "a", "b"]);
    assert_eq!(info.api_prefix, "api");
}

proptest! {
    #[test]
    fn any_request_resolves_or_fails_without_a_panic(
        method in "[A-Z]{0,7}", path in any::<String>(), query in any::<Option<String>>(),
    ) {
        if let Ok(info) = RequestInfo::resolve(&method, &path, query.as_deref()) {
            prop_assert_eq!(info.is_resource_request, !info.api_version.is_empty() || !info.parts.is_empty());
        }
    }

    #[test]
    fn any_api_path_resolves_or_fails_without_a_panic(
        path in "/(api|apis)(/(watch|proxy|namespaces|status|finalize|v1|a|%2F|)){0,8}",
        query in "((watch|limit|fieldSelector)(=(metadata.name%3Da|0|%|\\\\|))?&?){0,4}",
    ) {
        let decoded = path.replace("%2F", "/");
        let last = decoded.trim_end_matches('/').rsplit('/').next();
        let is_cut_off = matches!(last, Some("watch" | "proxy"));
        prop_assert!(RequestInfo::resolve("GET", &path, Some(&query)).is_ok() || is_cut_off);
    }
}

//! What a request asks for, read from its method, path and query alone (spec: apimachinery 0.1,
//! apf 3.1; upstream: `RequestInfoFactory`).

mod query;
#[cfg(test)]
mod tests;

use crate::percent::{BadEscape, decode_path};
use query::ListQuery;

/// What a request asks for. Texts that the request does not have are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestInfo {
    /// Whether the request is for an API resource, and not for another path.
    pub is_resource_request: bool,
    /// The path as received, with its escapes decoded, without the query.
    pub path: String,
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection` or `proxy`
    /// for resources, empty for methods that resources do not know; the method in lower case for
    /// other paths.
    pub verb: String,
    /// `api` or `apis`; also set for the discovery paths below them.
    pub api_prefix: String,
    /// API group; empty for the core group.
    pub api_group: String,
    /// Version of the group.
    pub api_version: String,
    /// Namespace; that of the object itself when it is a namespace.
    pub namespace: String,
    /// Resource, in plural.
    pub resource: String,
    /// Subresource, such as `status`.
    pub subresource: String,
    /// Name of the object, or the one that a list's or watch's field selector requires.
    pub name: String,
    /// Path segments from the resource on.
    pub parts: Vec<String>,
    /// Field selector of a list, watch or deletecollection, as written.
    pub field_selector: String,
    /// Label selector of a list, watch or deletecollection, as written.
    pub label_selector: String,
}

/// Which of the two in-flight limits a request counts against (spec: apf 8.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutatingKind {
    /// `get`, `list` and `watch`.
    ReadOnly,
    /// Everything else.
    Mutating,
}

/// A request whose target cannot be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestInfoError {
    /// The path ends after `watch` or `proxy`; answered with 500.
    #[error("unable to determine kind and namespace from url, {url}")]
    NoResource {
        /// Path and query as received.
        url: String,
    },
    /// The path is not well escaped; answered with 400.
    #[error(transparent)]
    BadEscape(#[from] BadEscape),
}

const LONG_RUNNING_SUBRESOURCES: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];
const NAMESPACE_SUBRESOURCES: [&str; 2] = ["finalize", "status"];

impl RequestInfo {
    /// Reads a request. `path` and `query` are taken as received, escapes included; `query` comes
    /// without its question mark.
    ///
    /// # Errors
    /// [`RequestInfoError::NoResource`] for `/api/v1/watch` and its like,
    /// [`RequestInfoError::BadEscape`] for a path with a broken escape.
    pub fn resolve(
        method: &str,
        path: &str,
        query: Option<&str>,
    ) -> Result<Self, RequestInfoError> {
        let decoded = decode_path(path)?;
        let mut info = Self {
            path: decoded.clone().into_owned(),
            verb: method.to_ascii_lowercase(),
            ..Self::default()
        };
        let trimmed = decoded.trim_matches('/');
        let segments: Vec<&str> = trimmed.split('/').collect();
        let Some(segments) = info.take_group_version(&segments) else {
            return Ok(info);
        };
        let (special_verb, segments) = split_special_verb(segments);
        let Some((&first, _)) = segments.split_first() else {
            return Err(RequestInfoError::NoResource { url: url(path, query) });
        };
        special_verb.unwrap_or_else(|| verb_of_method(method)).clone_into(&mut info.verb);
        info.take_names(first, segments);
        info.refine_collection_verb(query.unwrap_or_default());
        if special_verb.is_none() {
            info.take_selectors(query.unwrap_or_default());
        }
        Ok(info)
    }

    /// Whether the request may last as long as its client likes (spec: apf 8.2): it has no
    /// deadline, and flow control lets it pass unless it is a watch.
    #[must_use]
    pub fn is_long_running(&self) -> bool {
        matches!(self.verb.as_str(), "watch" | "proxy")
            || LONG_RUNNING_SUBRESOURCES.contains(&self.subresource.as_str())
            || (!self.is_resource_request && self.path.starts_with("/debug/pprof/"))
    }

    /// Whether API Priority and Fairness classifies the request (spec: apf 8.2).
    #[must_use]
    pub fn is_subject_to_flow_control(&self) -> bool {
        self.verb == "watch" || !self.is_long_running()
    }

    /// The in-flight limit that the request counts against.
    #[must_use]
    pub fn mutating_kind(&self) -> MutatingKind {
        match self.verb.as_str() {
            "get" | "list" | "watch" => MutatingKind::ReadOnly,
            _ => MutatingKind::Mutating,
        }
    }

    /// Consumes prefix, group and version. `None` for paths that are no resource's.
    fn take_group_version<'s, 'p>(&mut self, segments: &'s [&'p str]) -> Option<&'s [&'p str]> {
        let [prefix, rest @ ..] = segments else { return None };
        if !matches!(*prefix, "api" | "apis") || rest.len() < 2 {
            return None;
        }
        (*prefix).clone_into(&mut self.api_prefix);
        let (group, rest) = match (*prefix, rest) {
            ("apis", [group, rest @ ..]) => (*group, rest),
            _ => ("", rest),
        };
        let [version, rest @ ..] = rest else { return None };
        if rest.is_empty() {
            return None;
        }
        self.is_resource_request = true;
        group.clone_into(&mut self.api_group);
        (*version).clone_into(&mut self.api_version);
        Some(rest)
    }

    fn take_names(&mut self, first: &str, segments: &[&str]) {
        let parts = match segments {
            [_, namespace, rest @ ..] if first == "namespaces" => {
                (*namespace).clone_into(&mut self.namespace);
                let is_own = rest.first().is_none_or(|next| NAMESPACE_SUBRESOURCES.contains(next));
                if is_own { segments } else { rest }
            }
            _ => segments,
        };
        let part = |index: usize| parts.get(index).copied().unwrap_or_default().to_owned();
        self.resource = part(0);
        self.name = part(1);
        if self.verb != "proxy" {
            self.subresource = part(2);
        }
        self.parts = parts.iter().map(|&part| part.to_owned()).collect();
    }

    /// Turns `get` and `delete` without a name into the verbs for collections.
    fn refine_collection_verb(&mut self, query: &str) {
        if !self.name.is_empty() {
            return;
        }
        match self.verb.as_str() {
            "get" => {
                let list = ListQuery::read(query);
                self.verb = if list.watch { "watch" } else { "list" }.to_owned();
                self.name = list.required_name.unwrap_or_default();
            }
            "delete" => "deletecollection".clone_into(&mut self.verb),
            _ => {}
        }
    }

    fn take_selectors(&mut self, query: &str) {
        if matches!(self.verb.as_str(), "list" | "watch" | "deletecollection") {
            self.field_selector = query::first(query, "fieldSelector").unwrap_or_default();
            self.label_selector = query::first(query, "labelSelector").unwrap_or_default();
        }
    }
}

/// Splits off the verb of the deprecated paths that carry one.
fn split_special_verb<'s, 'p>(segments: &'s [&'p str]) -> (Option<&'p str>, &'s [&'p str]) {
    match segments {
        [verb @ ("watch" | "proxy"), rest @ ..] => (Some(verb), rest),
        _ => (None, segments),
    }
}

fn verb_of_method(method: &str) -> &'static str {
    match method {
        "POST" => "create",
        "GET" | "HEAD" => "get",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" => "delete",
        _ => "",
    }
}

fn url(path: &str, query: Option<&str>) -> String {
    match query {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    }
}

//! What a request asks for, read from its method, path and query (spec: apimachinery 0.1, apf 3.1).

use super::query::Query;
use crate::selector::FieldSelector;

/// What a request asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestInfo {
    /// Whether it is for a resource, and not for another path.
    pub is_resource_request: bool,
    /// The path as it was received.
    pub path: String,
    /// The verb: `get`, `list`, …; for other paths the method in lower case.
    pub verb: String,
    /// `api` or `apis`.
    pub api_prefix: String,
    /// The API group; empty for the core group.
    pub api_group: String,
    /// The API version.
    pub api_version: String,
    /// The namespace; empty if there is none.
    pub namespace: String,
    /// The resource in plural.
    pub resource: String,
    /// The subresource; empty if there is none.
    pub subresource: String,
    /// The object's name; empty if there is none.
    pub name: String,
}

/// What kind of request it is when requests are counted by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestKind {
    /// It only reads.
    ReadOnly,
    /// It may write.
    Mutating,
}

/// The path names nothing that the special verb in it could be for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unable to determine kind and namespace from url, {0}")]
pub struct Undetermined(String);

/// Subresources whose requests last as long as their clients like.
const LONG_RUNNING_SUBRESOURCES: [&str; 5] = ["attach", "exec", "proxy", "log", "portforward"];

impl RequestInfo {
    /// Reads a request.
    ///
    /// # Errors
    ///
    /// [`Undetermined`] for a path such as `/api/v1/watch`.
    pub fn read(method: &str, path: &str, query: &Query) -> Result<Self, Undetermined> {
        let mut info =
            Self { path: path.to_owned(), verb: method.to_ascii_lowercase(), ..Self::default() };
        let trimmed = path.trim_matches('/');
        let mut parts: Vec<&str> = trimmed.split('/').collect();
        let prefix = parts[0];
        let needed = if prefix == "apis" { 4 } else { 3 };
        if !matches!(prefix, "api" | "apis") || parts.len() < needed {
            return Ok(info);
        }
        info.is_resource_request = true;
        prefix.clone_into(&mut info.api_prefix);
        parts.remove(0);
        if prefix == "apis" {
            parts.remove(0).clone_into(&mut info.api_group);
        }
        parts.remove(0).clone_into(&mut info.api_version);
        info.read_verb(method, &mut parts, path)?;
        info.read_names(&parts);
        info.refine(query);
        Ok(info)
    }

    fn read_verb(
        &mut self,
        method: &str,
        parts: &mut Vec<&str>,
        path: &str,
    ) -> Result<(), Undetermined> {
        let special = parts.first().filter(|part| matches!(**part, "watch" | "proxy"));
        if let Some(special) = special {
            if parts.len() < 2 {
                return Err(Undetermined(path.to_owned()));
            }
            (*special).clone_into(&mut self.verb);
            parts.remove(0);
            return Ok(());
        }
        self.verb = match method {
            "POST" => "create",
            "GET" | "HEAD" => "get",
            "PUT" => "update",
            "PATCH" => "patch",
            "DELETE" => "delete",
            _ => "",
        }
        .to_owned();
        Ok(())
    }

    fn read_names(&mut self, mut parts: &[&str]) {
        if let ["namespaces", namespace, rest @ ..] = parts {
            (*namespace).clone_into(&mut self.namespace);
            if let [first, ..] = rest
                && !matches!(*first, "status" | "finalize")
            {
                parts = rest;
            }
        }
        let part = |index: usize| parts.get(index).copied().unwrap_or_default().to_owned();
        self.resource = part(0);
        self.name = part(1);
        if self.verb != "proxy" {
            self.subresource = part(2);
        }
    }

    /// Lists and watches are told from gets by their missing name and the query.
    fn refine(&mut self, query: &Query) {
        if !self.name.is_empty() {
            return;
        }
        match self.verb.as_str() {
            "get" => {
                let watch = query.flag("watch").unwrap_or(false);
                self.verb = if watch { "watch" } else { "list" }.to_owned();
                let readable =
                    query.number("limit").is_ok() && query.number("timeoutSeconds").is_ok();
                if readable {
                    self.name = selected_name(query);
                }
            }
            "delete" => "deletecollection".clone_into(&mut self.verb),
            _ => {}
        }
    }

    /// Whether the request lasts as long as its client likes.
    #[must_use]
    pub fn is_long_running(&self) -> bool {
        matches!(self.verb.as_str(), "watch" | "proxy")
            || (self.is_resource_request
                && LONG_RUNNING_SUBRESOURCES.contains(&self.subresource.as_str()))
            || (!self.is_resource_request && self.path.starts_with("/debug/pprof/"))
    }

    /// Whether API Priority and Fairness looks at the request.
    #[must_use]
    pub fn is_subject_to_flow_control(&self) -> bool {
        !self.is_long_running() || self.verb == "watch"
    }

    /// The kind by which requests are counted.
    #[must_use]
    pub fn kind(&self) -> RequestKind {
        match self.verb.as_str() {
            "get" | "list" | "watch" => RequestKind::ReadOnly,
            _ => RequestKind::Mutating,
        }
    }
}

/// The name that a field selector requires, if it could be one.
fn selected_name(query: &Query) -> String {
    let Ok(fields) = FieldSelector::parse(query.text("fieldSelector")) else {
        return String::new();
    };
    let name = fields.required("metadata.name").unwrap_or_default();
    let possible = validation::format::path_segment(name).is_empty();
    if possible { name.to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn recorded_requests_are_read_as_the_reference_reads_them() {
        let vectors: Vec<Value> =
            serde_json::from_str(include_str!("../../tests/data/request-info.json")).unwrap();
        assert_eq!(vectors.len(), 49);
        for vector in vectors {
            check(&vector);
        }
    }

    fn check(vector: &Value) {
        let url = vector["url"].as_str().unwrap();
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let method = vector["method"].as_str().unwrap();
        let info = RequestInfo::read(method, path, &Query::parse(query));
        if vector.get("error").is_some_and(|error| !error.is_null()) {
            assert!(info.is_err(), "{vector}");
            return;
        }
        let info = info.unwrap();
        let found = serde_json::json!({
            "isResourceRequest": info.is_resource_request,
            "verb": info.verb,
            "path": info.path,
            "apiGroup": info.api_group,
            "apiVersion": info.api_version,
            "namespace": info.namespace,
            "resource": info.resource,
            "subresource": info.subresource,
            "name": info.name,
            "longRunning": info.is_long_running(),
            "subjectToAPF": info.is_subject_to_flow_control(),
            "mutatingKind": info.kind() == RequestKind::Mutating,
        });
        for (name, found) in found.as_object().unwrap() {
            if let Some(expected) = vector.get(name) {
                assert_eq!(found, expected, "{name} of {vector}");
            }
        }
    }
}

//! Reads what the vectors' requests ask for out of their methods and URLs: enough for those, the
//! server has the whole.

use crate::digest::{ResourceTarget, Target};

#[derive(Debug, Default)]
pub(crate) struct RequestInfo {
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) verb: String,
    pub(crate) is_resource: bool,
    pub(crate) api_group: String,
    pub(crate) namespace: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) name: String,
}

impl RequestInfo {
    pub(crate) fn read(method: &str, url: &str) -> Self {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let mut info = Self {
            path: path.to_owned(),
            query: query.to_owned(),
            verb: method.to_lowercase(),
            ..Self::default()
        };
        let mut parts = path.trim_matches('/').split('/').peekable();
        let grouped = match parts.next() {
            Some("api") => false,
            Some("apis") => true,
            _ => return info,
        };
        if parts.clone().count() < if grouped { 3 } else { 2 } {
            return info;
        }
        info.is_resource = true;
        if grouped {
            info.api_group = parts.next().unwrap().to_owned();
        }
        let _version = parts.next();
        info.verb = verb_of(method).to_owned();
        if let Some(verb) = parts.next_if(|part| matches!(*part, "proxy" | "watch")) {
            info.verb = verb.to_owned();
        }
        let rest: Vec<&str> = parts.collect();
        info.read_names(&rest);
        info.refine();
        info
    }

    fn read_names(&mut self, parts: &[&str]) {
        let mut parts = parts;
        if let ["namespaces", namespace, rest @ ..] = parts {
            self.namespace = (*namespace).to_owned();
            if !rest.is_empty() && !matches!(rest[0], "status" | "finalize") {
                parts = rest;
            }
        }
        let part = |index: usize| parts.get(index).copied().unwrap_or_default().to_owned();
        (self.resource, self.name, self.subresource) = (part(0), part(1), part(2));
    }

    fn refine(&mut self) {
        if !self.name.is_empty() {
            return;
        }
        if self.verb == "delete" {
            self.verb = "deletecollection".to_owned();
        }
        if self.verb == "get" {
            let watch = self.query.split('&').any(|pair| matches!(pair, "watch=true" | "watch=1"));
            self.verb = if watch { "watch" } else { "list" }.to_owned();
        }
        for pair in self.query.split('&') {
            if let Some(selector) = pair.strip_prefix("fieldSelector=")
                && let Some(name) = selector.replace("%3D", "=").strip_prefix("metadata.name=")
            {
                self.name = name.to_owned();
            }
        }
    }

    pub(crate) fn target(&self) -> Target<'_> {
        if !self.is_resource {
            return Target::NonResource { verb: &self.verb, path: &self.path };
        }
        Target::Resource(ResourceTarget {
            verb: &self.verb,
            api_group: &self.api_group,
            resource: &self.resource,
            subresource: &self.subresource,
            namespace: &self.namespace,
            name: &self.name,
        })
    }
}

fn verb_of(method: &str) -> &'static str {
    match method {
        "GET" | "HEAD" => "get",
        "POST" => "create",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" => "delete",
        _ => "",
    }
}

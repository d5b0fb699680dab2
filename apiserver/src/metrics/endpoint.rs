//! What a request counts as.

use auth::request_info::RequestInfo;

use super::families::{Labels, labels};
use crate::handlers::Route;
use crate::request::query::Query;

/// Who serves: there is only this one.
const COMPONENT: &str = "apiserver";
/// Documents and health checks that are told apart; a bound on what clients can make us count.
const DOCUMENTS: [&str; 9] = [
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
    "/.well-known/openid-configuration",
];

/// What a request counts as. There are only so many: nothing in it is a client's free choice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoint {
    verb: &'static str,
    dry_run: &'static str,
    scope: &'static str,
    group: String,
    version: String,
    resource: String,
    subresource: String,
    /// Whether it is answered by somebody who counts its answers; else only its rejections are.
    served: bool,
}

impl Endpoint {
    /// What a request counts as that leads there. Resources that are not served have no names
    /// here.
    pub(crate) fn of(info: &RequestInfo, query: &Query, is_apply: bool, route: &Route) -> Self {
        let mut endpoint = Self {
            verb: canonical_verb(info, is_apply),
            dry_run: dry_run(query),
            scope: scope(info),
            group: String::new(),
            version: String::new(),
            resource: String::new(),
            subresource: String::new(),
            served: true,
        };
        match route {
            Route::Objects(_) => {
                endpoint.group.clone_from(&info.api_group);
                endpoint.version.clone_from(&info.api_version);
                endpoint.resource.clone_from(&info.resource);
                endpoint.subresource.clone_from(&info.subresource);
            }
            Route::Group(_) | Route::GroupVersion { .. } => {}
            Route::UnknownInGroup => endpoint.served = false,
            Route::Other => {
                let path = info.path.strip_suffix('/').unwrap_or(&info.path);
                let known = DOCUMENTS.iter().find(|known| path == **known);
                endpoint.served = known.is_some() || ["", "/api", "/apis"].contains(&path);
                endpoint.subresource = known.map(|known| (*known).to_owned()).unwrap_or_default();
            }
        }
        endpoint
    }

    /// What watching all objects of a resource counts as.
    pub(crate) fn watch_of(group: &str, version: &str, resource: &str) -> Self {
        Self {
            verb: "WATCH",
            dry_run: "",
            scope: "cluster",
            group: group.to_owned(),
            version: version.to_owned(),
            resource: resource.to_owned(),
            subresource: String::new(),
            served: true,
        }
    }

    /// Whether it is a watch.
    #[must_use]
    pub fn is_watch(&self) -> bool {
        self.verb == "WATCH"
    }

    /// Whether the sizes of its answers are counted.
    pub(super) fn reads(&self) -> bool {
        self.verb == "GET" || self.verb == "LIST"
    }

    pub(super) fn is_served(&self) -> bool {
        self.served
    }

    /// The labels, and further ones.
    pub(super) fn labels<const COUNT: usize>(
        &self,
        further: [(&'static str, &str); COUNT],
    ) -> Labels {
        let mut all = labels([
            ("component", COMPONENT),
            ("group", &self.group),
            ("resource", &self.resource),
            ("scope", self.scope),
            ("subresource", &self.subresource),
            ("verb", self.verb),
            ("version", &self.version),
        ]);
        all.extend(labels(further));
        all.sort_unstable();
        all
    }

    pub(super) fn dry_run(&self) -> (&'static str, &'static str) {
        ("dry_run", self.dry_run)
    }

    /// Resource and verb as they stand with the sizes of bodies.
    pub(super) fn body_labels(&self) -> Labels {
        let verb = match self.verb {
            "POST" => "create",
            "PUT" => "update",
            "PATCH" | "APPLY" => "patch",
            "DELETECOLLECTION" => "delete_collection",
            _ => "delete",
        };
        labels([("group", &self.group), ("resource", &self.resource), ("verb", verb)])
    }
}

/// The verb as metrics have it.
fn canonical_verb(info: &RequestInfo, is_apply: bool) -> &'static str {
    match info.verb.as_str() {
        "get" | "head" => "GET",
        "list" => "LIST",
        "watch" => "WATCH",
        "create" | "post" => "POST",
        "update" | "put" => "PUT",
        "patch" if is_apply => "APPLY",
        "patch" => "PATCH",
        "delete" => "DELETE",
        "deletecollection" => "DELETECOLLECTION",
        "connect" | "proxy" => "CONNECT",
        _ => "other",
    }
}

/// How much of the objects a request is about.
fn scope(info: &RequestInfo) -> &'static str {
    if !info.is_resource_request {
        ""
    } else if !info.name.is_empty() || info.verb == "create" {
        "resource"
    } else if !info.namespace.is_empty() {
        "namespace"
    } else {
        "cluster"
    }
}

fn dry_run(query: &Query) -> &'static str {
    let mut given = query.all("dryRun").filter(|value| !value.is_empty()).peekable();
    if given.peek().is_none() {
        ""
    } else if given.all(|value| value == "All") {
        "All"
    } else {
        "invalid"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handlers::route;
    use crate::resources::Resources;

    fn text(method: &str, path: &str, query: &str) -> String {
        let info = RequestInfo::resolve(method, path, Some(query)).unwrap();
        let route =
            route(&Resources::built_in(&crate::options::RuntimeConfig::default()), &info.path);
        let endpoint = Endpoint::of(&info, &Query::parse(query), false, &route);
        let values: Vec<_> = endpoint
            .labels([endpoint.dry_run()])
            .into_iter()
            .filter(|(name, value)| *name != "component" && !value.is_empty())
            .map(|(_, value)| value)
            .collect();
        values.join(" ")
    }

    const SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

    #[test]
    fn requests_for_objects_are_told_apart_by_what_they_ask_for() {
        let flow_schemas = "flowcontrol.apiserver.k8s.io flowschemas";
        let object = format!("{SCHEMAS}/a");
        for (method, path, query, expected) in [
            ("GET", SCHEMAS, "", format!("{flow_schemas} cluster LIST v1")),
            ("GET", SCHEMAS, "watch=1", format!("{flow_schemas} cluster WATCH v1")),
            ("POST", SCHEMAS, "dryRun=All", format!("All {flow_schemas} resource POST v1")),
            ("GET", &object, "", format!("{flow_schemas} resource GET v1")),
            (
                "DELETE",
                SCHEMAS,
                "dryRun=x",
                format!("invalid {flow_schemas} cluster DELETECOLLECTION v1"),
            ),
        ] {
            assert_eq!(text(method, path, query), expected, "{method} {path}");
        }
        let status = format!("{SCHEMAS}/a/status");
        assert_eq!(text("PUT", &status, ""), format!("{flow_schemas} resource status PUT v1"));
    }

    #[test]
    fn what_clients_make_up_is_not_counted_by_its_name() {
        assert_eq!(text("GET", "/apis/made.up/v1/things/a", ""), "resource GET");
        assert_eq!(text("BREW", "/made/up", ""), "other");
        assert_eq!(text("GET", &format!("{SCHEMAS}/a/made-up"), ""), "resource GET");
        assert_eq!(text("GET", "/version", ""), "/version GET");
    }
}

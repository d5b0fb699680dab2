//! Connections to what runs on nodes: `exec`, `attach`, `portforward`, `log` and `proxy` (spec:
//! apimachinery 2.14). Nothing runs here, so none comes about: answers are those of the reference
//! for pods without a node and nodes without an address. This server connects to no other node.

use api::status::{GroupResource, Status};
use axum::body::Body;
use http::{Method, Response, StatusCode};
use serde_json::{Value, json};
use storage::cache::Freshness;
use validation::text::go_quote;

use super::super::Call;
use crate::dynamic::{Objects, Operation};
use crate::reply::Reply;
use crate::request::query::Query;
use crate::resources::GroupVersionKind;

const NODES: GroupResource<'static> = GroupResource { group: "", resource: "nodes" };
const ENDPOINTS: GroupResource<'static> = GroupResource { group: "", resource: "endpoints" };
/// How nodes are addressed, most liked first (upstream: `--kubelet-preferred-address-types`).
const ADDRESS_TYPES: [&str; 5] =
    ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];
const NO_CONNECTIONS: &str = "this server connects to no nodes";

/// What a client wants to be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connect {
    /// A command in a container.
    Exec,
    /// A container's own process.
    Attach,
    /// Ports of a pod.
    PortForward,
    /// What a container wrote.
    Log,
    /// A pod's, service's or node's server.
    Proxy,
}

impl Connect {
    pub(super) fn find(subresource: &str) -> Option<Self> {
        match subresource {
            "exec" => Some(Self::Exec),
            "attach" => Some(Self::Attach),
            "portforward" => Some(Self::PortForward),
            "log" => Some(Self::Log),
            "proxy" => Some(Self::Proxy),
            _ => None,
        }
    }

    /// The subresource, and the kind of the options that admission looks at.
    fn described(self, of: &str) -> (&'static str, GroupVersionKind) {
        let (subresource, options) = match self {
            Self::Exec => ("exec", "PodExecOptions".to_owned()),
            Self::Attach => ("attach", "PodAttachOptions".to_owned()),
            Self::PortForward => ("portforward", "PodPortForwardOptions".to_owned()),
            Self::Log => ("log", "PodLogOptions".to_owned()),
            Self::Proxy => ("proxy", format!("{of}ProxyOptions")),
        };
        (subresource, GroupVersionKind::new("", "v1", &options))
    }

    /// The options of a request, as an object.
    fn options(self, kind: &GroupVersionKind, query: &Query) -> Value {
        let mut options = json!({ "kind": kind.kind, "apiVersion": "v1" });
        let texts = |name: &str| query.all(name).map(str::to_owned).collect::<Vec<_>>();
        match self {
            Self::Exec | Self::Attach => {
                for stream in ["stdin", "stdout", "stderr", "tty"] {
                    if matches!(query.text(stream), "true" | "1") {
                        options[stream] = json!(true);
                    }
                }
                if !query.text("container").is_empty() {
                    options["container"] = json!(query.text("container"));
                }
                if self == Self::Exec {
                    options["command"] = json!(texts("command"));
                }
            }
            Self::PortForward => {
                let ports = texts("ports");
                let ports = ports.iter().filter_map(|port| port.parse::<i32>().ok());
                options["ports"] = ports.collect();
            }
            Self::Proxy => options["path"] = json!(query.text("path")),
            Self::Log => {}
        }
        options
    }

    fn takes(self, method: &Method) -> bool {
        match self {
            Self::Exec | Self::Attach | Self::PortForward => {
                matches!(*method, Method::GET | Method::POST)
            }
            Self::Log => *method == Method::GET,
            Self::Proxy => matches!(
                *method,
                Method::GET
                    | Method::POST
                    | Method::PUT
                    | Method::PATCH
                    | Method::DELETE
                    | Method::HEAD
                    | Method::OPTIONS
            ),
        }
    }
}

pub(super) async fn serve(call: Call<'_>, connect: Connect) -> Result<Reply, Status> {
    if !connect.takes(&call.request.parts.method) {
        return Err(Status::method_not_allowed());
    }
    if connect != Connect::Log {
        let (subresource, kind) = connect.described(&call.resource.kind.kind);
        let options = connect.options(&kind, &call.request.query);
        let objects = Objects::new(&options);
        call.admit_action(Operation::Connect, subresource, kind, objects, false).await?;
    }
    match (connect, call.resource.described.plural.as_str()) {
        (Connect::Proxy, "nodes") => proxy_to_node(&call),
        (Connect::Proxy, "services") => proxy_to_service(&call).await,
        (Connect::Proxy, _) => proxy_to_pod(&call).await,
        (connect, _) => to_pod(&call, connect).await,
    }
}

async fn to_pod(call: &Call<'_>, connect: Connect) -> Result<Reply, Status> {
    let pod = object(call, &call.name).await?;
    if connect != Connect::PortForward {
        check_container(&pod, &call.name, call.request.query.text("container"))?;
    }
    let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
    match (node, connect) {
        // As in the reference, there is nothing to read yet, and nothing wrong with that.
        ("", Connect::Log) => Ok(nothing()),
        ("", _) => {
            let name = &call.name;
            Err(Status::bad_request(format!("pod {name} does not have a host assigned")))
        }
        (node, _) => {
            check_node(call, node)?;
            Err(Status::other(format!("error dialing backend: {NO_CONNECTIONS}")))
        }
    }
}

/// The object of the request's kind and namespace with that name.
async fn object(call: &Call<'_>, name: &str) -> Result<Value, Status> {
    let key = call.resource.key(&call.namespace, name);
    let found = call.store.cache.get(&key, Freshness::Consistent).await;
    let found = found.map_err(|error| super::super::failure::read(&error))?;
    let found = found.ok_or_else(|| Status::not_found(call.resource.group_resource(), name))?;
    Ok(found.object.value(&call.resource))
}

/// A container that is named must be one of the pod's; one need not be named if it is the only one.
fn check_container(pod: &Value, pod_name: &str, container: &str) -> Result<(), Status> {
    let names = |list: &str| -> Vec<String> {
        let containers = pod["spec"][list].as_array().into_iter().flatten();
        containers.filter_map(|container| container["name"].as_str().map(str::to_owned)).collect()
    };
    let containers = names("containers");
    if !container.is_empty() {
        let lists = ["initContainers", "ephemeralContainers"];
        let known = containers.into_iter().chain(lists.into_iter().flat_map(names));
        return match known.into_iter().any(|known| known == container) {
            true => Ok(()),
            false => Err(Status::bad_request(format!(
                "container {container} is not valid for pod {pod_name}"
            ))),
        };
    }
    let must = format!("a container name must be specified for pod {pod_name}");
    match containers.as_slice() {
        [_] => Ok(()),
        [] => Err(Status::bad_request(must)),
        several => {
            let mut text = format!("{must}, choose one of: [{}]", several.join(" "));
            let init = names("initContainers");
            if !init.is_empty() {
                text.push_str(&format!(" or one of the init containers: [{}]", init.join(" ")));
            }
            Err(Status::bad_request(text))
        }
    }
}

fn nothing() -> Reply {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Reply::Raw(Box::new(response))
}

/// Refuses nodes that are not there or have no address.
fn check_node(call: &Call<'_>, name: &str) -> Result<(), Status> {
    let served = call.server.catalog.now();
    let stores = &served.stores;
    let node = stores.peek("", "nodes", "", name).ok_or_else(|| Status::not_found(NODES, name))?;
    let node: Value = serde_json::from_slice(node.object.item_json()).unwrap_or_default();
    match has_address(&node) {
        true => Ok(()),
        false => {
            let known = known_addresses(&node);
            let text = format!("no preferred addresses found; known addresses: [{known}]");
            Err(Status::other(text))
        }
    }
}

fn addresses(node: &Value) -> impl Iterator<Item = (&str, &str)> {
    let list = node["status"]["addresses"].as_array().into_iter().flatten();
    list.map(|address| {
        let text = |member: &str| address[member].as_str().unwrap_or_default();
        (text("type"), text("address"))
    })
}

fn has_address(node: &Value) -> bool {
    let label = node["metadata"]["labels"]["kubernetes.io/hostname"].as_str();
    label.is_some_and(|name| !name.is_empty())
        || addresses(node).any(|(kind, _)| ADDRESS_TYPES.contains(&kind))
}

fn known_addresses(node: &Value) -> String {
    let known: Vec<_> = addresses(node).map(|(kind, text)| format!("{{{kind} {text}}}")).collect();
    known.join(" ")
}

/// `name`, `name:port` or `scheme:name:port`.
#[derive(Debug, PartialEq, Eq)]
struct Target<'a> {
    name: &'a str,
    port: &'a str,
}

impl<'a> Target<'a> {
    fn parse(id: &'a str, kind: &str) -> Result<Self, Status> {
        let parts: Vec<&str> = id.split(':').collect();
        let target = match parts[..] {
            [name] => Some(Self { name, port: "" }),
            [name, port] => Some(Self { name, port }),
            ["" | "http" | "https", name, port] => Some(Self { name, port }),
            _ => None,
        };
        target
            .filter(|target| !target.name.is_empty())
            .ok_or_else(|| Status::bad_request(format!("invalid {kind} request {}", go_quote(id))))
    }
}

fn unreachable() -> Status {
    Status::service_unavailable(format!("error trying to reach service: {NO_CONNECTIONS}"))
}

fn proxy_to_node(call: &Call<'_>) -> Result<Reply, Status> {
    let target = Target::parse(&call.name, "node")?;
    check_node(call, target.name)?;
    Err(unreachable())
}

async fn proxy_to_pod(call: &Call<'_>) -> Result<Reply, Status> {
    let target = Target::parse(&call.name, "pod")?;
    let pod = object(call, target.name).await?;
    let address = pod["status"]["podIPs"][0]["ip"].as_str().unwrap_or_default();
    match address.parse::<std::net::IpAddr>() {
        Ok(address) if !address.is_loopback() && !address.is_unspecified() => Err(unreachable()),
        _ => Err(Status::bad_request("address not allowed")),
    }
}

async fn proxy_to_service(call: &Call<'_>) -> Result<Reply, Status> {
    let Target { name, port } = Target::parse(&call.name, "service")?;
    let unavailable = |why: String| Status::service_unavailable(why);
    let mut port_name = port.to_owned();
    if let Ok(number) = port.parse::<i64>() {
        let service = object(call, name).await?;
        let ports = service["spec"]["ports"].as_array().cloned().unwrap_or_default();
        let found = ports.iter().find(|known| known["port"] == number).ok_or_else(|| {
            let name = go_quote(name);
            unavailable(format!("no service port {number} found for service {name}"))
        })?;
        found["name"].as_str().unwrap_or_default().clone_into(&mut port_name);
    }
    let served = call.server.catalog.now();
    let endpoints = served.stores.peek("", "endpoints", &call.namespace, name);
    let endpoints = endpoints.ok_or_else(|| Status::not_found(ENDPOINTS, name))?;
    let endpoints: Value = serde_json::from_slice(endpoints.object.item_json()).unwrap_or_default();
    let subsets = endpoints["subsets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let serves = |subset: &Value| {
        let addresses = subset["addresses"].as_array().is_some_and(|list| !list.is_empty());
        let mut ports = subset["ports"].as_array().into_iter().flatten();
        addresses && ports.any(|port| port["name"].as_str().unwrap_or_default() == port_name)
    };
    if subsets.iter().any(serves) {
        return Err(unreachable());
    }
    let asked = if subsets.is_empty() { name } else { &call.name };
    Err(unavailable(format!("no endpoints available for service {}", go_quote(asked))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(pod: &Value, container: &str) -> String {
        check_container(pod, "p", container).unwrap_err().message
    }

    #[test]
    fn the_only_container_need_not_be_named() {
        let one = json!({ "spec": { "containers": [{ "name": "a" }] } });
        assert!(check_container(&one, "p", "").is_ok() && check_container(&one, "p", "a").is_ok());
        assert_eq!(refusal(&one, "b"), "container b is not valid for pod p");
        let none = json!({ "spec": {} });
        assert_eq!(refusal(&none, ""), "a container name must be specified for pod p");
    }

    #[test]
    fn of_several_containers_one_is_to_be_chosen() {
        let pod = json!({ "spec": {
            "containers": [{ "name": "a" }, { "name": "b" }],
            "initContainers": [{ "name": "i" }],
        }});
        assert_eq!(
            refusal(&pod, ""),
            "a container name must be specified for pod p, choose one of: [a b] or one of the init \
             containers: [i]"
        );
        assert!(check_container(&pod, "p", "i").is_ok());
    }

    #[test]
    fn targets_have_a_name_and_may_have_a_scheme_and_a_port() {
        let parse = |id| Target::parse(id, "pod").map_err(|status| status.message);
        for (id, name, port) in
            [("a", "a", ""), ("a:80", "a", "80"), ("https:a:x", "a", "x"), (":a:", "a", "")]
        {
            assert_eq!(parse(id), Ok(Target { name, port }), "{id}");
        }
        for id in ["", ":80", "ftp:a:80", "a:b:c:d"] {
            assert_eq!(parse(id), Err(format!("invalid pod request \"{id}\"")));
        }
    }

    #[test]
    fn nodes_are_reached_by_their_addresses_or_by_their_host_name() {
        let node = |addresses: Value| json!({ "status": { "addresses": addresses } });
        assert!(!has_address(&node(json!([]))));
        assert!(has_address(&node(json!([{ "type": "InternalIP", "address": "10.0.0.1" }]))));
        let odd = node(json!([{ "type": "Odd", "address": "x" }, { "type": "Other" }]));
        assert!(!has_address(&odd));
        assert_eq!(known_addresses(&odd), "{Odd x} {Other }");
        assert!(has_address(
            &json!({ "metadata": { "labels": { "kubernetes.io/hostname": "n" } } })
        ));
    }
}

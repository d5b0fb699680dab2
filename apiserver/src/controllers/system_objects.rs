//! Keeps the objects that a cluster has from its first moment, besides flow control and RBAC: the
//! namespaces, the classes of the system's pods and the service of the API itself
//! (spec: apimachinery 6.1).

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use api::status::Status;
use serde_json::{Value, json};

use super::until_stopped;
use super::writer::Kind;
use crate::handlers::Part;
use crate::options::Config;
use crate::server::Server;

const FIELD_MANAGER: &str = "kube-apiserver";
/// The first address of the range that services have where no flag gives another.
const DEFAULT_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
/// What every cluster needs to run, and what every node needs.
const PRIORITY_CLASSES: [(&str, i64, &str); 2] = [
    (
        "system-cluster-critical",
        2_000_000_000,
        "For pods without which the cluster does not work, but which may run on another node.",
    ),
    ("system-node-critical", 2_000_001_000, "For pods without which their node does not work."),
];
const PERIOD: Duration = Duration::from_secs(60);

/// An object that has to be there.
struct Needed {
    group: &'static str,
    plural: &'static str,
    namespace: &'static str,
    name: &'static str,
    object: Value,
}

/// Makes what is missing, and once a minute what was deleted since.
pub(super) async fn start(server: &Arc<Server>, config: &Config, port: u16) -> Result<(), String> {
    let needed = needed(config.service_address.unwrap_or(DEFAULT_ADDRESS), port);
    pass(server, &needed).await?;
    let kept = Arc::clone(server);
    until_stopped(server, async move {
        loop {
            tokio::time::sleep(PERIOD).await;
            if let Err(error) = pass(&kept, &needed).await {
                tracing::error!(%error, "the system's objects could not be kept");
            }
        }
    });
    Ok(())
}

async fn pass(server: &Arc<Server>, needed: &[Needed]) -> Result<(), String> {
    // What is in namespaces comes after them.
    let (inside, outside): (Vec<_>, Vec<_>) =
        needed.iter().partition(|needed| !needed.namespace.is_empty());
    for together in [outside, inside] {
        let ensured = together.into_iter().map(|needed| ensure(server, needed));
        futures_util::future::try_join_all(ensured).await?;
    }
    Ok(())
}

async fn ensure(server: &Arc<Server>, needed: &Needed) -> Result<(), String> {
    // Groups can be switched off.
    let Ok(kind) = Kind::find(server, needed.group, "v1", needed.plural) else { return Ok(()) };
    let context = kind.context(FIELD_MANAGER, needed.namespace, needed.name, Part::WHOLE);
    let made = async {
        match context.live().await? {
            Some(_) => Ok(()),
            None => kind.create_missing(&context, &needed.object).await,
        }
    };
    let failed = |status: Status| format!("{} {}: {}", needed.plural, needed.name, status.message);
    made.await.map_err(failed)
}

fn needed(address: IpAddr, port: u16) -> Vec<Needed> {
    let namespace = |name: &'static str| Needed {
        group: "",
        plural: "namespaces",
        namespace: "",
        name,
        object: json!({ "metadata": { "name": name } }),
    };
    let mut needed: Vec<Needed> =
        ["default", "kube-node-lease", "kube-public", "kube-system"].map(namespace).into();
    needed.extend(PRIORITY_CLASSES.map(priority_class));
    needed.push(Needed {
        group: "",
        plural: "serviceaccounts",
        namespace: "default",
        name: "default",
        object: json!({ "metadata": { "name": "default" } }),
    });
    needed.push(Needed {
        group: "",
        plural: "services",
        namespace: "default",
        name: "kubernetes",
        object: service(address, port),
    });
    needed
}

fn priority_class((name, value, description): (&'static str, i64, &str)) -> Needed {
    Needed {
        group: "scheduling.k8s.io",
        plural: "priorityclasses",
        namespace: "",
        name,
        object: json!({
            "metadata": { "name": name },
            "value": value,
            "preemptionPolicy": "PreemptLowerPriority",
            "description": description,
        }),
    }
}

/// The service has the first address of the range.
fn service(address: IpAddr, port: u16) -> Value {
    let family = if matches!(address, IpAddr::V4(_)) { "IPv4" } else { "IPv6" };
    let address = address.to_string();
    json!({
        "metadata": {
            "name": "kubernetes",
            "labels": { "component": "apiserver", "provider": "kubernetes" },
        },
        "spec": {
            "type": "ClusterIP",
            "clusterIP": address,
            "clusterIPs": [address],
            "ipFamilies": [family],
            "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster",
            "sessionAffinity": "None",
            "ports": [{
                "name": "https",
                "port": 443,
                "protocol": "TCP",
                "targetPort": port,
            }],
        },
    })
}

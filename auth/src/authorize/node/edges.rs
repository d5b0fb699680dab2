//! What objects say about nodes (upstream: the graph of the node authorizer).

use serde_json::Value;

use super::graph::{Edge, Vertex, VertexKind};

/// The annotation of pods that a kubelet made of files; it gives them nothing.
pub(super) const MIRROR: &str = "kubernetes.io/config.mirror";

/// The kinds of objects that say something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeObject {
    /// Runs on a node, and needs things.
    Pod,
    /// Belongs to a claim, and needs secrets.
    PersistentVolume,
    /// Belongs to a node.
    VolumeAttachment,
    /// Belongs to a node.
    ResourceSlice,
}

impl NodeObject {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Pod, Self::PersistentVolume, Self::VolumeAttachment, Self::ResourceSlice];

    /// Group and resource.
    #[must_use]
    pub fn group_resource(self) -> (&'static str, &'static str) {
        match self {
            Self::Pod => ("", "pods"),
            Self::PersistentVolume => ("", "persistentvolumes"),
            Self::VolumeAttachment => ("storage.k8s.io", "volumeattachments"),
            Self::ResourceSlice => ("resource.k8s.io", "resourceslices"),
        }
    }

    pub(super) fn vertex(self, namespace: &str, name: &str) -> Vertex {
        let kind = match self {
            Self::Pod => VertexKind::Pod,
            Self::PersistentVolume => VertexKind::Volume,
            Self::VolumeAttachment => VertexKind::VolumeAttachment,
            Self::ResourceSlice => VertexKind::ResourceSlice,
        };
        Vertex::new(kind, namespace, name)
    }

    pub(super) fn edges(self, namespace: &str, name: &str, object: &Value) -> Vec<Edge> {
        let own = self.vertex(namespace, name);
        let to_node = |node: &Value| {
            let node = text(node).map(|node| Vertex::new(VertexKind::Node, "", node));
            node.map(|node| (own.clone(), node)).into_iter().collect()
        };
        let spec = &object["spec"];
        match self {
            Self::Pod => pod(&own, namespace, name, object),
            Self::PersistentVolume => volume(&own, spec),
            Self::VolumeAttachment | Self::ResourceSlice => to_node(&spec["nodeName"]),
        }
    }
}

fn pod(own: &Vertex, namespace: &str, name: &str, pod: &Value) -> Vec<Edge> {
    let spec = &pod["spec"];
    let Some(node) = text(&spec["nodeName"]) else { return Vec::new() };
    let mut edges = vec![(own.clone(), Vertex::new(VertexKind::Node, "", node))];
    if !pod["metadata"]["annotations"][MIRROR].is_null() {
        return edges;
    }
    let mut needs = needs(name, pod);
    needs.sort_unstable();
    needs.dedup();
    let needed = |(kind, name): (VertexKind, String)| Vertex::new(kind, namespace, &name);
    edges.extend(needs.into_iter().map(|need| (needed(need), own.clone())));
    edges
}

type Needs = Vec<(VertexKind, String)>;

/// What a pod needs of its namespace, in the order of its fields.
pub(super) fn needs(name: &str, pod: &Value) -> Needs {
    let spec = &pod["spec"];
    let mut needs = Vec::new();
    need(&mut needs, VertexKind::ServiceAccount, &spec["serviceAccountName"]);
    for secret in items(&spec["imagePullSecrets"]) {
        need(&mut needs, VertexKind::Secret, &secret["name"]);
    }
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        items(&spec[list]).for_each(|container| environment(&mut needs, container));
    }
    for volume in items(&spec["volumes"]) {
        mounted(&mut needs, volume);
        if let (Some(volume), true) = (text(&volume["name"]), volume["ephemeral"].is_object()) {
            needs.push((VertexKind::Claim, format!("{name}-{volume}")));
        }
    }
    for claim in
        items(&spec["resourceClaims"]).chain(items(&pod["status"]["resourceClaimStatuses"]))
    {
        need(&mut needs, VertexKind::ResourceClaim, &claim["resourceClaimName"]);
    }
    needs
}

fn need(needs: &mut Needs, kind: VertexKind, name: &Value) {
    needs.extend(text(name).map(|name| (kind, name.to_owned())));
}

fn environment(needs: &mut Needs, container: &Value) {
    for source in items(&container["envFrom"]) {
        need(needs, VertexKind::Secret, &source["secretRef"]["name"]);
        need(needs, VertexKind::ConfigMap, &source["configMapRef"]["name"]);
    }
    for variable in items(&container["env"]) {
        let source = &variable["valueFrom"];
        need(needs, VertexKind::Secret, &source["secretKeyRef"]["name"]);
        need(needs, VertexKind::ConfigMap, &source["configMapKeyRef"]["name"]);
    }
}

fn mounted(needs: &mut Needs, volume: &Value) {
    need(needs, VertexKind::Secret, &volume["secret"]["secretName"]);
    need(needs, VertexKind::Secret, &volume["azureFile"]["secretName"]);
    need(needs, VertexKind::Secret, &volume["csi"]["nodePublishSecretRef"]["name"]);
    for driver in ["cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"] {
        need(needs, VertexKind::Secret, &volume[driver]["secretRef"]["name"]);
    }
    need(needs, VertexKind::ConfigMap, &volume["configMap"]["name"]);
    need(needs, VertexKind::Claim, &volume["persistentVolumeClaim"]["claimName"]);
    for source in items(&volume["projected"]["sources"]) {
        need(needs, VertexKind::Secret, &source["secret"]["name"]);
        need(needs, VertexKind::ConfigMap, &source["configMap"]["name"]);
    }
}

fn volume(own: &Vertex, spec: &Value) -> Vec<Edge> {
    let claim = &spec["claimRef"];
    let (Some(namespace), Some(name)) = (text(&claim["namespace"]), text(&claim["name"])) else {
        return Vec::new();
    };
    let mut edges = vec![(own.clone(), Vertex::new(VertexKind::Claim, namespace, name))];
    let mut secret = |reference: &Value, name: &str, place: &str| {
        let Some(name) = text(&reference[name]) else { return };
        let namespace = text(&reference[place]).unwrap_or(namespace);
        edges.push((Vertex::new(VertexKind::Secret, namespace, name), own.clone()));
    };
    secret(&spec["azureFile"], "secretName", "secretNamespace");
    for driver in ["cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"] {
        secret(&spec[driver]["secretRef"], "name", "namespace");
    }
    for use_of in ["nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"] {
        secret(&spec["csi"][use_of], "name", "namespace");
    }
    edges
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

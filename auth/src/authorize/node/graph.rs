//! Which objects a node has to do with: a graph whose edges lead from what is needed to who needs
//! it, and at last to nodes.

use std::collections::{BTreeMap, BTreeSet};

/// What a vertex stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum VertexKind {
    Node,
    Pod,
    Secret,
    ConfigMap,
    ServiceAccount,
    Claim,
    Volume,
    VolumeAttachment,
    ResourceClaim,
    ResourceSlice,
}

/// An object; the namespace is empty for objects of the whole cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Vertex {
    kind: VertexKind,
    namespace: String,
    name: String,
}

impl Vertex {
    pub(super) fn new(kind: VertexKind, namespace: &str, name: &str) -> Self {
        Self { kind, namespace: namespace.to_owned(), name: name.to_owned() }
    }
}

/// An edge, from what is needed to who needs it.
pub(super) type Edge = (Vertex, Vertex);

/// Edges, and who told of them. Each edge is told of by one object only, by the way they are made.
#[derive(Debug, Default)]
pub(super) struct Graph {
    to: BTreeMap<Vertex, BTreeSet<Vertex>>,
    told: BTreeMap<Vertex, Vec<Edge>>,
}

impl Graph {
    /// Puts the edges that an object tells of in place of those that it told of before.
    pub(super) fn put(&mut self, teller: Vertex, edges: Vec<Edge>) {
        for (from, to) in self.told.remove(&teller).into_iter().flatten() {
            if let Some(targets) = self.to.get_mut(&from) {
                targets.remove(&to);
                if targets.is_empty() {
                    self.to.remove(&from);
                }
            }
        }
        if edges.is_empty() {
            return;
        }
        for (from, to) in &edges {
            self.to.entry(from.clone()).or_default().insert(to.clone());
        }
        self.told.insert(teller, edges);
    }

    /// Forgets what all objects of that one's kind told of.
    pub(super) fn forget(&mut self, like: &Vertex) {
        let tellers: Vec<Vertex> =
            self.told.keys().filter(|teller| teller.kind == like.kind).cloned().collect();
        tellers.into_iter().for_each(|teller| self.put(teller, Vec::new()));
    }

    /// Whether a path leads from an object to a node. Nothing leads on from nodes, so paths to
    /// others end there.
    pub(super) fn leads_to(&self, from: &Vertex, node: &str) -> bool {
        let mut seen = BTreeSet::from([from]);
        let mut waiting = vec![from];
        while let Some(vertex) = waiting.pop() {
            if vertex.kind == VertexKind::Node && vertex.name == node {
                return true;
            }
            let targets = self.to.get(vertex).into_iter().flatten();
            waiting.extend(targets.filter(|target| seen.insert(target)));
        }
        false
    }
}

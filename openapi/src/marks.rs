//! Marks of fields that the type tables have no place for. They are few, and all of them facts
//! about recorded kinds.

/// `x-kubernetes-map-type` of a field: how server-side apply treats the object in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapType {
    /// Owned and replaced as a whole.
    Atomic,
    /// Owned field by field, though its type says otherwise.
    Granular,
}

/// `x-kubernetes-patch-strategy` of a field, beyond plain `merge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchStrategy {
    /// List items are merged by key, and a patch of an item names every member it keeps
    /// (`$retainKeys`).
    MergeRetainKeys,
    /// A patch names every member that the object keeps (`$retainKeys`).
    RetainKeys,
    /// Replaced as a whole.
    Replace,
}

impl MapType {
    /// As OpenAPI writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Atomic => "atomic",
            Self::Granular => "granular",
        }
    }
}

impl PatchStrategy {
    /// As OpenAPI writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MergeRetainKeys => "merge,retainKeys",
            Self::RetainKeys => "retainKeys",
            Self::Replace => "replace",
        }
    }
}

const MAP_TYPES: [(&str, &str, MapType); 6] = [
    (
        "io.k8s.api.core.v1.PersistentVolumeClaimStatus",
        "allocatedResourceStatuses",
        MapType::Granular,
    ),
    ("io.k8s.api.core.v1.PersistentVolumeSpec", "claimRef", MapType::Granular),
    ("io.k8s.api.core.v1.PodSpec", "nodeSelector", MapType::Atomic),
    ("io.k8s.api.core.v1.ReplicationControllerSpec", "selector", MapType::Atomic),
    ("io.k8s.api.core.v1.ServiceSpec", "selector", MapType::Atomic),
    ("io.k8s.api.node.v1.Scheduling", "nodeSelector", MapType::Atomic),
];

const PATCH_STRATEGIES: [(&str, &str, PatchStrategy); 5] = [
    ("io.k8s.api.apps.v1.DeploymentSpec", "strategy", PatchStrategy::RetainKeys),
    ("io.k8s.api.core.v1.PodSpec", "resourceClaims", PatchStrategy::MergeRetainKeys),
    ("io.k8s.api.core.v1.PodSpec", "volumes", PatchStrategy::MergeRetainKeys),
    ("io.k8s.api.core.v1.PodStatus", "resourceClaimStatuses", PatchStrategy::MergeRetainKeys),
    ("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", "selector", PatchStrategy::Replace),
];

/// Bytes that carry a list type, as if they were a list of bytes.
const ATOMIC_BYTES: [(&str, &str); 1] =
    [("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec", "caBundle")];

/// The map type of a field, by the name of its struct in OpenAPI documents.
#[must_use]
pub fn map_type(openapi_name: &str, field: &str) -> Option<MapType> {
    let found = MAP_TYPES.iter().find(|(name, own, _)| (*name, *own) == (openapi_name, field))?;
    Some(found.2)
}

/// The patch strategy of a field, by the name of its struct in OpenAPI documents; `None` for what
/// [`PatchMerge`](api::schema::PatchMerge) says already.
#[must_use]
pub fn patch_strategy(openapi_name: &str, field: &str) -> Option<PatchStrategy> {
    let mut all = PATCH_STRATEGIES.iter();
    Some(all.find(|(name, own, _)| (*name, *own) == (openapi_name, field))?.2)
}

/// Whether OpenAPI calls these bytes an atomic list.
pub(crate) fn is_atomic_bytes(openapi_name: &str, field: &str) -> bool {
    ATOMIC_BYTES.contains(&(openapi_name, field))
}

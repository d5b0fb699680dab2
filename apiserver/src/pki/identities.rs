//! Whom the made kubeconfig lets somebody be: an administrator whom nothing limits, and ordinary
//! users whom API Priority and Fairness does limit.

/// The group of the context `developer`. It may do everything by RBAC: the server binds it to the
/// ClusterRole `cluster-admin`. It is not `system:masters`, so its requests are classified, queued
/// and limited like everyone else's.
pub const ADMINISTRATORS: &str = "apiserver:administrators";

/// The group of the context `reader`, which the server gives a role to read by.
pub const READERS: &str = "apiserver:readers";

/// The context of the service account, whose token the caller signs.
pub const SERVICE_ACCOUNT_CONTEXT: &str = "service-account";

/// An identity that a client certificate shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CertificateIdentity {
    /// The name of the kubeconfig's context; the files are `client-<context>`.
    pub context: &'static str,
    /// The user's name: the certificate's common name.
    pub user: &'static str,
    /// The user's group: the certificate's organization.
    pub group: &'static str,
}

/// The identities that certificates are made for; the first is the kubeconfig's current one.
pub const CERTIFICATE_IDENTITIES: [CertificateIdentity; 4] = [
    identity("admin", "admin", "system:masters"),
    identity("developer", "developer", ADMINISTRATORS),
    identity("reader", "reader", READERS),
    identity("node", "system:node:node-1", "system:nodes"),
];

const fn identity(
    context: &'static str,
    user: &'static str,
    group: &'static str,
) -> CertificateIdentity {
    CertificateIdentity { context, user, group }
}

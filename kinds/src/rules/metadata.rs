//! Names and the rest of metadata.

/// What a kind asks of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// A DNS-1123 subdomain.
    Subdomain,
    /// A DNS-1123 label.
    Label,
    /// Whatever can stand in a path.
    PathSegment,
}

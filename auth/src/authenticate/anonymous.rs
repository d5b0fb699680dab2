//! Requests without a credential.

/// Which requests need no credential (`--anonymous-auth`, and the conditions of an
/// `AuthenticationConfiguration`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Anonymous {
    /// All of them.
    #[default]
    Enabled,
    /// None.
    Disabled,
    /// Those for exactly these paths.
    OnPaths(Vec<String>),
}

impl Anonymous {
    /// Whether a request for this path may be anonymous.
    #[must_use]
    pub fn allows(&self, path: &str) -> bool {
        match self {
            Self::Enabled => true,
            Self::Disabled => false,
            Self::OnPaths(paths) => paths.iter().any(|allowed| allowed == path),
        }
    }
}

//! What Priority and Fairness looks at in a request (spec: apf 3.2).

/// Who sends a request and what it asks for. Identity is that after impersonation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestDigest<'a> {
    /// The user's name.
    pub user_name: &'a str,
    /// The groups the user belongs to.
    pub groups: &'a [String],
    /// What is asked for.
    pub target: Target<'a>,
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// A resource.
    Resource(ResourceTarget<'a>),
    /// A path outside the resources.
    NonResource {
        /// The HTTP method in lower case.
        verb: &'a str,
        /// The path as received, without the query.
        path: &'a str,
    },
}

/// The resource that a request is for; every text may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResourceTarget<'a> {
    /// `get`, `list`, `watch`, `create`, …
    pub verb: &'a str,
    /// The API group; empty for the core group.
    pub api_group: &'a str,
    /// The resource in plural.
    pub resource: &'a str,
    /// The subresource.
    pub subresource: &'a str,
    /// The namespace; empty for requests of the whole cluster.
    pub namespace: &'a str,
    /// The object's name, also when it comes from a field selector.
    pub name: &'a str,
}

/// What kind of request it is where requests are counted by kind (spec: apf 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestKind {
    /// Verb `get`, `list` or `watch`.
    ReadOnly,
    /// Every other verb, `head` of paths outside the resources included.
    Mutating,
}

impl RequestKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::ReadOnly, Self::Mutating];

    /// The kind of a request with this verb.
    #[must_use]
    pub fn of_verb(verb: &str) -> Self {
        if matches!(verb, "get" | "list" | "watch") { Self::ReadOnly } else { Self::Mutating }
    }

    /// The value of the label `request_kind`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "readOnly",
            Self::Mutating => "mutating",
        }
    }

    pub(crate) const fn index(self) -> usize {
        match self {
            Self::ReadOnly => 0,
            Self::Mutating => 1,
        }
    }
}

impl<'a> RequestDigest<'a> {
    /// The verb.
    #[must_use]
    pub fn verb(&self) -> &'a str {
        self.target.verb()
    }
}

impl<'a> Target<'a> {
    /// The verb.
    #[must_use]
    pub fn verb(&self) -> &'a str {
        match self {
            Self::Resource(target) => target.verb,
            Self::NonResource { verb, .. } => verb,
        }
    }

    /// The namespace; empty if there is none.
    #[must_use]
    pub fn namespace(&self) -> &'a str {
        match self {
            Self::Resource(target) => target.namespace,
            Self::NonResource { .. } => "",
        }
    }
}

//! The names of the formats (spec: validation 14).

/// A format of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A DNS-1123 label.
    ShortName,
    /// A DNS-1123 subdomain.
    LongName,
    /// A DNS-1123 subdomain in which capital letters are allowed.
    LongNameCaseless,
    /// The key of a label.
    LabelKey,
    /// The key of a label, with a prefix.
    PrefixedLabelKey,
    /// The value of a label.
    LabelValue,
    /// What may stand between two slashes of a URL.
    PathSegmentName,
    /// A UUID in lower case.
    Uuid,
    /// The name of a pool of devices.
    ResourcePoolName,
    /// The name of an extended resource.
    ExtendedResourceName,
    /// The name of a device attribute, with or without a domain.
    ResourceFullyQualifiedName,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 11] = [
        Self::ShortName,
        Self::LongName,
        Self::LongNameCaseless,
        Self::LabelKey,
        Self::PrefixedLabelKey,
        Self::LabelValue,
        Self::PathSegmentName,
        Self::Uuid,
        Self::ResourcePoolName,
        Self::ExtendedResourceName,
        Self::ResourceFullyQualifiedName,
    ];

    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let (_, name) = self.origin().split_at("format=".len());
        name
    }

    /// The origin of its errors.
    #[must_use]
    pub fn origin(self) -> &'static str {
        match self {
            Self::ShortName => "format=k8s-short-name",
            Self::LongName => "format=k8s-long-name",
            Self::LongNameCaseless => "format=k8s-long-name-caseless",
            Self::LabelKey => "format=k8s-label-key",
            Self::PrefixedLabelKey => "format=k8s-prefixed-label-key",
            Self::LabelValue => "format=k8s-label-value",
            Self::PathSegmentName => "format=k8s-path-segment-name",
            Self::Uuid => "format=k8s-uuid",
            Self::ResourcePoolName => "format=k8s-resource-pool-name",
            Self::ExtendedResourceName => "format=k8s-extended-resource-name",
            Self::ResourceFullyQualifiedName => "format=k8s-resource-fully-qualified-name",
        }
    }

    /// What the text must be.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::ShortName => "a DNS-1123 label",
            Self::LongName => "a DNS-1123 subdomain",
            Self::LongNameCaseless => "a DNS-1123 subdomain, capital letters allowed",
            Self::LabelKey => "the key of a label",
            Self::PrefixedLabelKey => "the key of a label, with a prefix",
            Self::LabelValue => "the value of a label",
            Self::PathSegmentName => "what may stand between two slashes of a URL",
            Self::Uuid => "a UUID in lower case",
            Self::ResourcePoolName => "DNS-1123 subdomains joined by slashes",
            Self::ExtendedResourceName => "the name of an extended resource",
            Self::ResourceFullyQualifiedName => "a C identifier behind a domain and a slash",
        }
    }
}

//! Media types: which one a client gets, and how bodies are read and written.

pub mod accept;
pub mod body;
pub mod json;
pub mod protobuf;
#[cfg(test)]
mod round_trips;
pub mod yaml;

/// A media type that objects are read and written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaType {
    /// `application/json`
    Json,
    /// `application/yaml`
    Yaml,
    /// `application/vnd.kubernetes.protobuf`
    Protobuf,
}

impl MediaType {
    /// Every media type, in the order in which the server prefers and names them.
    pub const ALL: [Self; 3] = [Self::Json, Self::Yaml, Self::Protobuf];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }

    /// The media type of that name; parameters are ignored.
    #[must_use]
    pub fn parse(content_type: &str) -> Option<Self> {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        Self::ALL.into_iter().find(|media| media.name().eq_ignore_ascii_case(essence))
    }
}

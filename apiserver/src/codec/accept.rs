//! `Accept`: which representation a client gets (spec: apimachinery 4.1).

use super::MediaType;

/// What a route can answer with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// The media types, preferred first.
    pub media_types: &'static [MediaType],
    /// Whether objects can be turned into Tables.
    pub tables: bool,
    /// Whether objects can be cut down to their metadata.
    pub partial_metadata: bool,
    /// The answer is a stream of events.
    pub stream: bool,
}

/// What plain documents and virtual objects are answered with.
pub const DOCUMENT: Offer =
    Offer { media_types: &MediaType::ALL, tables: false, partial_metadata: false, stream: false };

/// What stored objects are answered with.
pub const OBJECT: Offer = Offer { tables: true, partial_metadata: true, ..DOCUMENT };

/// What watches are answered with.
pub const WATCH: Offer =
    Offer { media_types: &[MediaType::Json, MediaType::Protobuf], stream: true, ..OBJECT };

/// How clients name the document of whole groups.
const AGGREGATED_KIND: &str = "APIGroupDiscoveryList";
const AGGREGATED_GROUP: &str = "apidiscovery.k8s.io";
const AGGREGATED_VERSION: &str = "v2";

/// What the client gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// The media type.
    pub media_type: MediaType,
    /// The form of the object.
    pub transform: Transform,
    /// The client asked for indented JSON.
    pub pretty: bool,
}

impl Accepted {
    /// Plain JSON.
    pub const JSON: Self =
        Self { media_type: MediaType::Json, transform: Transform::None, pretty: false };
}

/// What becomes of the object before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transform {
    /// Nothing.
    None,
    /// A `meta.k8s.io` Table.
    Table(MetaVersion),
    /// Its metadata only.
    PartialObjectMetadata(MetaVersion),
    /// The metadata of each item.
    PartialObjectMetadataList(MetaVersion),
}

/// The version of `meta.k8s.io` that the client knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetaVersion {
    /// `v1`
    V1,
    /// `v1beta1`
    V1Beta1,
}

impl MetaVersion {
    /// `meta.k8s.io/v1`
    #[must_use]
    pub fn group_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1Beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// Picks the representation for the value of an `Accept` header.
///
/// # Errors
///
/// The message of the 406 that names what is offered.
pub fn negotiate(accept: &str, offer: &Offer) -> Result<Accepted, String> {
    if accept.trim().is_empty() {
        return Ok(Accepted::JSON);
    }
    clauses(accept).iter().find_map(|clause| clause.choose(offer)).ok_or_else(|| {
        format!("only the following media types are accepted: {}", names(offer).join(", "))
    })
}

/// The representation of whole groups for clients that ask for those; `None` for clients that know
/// only the older documents, or get neither (spec: apimachinery 1.6).
#[must_use]
pub fn negotiate_aggregated(accept: &str) -> Option<Accepted> {
    clauses(accept).iter().find_map(Clause::discovery).flatten()
}

/// Whether the route would be taken at all: a coarser test on the bare names that comes first.
/// On failure, the message of the 406.
///
/// # Errors
///
/// The message of the 406 that names what the route produces.
pub fn check_route(accept: &str, produces: &[&str]) -> Result<(), String> {
    let accept = if accept.trim().is_empty() { "*/*" } else { accept };
    let taken = accept.split(',').any(|clause| {
        let name = clause.split(';').next().unwrap_or_default().trim();
        name == "*/*" || produces.contains(&name)
    });
    if taken {
        return Ok(());
    }
    Err(format!("406: Not Acceptable\n\nAvailable representations: {}", produces.join(", ")))
}

fn names(offer: &Offer) -> Vec<String> {
    let suffix = if offer.stream { ";stream=watch" } else { "" };
    offer.media_types.iter().map(|media| format!("{}{suffix}", media.name())).collect()
}

/// One part of an `Accept` header.
struct Clause<'a> {
    main: &'a str,
    sub: &'a str,
    quality: f32,
    parameters: Vec<(&'a str, &'a str)>,
}

/// The clauses, best first; equal ones keep their order.
fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause<'_>> = accept.split(',').filter_map(Clause::parse).collect();
    clauses.sort_by(|a, b| b.quality.total_cmp(&a.quality));
    clauses
}

impl<'a> Clause<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (main, sub) = match parts.next()?.split_once('/') {
            Some(names) => names,
            None if text.trim() == "*" => ("*", "*"),
            None => return None,
        };
        let mut clause =
            Self { main: main.trim(), sub: sub.trim(), quality: 1.0, parameters: Vec::new() };
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            if name.trim() == "q" {
                clause.quality = value.trim().parse().unwrap_or(1.0);
            } else {
                clause.parameters.push((name.trim(), value.trim()));
            }
        }
        Some(clause)
    }

    fn choose(&self, offer: &Offer) -> Option<Accepted> {
        offer
            .media_types
            .iter()
            .filter(|media| self.matches(**media))
            .find_map(|media| self.accept(*media, offer))
    }

    fn matches(&self, media: MediaType) -> bool {
        let (main, sub) = media.name().split_once('/').unwrap_or_default();
        (self.main == "*" && self.sub == "*")
            || (self.main == main && (self.sub == "*" || self.sub == sub))
    }

    /// What a clause asks for where whole groups are offered: those, or the older document. `None`
    /// if it asks for neither.
    fn discovery(&self) -> Option<Option<Accepted>> {
        MediaType::ALL.into_iter().filter(|media| self.matches(*media)).find_map(|media_type| {
            if self.parameter("as") != Some(AGGREGATED_KIND) {
                return self.accept(media_type, &DOCUMENT).map(|_older| None);
            }
            let asks = self.parameter("g") == Some(AGGREGATED_GROUP)
                && self.parameter("v") == Some(AGGREGATED_VERSION)
                && self.streams();
            asks.then(|| Some(self.accepted(media_type, Transform::None)))
        })
    }

    /// The last value of a parameter.
    fn parameter(&self, wanted: &str) -> Option<&'a str> {
        let values = self.parameters.iter().rev();
        values.copied().find(|(name, _)| *name == wanted).map(|(_, value)| value)
    }

    /// Whether what is said of streams, if anything, is known.
    fn streams(&self) -> bool {
        self.parameter("stream").is_none_or(|stream| stream.is_empty() || stream == "watch")
    }

    fn accepted(&self, media_type: MediaType, transform: Transform) -> Accepted {
        Accepted { media_type, transform, pretty: self.parameter("pretty") == Some("1") }
    }

    /// Reads the parameters; `None` if they ask for something that is not offered.
    fn accept(&self, media_type: MediaType, offer: &Offer) -> Option<Accepted> {
        if !self.streams() {
            return None;
        }
        let transform = match self.parameter("as") {
            None | Some("") => Transform::None,
            Some(kind) => transform(
                kind,
                self.parameter("g").unwrap_or_default(),
                self.parameter("v").unwrap_or_default(),
                media_type,
                offer,
            )?,
        };
        Some(self.accepted(media_type, transform))
    }
}

fn transform(
    kind: &str,
    group: &str,
    version: &str,
    media_type: MediaType,
    offer: &Offer,
) -> Option<Transform> {
    let version = match (group, version) {
        ("meta.k8s.io", "v1") => MetaVersion::V1,
        ("meta.k8s.io", "v1beta1") => MetaVersion::V1Beta1,
        _ => return None,
    };
    match kind {
        "Table" if offer.tables && media_type != MediaType::Protobuf => {
            Some(Transform::Table(version))
        }
        "PartialObjectMetadata" if offer.partial_metadata => {
            Some(Transform::PartialObjectMetadata(version))
        }
        "PartialObjectMetadataList" if offer.partial_metadata => {
            Some(Transform::PartialObjectMetadataList(version))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_tried_best_first() {
        let accepted = negotiate("application/json;q=0.1,application/yaml;q=0.9", &OBJECT);
        assert_eq!(accepted.unwrap().media_type, MediaType::Yaml);
    }

    #[test]
    fn a_clause_that_asks_for_an_unknown_form_is_skipped() {
        let accept = "application/json;as=Table;v=v9;g=meta.k8s.io,application/json";
        assert_eq!(negotiate(accept, &OBJECT), Ok(Accepted::JSON));
        assert!(negotiate("application/json;as=Nope;v=v1;g=meta.k8s.io", &OBJECT).is_err());
    }

    #[test]
    fn virtual_objects_have_no_table() {
        let accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
        assert!(negotiate(accept, &DOCUMENT).is_err());
        let accepted = negotiate(accept, &OBJECT).unwrap();
        assert_eq!(accepted.transform, Transform::Table(MetaVersion::V1));
    }

    #[test]
    fn watches_are_not_written_in_yaml() {
        assert_eq!(
            negotiate("application/yaml", &WATCH).unwrap_err(),
            "only the following media types are accepted: application/json;stream=watch, \
             application/vnd.kubernetes.protobuf;stream=watch"
        );
    }

    #[test]
    fn whole_groups_are_given_to_those_who_ask_for_them_first() {
        let v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        let old = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
        let binary = v2.replace("json", "vnd.kubernetes.protobuf");
        let media_type = |accept: &str| negotiate_aggregated(accept).map(|found| found.media_type);
        assert_eq!(media_type(v2), Some(MediaType::Json));
        assert_eq!(media_type(&format!("{old},{v2},application/json")), Some(MediaType::Json));
        assert_eq!(media_type(&format!("{binary},{v2}")), Some(MediaType::Protobuf));
        assert_eq!(media_type(&format!("{v2};q=0.5,{binary}")), Some(MediaType::Protobuf));
        assert_eq!(media_type(&format!("application/json,{v2}")), None);
        assert_eq!(media_type(&format!("{old},application/json")), None);
        assert_eq!(media_type(&v2.replace("apidiscovery", "meta")), None);
        assert_eq!(media_type(""), None);
    }

    #[test]
    fn cbor_is_unknown_as_it_is_to_the_reference_with_its_default_gates() {
        for offer in [&OBJECT, &DOCUMENT, &WATCH] {
            assert!(negotiate("application/cbor", offer).is_err());
            assert!(negotiate("application/cbor-seq", offer).is_err());
            let accepted = negotiate("application/cbor,application/json;q=0.1", offer);
            assert_eq!(accepted.unwrap().media_type, MediaType::Json);
        }
        assert_eq!(MediaType::parse("application/cbor"), None);
    }

    #[test]
    fn routes_are_taken_by_bare_names_only() {
        let produces = ["application/json", "application/yaml"];
        assert!(check_route("application/json;q=0.1", &produces).is_ok());
        assert!(check_route("", &produces).is_ok());
        assert!(check_route("application/*", &produces).is_err());
        assert!(check_route("text/html", &produces).is_err());
    }
}

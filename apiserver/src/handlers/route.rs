//! From paths to places.

use std::sync::Arc;

use super::action::Action;
use super::components;
use super::part::Part;
use super::review::Review;
use crate::resources::{Resource, Resources};

/// Where a path leads.
#[derive(Debug)]
pub(crate) enum Route {
    /// To objects.
    Objects(Place),
    /// Into a served group, to nothing.
    UnknownInGroup,
    /// To the document of a group version.
    GroupVersion { group: String, version: String },
    /// To the document of a group.
    Group(String),
    /// Somewhere else.
    Other,
}

/// Which objects a path leads to.
#[derive(Debug)]
pub(crate) enum Place {
    /// Stored ones.
    Stored { resource: Arc<Resource>, namespace: String, name: String, kind: Kind },
    /// Ones that are answered and never stored.
    Review(Review),
    /// What the server knows of the control plane's components; of all if the name is empty.
    Components { name: String },
}

/// What a path leads to, of stored objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Collection,
    Object,
    /// A part of an object.
    Part(Part),
    /// What is done with an object beside reading and writing it.
    Action(Action),
    /// The old way to watch: `…/watch/…`.
    Watch,
    /// To a subresource that a custom resource does not have.
    Unknown,
}

impl Place {
    /// The parts of a stored place. The others are dealt with before.
    pub(crate) fn into_parts(self) -> (Arc<Resource>, String, String, Kind) {
        match self {
            Self::Stored { resource, namespace, name, kind } => (resource, namespace, name, kind),
            other => unreachable!("{other:?} is not stored"),
        }
    }
}

/// Where a path leads. The path is decoded and begins with a slash.
pub(crate) fn route(resources: &Resources, path: &str) -> Route {
    let path = path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path);
    let mut parts = path.split('/').skip(1);
    let (group, rest): (&str, Vec<&str>) = match parts.next() {
        Some("api") => ("", parts.collect()),
        Some("apis") => match parts.next() {
            Some(group) if !group.is_empty() => (group, parts.collect()),
            _ => return Route::Other,
        },
        _ => return Route::Other,
    };
    if !(resources.has_group(group) || Review::has_group(group)) {
        return Route::Other;
    }
    // Groups of custom resources answer for nothing but what is in them.
    let typed = Review::has_group(group) || resources.is_typed_group(group);
    let unknown = || if typed { Route::UnknownInGroup } else { Route::Other };
    match rest[..] {
        [] if group.is_empty() => Route::Other,
        [] => Route::Group(group.to_owned()),
        [version] => {
            let (group, version) = (group.to_owned(), version.to_owned());
            if resources.has_version(&group, &version) || Review::has_version(&group, &version) {
                Route::GroupVersion { group, version }
            } else {
                unknown()
            }
        }
        [version, "watch", ref rest @ ..] => match stored(resources, group, version, rest) {
            Some(Place::Stored {
                resource,
                namespace,
                name,
                kind: Kind::Collection | Kind::Object,
            }) => Route::Objects(Place::Stored { resource, namespace, name, kind: Kind::Watch }),
            _ => unknown(),
        },
        [version, ref rest @ ..] => {
            let place = stored(resources, group, version, rest)
                .or_else(|| Review::find(group, version, rest).map(Place::Review))
                .or_else(|| {
                    let name = components::find(group, version, rest)?;
                    Some(Place::Components { name })
                });
            place.map_or_else(unknown, Route::Objects)
        }
    }
}

fn stored(resources: &Resources, group: &str, version: &str, parts: &[&str]) -> Option<Place> {
    let (namespace, parts) = match parts {
        ["namespaces", namespace, resource, ..]
            if !matches!(*resource, "status" | "finalize") && !namespace.is_empty() =>
        {
            (*namespace, &parts[2..])
        }
        _ => ("", parts),
    };
    let (plural, rest) = parts.split_first()?;
    let resource = resources.find(group, version, plural)?;
    if !namespace.is_empty() && !resource.described.namespaced {
        return None;
    }
    let (name, kind) = match rest {
        [] => ("", Kind::Collection),
        [name] if !name.is_empty() => (*name, Kind::Object),
        [name, subresource] if !name.is_empty() => match within(resource, subresource) {
            None if !resource.is_typed() => (*name, Kind::Unknown),
            found => (*name, found?),
        },
        [name, "proxy", ..] if !name.is_empty() => (*name, within(resource, "proxy")?),
        _ => return None,
    };
    if resource.described.namespaced && namespace.is_empty() && kind != Kind::Collection {
        return None;
    }
    Some(Place::Stored {
        resource: Arc::clone(resource),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        kind,
    })
}

/// What a subresource that the kind has leads to.
fn within(resource: &Resource, subresource: &str) -> Option<Kind> {
    resource.described.subresources.iter().find(|known| known.name == subresource)?;
    Part::find(subresource).map(Kind::Part).or_else(|| Action::find(subresource).map(Kind::Action))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::RuntimeConfig;

    fn kind(path: &str) -> String {
        match route(&Resources::built_in(&RuntimeConfig::default()), path) {
            Route::Objects(Place::Stored { name, kind: Kind::Part(part), .. }) => {
                format!("{} {name}", part.subresource)
            }
            Route::Objects(Place::Stored { name, kind, .. }) => format!("{kind:?} {name}"),
            other => format!("{other:?}"),
        }
    }

    const BASE: &str = "/apis/flowcontrol.apiserver.k8s.io/v1";

    #[test]
    fn paths_lead_to_collections_objects_and_their_status() {
        for (path, expected) in [
            ("/flowschemas", "Collection "),
            ("/flowschemas/", "Collection "),
            ("/flowschemas/a", "Object a"),
            ("/flowschemas/a/status", "status a"),
            ("/flowschemas/a/nope", "UnknownInGroup"),
            ("/flowschemas/a/status/x", "UnknownInGroup"),
            ("/watch/flowschemas", "Watch "),
            ("/watch/flowschemas/a", "Watch a"),
            ("/namespaces/default/flowschemas", "UnknownInGroup"),
            ("/nopes", "UnknownInGroup"),
        ] {
            assert_eq!(kind(&format!("{BASE}{path}")), expected, "{path}");
        }
    }

    #[test]
    fn unknown_groups_are_no_business_of_ours() {
        assert_eq!(kind("/apis/nope.example.com/v1/things"), "Other");
        assert_eq!(kind("//apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"), "Other");
        assert_eq!(kind("/apis/flowcontrol.apiserver.k8s.io//v1"), "UnknownInGroup");
        assert_eq!(
            kind("/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas"),
            "UnknownInGroup"
        );
    }
}

//! The kinds that the reference has built in, as recorded tables: what no Rust type describes.
//!
//! `data/` holds one line of JSON for each group version and for each type; a line is parsed when
//! it is first asked for. `examples/compact_reference` makes the lines. Kinds and meta types that
//! have Rust types (flowcontrol, ObjectMeta, …) are described by those here too.

mod describe;
mod resources;
mod types;

use std::sync::{Arc, LazyLock};

use api::schema::TypeDef;

use crate::resource::{Group, GroupVersion, Resource, Version};

/// A group version of the reference.
#[derive(Debug)]
pub struct RecordedVersion {
    group_version: GroupVersion,
    line: &'static str,
}

impl RecordedVersion {
    /// The group and version.
    #[must_use]
    pub fn group_version(&self) -> &GroupVersion {
        &self.group_version
    }

    /// The resources, with the tables of their kinds.
    #[must_use]
    pub fn resources(&self) -> Vec<Resource> {
        resources::parse(self.line)
    }
}

/// The group versions of the reference in served order; a group's preferred version comes first.
#[must_use]
pub fn group_versions() -> &'static [RecordedVersion] {
    static VERSIONS: LazyLock<Vec<RecordedVersion>> = LazyLock::new(|| {
        let lines = include_str!("../data/resources.jsonl").lines();
        let version = |line| RecordedVersion { group_version: resources::key(line), line };
        lines.map(version).collect()
    });
    &VERSIONS
}

/// Everything the reference serves, in served order.
#[must_use]
pub fn groups() -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for recorded in group_versions() {
        let GroupVersion { group, version } = recorded.group_version().clone();
        let version = Version { name: version, resources: recorded.resources() };
        match groups.last_mut() {
            Some(last) if last.name == group => last.versions.push(version),
            _ => groups.push(Group { name: group, versions: vec![version] }),
        }
    }
    groups
}

/// The table of a type by its name in OpenAPI documents, such as `io.k8s.api.core.v1.Pod`.
#[must_use]
pub fn type_def(openapi_name: &str) -> Option<&'static Arc<TypeDef>> {
    types::find(openapi_name)
}

/// Where a field stands in protobuf if its struct is embedded in JSON but a message of its own in
/// protobuf: the numbers of the messages around it, then its own. [`Field::number`] is 0 then.
///
/// [`Field::number`]: api::schema::Field::number
#[must_use]
pub fn wire_path(openapi_name: &str, field: &str) -> Option<&'static [u32]> {
    types::wire_path(openapi_name, field)
}

#[cfg(test)]
mod tests;

//! The versions of a kind: owned fields are named in the version in which they were written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use api::decode::decode_value;
use api::schema::TypeDef;
use serde_json::Value;

use crate::fieldset::FieldSet;
use crate::typed::{Comparison, compare};

/// The versions in which a kind is served.
pub trait Versions {
    /// The kind's type in that group and version; `None` if it is not served in it.
    fn type_def(&self, group_version: &str) -> Option<&TypeDef>;

    /// An object in canonical form, written in another version. Asked only for versions that are
    /// served. `None` if that fails; the fields named in that version are then forgotten.
    fn convert(&self, object: &Value, from: &str, to: &str) -> Option<Value>;
}

/// A kind that is served in one version only.
#[derive(Debug, Clone, Copy)]
pub struct OneVersion<'a> {
    /// The group and version.
    pub group_version: &'a str,
    /// The kind's type.
    pub type_def: &'a TypeDef,
}

impl Versions for OneVersion<'_> {
    fn type_def(&self, group_version: &str) -> Option<&TypeDef> {
        (group_version == self.group_version).then_some(self.type_def)
    }

    fn convert(&self, object: &Value, from: &str, to: &str) -> Option<Value> {
        (from == to).then(|| object.clone())
    }
}

/// The same object in another version; `None` if the kind is not served in it.
pub(super) fn converted<'v>(
    versions: &dyn Versions,
    object: &'v Value,
    from: &str,
    to: &str,
) -> Option<Cow<'v, Value>> {
    if from == to {
        return Some(Cow::Borrowed(object));
    }
    versions.type_def(to)?;
    let canonical = decode_value(versions.type_def(from)?, object.clone()).ok()?;
    versions.convert(&canonical, from, to).map(Cow::Owned)
}

/// A change of an object, seen in any version.
pub(super) struct Change<'a> {
    versions: &'a dyn Versions,
    group_version: &'a str,
    old: &'a Value,
    new: &'a Value,
    ignored: &'a FieldSet,
    seen: BTreeMap<String, Option<Comparison>>,
}

impl<'a> Change<'a> {
    /// The change from one object to another, both in the endpoint's version.
    pub(super) fn new(endpoint: &super::Endpoint<'a>, old: &'a Value, new: &'a Value) -> Self {
        Self {
            versions: endpoint.versions,
            group_version: endpoint.group_version,
            old,
            new,
            ignored: endpoint.reset_fields,
            seen: BTreeMap::new(),
        }
    }

    /// What differs in that version; `None` if the kind is not served in it.
    pub(super) fn in_version(&mut self, group_version: &str) -> Option<&Comparison> {
        if !self.seen.contains_key(group_version) {
            let comparison = self.compared(group_version);
            self.seen.insert(group_version.to_owned(), comparison);
        }
        self.seen.get(group_version)?.as_ref()
    }

    fn compared(&self, group_version: &str) -> Option<Comparison> {
        let type_def = self.versions.type_def(group_version)?;
        let [old, new] = [self.old, self.new]
            .map(|object| converted(self.versions, object, self.group_version, group_version));
        Some(compare(type_def, &*old?, &*new?).without(self.ignored))
    }
}

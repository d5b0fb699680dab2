//! Objects are written as a whole, or one part of them through a subresource of its own.

use patch::fieldset::{FieldSet, Path};
use serde_json::{Value, json};

use crate::objects::metadata;
use crate::resources::Resource;

/// What of an object a request reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// The subresource; empty for the object itself.
    pub(crate) subresource: &'static str,
    /// The members that are written, as a path of names.
    members: &'static [&'static str],
}

impl Part {
    /// The object itself.
    pub(crate) const WHOLE: Self = Self { subresource: "", members: &[] };
    /// `status`
    pub(crate) const STATUS: Self = Self { subresource: "status", members: &["status"] };
    /// `finalize`: a namespace's own finalizers.
    pub(crate) const FINALIZE: Self =
        Self { subresource: "finalize", members: &["spec", "finalizers"] };
    /// `approval`: what was decided about a request for a certificate.
    pub(crate) const APPROVAL: Self =
        Self { subresource: "approval", members: &["status", "conditions"] };
    /// `ephemeralcontainers`: what is put into a running pod for debugging.
    pub(crate) const EPHEMERAL_CONTAINERS: Self =
        Self { subresource: "ephemeralcontainers", members: &["spec", "ephemeralContainers"] };

    /// `scale`: how many there are to be. The object is written as a whole; only the books tell.
    pub(crate) const SCALE: Self = Self { subresource: "scale", members: &[] };
    /// `binding`: the node of a pod, and what its status says of it.
    pub(crate) const BINDING: Self = Self { subresource: "binding", members: &[] };

    const ALL: [Self; 4] =
        [Self::STATUS, Self::FINALIZE, Self::APPROVAL, Self::EPHEMERAL_CONTAINERS];

    /// The part that a subresource stands for.
    pub(crate) fn find(subresource: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.subresource == subresource)
    }

    pub(crate) fn is_whole(self) -> bool {
        self == Self::WHOLE
    }

    pub(crate) fn is_status(self) -> bool {
        self == Self::STATUS
    }

    /// The stored object with this part of another, its managed fields and these members of its
    /// metadata included.
    pub(super) fn put(self, from: &mut Value, live: &Value, with: &[&str]) -> Value {
        if self.members.is_empty() {
            return from.take();
        }
        let managed_fields = from["metadata"]["managedFields"].take();
        let also: Vec<Value> = with.iter().map(|name| from["metadata"][name].take()).collect();
        let taken = self.members.iter().try_fold(from, |value, name| value.get_mut(*name));
        let taken = taken.map(Value::take);
        let mut object = live.clone();
        metadata::set(&mut object, "managedFields", managed_fields);
        for (name, value) in with.iter().zip(also) {
            metadata::set(&mut object, name, value);
        }
        if let Some((last, outer)) = self.members.split_last() {
            let mut place = &mut object;
            for name in outer {
                place = &mut members_of(place)[*name];
            }
            match taken {
                Some(taken) => members_of(place)[*last] = taken,
                None => remove(place, last),
            }
        }
        object
    }

    /// The members of the metadata that are written with this part.
    pub(super) fn metadata(self, resource: &Resource) -> &'static [&'static str] {
        if self.is_status() { resource.strategy.metadata_with_status() } else { &[] }
    }

    /// The fields that a write of this part takes nothing of.
    pub(super) fn reset_fields(self, resource: &Resource) -> FieldSet {
        match self {
            Self::WHOLE if resource.has_status => patch::managed::reset_on_main(),
            Self::WHOLE => FieldSet::default(),
            Self::STATUS => match self.metadata(resource) {
                [] => patch::managed::reset_on_status(),
                taken => reset_but(taken),
            },
            _ => [Path::of_fields(&["metadata"])].into_iter().collect(),
        }
    }
}

/// The members of the metadata that clients decide about.
const DECIDED: [&str; 4] = ["annotations", "finalizers", "labels", "ownerReferences"];

/// What a write of the status takes nothing of, where it takes these members of the metadata.
fn reset_but(taken: &[&str]) -> FieldSet {
    let left = DECIDED.into_iter().filter(|name| !taken.contains(name));
    let left = left.map(|name| Path::of_fields(&["metadata", name]));
    left.chain([Path::of_fields(&["spec"])]).collect()
}

/// The value, made an object if it is none.
fn members_of(value: &mut Value) -> &mut Value {
    if !value.is_object() {
        *value = json!({});
    }
    value
}

fn remove(from: &mut Value, member: &str) {
    if let Value::Object(members) = from {
        members.shift_remove(member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_the_part_is_taken() {
        let live = json!({ "metadata": { "name": "a" }, "spec": { "x": 1, "finalizers": ["k"] } });
        let mut asked = json!({ "metadata": { "name": "b" }, "spec": { "x": 2 } });
        let object = Part::FINALIZE.put(&mut asked, &live, &[]);
        assert_eq!(object["metadata"]["name"], "a");
        assert_eq!(object["spec"], json!({ "x": 1 }));
    }

    #[test]
    fn a_status_brings_the_metadata_that_the_kind_lets_it_bring() {
        let live = json!({ "metadata": { "labels": { "a": "1" }, "annotations": { "b": "1" } } });
        let asked = json!({ "metadata": { "labels": { "a": "2" } }, "status": { "x": 1 } });
        let object = Part::STATUS.put(&mut asked.clone(), &live, &["annotations"]);
        assert_eq!(object["metadata"], json!({ "labels": { "a": "1" } }));
        assert_eq!(object["status"], asked["status"]);
        let object = Part::STATUS.put(&mut asked.clone(), &live, &[]);
        assert_eq!(object["metadata"], live["metadata"]);
    }

    #[test]
    fn what_a_status_does_not_bring_is_not_noted_either() {
        let fields = reset_but(&["annotations", "finalizers", "ownerReferences"]);
        let holds = |names: &[&str]| fields.contains(&Path::of_fields(names).0);
        assert!(holds(&["metadata", "labels"]) && holds(&["spec"]));
        assert!(!holds(&["metadata", "annotations"]));
    }

    #[test]
    fn parts_are_found_by_their_subresource() {
        assert_eq!(Part::find("status"), Some(Part::STATUS));
        assert_eq!(Part::find("approval"), Some(Part::APPROVAL));
        assert_eq!(Part::find("exec"), None);
    }
}

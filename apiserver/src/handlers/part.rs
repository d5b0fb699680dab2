//! Objects are written as a whole, or one part of them through a subresource of its own.

use patch::fieldset::{FieldSet, Path};
use serde_json::{Value, json};

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

    /// The stored object with this part of another, its managed fields included.
    pub(super) fn put(self, from: &mut Value, live: &Value) -> Value {
        if self.members.is_empty() {
            return from.take();
        }
        let managed_fields = from["metadata"]["managedFields"].take();
        let taken = self.members.iter().try_fold(from, |value, name| value.get_mut(*name));
        let taken = taken.map(Value::take);
        let mut object = live.clone();
        crate::objects::metadata::set(&mut object, "managedFields", managed_fields);
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

    /// The fields that a write of this part takes nothing of. `has_status` says whether the kind's
    /// status is a part of its own.
    pub(super) fn reset_fields(self, has_status: bool) -> FieldSet {
        match self {
            Self::WHOLE if has_status => patch::managed::reset_on_main(),
            Self::WHOLE => FieldSet::default(),
            Self::STATUS => patch::managed::reset_on_status(),
            _ => [Path::of_fields(&["metadata"])].into_iter().collect(),
        }
    }
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
        let object = Part::FINALIZE.put(&mut asked, &live);
        assert_eq!(object["metadata"]["name"], "a");
        assert_eq!(object["spec"], json!({ "x": 1 }));
    }

    #[test]
    fn parts_are_found_by_their_subresource() {
        assert_eq!(Part::find("status"), Some(Part::STATUS));
        assert_eq!(Part::find("approval"), Some(Part::APPROVAL));
        assert_eq!(Part::find("exec"), None);
    }
}

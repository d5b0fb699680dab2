//! What must hold, whatever was written in whatever order.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::content::{fields, has_books, of_spec, owned, without_times};
use crate::kind::Kind;
use crate::operation::Operation;
use crate::worker::{Acknowledged, NAMES};

/// A line of a watch.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) what: String,
    pub(crate) object: Value,
}

impl Event {
    pub(crate) fn version(&self) -> u64 {
        version(&self.object)
    }
}

pub(crate) fn version(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap()
}

/// Follows the objects of a kind through everything that a watch says of them, and looks for each
/// change at who may have made it.
pub(crate) struct Judge {
    kind: Kind,
    objects: BTreeMap<String, Value>,
    last_version: u64,
}

/// The acknowledged writes of a round that nothing has explained yet.
struct Open {
    writes: BTreeMap<u64, Vec<Acknowledged>>,
    deletions: Vec<Acknowledged>,
}

impl Judge {
    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, objects: BTreeMap::new(), last_version: 0 }
    }

    /// Everything that was written in a round, and everything that was seen of it.
    pub(crate) fn round(&mut self, acknowledged: Vec<Acknowledged>, events: Vec<Event>) {
        let mut open = Open { writes: BTreeMap::new(), deletions: Vec::new() };
        for write in acknowledged.into_iter().filter(|write| write.kind == self.kind) {
            if matches!(write.operation, Operation::Delete { .. }) {
                open.deletions.push(write);
            } else {
                open.writes.entry(version(&write.answer)).or_default().push(write);
            }
        }
        // Writes that changed nothing of what was there before the round.
        for object in self.objects.values() {
            let idle = open.writes.remove(&version(object)).unwrap_or_default();
            for write in idle {
                assert!(is_idle(&write, object), "{write:?} changes something of {object}");
            }
        }
        for event in events {
            self.event(&event, &mut open);
        }
        assert!(open.writes.is_empty(), "nobody saw {:?}", open.writes);
        assert!(open.deletions.is_empty(), "nobody saw {:?}", open.deletions);
    }

    fn event(&mut self, event: &Event, open: &mut Open) {
        let object = &event.object;
        assert!(event.version() > self.last_version, "{} is too late: {object}", event.what);
        self.last_version = event.version();
        if !NAMES.contains(&name(object)) {
            return;
        }
        let before = self.objects.remove(name(object));
        match (event.what.as_str(), &before) {
            ("ADDED", None) => check_change(self.kind, None, object, open),
            ("MODIFIED", Some(before)) => check_change(self.kind, Some(before), object, open),
            ("DELETED", Some(before)) => {
                check_deletion(before, object, open);
                return;
            }
            _ => panic!("{} after {before:?}: {object}", event.what),
        }
        self.objects.insert(name(object).to_owned(), object.clone());
    }

    /// Whether a list shows what the watch showed.
    pub(crate) fn agrees(&self, list: &Value) -> bool {
        let items = list["items"].as_array().into_iter().flatten();
        let listed: BTreeMap<_, _> = items
            .filter(|item| NAMES.contains(&name(item)))
            .map(|item| (name(item), (&item["metadata"], fields(item))))
            .collect();
        let seen = self.objects.values();
        let seen = seen.map(|object| (name(object), (&object["metadata"], fields(object))));
        listed == seen.collect()
    }
}

fn check_deletion(before: &Value, object: &Value, open: &mut Open) {
    assert_eq!(without_times(before), without_times(object), "it went as it was");
    let uid = &object["metadata"]["uid"];
    let by = open.deletions.iter().position(|write| write.answer["details"]["uid"] == *uid);
    let write = open.deletions.swap_remove(by.unwrap_or_else(|| panic!("who deleted {object}?")));
    assert!(has_version(&write.operation, before), "{write:?} of {before}");
}

/// A new version: somebody must have asked for exactly this, or the server wrote a status.
fn check_change(kind: Kind, before: Option<&Value>, after: &Value, open: &mut Open) {
    let writes = open.writes.remove(&version(after)).unwrap_or_default();
    for write in &writes {
        assert_eq!(write.answer, *after, "what was answered is not what was stored");
    }
    let wanted = Some(fields(after));
    let makes = |write: &Acknowledged| {
        write.operation.expected(before) == wanted
            && before.is_none_or(|before| has_version(&write.operation, before))
    };
    // Those who were answered with it and did not make it must have found it as they wanted it; so
    // of several who may have made it only one may have done so.
    let others_found_it = |by: Option<usize>| {
        let mut others = writes.iter().enumerate().filter(|(at, _)| Some(*at) != by);
        others.all(|(_, write)| is_idle(write, after))
    };
    let by = (0..writes.len()).find(|by| makes(&writes[*by]) && others_found_it(Some(*by)));
    if by.is_none() {
        check_server_wrote(kind, before, after, &writes);
        assert!(others_found_it(None), "{writes:?} change something of {after}");
    }
    check_books(before, after);
}

/// Whether a write may have been answered with a version that was there already.
fn is_idle(write: &Acknowledged, object: &Value) -> bool {
    write.answer == *object
        && write.operation.expected(Some(object)) == Some(fields(object))
        && has_version(&write.operation, object)
}

/// Whether an object is of the version that a write asks for, if it asks for one.
fn has_version(operation: &Operation, before: &Value) -> bool {
    let version = &before["metadata"]["resourceVersion"];
    operation.wanted_version().is_none_or(|wanted| version == wanted)
}

/// The server writes nothing by itself but the status of a FlowSchema.
fn check_server_wrote(kind: Kind, before: Option<&Value>, after: &Value, writes: &[Acknowledged]) {
    let before = before.unwrap_or_else(|| panic!("who created {after}? not {writes:?}"));
    assert_eq!(kind, Kind::FlowSchema, "who wrote {after} over {before}? not {writes:?}");
    let others = |object: &Value| {
        let mut others = fields(object);
        others.retain(|path, _| !path.iter().any(|name| name.contains("Dangling")));
        others
    };
    assert_eq!(others(before), others(after), "who wrote {after} over {before}? not {writes:?}");
}

/// What the server notes beside what clients write.
fn check_books(before: Option<&Value>, after: &Value) {
    let owned = owned(after);
    let kept = has_books(after) || before.is_none_or(has_books);
    for path in fields(after).keys().filter(|_| kept) {
        assert!(owned.contains(path), "nobody owns {path:?} of {after}, which was {before:?}");
    }
    let Some(before) = before else { return };
    assert_ne!(without_times(before), without_times(after), "a write that changed nothing");
    for member in ["uid", "creationTimestamp", "name"] {
        assert_eq!(before["metadata"][member], after["metadata"][member], "{member}");
    }
    if let Some(generation) = before["metadata"]["generation"].as_u64() {
        let spec = |object: &Value| -> Vec<_> {
            fields(object).into_iter().filter(|(path, _)| of_spec(path)).collect()
        };
        let counted = generation + u64::from(spec(before) != spec(after));
        assert_eq!(after["metadata"]["generation"], counted, "{before} became {after}");
    }
}

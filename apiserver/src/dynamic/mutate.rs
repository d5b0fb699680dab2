//! Webhooks that change objects, one after the other.

use std::collections::BTreeSet;

use api::decode::Tree;
use api::status::Status;
use serde_json::Value;

use super::hook::Hook;
use super::request::{Objects, Request};
use crate::objects::metadata;
use crate::resources::Resource;

/// How often webhooks are gone through for a request: once, and once more for those that want to see
/// what others changed.
#[derive(Debug, Default)]
pub(crate) struct Round {
    is_second: bool,
    /// Those that were asked, and want to be asked again when the object changes.
    asked: BTreeSet<usize>,
    again: BTreeSet<usize>,
    /// The object as webhooks left it.
    left: Option<Value>,
}

/// What became of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutated {
    /// It is as it was.
    Unchanged,
    /// Some webhook changed it.
    Changed,
}

impl Round {
    /// Begins the second round, with what the server itself made of the object meanwhile.
    pub(crate) fn next(&mut self, object: &Value) {
        self.is_second = true;
        if self.left.as_ref() != Some(object) {
            self.require_others();
        }
    }

    /// Something changed: whoever saw the object before is to see it again.
    fn require_others(&mut self) {
        self.again.append(&mut self.asked);
    }

    fn is_due(&self, index: usize) -> bool {
        !self.is_second || self.again.contains(&index)
    }
}

/// Has webhooks change an object.
///
/// # Errors
///
/// The first refusal or failure.
pub(crate) async fn mutate(
    hooks: &[Hook],
    request: &Request<'_>,
    object: &mut Option<Value>,
    old: Option<&Value>,
    round: &mut Round,
) -> Result<Mutated, Status> {
    let mut mutated = Mutated::Unchanged;
    if request.is_exempt() {
        return Ok(mutated);
    }
    for (index, hook) in hooks.iter().enumerate() {
        if !round.is_due(index) {
            continue;
        }
        let objects = Objects { object: object.as_ref(), old };
        let Some(resource) = hook.concerns(request, objects).await? else { continue };
        let answer = hook.ask(request, &resource, objects, true).await?;
        if let Some(patch) = answer.and_then(|answer| answer.patch)
            && let Some(changed) =
                patched(hook, request, &resource, object.as_ref(), &patch).await?
        {
            *object = Some(changed);
            mutated = Mutated::Changed;
            round.require_others();
        }
        if hook.reinvoked {
            round.asked.insert(index);
        }
    }
    round.left.clone_from(object);
    Ok(mutated)
}

/// What a patch makes of an object; `None` if it changes nothing.
async fn patched(
    hook: &Hook,
    request: &Request<'_>,
    resource: &Resource,
    object: Option<&Value>,
    patch: &[u8],
) -> Result<Option<Value>, Status> {
    let failed = |why: String| Status::internal_error(&why);
    let patch = api::decode::parse_json(patch).map_err(|error| failed(error.to_string()))?;
    if matches!(&patch.clone().into_value(), Value::Array(operations) if operations.is_empty()) {
        return Ok(None);
    }
    let Some(object) = object else { return Err(hook.nothing_to_change()) };
    let before = request.converted(object, request.resource, resource).await.map_err(failed)?;
    let after = patch::json_patch(before.clone(), patch);
    let after = after.map_err(|error| failed(error.to_string()))?.value;
    if request.kind != request.resource.kind {
        return Ok((after != before).then_some(after));
    }
    let mut after = decoded(resource, after).map_err(failed)?;
    // The books are the server's.
    let books = object["metadata"]["managedFields"].clone();
    metadata::set(&mut after, "managedFields", books);
    let mut compared = after.clone();
    resource.drop_empty(&mut compared);
    if compared == before {
        return Ok(None);
    }
    if resource.kind == request.resource.kind {
        return Ok(Some(after));
    }
    let back = request.converted(&after, resource, request.resource).await.map_err(failed)?;
    decoded(request.resource, back).map(Some).map_err(failed)
}

/// The document as an object of the kind, with defaults.
fn decoded(resource: &Resource, document: Value) -> Result<Value, String> {
    let mut object = resource.decode(Tree::from(document))?.value;
    resource.apply_defaults(&mut object);
    if resource.is_typed() {
        resource.set_type_meta(&mut object);
    }
    Ok(object)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn in_the_second_round_those_are_due_who_saw_an_object_that_changed_since() {
        let mut round = Round::default();
        assert!(round.is_due(0) && round.is_due(7), "all are asked once");
        round.asked.insert(0);
        round.require_others();
        round.asked.insert(1);
        round.left = Some(json!({ "a": 1 }));
        round.next(&json!({ "a": 1 }));
        assert_eq!([0, 1, 2].map(|index| round.is_due(index)), [true, false, false]);
    }

    #[test]
    fn what_the_server_changes_is_seen_by_all_who_want_to_see_changes() {
        let mut round = Round { left: Some(json!({ "a": 1 })), ..Round::default() };
        round.asked.extend([0, 2]);
        round.next(&json!({ "a": 2 }));
        assert_eq!([0, 1, 2].map(|index| round.is_due(index)), [true, false, true]);
    }
}

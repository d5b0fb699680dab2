//! Events, each version by its own rules.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path};
use validation::format;

use super::checks;
use crate::value::Members;

const WORD_CHARACTERS_MAX: usize = 128;
const NOTE_CHARACTERS_MAX: usize = 1024;

/// The rules of an Event of the core group: it stands with what it is about.
pub(crate) fn create_core(event: &Value, errors: &mut ErrorList) {
    same_namespace(errors, event, event.member("involvedObject").text("namespace"));
}

/// What is about something in no namespace stands in `default`.
fn same_namespace(errors: &mut ErrorList, event: &Value, about: &str) {
    let namespace = event.member("metadata").text("namespace");
    let fits = namespace == about || (about.is_empty() && namespace == "default");
    if !fits {
        let path = Path::new("involvedObject").child("namespace");
        errors.push(Error::invalid(&path, about, "does not match event.namespace"));
    }
}

/// The rules of an Event of `events.k8s.io`, which says more about itself.
pub(crate) fn create(event: &Value, errors: &mut ErrorList) {
    let root = Path::default();
    same_namespace(errors, event, event.member("regarding").text("namespace"));
    checks::required(errors, event, &root, "eventTime");
    let controller = event.text("reportingController");
    if checks::required(errors, event, &root, "reportingController") {
        let wrong = format::qualified_name(controller);
        checks::each_message(errors, &root.child("reportingController"), controller, wrong);
    }
    for member in ["reportingInstance", "action", "reason"] {
        checks::required(errors, event, &root, member);
        at_most(errors, event, member, member, WORD_CHARACTERS_MAX);
    }
    at_most(errors, event, "note", "message", NOTE_CHARACTERS_MAX);
    let kind = event.text("type");
    if !matches!(kind, "Normal" | "Warning") {
        let detail = format!("has invalid value: {kind}");
        errors.push(Error::invalid(&root.child("type"), "", detail));
    }
}

fn at_most(errors: &mut ErrorList, event: &Value, member: &str, shown_as: &str, max: usize) {
    if event.text(member).len() > max {
        let detail = format!("can have at most {max} characters");
        errors.push(Error::invalid(&Path::new(shown_as), "", detail));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(check: fn(&Value, &mut ErrorList), event: &Value) -> Vec<String> {
        let mut errors = ErrorList::default();
        check(event, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_event_stands_with_what_it_is_about() {
        let event = |about: &str| json!({"metadata": {"namespace": "default"}, "involvedObject": {"namespace": about}});
        assert!(texts(create_core, &event("default")).is_empty());
        assert!(texts(create_core, &event("")).is_empty());
        assert_eq!(
            texts(create_core, &event("other")),
            ["involvedObject.namespace: Invalid value: \"other\": does not match event.namespace"]
        );
    }

    #[test]
    fn an_event_says_who_saw_what() {
        let event = json!({"metadata": {"namespace": "default"}, "note": "n".repeat(1025)});
        assert_eq!(
            texts(create, &event),
            [
                "eventTime: Required value",
                "reportingController: Required value",
                "reportingInstance: Required value",
                "action: Required value",
                "reason: Required value",
                "message: Invalid value: \"\": can have at most 1024 characters",
                "type: Invalid value: \"\": has invalid value: ",
            ]
        );
    }
}

//! The life of a definition of custom resources, as its status tells it: which of its names are
//! accepted, whether it is established, what becomes of it when it is deleted (spec: apimachinery
//! 9.1).

mod condition;
mod names;

use serde_json::Value;

pub use condition::{Condition, is_true, set_condition};
pub use names::{TakenNames, accepted_names};

use crate::value::Members;

/// Names, and what the Kubernetes project says of the group: the definition with the status that
/// it should have, `None` if it has it already. `taken` are the names that are accepted in its
/// group; `now` is the time as it stands in objects.
#[must_use]
pub fn with_names(definition: &Value, taken: &TakenNames, now: &str) -> Option<Value> {
    let mut named = definition.clone();
    let accepted = names::accept(&mut named, taken);
    set_condition(&mut named, &accepted, now);
    if !is_true(&named, ESTABLISHED) {
        let waiting = if accepted.is_true {
            Condition::unmet(ESTABLISHED, "Installing", INITIAL_NAMES)
        } else {
            Condition::unmet(ESTABLISHED, "NotAccepted", "not all names are accepted")
        };
        set_condition(&mut named, &waiting, now);
    }
    if let Some(approval) = condition::approval(definition) {
        set_condition(&mut named, &approval, now);
    }
    (named != *definition).then_some(named)
}

/// The definition once its objects are served; `None` if its names are not accepted, or it says so
/// already.
#[must_use]
pub fn established(definition: &Value, now: &str) -> Option<Value> {
    if !is_true(definition, NAMES_ACCEPTED) || is_true(definition, ESTABLISHED) {
        return None;
    }
    let mut established = definition.clone();
    let condition = Condition::met(ESTABLISHED, "InitialNamesAccepted", INITIAL_NAMES);
    set_condition(&mut established, &condition, now);
    Some(established)
}

/// Whether objects of the definition are served.
#[must_use]
pub fn is_served(definition: &Value) -> bool {
    is_true(definition, NAMES_ACCEPTED) || is_true(definition, ESTABLISHED)
}

/// Whether the definition is on its way out: no objects can be made any more.
#[must_use]
pub fn is_terminating(definition: &Value) -> bool {
    is_true(definition, TERMINATING)
}

/// What a definition is told when somebody deletes it.
pub(crate) fn begin_deletion(definition: &mut Value) {
    let now = definition.member("metadata").text("deletionTimestamp").to_owned();
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin \
                   soon";
    let pending = Condition::met(TERMINATING, "InstanceDeletionPending", message);
    set_condition(definition, &pending, &now);
}

/// How far the deletion of a definition's objects is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleanup {
    /// Objects are being deleted.
    Running,
    /// Objects are left that something holds.
    Waiting,
    /// There are no objects any more.
    Done,
    /// There never were any.
    NeverEstablished,
    /// The objects are those of a built-in kind.
    Overlapping,
}

impl Cleanup {
    /// The condition that says so.
    #[must_use]
    pub fn condition(self) -> Condition {
        match self {
            Self::Running => Condition::met(
                TERMINATING,
                "InstanceDeletionInProgress",
                "CustomResource deletion is in progress",
            ),
            Self::Waiting => Condition::met(
                TERMINATING,
                "InstanceDeletionCheck",
                "could not confirm zero CustomResources remaining: timed out waiting for the \
                 condition",
            ),
            Self::Done => {
                Condition::unmet(TERMINATING, "InstanceDeletionCompleted", "removed all instances")
            }
            Self::NeverEstablished => {
                Condition::unmet(TERMINATING, "NeverEstablished", "resource was never established")
            }
            Self::Overlapping => Condition::unmet(
                TERMINATING,
                "OverlappingBuiltInResource",
                "instances overlap with built-in resources in storage",
            ),
        }
    }
}

const NAMES_ACCEPTED: &str = "NamesAccepted";
/// The condition of definitions whose objects are served.
pub const ESTABLISHED: &str = "Established";
const TERMINATING: &str = "Terminating";
const INITIAL_NAMES: &str = "the initial names have been accepted";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn widgets() -> Value {
        json!({
            "metadata": { "name": "widgets.example.com" },
            "spec": {
                "group": "example.com",
                "names": { "plural": "widgets", "singular": "widget", "kind": "Widget",
                    "listKind": "WidgetList", "shortNames": ["wd"] },
            },
            "status": { "conditions": null, "acceptedNames": { "plural": "", "kind": "" },
                "storedVersions": ["v1"] },
        })
    }

    fn conditions(definition: &Value) -> Vec<String> {
        let items = definition["status"]["conditions"].as_array().into_iter().flatten();
        items
            .map(|c| format!("{}={} {}", c.text("type"), c.text("status"), c.text("reason")))
            .collect()
    }

    #[test]
    fn names_that_nobody_has_are_accepted_and_then_the_definition_is_established() {
        let named = with_names(&widgets(), &TakenNames::default(), "t1").unwrap();
        assert_eq!(
            conditions(&named),
            ["NamesAccepted=True NoConflicts", "Established=False Installing"]
        );
        assert_eq!(named["status"]["acceptedNames"], named["spec"]["names"]);
        assert!(is_served(&named));
        let done = established(&named, "t2").unwrap();
        assert_eq!(done["status"]["conditions"][1]["reason"], "InitialNamesAccepted");
        assert_eq!(done["status"]["conditions"][1]["lastTransitionTime"], "t2");
        let own = TakenNames::of([&done]);
        assert_eq!(with_names(&done, &own, "t3"), None, "nothing is left to say");
        assert_eq!(established(&done, "t3"), None);
    }

    #[test]
    fn names_that_somebody_has_are_not_accepted() {
        let mut other = with_names(&widgets(), &TakenNames::default(), "t1").unwrap();
        other["status"]["acceptedNames"]["plural"] = json!("gadgets");
        let refused = with_names(&widgets(), &TakenNames::of([&other]), "t1").unwrap();
        let condition = &refused["status"]["conditions"][0];
        // The last conflict is the one that is told of.
        assert_eq!(condition["reason"], "ListKindConflict");
        assert_eq!(condition["message"], "\"WidgetList\" is already in use");
        assert_eq!(conditions(&refused)[1], "Established=False NotAccepted");
        assert_eq!(refused["status"]["acceptedNames"]["plural"], "widgets");
        assert_eq!(refused["status"]["acceptedNames"]["kind"], "");
        assert!(!is_served(&refused));
    }

    #[test]
    fn an_established_definition_stays_so_with_names_that_it_does_not_get() {
        let named = with_names(&widgets(), &TakenNames::default(), "t1").unwrap();
        let mut done = established(&named, "t1").unwrap();
        let mut other = done.clone();
        other["status"]["acceptedNames"] = json!({ "plural": "gadgets", "kind": "Gadget",
            "shortNames": ["gd"] });
        done["spec"]["names"]["shortNames"] = json!(["wd", "gd"]);
        let taken = TakenNames::of([&done, &other]);
        let refused = with_names(&done, &taken, "t2").unwrap();
        assert_eq!(
            conditions(&refused),
            ["NamesAccepted=False ShortNamesConflict", "Established=True InitialNamesAccepted"]
        );
        assert_eq!(refused["status"]["acceptedNames"]["shortNames"], json!(["wd"]));
        assert!(is_served(&refused));
    }

    #[test]
    fn groups_of_the_project_say_whether_it_approved() {
        for (annotation, expected) in [
            (Value::Null, "MissingAnnotation"),
            (json!("unapproved, for now"), "UnapprovedAnnotation"),
            (json!("https://github.com/kubernetes/kubernetes/pull/1"), "ApprovedAnnotation"),
            (json!("yes"), "InvalidAnnotation"),
        ] {
            let mut definition = widgets();
            definition["spec"]["group"] = json!("example.k8s.io");
            definition["metadata"]["annotations"] =
                json!({ "api-approved.kubernetes.io": annotation });
            let named = with_names(&definition, &TakenNames::default(), "t").unwrap();
            assert_eq!(named["status"]["conditions"][2]["reason"], expected);
        }
    }

    #[test]
    fn a_deleted_definition_says_so_from_the_first_moment() {
        let mut definition = widgets();
        definition["metadata"]["deletionTimestamp"] = json!("t");
        begin_deletion(&mut definition);
        assert!(is_terminating(&definition));
        set_condition(&mut definition, &Cleanup::Done.condition(), "t2");
        assert_eq!(conditions(&definition), ["Terminating=False InstanceDeletionCompleted"]);
    }

    #[test]
    fn a_condition_that_stays_as_it_is_keeps_its_time() {
        let mut definition = widgets();
        set_condition(&mut definition, &Condition::unmet(ESTABLISHED, "Installing", "a"), "t1");
        set_condition(&mut definition, &Condition::unmet(ESTABLISHED, "NotAccepted", "b"), "t2");
        let condition = &definition["status"]["conditions"][0];
        assert_eq!(condition["lastTransitionTime"], "t1");
        assert_eq!(condition["reason"], "NotAccepted");
    }

    #[test]
    fn no_definition_makes_these_functions_fail() {
        for nonsense in [json!(null), json!([]), json!({ "status": 1, "spec": { "names": [] } })] {
            let taken = TakenNames::of([&nonsense]);
            drop(with_names(&nonsense, &taken, "t"));
            assert_eq!(established(&nonsense, "t"), None);
        }
    }
}

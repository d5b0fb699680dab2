//! The kinds that are written, and random objects of them.

use serde_json::{Map, Value, json};

use crate::dice::Dice;

const KEYS: [&str; 4] = ["a", "b", "c", "d"];
const VALUES: [&str; 3] = ["1", "2", "x y"];

/// One whose status the server keeps, and one that nobody writes but clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    FlowSchema,
    ConfigMap,
}

impl Kind {
    pub(crate) const ALL: [Self; 2] = [Self::FlowSchema, Self::ConfigMap];

    /// Where its objects are.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::FlowSchema => "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
            Self::ConfigMap => "/api/v1/namespaces/default/configmaps",
        }
    }

    fn api_version(self) -> &'static str {
        match self {
            Self::FlowSchema => "flowcontrol.apiserver.k8s.io/v1",
            Self::ConfigMap => "v1",
        }
    }

    /// An object with nothing in it but its type and name.
    pub(crate) fn bare(self, name: &str) -> Value {
        let kind = format!("{self:?}");
        json!({ "apiVersion": self.api_version(), "kind": kind, "metadata": { "name": name } })
    }

    /// An object in which nothing is left for the server to fill in.
    pub(crate) fn object(self, name: &str, dice: &mut Dice) -> Value {
        let mut object = self.bare(name);
        self.fill(&mut object, dice);
        object
    }

    /// Writes an object anew, but for what the server keeps.
    pub(crate) fn fill(self, object: &mut Value, dice: &mut Dice) {
        for member in ["labels", "annotations"] {
            object["metadata"][member] = texts(dice, false);
        }
        match self {
            Self::FlowSchema => object["spec"] = spec(dice),
            Self::ConfigMap => object["data"] = texts(dice, false),
        }
    }

    /// A part of an object, as merge patches have it: some members are taken away.
    pub(crate) fn part(self, dice: &mut Dice) -> Value {
        match dice.below(3) {
            0 => json!({ "metadata": { "labels": texts(dice, true) } }),
            1 => json!({ "metadata": { "annotations": texts(dice, true) } }),
            _ => match self {
                Self::ConfigMap => json!({ "data": texts(dice, true) }),
                Self::FlowSchema => json!({ "spec": match dice.below(3) {
                    0 => json!({ "matchingPrecedence": precedence(dice) }),
                    1 => json!({ "rules": rules(dice) }),
                    _ => json!({ "distinguisherMethod": method(dice) }),
                } }),
            },
        }
    }

    /// The steps of a JSON patch.
    pub(crate) fn steps(self, dice: &mut Dice) -> Value {
        let count = 1 + dice.below(3);
        let steps = (0..count).map(|_| {
            let (place, value) = match dice.below(3) {
                0 => (
                    format!("/metadata/labels/{}", dice.pick(&KEYS)),
                    json!(dice.pick(&VALUES[..2])),
                ),
                1 => (
                    format!("/metadata/annotations/{}", dice.pick(&KEYS)),
                    json!(dice.pick(&VALUES)),
                ),
                _ => match self {
                    Self::ConfigMap => {
                        (format!("/data/{}", dice.pick(&KEYS)), json!(dice.pick(&VALUES)))
                    }
                    Self::FlowSchema => {
                        ("/spec/matchingPrecedence".to_owned(), json!(precedence(dice)))
                    }
                },
            };
            // What a FlowSchema must have would be filled in again, by nobody.
            let ops: &[&str] = if place.starts_with("/spec") {
                &["add", "replace", "test"]
            } else {
                &["add", "add", "replace", "remove", "test"]
            };
            json!({ "op": dice.pick(ops), "path": place, "value": value })
        });
        steps.collect()
    }
}

fn texts(dice: &mut Dice, removing: bool) -> Value {
    let mut texts = Map::new();
    for key in KEYS {
        if removing && dice.percent(20) {
            texts.insert(key.to_owned(), Value::Null);
        } else if dice.percent(40) {
            // Two of the values may be those of labels.
            texts.insert(key.to_owned(), json!(dice.pick(&VALUES[..2])));
        }
    }
    texts.into()
}

fn precedence(dice: &mut Dice) -> u64 {
    1_000 + dice.below(5)
}

fn spec(dice: &mut Dice) -> Value {
    let levels = ["global-default", "workload-low", "there-is-none"];
    let mut spec = json!({
        "priorityLevelConfiguration": { "name": dice.pick(&levels) },
        "matchingPrecedence": precedence(dice),
    });
    if dice.percent(50) {
        spec["distinguisherMethod"] = method(dice);
    }
    if dice.percent(50) {
        spec["rules"] = rules(dice);
    }
    spec
}

fn method(dice: &mut Dice) -> Value {
    json!({ "type": dice.pick(&["ByUser", "ByNamespace"]) })
}

fn rules(dice: &mut Dice) -> Value {
    let user = format!("nobody-{}", dice.below(3));
    json!([{
        "subjects": [{ "kind": "User", "user": { "name": user } }],
        "nonResourceRules": [{ "verbs": ["get"], "nonResourceURLs": ["/healthz"] }],
    }])
}

/// A condition of a FlowSchema.
pub(crate) fn condition(name: &str, dice: &mut Dice) -> Value {
    json!({
        "type": name,
        "status": dice.pick(&["True", "False", "Unknown"]),
        "reason": dice.pick(&["One", "Two"]),
    })
}

//! A server as small as the recorded cases allow: objects in a map, no validation, no networking.
//! What a write does beyond this crate (system fields, resets, the condition that the server's own
//! controller writes) is here in its shortest form.

use std::collections::BTreeMap;

use api::decode::{Tree, decode, decode_value};
use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::schema::{Described, TypeDef};
use api::time::Timestamp;
use patch::fieldset::FieldSet;
use patch::managed::{self, ApplyError, Conflicts, Endpoint, OneVersion, Writer};
use patch::{PatchError, Patched};
use serde_json::{Value, json};

pub(crate) const GROUP_VERSION: &str = "flowcontrol.apiserver.k8s.io/v1";
const CONTROLLER: &str = "api-priority-and-fairness-config-consumer-v1";
const WIPED_ON_CREATE: [&str; 5] =
    ["creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];
const BUILT_IN_LEVELS: [&str; 8] = [
    "catch-all",
    "exempt",
    "global-default",
    "leader-election",
    "node-high",
    "system",
    "workload-high",
    "workload-low",
];

/// Why a write failed, as far as this crate decides it.
#[derive(Debug)]
pub(crate) enum Refusal {
    Status(u16, String),
    Conflicts(Conflicts),
}

impl From<PatchError> for Refusal {
    fn from(error: PatchError) -> Self {
        let generic = "the server rejected our request due to an error in our request";
        match error {
            PatchError::BadRequest(text) => Self::Status(400, text),
            PatchError::Unprocessable(_) => Self::Status(422, generic.to_owned()),
            PatchError::TooLarge(text) => Self::Status(413, text),
            PatchError::Internal(text) => Self::Status(500, text),
        }
    }
}

impl From<ApplyError> for Refusal {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::BadRequest(text) => Self::Status(400, text),
            ApplyError::Internal(text) => Self::Status(500, text),
            ApplyError::Conflict(conflicts) => Self::Conflicts(conflicts),
        }
    }
}

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    FlowSchema,
    PriorityLevelConfiguration,
}

impl Kind {
    pub(crate) fn of_plural(plural: &str) -> Self {
        match plural {
            "flowschemas" => Self::FlowSchema,
            "prioritylevelconfigurations" => Self::PriorityLevelConfiguration,
            other => panic!("no such resource: {other}"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::FlowSchema => "FlowSchema",
            Self::PriorityLevelConfiguration => "PriorityLevelConfiguration",
        }
    }

    pub(crate) fn type_def(self) -> &'static TypeDef {
        match self {
            Self::FlowSchema => FlowSchema::type_def().unwrap(),
            Self::PriorityLevelConfiguration => PriorityLevelConfiguration::type_def().unwrap(),
        }
    }
}

/// A write to an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub(crate) kind: Kind,
    pub(crate) name: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) manager: &'a str,
}

/// What a request does to an object.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    Create(Value),
    Update(Value),
    Json(Tree),
    Merge(Tree),
    Strategic(Tree),
    Apply { body: Value, force: bool },
}

#[derive(Default)]
pub(crate) struct Server {
    objects: BTreeMap<(Kind, String), Value>,
    seconds: i64,
}

impl Server {
    pub(crate) fn get(&self, kind: Kind, name: &str) -> Option<&Value> {
        self.objects.get(&(kind, name.to_owned()))
    }

    pub(crate) fn delete(&mut self, kind: Kind, name: &str) {
        self.objects.remove(&(kind, name.to_owned()));
    }

    /// Puts an object in place as it is.
    pub(crate) fn put(&mut self, kind: Kind, name: &str, object: Value) {
        self.objects.insert((kind, name.to_owned()), object);
    }

    /// Works out a write and gives back the object as it would be stored.
    pub(crate) fn write(&mut self, target: Target<'_>, write: Write) -> Result<Value, Refusal> {
        self.seconds += 1;
        let now = Timestamp::from_unix_seconds(1_700_000_000 + self.seconds).unwrap();
        let type_def = target.kind.type_def();
        let live = self.get(target.kind, target.name);
        if live.is_none() && !matches!(write, Write::Create(_) | Write::Apply { .. }) {
            return Err(Refusal::Status(404, "not found".to_owned()));
        }
        let reset = match target.subresource {
            "" => managed::reset_on_main(),
            _ => managed::reset_on_status(),
        };
        let versions = OneVersion { group_version: GROUP_VERSION, type_def };
        let endpoint = endpoint(target, &reset, &versions);
        let writer = Writer { manager: target.manager, now };
        let mut new = match write {
            Write::Apply { body, force } => managed::apply(&endpoint, live, &body, writer, force)?,
            other => managed::update(&endpoint, live, requested(type_def, live, other)?, writer),
        };
        reset_fields(live, &mut new, target);
        if let Some(live) = live {
            managed::keep_times_if_unchanged(live, &mut new);
        }
        Ok(new)
    }

    /// Lets the controller write its condition to all FlowSchemas that lack it.
    pub(crate) fn settle(&mut self) {
        let flow_schemas: Vec<(Kind, String)> =
            self.objects.keys().filter(|(kind, _)| *kind == Kind::FlowSchema).cloned().collect();
        for (kind, name) in flow_schemas {
            let object = &self.objects[&(kind, name.clone())];
            let condition = self.dangling(object);
            let has_it = object["status"]["conditions"].as_array().is_some_and(|conditions| {
                conditions.iter().any(|other| {
                    ["type", "status", "reason", "message"]
                        .iter()
                        .all(|member| other[*member] == condition[*member])
                })
            });
            if has_it {
                continue;
            }
            let body = json!({
                "apiVersion": GROUP_VERSION, "kind": "FlowSchema", "metadata": {"name": name},
                "status": {"conditions": [condition]},
            });
            let target = Target { kind, name: &name, subresource: "status", manager: CONTROLLER };
            let object = self.write(target, Write::Apply { body, force: true }).unwrap();
            self.put(kind, &name, object);
        }
    }

    fn dangling(&self, object: &Value) -> Value {
        let level = object["spec"]["priorityLevelConfiguration"]["name"].as_str().unwrap();
        let exists = BUILT_IN_LEVELS.contains(&level)
            || self.get(Kind::PriorityLevelConfiguration, level).is_some();
        let (status, reason, end) = if exists {
            ("False", "Found", "and it exists")
        } else {
            ("True", "NotFound", "but there is no such object")
        };
        json!({
            "type": "Dangling", "status": status, "reason": reason,
            "lastTransitionTime": "2024-01-01T00:00:00Z",
            "message": format!(
                "This FlowSchema references the PriorityLevelConfiguration object named \
                 \"{level}\" {end}"
            ),
        })
    }
}

fn endpoint<'a>(
    target: Target<'a>,
    reset_fields: &'a FieldSet,
    versions: &'a OneVersion<'a>,
) -> Endpoint<'a> {
    Endpoint {
        group_version: GROUP_VERSION,
        kind: target.kind.name(),
        subresource: target.subresource,
        reset_fields,
        versions,
    }
}

/// The object that a request asks for, decoded and defaulted.
fn requested(type_def: &TypeDef, live: Option<&Value>, write: Write) -> Result<Value, Refusal> {
    let live = live.cloned().unwrap_or_default();
    let is_create = matches!(write, Write::Create(_));
    let Patched { value, .. } = match write {
        Write::Create(body) | Write::Update(body) => Patched { value: body, problems: Vec::new() },
        Write::Json(patch) => patch::json_patch(live, patch)?,
        Write::Merge(patch) => patch::merge_patch(live, patch)?,
        Write::Strategic(patch) => patch::strategic(type_def, live, patch)?,
        Write::Apply { .. } => panic!("applies are not requested objects"),
    };
    let mut object = decode(type_def, Tree::from(value))
        .map_err(|error| Refusal::Status(422, error.to_string()))?
        .value;
    type_def.apply_defaults(&mut object);
    if is_create {
        let metadata = object["metadata"].as_object_mut().unwrap();
        for name in WIPED_ON_CREATE {
            metadata.shift_remove(name);
        }
    }
    Ok(object)
}

/// Takes from the live object what the endpoint does not change.
fn reset_fields(live: Option<&Value>, new: &mut Value, target: Target<'_>) {
    let zero = target.kind.type_def().zero();
    let live = live.unwrap_or(&zero);
    if target.subresource.is_empty() {
        new["status"] = live["status"].clone();
    } else {
        new["spec"] = live["spec"].clone();
        let entries = new["metadata"].get("managedFields").cloned();
        new["metadata"] = live["metadata"].clone();
        let metadata = new["metadata"].as_object_mut().unwrap();
        metadata.shift_remove("managedFields");
        metadata.extend(entries.map(|entries| ("managedFields".to_owned(), entries)));
    }
    let system = [
        ("uid", json!(format!("uid-of-{}", target.name))),
        ("resourceVersion", json!("1")),
        ("generation", json!(1)),
        ("creationTimestamp", json!("2024-01-01T00:00:00Z")),
    ];
    for (name, value) in system {
        new["metadata"][name] = value;
    }
    *new = decode_value(target.kind.type_def(), std::mem::take(new)).unwrap();
}

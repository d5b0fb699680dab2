//! Replays what the reference server answered: each step's object and `managedFields`, and each
//! refusal that this crate words.

use super::server::{GROUP_VERSION, Kind, Refusal, Server, Target, Write};
use api::decode::{Tree, parse_json};
use api::time::Timestamp;
use serde_json::{Value, json};

/// One request, taken apart.
struct Request<'s> {
    kind: Kind,
    name: String,
    subresource: String,
    manager: String,
    force: bool,
    dry_run: bool,
    step: &'s Value,
}

impl<'s> Request<'s> {
    fn of(step: &'s Value) -> Self {
        let path = step["path"].as_str().unwrap();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let parameter = |name: &str| {
            query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        };
        let mut parts = path.strip_prefix(&format!("/apis/{GROUP_VERSION}/")).unwrap().split('/');
        let kind = Kind::of_plural(parts.next().unwrap());
        let body_name = step["body"]["metadata"]["name"].as_str().unwrap_or_default();
        let user_agent = step["headers"]["User-Agent"].as_str().unwrap_or("conformance/1.0");
        Self {
            kind,
            name: parts.next().unwrap_or(body_name).to_owned(),
            subresource: parts.next().unwrap_or_default().to_owned(),
            manager: parameter("fieldManager").map_or_else(
                || patch::managed::manager_from_user_agent(user_agent),
                |manager| manager.replace("%20", " "),
            ),
            force: parameter("force") == Some("true"),
            dry_run: parameter("dryRun").is_some(),
            step,
        }
    }

    fn target(&self) -> Target<'_> {
        Target {
            kind: self.kind,
            name: &self.name,
            subresource: &self.subresource,
            manager: &self.manager,
        }
    }

    /// What the request writes; `None` if it does not get as far as this crate.
    fn write(&self) -> Option<Write> {
        let body = match &self.step["text"] {
            Value::String(text) => parse_json(text.as_bytes()).ok()?,
            _ => Tree::from(self.step["body"].clone()),
        };
        let content_type = self.step["headers"]["Content-Type"].as_str().unwrap_or_default();
        let media_type = content_type.split(';').next().unwrap();
        Some(match (self.step["method"].as_str().unwrap(), media_type) {
            ("POST", _) => Write::Create(body.into_value()),
            ("PUT", _) => Write::Update(body.into_value()),
            (_, "application/json-patch+json") => Write::Json(body),
            (_, "application/merge-patch+json") => Write::Merge(body),
            (_, "application/strategic-merge-patch+json") => Write::Strategic(body),
            (_, "application/apply-patch+yaml") => {
                Write::Apply { body: body.into_value(), force: self.force }
            }
            _ => return None,
        })
    }
}

/// Replays a file of cases; gives back how many answers were compared.
fn replay(text: &str) -> usize {
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    cases.iter().map(replay_case).sum()
}

fn replay_case(case: &Value) -> usize {
    let mut server = Server::default();
    let mut compared = 0;
    for (index, step) in case["steps"].as_array().unwrap().iter().enumerate() {
        let at = format!("{} step {index}", case["name"]);
        compared += usize::from(replay_step(&mut server, step, &at));
    }
    compared
}

/// Whether there was something to compare.
fn replay_step(server: &mut Server, step: &Value, at: &str) -> bool {
    let request = Request::of(step);
    let expected = &step["expect"];
    let succeeded = expected["status"].as_u64().unwrap() < 400;
    if step["method"] != "POST" {
        server.settle();
    }
    match step["method"].as_str().unwrap() {
        "GET" => {
            let found = server.get(request.kind, &request.name);
            succeeded && compare_objects(found, &expected["json"], at)
        }
        "DELETE" => {
            if succeeded {
                server.delete(request.kind, &request.name);
            }
            false
        }
        _ => replay_write(server, &request, expected, succeeded, at),
    }
}

fn replay_write(
    server: &mut Server,
    request: &Request<'_>,
    expected: &Value,
    succeeded: bool,
    at: &str,
) -> bool {
    let Some(write) = request.write() else { return false };
    match server.write(request.target(), write) {
        Ok(object) if succeeded => {
            let compared = compare_objects(Some(&object), &expected["json"], at);
            if !request.dry_run {
                server.put(request.kind, &request.name, object);
            }
            compared
        }
        // Refused by what this server does not have: validation, preconditions.
        Ok(_) => false,
        Err(refusal) => {
            assert!(!succeeded, "{at}: {refusal:?}");
            compare_refusals(refusal, expected, at)
        }
    }
}

fn compare_objects(object: Option<&Value>, expected: &Value, at: &str) -> bool {
    if expected.is_null() {
        return false;
    }
    let object = object.unwrap_or_else(|| panic!("{at}: not found"));
    let (found, expected) = (comparable(object), comparable(expected));
    for part in ["metadata", "spec", "status"] {
        assert_eq!(found[part], expected[part], "{at}: {part} of {object}");
    }
    true
}

/// The object with times as the cases show them and without what differs between servers.
fn comparable(object: &Value) -> Value {
    let mut object = normalised(object);
    let metadata = object["metadata"].as_object_mut().unwrap();
    for name in ["uid", "resourceVersion", "generation", "creationTimestamp"] {
        metadata.remove(name);
    }
    if let Some(Value::Array(entries)) = metadata.get_mut("managedFields") {
        entries.sort_by_key(ToString::to_string);
    }
    object
}

fn normalised(value: &Value) -> Value {
    match value {
        Value::String(text) if text.parse::<Timestamp>().is_ok() => json!("<time>"),
        Value::Array(items) => items.iter().map(normalised).collect(),
        Value::Object(members) => {
            let mut members: serde_json::Map<String, Value> =
                members.iter().map(|(name, value)| (name.clone(), normalised(value))).collect();
            members.sort_keys();
            Value::Object(members)
        }
        scalar => scalar.clone(),
    }
}

fn compare_refusals(refusal: Refusal, expected: &Value, at: &str) -> bool {
    let (status, text) = match refusal {
        Refusal::Status(status, text) => (status, text),
        Refusal::Conflicts(conflicts) => {
            let mut causes: Vec<Value> = conflicts
                .causes()
                .into_iter()
                .map(|cause| {
                    let reason = "FieldManagerConflict";
                    json!({"field": cause.field, "message": cause.message, "reason": reason})
                })
                .collect();
            causes.sort_by_key(ToString::to_string);
            assert_eq!(json!(causes), expected["json"]["details"]["causes"], "{at}");
            (409, conflicts.to_string())
        }
    };
    assert_eq!(json!(status), expected["status"], "{at}: {text}");
    let Some(message) = expected["json"]["message"].as_str() else { return true };
    if status != 404 && !message.contains("is invalid:") {
        // The cases show the lines of conflicts sorted.
        assert_eq!(sorted_lines(&text), sorted_lines(message), "{at}");
    }
    true
}

fn sorted_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    if let Some((_, rest)) = lines.split_first_mut() {
        rest.sort_unstable();
    }
    lines
}

#[test]
fn patches_and_applies_answer_as_recorded() {
    assert_eq!(replay(include_str!("../data/patch.json")), 84);
}

#[test]
fn creates_and_updates_answer_as_recorded() {
    assert_eq!(replay(include_str!("../data/crud.json")), 54);
}

#[test]
fn random_sequences_of_writes_by_several_managers_answer_as_recorded() {
    assert_eq!(replay(include_str!("../data/sequences.json")), 149);
}

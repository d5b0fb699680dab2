//! A client that does random things, one after the other.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::io::Write as _;
use std::time::Duration;

use e2e::case::{Body, Call};
use e2e::http::{Connection, Timeouts, read_response};
use e2e::target::Target;
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::judge::version;
use crate::kind::{Kind, condition};
use crate::operation::Operation;

/// How long a request may take.
const REQUEST_WAIT: Duration = Duration::from_secs(60);
/// So few that writers meet all the time.
pub(crate) const NAMES: [&str; 5] = ["v", "w", "x", "y", "z"];
const APPLIERS: [&str; 3] = ["apply-1", "apply-2", "apply-3"];

/// A write that was acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct Acknowledged {
    pub(crate) kind: Kind,
    pub(crate) operation: Operation,
    /// The object, or the Status of a deletion.
    pub(crate) answer: Value,
}

/// What became of all requests.
#[derive(Debug, Default, Clone)]
pub(crate) struct Tally(BTreeMap<u16, u64>);

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        for (status, count) in &other.0 {
            *self.0.entry(*status).or_default() += count;
        }
    }

    /// How many were answered so.
    pub(crate) fn of(&self, statuses: impl std::ops::RangeBounds<u16>) -> u64 {
        self.0.range(statuses).map(|(_, count)| count).sum()
    }
}

pub(crate) struct Worker {
    target: Target,
    connection: BufReader<Connection>,
    dice: Dice,
    manager: String,
    /// Objects as they were when this worker saw them last, by whatever answer.
    seen: BTreeMap<(Kind, &'static str), Value>,
    /// What was applied last, to be applied again.
    applied: BTreeMap<(Kind, &'static str), Operation>,
    pub(crate) acknowledged: Vec<Acknowledged>,
    pub(crate) tally: Tally,
}

impl Worker {
    pub(crate) fn new(target: &Target, number: u64, seed: u64) -> Self {
        let connection =
            target.address.connect(Timeouts::of_seconds(REQUEST_WAIT.as_secs())).unwrap();
        Self {
            target: target.clone(),
            connection: BufReader::new(connection),
            dice: Dice::new(seed ^ (number << 32)),
            manager: format!("worker-{number}"),
            seen: BTreeMap::new(),
            applied: BTreeMap::new(),
            acknowledged: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Does one random thing.
    pub(crate) fn step(&mut self) {
        let kind = *self.dice.pick(&Kind::ALL);
        let name = *self.dice.pick(&NAMES);
        if self.dice.percent(10) {
            self.look(kind, name);
            return;
        }
        if self.dice.percent(10) {
            self.nonsense(kind, name);
            return;
        }
        let Some(operation) = self.operation(kind, name) else { return };
        let call = operation.call(kind, name, &self.manager, false);
        let (status, answer) = self.send(&call);
        let known = matches!(status, 200 | 201 | 404 | 409 | 422);
        assert!(known, "{status} for {operation:?} of {kind:?} {name}: {answer}");
        if status < 300 {
            self.note(kind, name, operation, answer);
        } else if status == 409 {
            // As a client that reads again; sometimes it does not.
            if self.dice.percent(70) {
                self.look(kind, name);
            }
        }
    }

    fn note(&mut self, kind: Kind, name: &'static str, operation: Operation, answer: Value) {
        if matches!(operation, Operation::Delete { .. }) {
            self.seen.remove(&(kind, name));
        } else {
            let before = self.seen.insert((kind, name), answer.clone());
            if let Some(before) = before {
                assert!(version(&answer) >= version(&before), "{name} went back: {answer}");
            }
        }
        if matches!(operation, Operation::Apply { status: false, .. }) {
            self.applied.insert((kind, name), operation.clone());
        }
        self.acknowledged.push(Acknowledged { kind, operation, answer });
    }

    fn look(&mut self, kind: Kind, name: &'static str) {
        let (status, object) = self.send(&Call::of("GET", format!("{}/{name}", kind.path())));
        match status {
            200 => drop(self.seen.insert((kind, name), object)),
            404 => drop(self.seen.remove(&(kind, name))),
            _ => panic!("{status}: {object}"),
        }
    }

    fn operation(&mut self, kind: Kind, name: &'static str) -> Option<Operation> {
        let dice = &mut self.dice;
        let seen = self.seen.get(&(kind, name));
        let seen_version = seen.map(|object| object["metadata"]["resourceVersion"].clone());
        match dice.below(100) {
            0..12 => Some(Operation::Create(kind.object(name, dice))),
            12..32 => put(kind, seen?, dice),
            32..45 => {
                let mut patch = kind.part(dice);
                if dice.percent(20) {
                    patch["metadata"]["resourceVersion"] = seen_version?;
                }
                Some(Operation::Merge { patch, strategic: dice.percent(50), status: false })
            }
            45..57 => Some(Operation::Steps(kind.steps(dice))),
            57..63 => self.applied.get(&(kind, name)).cloned(),
            63..80 => {
                let (body, manager) = (kind.object(name, dice), *dice.pick(&APPLIERS));
                let force = dice.percent(50);
                Some(Operation::Apply { body, manager, force, status: false })
            }
            80..94 if kind == Kind::FlowSchema => status(name, seen, dice),
            80..94 => Some(Operation::Steps(kind.steps(dice))),
            _ => {
                let mut preconditions = json!({});
                if dice.percent(30) {
                    preconditions["uid"] = seen?["metadata"]["uid"].clone();
                }
                if dice.percent(30) {
                    preconditions["resourceVersion"] = seen_version?;
                }
                Some(Operation::Delete { preconditions })
            }
        }
    }

    /// Something that must change nothing, whatever becomes of it.
    fn nonsense(&mut self, kind: Kind, name: &'static str) {
        let Some(mut operation) = self.operation(kind, name) else { return };
        let dice = &mut self.dice;
        match &mut operation {
            Operation::Create(body)
            | Operation::Put { body, .. }
            | Operation::Apply { body, .. } => {
                spoil(body, dice);
            }
            Operation::Merge { patch, .. } | Operation::Steps(patch) => spoil(patch, dice),
            Operation::Delete { .. } => return,
        }
        let call = operation.call(kind, name, &self.manager, true);
        self.send(&call);
    }

    fn send(&mut self, call: &Call) -> (u16, Value) {
        let bytes = self.target.message(call).unwrap().to_bytes(&self.target.address);
        let connection = self.connection.get_mut();
        connection.renew(REQUEST_WAIT);
        connection.write_all(&bytes).unwrap();
        connection.flush().unwrap();
        let response = read_response(&mut self.connection, &call.method).unwrap();
        let (status, body) = (response.head.status, response.body);
        *self.tally.0.entry(status).or_default() += 1;
        let answer: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        assert!(status < 500 || is_about_the_patch(&answer), "{status} for {call:?}: {answer}");
        (status, answer)
    }
}

/// Patches that do not fit their type are a 500 without a reason in Kubernetes too. A panic, or
/// anything else that fails inside the server, looks different.
fn is_about_the_patch(status: &Value) -> bool {
    let message = status["message"].as_str().unwrap_or_default();
    status["kind"] == "Status" && status["reason"].is_null() && !message.contains("panic")
}

/// The object as it was seen, written anew: with its version, or for whatever version there is.
fn put(kind: Kind, seen: &Value, dice: &mut Dice) -> Option<Operation> {
    let mut body = seen.clone();
    kind.fill(&mut body, dice);
    if dice.percent(25) {
        for member in ["resourceVersion", "managedFields", "uid"] {
            body["metadata"].as_object_mut()?.shift_remove(member);
        }
    }
    Some(Operation::Put { body, status: false })
}

/// Each way of writing a status has a condition of its own: what belongs to two is another test's.
fn status(name: &str, seen: Option<&Value>, dice: &mut Dice) -> Option<Operation> {
    let conditions = |name: &str, dice: &mut Dice| json!({ "conditions": [condition(name, dice)] });
    match dice.below(3) {
        0 => {
            let patch = json!({ "status": conditions("Patched", dice) });
            Some(Operation::Merge { patch, strategic: true, status: true })
        }
        1 => {
            let mut body = Kind::FlowSchema.bare(name);
            if dice.percent(80) {
                body["status"] = conditions("Applied", dice);
            }
            Some(Operation::Apply { body, manager: "judge", force: dice.percent(50), status: true })
        }
        _ => {
            let mut body = seen?.clone();
            let conditions = body["status"]["conditions"].as_array_mut()?;
            conditions.retain(|condition| condition["type"] != "Put");
            conditions.push(condition("Put", dice));
            Some(Operation::Put { body, status: true })
        }
    }
}

/// Puts something wrong, or at least strange, somewhere.
fn spoil(value: &mut Value, dice: &mut Dice) {
    let strange = [
        json!(null),
        json!(-1),
        json!(1.5),
        json!(""),
        json!([]),
        json!({}),
        json!([null]),
        json!("x".repeat(300)),
        json!(u64::MAX),
        json!(true),
        json!({ "$patch": "delete" }),
        json!([{ "$patch": "replace" }]),
        json!({ "$retainKeys": ["a"] }),
        json!("\u{0}é😀"),
        json!({ "": { "": [[]] } }),
        json!([{ "type": 1 }, { "type": 1 }]),
    ];
    let deeper = dice.percent(75);
    match value {
        Value::Object(members) if deeper && !members.is_empty() => {
            let at = usize::try_from(dice.below(u64::try_from(members.len()).unwrap())).unwrap();
            let (_, member) = members.iter_mut().nth(at).unwrap();
            spoil(member, dice);
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = usize::try_from(dice.below(u64::try_from(items.len()).unwrap())).unwrap();
            spoil(&mut items[at], dice);
        }
        Value::Object(members) if dice.percent(40) => {
            let names =
                ["unknown", "name", "managedFields", "$patch", "$setElementOrder/rules", "spec"];
            members.insert((*dice.pick(&names)).to_owned(), dice.pick(&strange).clone());
        }
        value => *value = dice.pick(&strange).clone(),
    }
}

/// Writes an object of the test's own, with a number that is new each time. Returns its version.
pub(crate) fn mark(target: &Target, kind: Kind, number: u64) -> u64 {
    let mut body = kind.object("mark", &mut Dice::new(0));
    body["metadata"]["annotations"] = json!({ "number": number.to_string() });
    let apply = Call::of("PATCH", format!("{}/mark?fieldManager=mark", kind.path()))
        .with_header("Content-Type", "application/apply-patch+yaml")
        .with_body(Body::Json(body));
    let answer = target.call(&apply).unwrap();
    let object: Value = serde_json::from_slice(&answer.body).unwrap();
    version(&object)
}

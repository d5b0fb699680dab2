//! The entries of `managedFields`, decoded.

use std::collections::BTreeMap;

use api::time::Timestamp;
use serde_json::{Map, Value};

use crate::fieldset::{FieldSet, FieldsError};

/// The only format of field sets.
const FIELDS_V1: &str = "FieldsV1";

/// How fields were written. Applies come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    Apply,
    Update,
}

impl Operation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// What tells entries apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    pub(super) manager: String,
    pub(super) operation: Operation,
    /// Empty for applies: a manager has one entry for all versions in which it applies.
    pub(super) group_version: String,
    pub(super) subresource: String,
}

impl Identity {
    pub(super) fn new(
        manager: &str,
        operation: Operation,
        group_version: &str,
        subresource: &str,
    ) -> Self {
        Self {
            manager: manager.to_owned(),
            operation,
            group_version: match operation {
                Operation::Apply => String::new(),
                Operation::Update => group_version.to_owned(),
            },
            subresource: subresource.to_owned(),
        }
    }
}

/// What a manager owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owned {
    pub(super) fields: FieldSet,
    /// The version in which the fields are named.
    pub(super) group_version: String,
    pub(super) time: Option<Timestamp>,
}

impl Owned {
    fn unix_seconds(&self) -> i64 {
        self.time.map_or(0, Timestamp::unix_seconds)
    }
}

/// All entries of an object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Entries(pub(super) BTreeMap<Identity, Owned>);

/// An entry that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum EntryError {
    #[error("operation must be `Apply` or `Update`")]
    Operation,
    #[error("apiVersion must not be empty")]
    GroupVersion,
    #[error("missing fieldsType in managed fields entry {0}")]
    MissingFieldsType(usize),
    #[error("invalid fieldsType {1:?} in managed fields entry {0}")]
    FieldsType(usize, String),
    #[error("error decoding the field set of managed fields entry {0}: {1}")]
    Fields(usize, FieldsError),
}

impl Entries {
    /// Reads all entries; of two with the same identity the later one counts.
    pub(super) fn decode(entries: &[Value]) -> Result<Self, EntryError> {
        entries
            .iter()
            .enumerate()
            .map(|(index, entry)| decode_entry(index, entry))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The entries as they are written: applies before updates, then older ones first.
    pub(super) fn encode(&self) -> Vec<Value> {
        let mut entries: Vec<(&Identity, &Owned)> = self.0.iter().collect();
        entries.sort_by(|(left, left_owned), (right, right_owned)| {
            (left.operation.cmp(&right.operation))
                .then_with(|| left_owned.unix_seconds().cmp(&right_owned.unix_seconds()))
                .then_with(|| left.manager.cmp(&right.manager))
                .then_with(|| left_owned.group_version.cmp(&right_owned.group_version))
                .then_with(|| left.subresource.cmp(&right.subresource))
        });
        entries.into_iter().map(|(identity, owned)| encode_entry(identity, owned)).collect()
    }

    /// Keeps at most that many entries of updates: of the oldest ones those with the same version
    /// become one entry of `bucket`, until few enough are left.
    pub(super) fn cap_updates(&mut self, max: usize, bucket: &str) {
        let mut updates: Vec<(i64, Identity)> = self
            .0
            .iter()
            .filter(|(identity, _)| identity.operation == Operation::Update)
            .map(|(identity, owned)| (owned.unix_seconds(), identity.clone()))
            .collect();
        let mut excess = updates.len().saturating_sub(max);
        if excess == 0 {
            return;
        }
        updates.sort();
        let mut first_of_version: BTreeMap<String, Identity> = BTreeMap::new();
        for (_, identity) in updates {
            if excess == 0 {
                return;
            }
            let Some(group_version) =
                self.0.get(&identity).map(|owned| owned.group_version.clone())
            else {
                continue;
            };
            let bucket = Identity::new(bucket, Operation::Update, &group_version, "");
            match first_of_version.get(&group_version) {
                None => drop(first_of_version.insert(group_version, identity)),
                Some(first) => {
                    self.fold(&identity, &bucket, &first.clone());
                    excess -= 1;
                }
            }
        }
    }

    /// Moves the fields of an entry to the bucket, which begins as the first entry of its version.
    fn fold(&mut self, identity: &Identity, bucket: &Identity, first: &Identity) {
        if !self.0.contains_key(bucket)
            && let Some(owned) = self.0.remove(first)
        {
            self.0.insert(bucket.clone(), owned);
        }
        if identity == bucket {
            return;
        }
        let Some(folded) = self.0.remove(identity) else { return };
        if let Some(kept) = self.0.get_mut(bucket) {
            kept.fields = kept.fields.union(&folded.fields);
            kept.time = folded.time;
        }
    }
}

fn decode_entry(index: usize, entry: &Value) -> Result<(Identity, Owned), EntryError> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
    let operation = match text("operation") {
        "Apply" => Operation::Apply,
        "Update" => Operation::Update,
        _ => return Err(EntryError::Operation),
    };
    let group_version = text("apiVersion");
    if group_version.is_empty() {
        return Err(EntryError::GroupVersion);
    }
    match text("fieldsType") {
        FIELDS_V1 => {}
        "" => return Err(EntryError::MissingFieldsType(index)),
        other => return Err(EntryError::FieldsType(index, other.to_owned())),
    }
    let fields = match entry.get("fieldsV1") {
        Some(fields) => {
            FieldSet::from_fields_v1(fields).map_err(|error| EntryError::Fields(index, error))?
        }
        None => FieldSet::new(),
    };
    let identity = Identity::new(text("manager"), operation, group_version, text("subresource"));
    let time = text("time").parse().ok();
    Ok((identity, Owned { fields, group_version: group_version.to_owned(), time }))
}

fn encode_entry(identity: &Identity, owned: &Owned) -> Value {
    let mut entry = Map::new();
    let mut insert = |name: &str, text: &str| {
        if !text.is_empty() {
            entry.insert(name.to_owned(), Value::from(text));
        }
    };
    insert("manager", &identity.manager);
    insert("operation", identity.operation.name());
    insert("apiVersion", &owned.group_version);
    insert("time", &owned.time.map(|time| time.to_string()).unwrap_or_default());
    insert("fieldsType", FIELDS_V1);
    entry.insert("fieldsV1".to_owned(), owned.fields.to_fields_v1());
    if !identity.subresource.is_empty() {
        entry.insert("subresource".to_owned(), Value::from(identity.subresource.as_str()));
    }
    Value::Object(entry)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(manager: &str, operation: &str, group_version: &str, second: i64) -> Value {
        let time = Timestamp::from_unix_seconds(second).unwrap().to_string();
        json!({
            "manager": manager, "operation": operation, "apiVersion": group_version, "time": time,
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {format!("f:{manager}"): {}}},
        })
    }

    fn managers(entries: &Entries) -> Vec<Value> {
        entries.encode().iter().map(|entry| entry["manager"].clone()).collect()
    }

    #[test]
    fn entries_are_written_applies_first_then_by_age_then_by_name() {
        let entries = Entries::decode(&[
            entry("d", "Update", "v1", 3),
            entry("c", "Update", "v1", 1),
            entry("b", "Update", "v1", 1),
            entry("a", "Apply", "v1", 9),
        ]);
        assert_eq!(managers(&entries.unwrap()), ["a", "b", "c", "d"]);
    }

    #[test]
    fn an_entry_is_written_as_it_was_read() {
        let mut status = entry("a", "Apply", "v1", 9);
        status["subresource"] = json!("status");
        let entries = Entries::decode(std::slice::from_ref(&status)).unwrap();
        assert_eq!(Value::Array(entries.encode()).to_string(), json!([status]).to_string());
    }

    #[test]
    fn entries_that_mean_nothing_are_refused() {
        for (member, value, text) in [
            ("operation", json!("Nope"), "operation must be `Apply` or `Update`"),
            ("apiVersion", json!(""), "apiVersion must not be empty"),
            ("fieldsType", json!(""), "missing fieldsType in managed fields entry 0"),
            ("fieldsType", json!("V2"), "invalid fieldsType \"V2\" in managed fields entry 0"),
        ] {
            let mut refused = entry("a", "Apply", "v1", 1);
            refused[member] = value;
            assert_eq!(Entries::decode(&[refused]).unwrap_err().to_string(), text);
        }
        let mut refused = entry("a", "Apply", "v1", 1);
        refused["fieldsV1"] = json!({"f:a": 1});
        assert!(matches!(Entries::decode(&[refused]), Err(EntryError::Fields(0, _))));
    }

    #[test]
    fn the_oldest_updates_of_a_version_are_folded_into_one_entry() {
        let mut listed: Vec<Value> =
            (0..12).map(|number| entry(&format!("m{number:02}"), "Update", "v1", number)).collect();
        listed.push(entry("old", "Update", "v0", 0));
        listed.push(entry("applier", "Apply", "v1", 0));
        let mut entries = Entries::decode(&listed).unwrap();
        entries.cap_updates(10, ANCIENT);
        assert_eq!(
            managers(&entries),
            ["applier", "old", ANCIENT, "m04", "m05", "m06", "m07", "m08", "m09", "m10", "m11"]
        );
        let bucket = &entries.0[&Identity::new(ANCIENT, Operation::Update, "v1", "")];
        assert_eq!(bucket.fields.len(), 4);
        assert_eq!(bucket.time, Timestamp::from_unix_seconds(3));
    }

    #[test]
    fn a_bucket_takes_in_more_entries_later() {
        let mut listed: Vec<Value> =
            (1..11).map(|number| entry(&format!("m{number:02}"), "Update", "v1", number)).collect();
        listed.push(entry(ANCIENT, "Update", "v1", 0));
        let mut entries = Entries::decode(&listed).unwrap();
        entries.cap_updates(10, ANCIENT);
        assert_eq!(entries.0.len(), 10);
        let bucket = &entries.0[&Identity::new(ANCIENT, Operation::Update, "v1", "")];
        assert_eq!(bucket.fields.len(), 2);
    }

    const ANCIENT: &str = "ancient-changes";
}

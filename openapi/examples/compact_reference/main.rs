//! Makes `data/types.jsonl` and `data/resources.jsonl` from recorded documents of the reference:
//!
//! ```text
//! cargo run -p openapi --example compact_reference -- \
//!     OPENAPI_V3_DIRECTORY PROTOBUF_MESSAGES DISCOVERY_LEGACY DISCOVERY_AGGREGATED PRESENCE DATA
//! ```
//!
//! `PRESENCE` is what `tools/presence` prints. Descriptions are not taken over.

mod resources;
mod types;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The recorded documents.
struct Reference {
    /// OpenAPI v3 documents by file name: `apis__apps__v1`.
    documents: BTreeMap<String, Value>,
    /// Protobuf package to message to fields.
    messages: Value,
    /// URL of a group version to its resource list.
    legacy: Value,
    /// `api` and `apis` in the aggregated form.
    aggregated: Value,
    /// Type to fields with their presence.
    presence: Value,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [documents, messages, legacy, aggregated, presence, data] = arguments.as_slice() else {
        return Err("takes six paths; see the head of the source".into());
    };
    let reference = Reference {
        documents: read_documents(Path::new(documents))?,
        messages: read(Path::new(messages))?,
        legacy: read(Path::new(legacy))?,
        aggregated: read(Path::new(aggregated))?,
        presence: read(Path::new(presence))?,
    };
    let (resources, kinds) = resources::compact(&reference)?;
    let data = Path::new(data);
    std::fs::write(data.join("resources.jsonl"), lines(&resources))?;
    std::fs::write(data.join("types.jsonl"), lines(&types::compact(&reference, kinds)?))?;
    Ok(())
}

fn read(path: &Path) -> Result<Value> {
    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
}

fn read_documents(directory: &Path) -> Result<BTreeMap<String, Value>> {
    let mut documents = BTreeMap::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if let Some(name) = path.file_stem().and_then(|name| name.to_str()) {
            documents.insert(name.to_owned(), read(&path)?);
        }
    }
    Ok(documents)
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// A member that has to be text.
fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str> {
    let text = value.get(name).and_then(Value::as_str);
    text.ok_or_else(|| format!("no text {name:?} in {value}").into())
}

/// A member that is a list; empty if it is not there.
fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The name of the type that a schema refers to.
fn referred(schema: &Value) -> Option<&str> {
    let reference = schema.pointer("/allOf/0/$ref").or_else(|| schema.get("$ref"))?;
    reference.as_str()?.strip_prefix("#/components/schemas/")
}

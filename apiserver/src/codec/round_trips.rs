//! Whatever an object of any served kind looks like: no form that it is written in loses anything.

use api::decode::{Decoded, decode, parse_json};
use api::schema::TypeDef;
use serde_json::Value;

use super::protobuf::generate::{Source, object};
use super::protobuf::known;
use super::{MediaType, body, json, yaml};
use crate::resources::GroupVersionKind;

/// Objects of each kind.
const OBJECTS: u64 = 12;
/// How deep they get.
const ROOM: usize = 8;

/// An object as the server holds it, made of a seed.
fn canonical(kind: &GroupVersionKind, type_def: &TypeDef, seed: u64) -> Value {
    let mut value = object(&mut Source::new(seed), type_def, ROOM);
    body::set_type_meta(&mut value, kind);
    let tree = parse_json(value.to_string().as_bytes()).unwrap();
    let Decoded { value, problems } = decode(type_def, tree).unwrap();
    assert_eq!(problems, [""; 0], "{}", kind.kind);
    value
}

/// Reads what was written.
fn read(type_def: &TypeDef, text: &[u8], media_type: MediaType) -> Result<Value, String> {
    let tree = body::parse(text, media_type)?;
    decode(type_def, tree).map(|decoded| decoded.value).map_err(|mismatch| mismatch.to_string())
}

/// The texts from shortly before they differ.
fn difference(found: &str, expected: &str) -> String {
    let same = found.chars().zip(expected.chars()).take_while(|(a, b)| a == b).count();
    let part =
        |text: &str| text.chars().skip(same.saturating_sub(40)).take(120).collect::<String>();
    format!("{}\n{}", part(found), part(expected))
}

/// Writes and reads objects of every kind.
fn check(media_type: MediaType, write: impl Fn(&Value) -> Vec<u8>) {
    let mut kinds = 0;
    for (kind, type_def) in known::kinds() {
        kinds += 1;
        for seed in 0..OBJECTS {
            let value = canonical(&kind, &type_def, seed << 32 | kinds);
            let text = write(&value);
            let found = read(&type_def, &text, media_type).map(|found| found.to_string());
            let (found, value) = (found.unwrap_or_else(|error| error), value.to_string());
            assert!(found == value, "{} {seed}:\n{}", kind.kind, difference(&found, &value));
        }
    }
    assert!(kinds > 80, "{kinds}");
}

#[test]
fn json_loses_nothing() {
    check(MediaType::Json, json::to_vec);
    check(MediaType::Json, json::to_vec_pretty);
}

#[test]
fn yaml_loses_nothing() {
    check(MediaType::Yaml, yaml::to_vec);
}

#[test]
fn protobuf_loses_nothing() {
    check(MediaType::Protobuf, |value| known::write(value).unwrap());
}

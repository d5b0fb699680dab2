//! What the tests of several modules use.

use std::time::{Duration, Instant};

pub(crate) use serde_json::Value as Json;

mod counting;
mod harness;
mod levels_model;
mod request_info;
pub(crate) use counting::CountingObserver;
pub(crate) use harness::{Ask, Harness, queue_level, reject_level, schema_for_user};
pub(crate) use levels_model::LevelsModel;
pub(crate) use request_info::RequestInfo;

/// The recorded vectors of this name.
pub(crate) fn vectors(name: &str) -> Json {
    let path = format!("{}/tests/data/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Texts of a JSON list, which may be null.
pub(crate) fn strings(list: &Json) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// Where virtual time starts.
pub(crate) fn epoch() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// A number of seconds as a duration.
pub(crate) fn seconds(json: &Json) -> Duration {
    Duration::from_secs_f64(json.as_f64().unwrap())
}

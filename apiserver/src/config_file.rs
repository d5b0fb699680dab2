//! Files of the operator's in the group `apiserver.config.k8s.io`: YAML or JSON, read strictly.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use api::decode::decode;
use api::schema::Described;
use serde::de::DeserializeOwned;

use crate::codec::body::no_kind;
use crate::codec::yaml;
use crate::resources::GroupVersionKind;

const GROUP: &str = "apiserver.config.k8s.io";
/// The versions that are read; those of one kind are alike.
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];
/// The most that a file may hold.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A file that cannot be read as a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFileError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What is in it is not what it should be.
    #[error("{}: {why}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, in the reference's words.
        why: String,
    },
}

/// What is in a file.
///
/// # Errors
///
/// [`ConfigFileError::Unreadable`], also for files that are too large.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ConfigFileError> {
    let mut text = Vec::new();
    let read =
        fs::File::open(path).and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut text));
    let too_large = || io::Error::other("the file is too large");
    read.and_then(|bytes| if bytes as u64 > BYTES_MAX { Err(too_large()) } else { Ok(()) })
        .map_err(|source| ConfigFileError::Unreadable { path: path.to_owned(), source })?;
    Ok(text)
}

/// Reads a text as an object of that kind: nothing unknown, nothing twice.
///
/// # Errors
///
/// [`ConfigFileError::Content`]
pub(crate) fn parse<T: Described + DeserializeOwned>(
    text: &[u8],
    path: &Path,
    kind: &str,
) -> Result<T, ConfigFileError> {
    object(text, kind).map_err(|why| ConfigFileError::Content { path: path.to_owned(), why })
}

fn object<T: Described + DeserializeOwned>(text: &[u8], kind: &str) -> Result<T, String> {
    if text.is_empty() {
        return Err("empty config data".to_owned());
    }
    let tree = yaml::parse(text)?;
    let member = |name: &str| tree.text_member(name).unwrap_or_default();
    let (found, api_version) = (member("kind"), member("apiVersion"));
    for (name, value) in [("Kind", found), ("apiVersion", api_version)] {
        if value.is_empty() {
            return Err(format!("Object '{name}' is missing"));
        }
    }
    let known = VERSIONS.iter().any(|version| api_version == format!("{GROUP}/{version}"));
    if found != kind || !known {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        return Err(no_kind(&GroupVersionKind::new(group, version, found)));
    }
    let type_def = T::type_def().ok_or("this kind has no fields")?;
    let decoded = decode(type_def, tree.clone()).map_err(|mismatch| mismatch.to_string())?;
    if !decoded.problems.is_empty() {
        return Err(format!("strict decoding error: {}", decoded.problems.join(", ")));
    }
    serde_json::from_value(decoded.value).map_err(|error| error.to_string())
}

//! Case files on disk.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::fields::{Fields, Why};
use super::{Case, step};
use crate::error::Error;

/// The case files that the paths name: files as they are, folders with all below them, sorted.
///
/// # Errors
///
/// [`Error::File`] where a folder cannot be read.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            walk(path, &mut found)?;
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::file(folder))?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(Error::file(folder))?;
    paths.sort();
    let (folders, files): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.is_dir());
    found.extend(files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "json")));
    folders.iter().try_for_each(|folder| walk(folder, found))
}

/// Reads one case file.
///
/// # Errors
///
/// [`Error::File`] or [`Error::Case`].
pub fn load(path: &Path) -> Result<Vec<Case>, Error> {
    let text = std::fs::read(path).map_err(Error::file(path))?;
    let wrong =
        |place: &str, why: Why| Error::Case { place: format!("{}{place}", path.display()), why };
    let document: Value =
        serde_json::from_slice(&text).map_err(|why| wrong("", why.to_string()))?;
    let cases = match document {
        Value::Array(cases) => cases,
        one => vec![one],
    };
    let read = |value: Value| {
        let name = value["name"].as_str().unwrap_or("a case without a name").to_owned();
        case(value).map_err(|why| wrong(&format!(": {name}"), why))
    };
    cases.into_iter().map(read).collect()
}

fn case(value: Value) -> Result<Case, Why> {
    let mut fields = Fields::of(value)?;
    let _about: Option<String> = fields.optional("about")?;
    let steps: Vec<Value> = fields.required("steps")?;
    let cleanup: Vec<Value> = fields.or("cleanup", Vec::new())?;
    let case = Case {
        name: fields.required("name")?,
        follow_versions: fields.optional::<String>("rv")?.as_deref() != Some("any"),
        steps: numbered(steps, step::step)?,
        cleanup: numbered(cleanup, step::cleanup)?,
    };
    fields.done()?;
    Ok(case)
}

fn numbered<T>(values: Vec<Value>, read: fn(Value) -> Result<T, Why>) -> Result<Vec<T>, Why> {
    let read = |(number, value)| read(value).map_err(|why| format!("step {number}: {why}"));
    values.into_iter().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recorded_case_is_understood() {
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = ["cases", "cases-slow", "cases-apf-off", "cases-versions", "cases-kinds"];
        let paths: Vec<_> = folders.iter().map(|folder| home.join(folder)).collect();
        let cases: Vec<_> =
            files(&paths).unwrap().iter().flat_map(|file| load(file).unwrap()).collect();
        let answers = cases.iter().flat_map(|case| &case.steps);
        assert_eq!(cases.len(), 246);
        assert_eq!(answers.filter(|step| step.expect.is_some()).count(), 2757);
    }

    #[test]
    fn a_broken_file_says_where_it_is_broken() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        std::fs::write(&file, r#"[{"name": "n", "steps": [{"do": "sleep"}]}]"#).unwrap();
        let why = load(&file).unwrap_err().to_string();
        assert!(why.ends_with("a.json: n: step 0: seconds is missing"), "{why}");
    }
}

//! Where the server's program is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::error::Error;

/// The variable that names a program to test instead of a built one.
const OVERRIDE: &str = "APISERVER_BINARY";

/// This crate's own folder, with the cases.
#[must_use]
pub fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The server's program: the one that `$APISERVER_BINARY` names, or else the one of the same
/// profile as the running program, brought up to date by cargo, once. (Cargo builds the programs of
/// other packages for no test of this one, so an old one may lie there, or none.)
///
/// # Errors
///
/// [`Error::Program`] where it cannot be built.
pub fn server() -> Result<PathBuf, Error> {
    static BUILT: OnceLock<Result<PathBuf, Error>> = OnceLock::new();
    if let Some(path) = std::env::var_os(OVERRIDE) {
        return Ok(path.into());
    }
    let built = BUILT.get_or_init(|| {
        let own = std::env::current_exe().map_err(Error::io("finding the running program"))?;
        build(&own)
    });
    built.as_ref().cloned().map_err(|why| Error::program("the server", why.to_string()))
}

fn build(own: &Path) -> Result<PathBuf, Error> {
    // Tests lie in a folder below the programs.
    let mut folders = own.ancestors().skip(1).filter(|folder| !folder.ends_with("deps"));
    let (Some(programs), Some(target)) = (folders.next(), folders.next()) else {
        return Err(Error::program(own.display().to_string(), "does not lie in a target folder"));
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let profile = match programs.file_name().and_then(|name| name.to_str()) {
        None | Some("debug") => "dev",
        Some(profile) => profile,
    };
    let output = Command::new(cargo)
        .current_dir(home())
        .args(["build", "--quiet", "--package", "apiserver", "--profile", profile])
        .arg("--target-dir")
        .arg(target)
        .output()
        .map_err(Error::io("starting cargo"))?;
    let binary = programs.join("apiserver");
    if output.status.success() && binary.is_file() {
        Ok(binary)
    } else {
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(Error::program("cargo build --package apiserver", why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_outside_a_target_folder_builds_nothing() {
        assert!(matches!(build(Path::new("e2e")), Err(Error::Program { .. })));
    }
}

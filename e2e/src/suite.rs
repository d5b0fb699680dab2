//! The sets of recorded cases, and how the server is started for each.

use std::path::{Path, PathBuf};

use crate::binary::home;
use crate::case;
use crate::error::Error;
use crate::replay::{self, CaseOutcome, Options};
use crate::server::{Backend, Launch, Server};
use crate::target::Target;

/// Cases that one fresh server answers in order.
#[derive(Debug)]
pub struct Suite {
    /// A file or folder of this crate.
    pub path: &'static str,
    /// Flags beside those that every server gets.
    pub flags: &'static [&'static str],
    /// Where objects are kept; both kinds are used in turn.
    pub backend: Backend,
}

/// All of them.
pub static SUITES: [Suite; 6] = [
    Suite { path: "cases", flags: &[], backend: Backend::Sled },
    Suite { path: "cases-slow", flags: &[], backend: Backend::Memory },
    Suite {
        path: "cases-apf-off",
        flags: &[
            "--enable-priority-and-fairness=false",
            "--max-requests-inflight=5",
            "--max-mutating-requests-inflight=2",
        ],
        backend: Backend::Memory,
    },
    Suite {
        path: "cases-versions/v1beta2.json",
        flags: &[
            "--runtime-config=flowcontrol.apiserver.k8s.io/v1beta3=true,flowcontrol.apiserver.k8s.io/v1beta2=true",
        ],
        backend: Backend::Sled,
    },
    Suite {
        path: "cases-versions/v1beta3.json",
        flags: &["--runtime-config=flowcontrol.apiserver.k8s.io/v1beta3=true"],
        backend: Backend::Memory,
    },
    Suite {
        path: "cases-kinds",
        flags: &["--disable-admission-plugins=ServiceAccount"],
        backend: Backend::Sled,
    },
];

/// The suite with this path.
#[must_use]
pub fn find(path: &str) -> Option<&'static Suite> {
    SUITES.iter().find(|suite| suite.path == path)
}

/// What came of a file.
#[derive(Debug)]
pub struct FileOutcome {
    /// Its path within this crate: `cases/crud.json`.
    pub file: String,
    /// Its cases, in order.
    pub cases: Vec<CaseOutcome>,
}

impl Suite {
    /// Its case files.
    ///
    /// # Errors
    ///
    /// [`Error::File`]
    pub fn files(&self) -> Result<Vec<PathBuf>, Error> {
        case::files(&[home().join(self.path)])
    }

    /// Starts a server for it, with its files below `folder`.
    ///
    /// # Errors
    ///
    /// That of [`Launch::start`].
    pub fn start(&self, binary: &Path, folder: &Path) -> Result<Server, Error> {
        let launch = Launch::new(binary, folder, self.backend);
        self.flags.iter().fold(launch, |launch, flag| launch.flag(*flag)).start()
    }

    /// Replays its cases in order.
    ///
    /// # Errors
    ///
    /// Where a file cannot be read; cases that fail are outcomes.
    pub fn replay(&self, target: &Target, options: &Options) -> Result<Vec<FileOutcome>, Error> {
        let replay = |path: PathBuf| {
            let cases = replay::file(target, &path, options, |_| ())?;
            Ok(FileOutcome { file: name(&path), cases })
        };
        self.files()?.into_iter().map(replay).collect()
    }
}

/// A file's path within this crate.
#[must_use]
pub fn name(path: &Path) -> String {
    path.strip_prefix(home()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recorded_file_belongs_to_one_suite() {
        let folders = std::fs::read_dir(home()).unwrap().map(|entry| entry.unwrap().path());
        let cases: Vec<_> =
            folders.filter(|f| name(f).starts_with("cases") && f.is_dir()).collect();
        let mut there: Vec<_> = case::files(&cases).unwrap().iter().map(|f| name(f)).collect();
        let files = SUITES.iter().flat_map(|suite| suite.files().unwrap());
        let mut known: Vec<_> = files.map(|file| name(&file)).collect();
        there.sort();
        known.sort();
        assert_eq!(there, known);
        assert_eq!(there.len(), 16);
    }
}

//! A file that remembers the newest revision apart from the log.
//!
//! Where its file is damaged, sled takes the damage for the end of the log and forgets the rest in
//! silence. The tip tells: it is written after the log is on disk, so it is never ahead of it, and
//! a log that ends before it has lost something. It is not itself forced to disk, for it need only
//! outlive the process: after a power cut it may be behind, which does no harm.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::backend::{Error, Revision};

/// The name of the file in the store's directory.
const NAME: &str = "tip";

pub(super) struct Tip {
    file: File,
    path: PathBuf,
}

impl Tip {
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        let path = directory.join(NAME);
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
        Ok(Self { file, path })
    }

    /// Notes that a revision was reached.
    pub(super) fn write(&self, revision: Revision) -> io::Result<()> {
        let mut bytes = [0; 12];
        bytes[..8].copy_from_slice(&revision.0.to_be_bytes());
        let checksum = crc32fast::hash(&bytes[..8]);
        bytes[8..].copy_from_slice(&checksum.to_be_bytes());
        self.file.write_all_at(&bytes, 0)
    }

    /// The newest revision that was noted; the first one for an empty file.
    fn read(&self) -> Result<Revision, Error> {
        let damaged = |why: &dyn std::fmt::Display| {
            Error::Corrupt(format!("{} cannot be used: {why}", self.path.display()))
        };
        if self.file.metadata().map_err(|error| damaged(&error))?.len() == 0 {
            return Ok(Revision::FIRST);
        }
        let mut bytes = [0; 12];
        self.file.read_exact_at(&mut bytes, 0).map_err(|error| damaged(&error))?;
        let [revision @ .., _, _, _, _] = bytes;
        if bytes[8..] != crc32fast::hash(&revision).to_be_bytes() {
            return Err(damaged(&"its checksum is wrong"));
        }
        Ok(Revision(u64::from_be_bytes(revision)))
    }

    /// Refuses a log that ends before the tip.
    pub(super) fn check(&self, recovered: Revision) -> Result<(), Error> {
        let reached = self.read()?;
        if recovered >= reached {
            return Ok(());
        }
        Err(Error::Corrupt(format!(
            "the log ends at revision {recovered}, but revision {reached} was reached: its files \
             are damaged; bring them back from a copy, or remove {} to go on without what is lost",
            self.path.display()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_ends_early_is_refused_and_one_that_goes_on_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let tip = Tip::open(directory.path()).unwrap();
        assert_eq!(tip.check(Revision::FIRST), Ok(()));
        tip.write(Revision(7)).unwrap();
        drop(tip);
        let tip = Tip::open(directory.path()).unwrap();
        assert_eq!(tip.check(Revision(7)), Ok(()));
        assert_eq!(tip.check(Revision(9)), Ok(()));
        let error = tip.check(Revision(6)).unwrap_err().to_string();
        assert!(error.starts_with("the log ends at revision 6, but revision 7 was"), "{error}");
    }

    #[test]
    fn a_damaged_tip_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let tip = Tip::open(directory.path()).unwrap();
        tip.write(Revision(7)).unwrap();
        tip.file.write_all_at(&[9], 3).unwrap();
        assert!(tip.check(Revision(7)).is_err());
        tip.file.set_len(5).unwrap();
        assert!(tip.check(Revision(7)).is_err());
    }
}

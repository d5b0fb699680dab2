//! The backends there are. A new one is a module, a kind here, and a run of the conformance suite.

use std::path::Path;
use std::sync::Arc;

use crate::backend::{Backend, Error};
use crate::memory::Memory;
use crate::sled::Sled;

/// A backend that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendKind {
    /// On disk, in a directory.
    Sled,
    /// In memory; gone when the process ends.
    Memory,
}

/// How large a store may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The largest value, in bytes.
    pub value_bytes_max: usize,
    /// The most bytes that all kept versions may have together. What does not fit is refused with
    /// [`Error::NoSpace`]; reads, deletions and compaction go on.
    pub total_bytes_max: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { value_bytes_max: 8 << 20, total_bytes_max: 2 << 30 }
    }
}

impl BackendKind {
    /// Every kind.
    pub const ALL: [Self; 2] = [Self::Sled, Self::Memory];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sled => "sled",
            Self::Memory => "memory",
        }
    }

    /// The kind with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Opens a store; makes an empty one if there is none. `path` is the store's directory, of no
/// meaning to a store in memory. May wait for the disk: not for a thread that serves others.
///
/// # Errors
///
/// [`Error::Corrupt`] with what is wrong and what to do about it.
pub fn open(kind: BackendKind, path: &Path, options: Options) -> Result<Arc<dyn Backend>, Error> {
    Ok(match kind {
        BackendKind::Sled => Arc::new(Sled::open(path, options)?),
        BackendKind::Memory => Arc::new(Memory::with_options(options)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_backend_opens_by_its_name_and_keeps_its_bounds() {
        let directory = tempfile::tempdir().unwrap();
        for kind in BackendKind::ALL {
            let name = kind.name();
            assert_eq!(BackendKind::from_name(name), Some(kind));
            let options = Options { value_bytes_max: 3, ..Options::default() };
            let store = open(kind, &directory.path().join(name), options).unwrap();
            store.commit(crate::conformance::create("/a", "123")).await.unwrap();
            let refused = store.commit(crate::conformance::create("/b", "1234")).await;
            assert_eq!(refused, Err(Error::TooLarge { limit_bytes: 3 }), "{name}");
        }
        assert_eq!(BackendKind::from_name("etcd"), None);
    }
}

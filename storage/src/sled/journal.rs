//! What the writer needs of the disk, so that tests can put a failing one in its place.

use std::io;

use super::layout::Record;
use crate::backend::Revision;

/// A record that is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stored {
    pub(super) revision: Revision,
    /// In how many chunks it was cut.
    pub(super) chunks: u32,
}

/// An ordered set of records that survives a crash.
pub(super) trait Journal: Send + 'static {
    /// Writes records, all or none; they are on disk when this returns.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; whether the records are there is then unknown.
    fn append(&mut self, records: &[Record]) -> io::Result<Vec<Stored>>;

    /// Removes records. `current` is remembered, since the newest record may be among them.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    fn remove(&mut self, records: &[Stored], current: Revision) -> io::Result<()>;
}

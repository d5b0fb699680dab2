//! How long a server takes from its start on an empty folder to `/readyz`.

use std::time::Duration;

use super::contender::Program;
use crate::clock::now;
use crate::error::Error;

/// The times of a number of starts, shortest first.
pub(super) fn measure(program: &Program, starts: usize) -> Result<Vec<Duration>, Error> {
    let mut times = Vec::with_capacity(starts);
    for _ in 0..starts {
        let folder = tempfile::tempdir().map_err(Error::io("making a folder"))?;
        let begin = now();
        let running = program.start(folder.path())?;
        running.wait_until_ready()?;
        times.push(begin.elapsed());
        drop(running);
    }
    times.sort_unstable();
    Ok(times)
}

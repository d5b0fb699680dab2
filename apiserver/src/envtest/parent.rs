//! The end of the process that started this one.

use std::os::unix::process::parent_id;
use std::time::Duration;

/// How often it is looked for.
const PERIOD: Duration = Duration::from_millis(250);

/// Waits until the process that started this one has ended, for ever if it already had. Asking the
/// kernel for a signal would not do: it comes when the thread that started this process ends.
pub async fn ended() {
    let parent = parent_id();
    while parent_id() == parent {
        tokio::time::sleep(PERIOD).await;
    }
}

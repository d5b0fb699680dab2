//! Work that keeps a processor busy for long, such as to write thousands of objects in another form.

use tokio::runtime::{Handle, RuntimeFlavor};

/// From how many bytes of JSON on it is long: some milliseconds' worth.
pub(crate) const LONG_BYTES_MIN: usize = 256 * 1024;
/// From how many objects on it is long.
pub(crate) const LONG_OBJECTS_MIN: usize = 200;

/// Does some work here and now. If it is long, other tasks of this thread go on elsewhere meanwhile:
/// the others of two cores must not wait until a list is written.
pub(crate) fn run<T>(is_long: bool, work: impl FnOnce() -> T) -> T {
    let threads = || Handle::try_current().map(|handle| handle.runtime_flavor());
    match is_long.then(threads) {
        Some(Ok(RuntimeFlavor::MultiThread)) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn another_task_goes_on_while_long_work_is_done() {
        let worked = tokio::spawn(async {
            let (sender, other) = oneshot::channel();
            let other_task = tokio::spawn(async move { sender.send(7) });
            // The only thread waits here; the other task needs one.
            let answer = run(true, || other.blocking_recv());
            (answer, other_task.await.unwrap())
        });
        assert_eq!(worked.await.unwrap(), (Ok(7), Ok(())));
    }

    #[tokio::test]
    async fn work_is_done_without_other_threads_too() {
        assert_eq!(run(true, || 1) + run(false, || 2), 3);
    }

    #[test]
    fn work_is_done_outside_of_a_runtime() {
        assert_eq!(run(true, || 1), 1);
    }
}

//! Logs, to standard error.

use tracing::level_filters::LevelFilter;

/// Starts logging. `verbosity` is that of `-v`: 0 for what people should know, 2 for one line a
/// request, more for more.
pub fn start(verbosity: u8) {
    let level = match verbosity {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        2..=5 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let subscriber =
        tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).finish();
    // Only a test that starts two servers in one process sets it twice.
    drop(tracing::subscriber::set_global_default(subscriber));
}

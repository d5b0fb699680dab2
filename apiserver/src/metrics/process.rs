//! What the operating system knows about this process.

use super::families::{Counter, Families};

/// How many of them make a second, in the times of `/proc/self/stat`; the same on every Linux.
const TICKS_PER_SECOND: f64 = 100.0;
const KILOBYTE: f64 = 1024.0;

/// Brings what is told of the process up to date; where the system does not tell, it is left out.
pub(super) fn update(families: &Families, start_seconds: f64) {
    let set = |name: &str, value: Option<f64>| {
        if let Some(value) = value {
            families.gauge(name, Vec::new()).get().set(value);
        }
    };
    let status = read("/proc/self/status");
    set("process_resident_memory_bytes", kilobytes(&status, "VmRSS:"));
    set("process_virtual_memory_bytes", kilobytes(&status, "VmSize:"));
    set("process_start_time_seconds", Some(start_seconds));
    set("process_max_fds", open_files_max(&read("/proc/self/limits")));
    let open = std::fs::read_dir("/proc/self/fd").map(Iterator::count).ok();
    // One of them is for counting.
    set(
        "process_open_fds",
        open.and_then(|open| u32::try_from(open).ok()).map(|n| f64::from(n) - 1.0),
    );
    if let Some(seconds) = processor_seconds(&read("/proc/self/stat")) {
        catch_up(families.counter("process_cpu_seconds_total", Vec::new()).get(), seconds);
    }
}

/// Counters count whole seconds here.
fn catch_up(counter: &Counter, seconds: f64) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "seconds of a process"
    )]
    let seconds = seconds as u64;
    counter.inc_by(seconds.saturating_sub(counter.get()));
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn kilobytes(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? * KILOBYTE)
}

fn open_files_max(limits: &str) -> Option<f64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// In the program's name there may be anything; the numbers stand behind its bracket.
fn processor_seconds(stat: &str) -> Option<f64> {
    let (_, numbers) = stat.rsplit_once(") ")?;
    let mut times = numbers.split(' ').skip(11).map_while(|number| number.parse::<f64>().ok());
    Some((times.next()? + times.next()?) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_files_and_time_are_read() {
        let status = "Name:\tx\nVmSize:\t   10 kB\nVmRSS:\t    2 kB\n";
        assert_eq!(kilobytes(status, "VmRSS:"), Some(2048.0));
        let limits = "Max processes  1 2 processes\nMax open files            1024  4096  files\n";
        assert_eq!(open_files_max(limits), Some(1024.0));
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 1 0 0 0 150 50 0 0 20 0 4 0 900 1 1";
        assert_eq!(processor_seconds(stat), Some(2.0));
    }
}

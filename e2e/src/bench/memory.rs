//! What a process holds, from `/proc`.

/// The kilobytes on a line of `/proc/<pid>/status`; `None` where there is no such process or line.
pub(super) fn kilobytes(pid: u32, line: &str) -> Option<u64> {
    read(&std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?, line)
}

fn read(status: &str, line: &str) -> Option<u64> {
    let value = status.lines().find_map(|l| l.strip_prefix(line)?.strip_prefix(':'))?;
    value.trim().strip_suffix(" kB")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_by_its_whole_name() {
        let status = "Name:\tx\nVmHWMx:\t1 kB\nVmHWM:\t  21504 kB\nThreads:\t3\n";
        assert_eq!(read(status, "VmHWM"), Some(21_504));
        assert_eq!(read(status, "VmRSS"), None);
        assert_eq!(read(status, "Threads"), None);
    }
}

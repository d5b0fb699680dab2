//! What was measured, as a table.

use std::fmt;
use std::time::Duration;

use super::load::Load;

/// What was measured of one server.
#[derive(Debug, Clone)]
pub struct Report {
    /// Which one.
    pub name: &'static str,
    /// Times from start to ready on an empty folder, shortest first.
    pub starts: Vec<Duration>,
    /// Resident memory when it is ready and idle, in kilobytes.
    pub idle_kilobytes: u64,
    /// The most resident memory at any time, in kilobytes.
    pub peak_kilobytes: u64,
    /// The loads, in order.
    pub loads: Vec<Load>,
}

/// The value below which that many per cent lie; zero where there is none.
pub(super) fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or_default()
}

pub(super) fn milliseconds(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1_000.0)
}

pub(super) fn megabytes(kilobytes: u64) -> String {
    let kilobytes = f64::from(u32::try_from(kilobytes).unwrap_or(u32::MAX));
    format!("{:.1} MB", kilobytes / 1_024.0)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, median, most] = [0, 50, 100].map(|p| milliseconds(percentile(&self.starts, p)));
        writeln!(f, "{}", self.name)?;
        let starts = self.starts.len();
        writeln!(f, "  start to ready   {median} median of {starts} ({least} to {most})")?;
        writeln!(f, "  memory, idle     {}", megabytes(self.idle_kilobytes))?;
        writeln!(f, "  memory, peak     {}", megabytes(self.peak_kilobytes))?;
        for load in &self.loads {
            let [p50, p99] = [50, 99].map(|p| milliseconds(percentile(&load.latencies, p)));
            writeln!(
                f,
                "  {:<16} {:.0} per second, p50 {p50}, p99 {p99}",
                load.name, load.per_second
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let sorted: Vec<_> = (1..=20).map(Duration::from_millis).collect();
        let at = |percent| percentile(&sorted, percent).as_millis();
        assert_eq!((at(0), at(50), at(99), at(100)), (1, 10, 20, 20));
        assert_eq!(percentile(&[], 50), Duration::ZERO);
        assert_eq!(percentile(&sorted[..1], 99).as_millis(), 1);
    }

    #[test]
    fn a_report_has_a_line_for_each_figure() {
        let latencies = vec![Duration::from_micros(1_500)];
        let load = Load { name: "GET", per_second: 1234.4, latencies };
        let report = Report {
            name: "a server",
            starts: vec![Duration::from_millis(40)],
            idle_kilobytes: 20 * 1_024,
            peak_kilobytes: 25 * 1_024 + 512,
            loads: vec![load],
        };
        assert_eq!(
            report.to_string(),
            "a server\n\
             \x20 start to ready   40.00 ms median of 1 (40.00 ms to 40.00 ms)\n\
             \x20 memory, idle     20.0 MB\n\
             \x20 memory, peak     25.5 MB\n\
             \x20 GET              1234 per second, p50 1.50 ms, p99 1.50 ms\n"
        );
    }
}

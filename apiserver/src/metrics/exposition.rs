//! From OpenMetrics, which the library writes, to the text format 0.0.4 that the reference writes:
//! families and series sorted, counters under their full name, no end mark, whole numbers without
//! a fraction. Families without series are left out.

use std::collections::BTreeMap;

/// One metric with its series.
#[derive(Default)]
struct Block<'a> {
    help: &'a str,
    kind: &'a str,
    /// By their labels, in order; the lines of one histogram stay together.
    series: BTreeMap<String, Vec<String>>,
}

/// The same metrics in the plain format.
pub(super) fn plain(open_metrics: &str) -> String {
    let mut blocks: BTreeMap<&str, Block<'_>> = BTreeMap::new();
    let mut name = "";
    for line in open_metrics.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let help;
            (name, help) = rest.split_once(' ').unwrap_or((rest, ""));
            // The library ends each help text with a dot of its own.
            blocks.entry(name).or_default().help = help.strip_suffix('.').unwrap_or(help);
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let kind;
            (name, kind) = rest.split_once(' ').unwrap_or((rest, ""));
            blocks.entry(name).or_default().kind = kind;
        } else if !line.starts_with('#') {
            let block = blocks.entry(name).or_default();
            block.series.entry(series_key(line)).or_default().push(sample(line));
        }
    }
    let mut out = String::new();
    for (name, block) in blocks.iter().filter(|(_, block)| !block.series.is_empty()) {
        let suffix = if block.kind == "counter" { "_total" } else { "" };
        out += &format!("# HELP {name}{suffix} {}\n", block.help);
        out += &format!("# TYPE {name}{suffix} {}\n", block.kind);
        for line in block.series.values().flatten() {
            out += line;
            out.push('\n');
        }
    }
    out
}

/// The labels of a line without the bound of a bucket.
fn series_key(line: &str) -> String {
    let labels = line.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}'));
    let labels = labels.map_or("", |(labels, _)| labels);
    match labels.find("le=\"") {
        Some(0) => String::new(),
        Some(at) if labels[..at].ends_with(',') => labels[..at - 1].to_owned(),
        _ => labels.to_owned(),
    }
}

/// A line with its numbers written as the reference writes them.
fn sample(line: &str) -> String {
    let Some((series, value)) = line.rsplit_once(' ') else { return line.to_owned() };
    let value = value.strip_suffix(".0").unwrap_or(value);
    let series = match series.split_once("le=\"") {
        Some((before, bound)) if series.contains("_bucket{") => {
            format!("{before}le=\"{}", bound.replacen(".0\"", "\"", 1))
        }
        _ => series.replace("{}", ""),
    };
    format!("{series} {value}")
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn open_metrics_become_plain_text() {
        let open = "# HELP b Help of b.\n# TYPE b counter\nb_total{x=\"2\"} 1\nb_total{x=\"1\"} 2\n\
                    # HELP a Help.\n# TYPE a gauge\na 3.0\n# HELP c None.\n# TYPE c gauge\n# EOF\n";
        let plain_text = "# HELP a Help\n# TYPE a gauge\na 3\n# HELP b_total Help of b\n\
                          # TYPE b_total counter\nb_total{x=\"1\"} 2\nb_total{x=\"2\"} 1\n";
        assert_eq!(plain(open), plain_text);
    }

    #[test]
    fn the_lines_of_a_histogram_stay_together() {
        let open = "# HELP h H.\n# TYPE h histogram\n\
                    h_sum{x=\"2\"} 0.5\nh_count{x=\"2\"} 1\nh_bucket{x=\"2\",le=\"1.0\"} 1\n\
                    h_sum{x=\"1\"} 0.0\nh_count{x=\"1\"} 0\nh_bucket{x=\"1\",le=\"+Inf\"} 0\n# EOF\n";
        let expected = "# HELP h H\n# TYPE h histogram\n\
                        h_sum{x=\"1\"} 0\nh_count{x=\"1\"} 0\nh_bucket{x=\"1\",le=\"+Inf\"} 0\n\
                        h_sum{x=\"2\"} 0.5\nh_count{x=\"2\"} 1\nh_bucket{x=\"2\",le=\"1\"} 1\n";
        assert_eq!(plain(open), expected);
    }
}

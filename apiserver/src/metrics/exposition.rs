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

/// A line in three parts: the name, the labels, and the value.
fn parts(line: &str) -> Option<(&str, &str, &str)> {
    let (series, value) = line.rsplit_once(' ')?;
    match series.split_once('{') {
        Some((name, labels)) => Some((name, labels.strip_suffix('}')?, value)),
        None => Some((series, "", value)),
    }
}

/// Takes the bound of a bucket out of labels.
fn without_bound(labels: &str) -> (String, Option<&str>) {
    let start = match labels.find(",le=\"") {
        Some(comma) => comma + 1,
        None if labels.starts_with("le=\"") => 0,
        None => return (labels.to_owned(), None),
    };
    let bound = &labels[start + "le=\"".len()..];
    let Some((bound, after)) = bound.split_once('"') else { return (labels.to_owned(), None) };
    let before = labels[..start].trim_end_matches(',');
    let after = after.trim_start_matches(',');
    let comma = if before.is_empty() || after.is_empty() { "" } else { "," };
    (format!("{before}{comma}{after}"), Some(bound))
}

/// The labels of a line without the bound of a bucket.
fn series_key(line: &str) -> String {
    parts(line).map(|(_, labels, _)| without_bound(labels).0).unwrap_or_default()
}

/// A line as the reference writes it: bounds behind the other labels, whole numbers as such.
fn sample(line: &str) -> String {
    let whole = |number: &str| number.strip_suffix(".0").unwrap_or(number).to_owned();
    let Some((name, labels, value)) = parts(line) else { return line.to_owned() };
    let (mut labels, bound) = match name.ends_with("_bucket") {
        true => without_bound(labels),
        false => (labels.to_owned(), None),
    };
    if let Some(bound) = bound {
        let comma = if labels.is_empty() { "" } else { "," };
        labels += &format!("{comma}le=\"{}\"", whole(bound));
    }
    let value = whole(value);
    if labels.is_empty() {
        format!("{name} {value}")
    } else {
        format!("{name}{{{labels}}} {value}")
    }
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
                    h_sum{x=\"2\"} 0.5\nh_count{x=\"2\"} 1\nh_bucket{le=\"1.0\",x=\"2\"} 1\n\
                    h_sum{x=\"1\"} 0.0\nh_count{x=\"1\"} 0\nh_bucket{x=\"1\",le=\"+Inf\"} 0\n# EOF\n";
        let expected = "# HELP h H\n# TYPE h histogram\n\
                        h_sum{x=\"1\"} 0\nh_count{x=\"1\"} 0\nh_bucket{x=\"1\",le=\"+Inf\"} 0\n\
                        h_sum{x=\"2\"} 0.5\nh_count{x=\"2\"} 1\nh_bucket{x=\"2\",le=\"1\"} 1\n";
        assert_eq!(plain(open), expected);
    }
}

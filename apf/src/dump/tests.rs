use super::*;
use crate::test_support::{strings, vectors};

#[test]
fn rows_are_laid_out_as_recorded() {
    for case in vectors("debug-dumps")["endpoints"].as_array().unwrap() {
        let rows: Vec<_> = case["rows"].as_array().unwrap().iter().map(strings).collect();
        assert_eq!(render(&rows), case["text"].as_str().unwrap(), "{}", case["path"]);
    }
}

#[test]
fn columns_are_named_as_recorded() {
    for case in vectors("debug-dumps")["endpoints"].as_array().unwrap() {
        let path = case["path"].as_str().unwrap();
        let mut expected = match path {
            _ if path.ends_with("dump_priority_levels") => row(&LEVEL_COLUMNS),
            _ if path.ends_with("dump_queues") => row(&QUEUE_COLUMNS),
            _ => row(&REQUEST_COLUMNS),
        };
        if path.contains("includeRequestDetails") {
            expected.extend(row(&DETAIL_COLUMNS));
        }
        assert_eq!(strings(&case["rows"][0]), expected, "{path}");
    }
}

#[test]
fn times_have_the_digits_they_need() {
    let at = |nanos| SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos);
    assert_eq!(time_text(at(1_000_000_000)), "1970-01-01T00:00:01Z");
    assert_eq!(time_text(at(170_257_230)), "1970-01-01T00:00:00.17025723Z");
    assert_eq!(time_text(at(1)), "1970-01-01T00:00:00.000000001Z");
}

#[test]
fn durations_are_written_as_go_does() {
    let cases: [(u64, &str); 9] = [
        (0, "0s"),
        (7, "7ns"),
        (1_500, "1.5µs"),
        (5_000_000, "5ms"),
        (7_142_857, "7.142857ms"),
        (2_000_000_000, "2s"),
        (60_500_000_000, "1m0.5s"),
        (60_000_000_000, "1m0s"),
        (3_600_000_000_000, "1h0m0s"),
    ];
    for (nanos, text) in cases {
        assert_eq!(duration_text(Duration::from_nanos(nanos)), text);
    }
}

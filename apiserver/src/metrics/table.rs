//! The table of the server's own metrics; those of flow control are in [`apf::metrics::METRICS`].
//!
//! Names, kinds, labels and bounds are the reference's (`tests/data/metrics.json`).

use apf::metrics::{Kind, METRICS, Metric, Stability};

use Kind::{Counter, Gauge, Histogram};
use Stability::{Alpha, Beta, Internal, Stable};

const RESOURCE: &[&str] = &["group", "resource"];
const RESOURCE_VERSION: &[&str] = &["group", "resource", "version"];
const RESULT: &[&str] = &["result"];
const RULES: &[&str] = &["validation_identifier"];
const ENDPOINT: &[&str] =
    &["component", "group", "resource", "scope", "subresource", "verb", "version"];
const ACCESS_BOUNDS: &[f64] = &[
    0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096,
    8.192, 16.384,
];
/// From 50 kB to 3.05 MB in steps of 100 kB.
const BODY_BOUNDS: &[f64] = &steps::<31>(50_000.0, 100_000.0);

const fn steps<const COUNT: usize>(first: f64, step: f64) -> [f64; COUNT] {
    let mut bounds = [first; COUNT];
    let mut index = 1;
    while index < COUNT {
        bounds[index] = bounds[index - 1] + step;
        index += 1;
    }
    bounds
}

/// All metrics.
pub(super) fn all() -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().chain(SERVER)
}

/// The server's own.
const SERVER: &[Metric] = &[
    Metric::new(
        "apiserver_audit_event_total",
        Counter,
        Alpha,
        &[],
        "Number of audit events written",
    ),
    Metric::new(
        "apiserver_audit_requests_rejected_total",
        Counter,
        Alpha,
        &[],
        "Number of requests refused because they could not be audited",
    ),
    Metric::new(
        "apiserver_init_events_total",
        Counter,
        Alpha,
        RESOURCE,
        "Number of events that watches began with",
    ),
    Metric::new(
        "apiserver_longrunning_requests",
        Gauge,
        Stable,
        ENDPOINT,
        "Number of requests being served that may take as long as they like",
    ),
    Metric::new(
        "apiserver_request_body_size_bytes",
        Histogram(BODY_BOUNDS),
        Alpha,
        &["group", "resource", "verb"],
        "Size of the bodies of requests",
    ),
    Metric::new(
        "apiserver_request_duration_seconds",
        Histogram(&[
            0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0,
            8.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0,
        ]),
        Stable,
        &["component", "dry_run", "group", "resource", "scope", "subresource", "verb", "version"],
        "Time requests took until they were answered",
    ),
    Metric::new(
        "apiserver_resource_objects",
        Gauge,
        Stable,
        RESOURCE,
        "Number of stored objects when they were last counted",
    ),
    Metric::new(
        "apiserver_resource_size_estimate_bytes",
        Gauge,
        Alpha,
        RESOURCE,
        "Size of stored objects when they were last counted",
    ),
    Metric::new(
        "apiserver_response_sizes",
        Histogram(&[1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]),
        Stable,
        ENDPOINT,
        "Size of the answers to reading requests, in bytes",
    ),
    Metric::new(
        "apiserver_tls_handshake_errors_total",
        Counter,
        Alpha,
        &[],
        "Number of TLS handshakes that failed",
    ),
    Metric::new(
        "apiserver_validation_declarative_validation_mismatch_total",
        Counter,
        Beta,
        &[],
        "Number of errors that declared and handwritten rules did not both report",
    ),
    Metric::new(
        "apiserver_validation_declarative_validation_panic_total",
        Counter,
        Beta,
        &[],
        "Number of times that declared rules panicked",
    ),
    Metric::new(
        "apiserver_validation_declarative_validation_panics_total",
        Counter,
        Alpha,
        RULES,
        "Number of times that declared rules panicked, by request",
    ),
    Metric::new(
        "apiserver_validation_declarative_validation_parity_discrepancies_total",
        Counter,
        Alpha,
        RULES,
        "Number of errors that declared and handwritten rules did not both report, by request",
    ),
    Metric::new(
        "apiserver_validation_duplicate_validation_error_total",
        Counter,
        Internal,
        &[],
        "Number of errors of refused updates that read like another one",
    ),
    Metric::new(
        "apiserver_watch_events_sizes",
        Histogram(&[1024.0, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0, 65536.0, 131_072.0]),
        Alpha,
        RESOURCE_VERSION,
        "Size of the events sent to watches, in bytes",
    ),
    Metric::new(
        "apiserver_watch_events_total",
        Counter,
        Alpha,
        RESOURCE_VERSION,
        "Number of events sent to watches",
    ),
    Metric::new(
        "authenticated_user_requests",
        Counter,
        Alpha,
        &["username"],
        "Number of authenticated requests by the kind of user",
    ),
    Metric::new(
        "authentication_attempts",
        Counter,
        Alpha,
        RESULT,
        "Number of attempts at authentication by their result",
    ),
    Metric::new(
        "authentication_duration_seconds",
        Histogram(ACCESS_BOUNDS),
        Alpha,
        RESULT,
        "Time authentication took",
    ),
    Metric::new(
        "authorization_attempts_total",
        Counter,
        Alpha,
        RESULT,
        "Number of decisions whether a request is allowed",
    ),
    Metric::new(
        "authorization_duration_seconds",
        Histogram(ACCESS_BOUNDS),
        Alpha,
        RESULT,
        "Time it took to decide whether a request is allowed",
    ),
    Metric::new(
        "kubernetes_build_info",
        Gauge,
        Alpha,
        &[
            "build_date",
            "compiler",
            "git_commit",
            "git_tree_state",
            "git_version",
            "go_version",
            "major",
            "minor",
            "platform",
        ],
        "Which version this is compatible with; always 1",
    ),
    Metric::new(
        "kubernetes_feature_enabled",
        Gauge,
        Beta,
        &["name", "stage"],
        "Whether a feature gate is on",
    ),
    Metric::new(
        "process_cpu_seconds_total",
        Counter,
        Alpha,
        &[],
        "Time that processors spent on this process",
    ),
    Metric::new("process_max_fds", Gauge, Alpha, &[], "Number of files this process may have open"),
    Metric::new("process_open_fds", Gauge, Alpha, &[], "Number of files this process has open"),
    Metric::new(
        "process_resident_memory_bytes",
        Gauge,
        Alpha,
        &[],
        "Memory that this process holds, in bytes",
    ),
    Metric::new(
        "process_start_time_seconds",
        Gauge,
        Alpha,
        &[],
        "When this process started, in seconds since 1970",
    ),
    Metric::new(
        "process_virtual_memory_bytes",
        Gauge,
        Alpha,
        &[],
        "Addresses that this process has mapped, in bytes",
    ),
];

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn metrics_have_the_recorded_kinds_labels_and_bounds() {
        let recorded: Value =
            serde_json::from_str(include_str!("../../tests/data/metrics.json")).unwrap();
        // First used by events that had not happened when the table was recorded.
        let later = [
            "apiserver_init_events_total",
            "apiserver_validation_declarative_validation_panics_total",
        ];
        for metric in SERVER.iter().filter(|metric| !later.contains(&metric.name)) {
            let expected = &recorded[metric.name];
            assert_eq!(metric.exposed_type(), expected["type"], "{}", metric.name);
            assert_eq!(serde_json::json!(metric.labels), expected["labels"], "{}", metric.name);
            if let Histogram(bounds) = metric.kind {
                let texts = expected["buckets"].as_array().unwrap();
                let texts = texts.iter().filter_map(Value::as_str).filter(|text| *text != "+Inf");
                let expected: Vec<f64> = texts.map(|text| text.parse().unwrap()).collect();
                assert_eq!(bounds, expected, "{}", metric.name);
            }
        }
    }

    #[test]
    fn no_name_is_there_twice_and_labels_are_in_order() {
        let mut names: Vec<_> = all().map(|metric| metric.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert!(all().all(|metric| metric.labels.is_sorted()));
    }
}

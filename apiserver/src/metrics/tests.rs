use std::time::Duration;

use apf::observe::Observer as _;
use apf::queueset::RejectReason;
use auth::request_info::RequestInfo;
use tokio::time::Instant;

use super::*;
use crate::handlers::route;
use crate::request::query::Query;
use crate::resources::Resources;

fn in_flight() -> Arc<InFlight> {
    Arc::new(InFlight::new(Instant::now().into_std()))
}

pub(crate) fn metrics() -> Metrics {
    let about = About {
        build: vec![("major", "1".to_owned())],
        feature_gates: vec![("WatchList", "BETA", true)],
        impersonation: "impersonation",
        ..About::default()
    };
    Counting::new().into_metrics(about, in_flight(), None)
}

fn endpoint(path: &str, query: &str) -> Endpoint {
    let info = RequestInfo::resolve("GET", path, Some(query)).unwrap();
    let route = route(&Resources::built_in(&crate::options::RuntimeConfig::default()), &info.path);
    Endpoint::of(&info, &Query::parse(query), false, &route)
}

fn answer(code: u16) -> Answer {
    Answer {
        code,
        took: Duration::from_millis(300),
        waited: Duration::from_millis(280),
        body_bytes: None,
        bytes: Some(2000),
    }
}

#[track_caller]
fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|found| found == *line), "{line} is not in\n{text}");
    }
}

const SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

#[test]
fn series_appear_on_first_use_with_the_reference_s_names() {
    let counting = Counting::new();
    let flow = counting.observer().flow("level", "schema");
    let metrics = counting.into_metrics(About::default(), in_flight(), None);
    assert!(!metrics.text().contains("priority_level"));
    flow.rejected(RejectReason::QueueFull);
    flow.waited(Duration::from_millis(10), true);
    let labels = r#"flow_schema="schema",priority_level="level""#;
    let prefix = "apiserver_flowcontrol_";
    assert_lines(
        &metrics.text(),
        &[
            &format!("# TYPE {prefix}rejected_requests_total counter"),
            &format!("{prefix}rejected_requests_total{{{labels},reason=\"queue-full\"}} 1"),
            &format!(
                "{prefix}request_wait_duration_seconds_bucket\
                 {{execute=\"true\",{labels},le=\"0.02\"}} 1"
            ),
            &format!("{prefix}request_wait_duration_seconds_count{{execute=\"true\",{labels}}} 1"),
        ],
    );
}

#[test]
fn an_answer_counts_with_its_code_its_time_and_its_size() {
    let metrics = metrics();
    metrics.requests.answered(&endpoint(SCHEMAS, ""), &answer(200));
    let labels = r#"component="apiserver",group="flowcontrol.apiserver.k8s.io",resource="flowschemas",scope="cluster",subresource="",verb="LIST",version="v1""#;
    let with_code = labels.replace(",group", r#",dry_run="",group"#);
    assert_lines(
        &metrics.text(),
        &[
            &format!("apiserver_request_total{{code=\"200\",{with_code}}} 1"),
            &format!("apiserver_request_duration_seconds_bucket{{{with_code},le=\"0.2\"}} 0"),
            &format!("apiserver_request_sli_duration_seconds_bucket{{{labels},le=\"0.05\"}} 1"),
            &format!("apiserver_response_sizes_bucket{{{labels},le=\"1000\"}} 0"),
            &format!("apiserver_response_sizes_bucket{{{labels},le=\"1e+06\"}} 1"),
        ],
    );
}

#[test]
fn a_request_that_was_turned_away_is_a_termination_without_a_time() {
    let metrics = metrics();
    metrics.requests.answered(&endpoint("/apis/made.up/v1/things", ""), &answer(429));
    metrics.requests.answered(&endpoint("/apis/made.up/v1/things", ""), &answer(404));
    let text = metrics.text();
    let labels = r#"group="",resource="",scope="cluster",subresource="",verb="LIST",version="""#;
    assert_lines(
        &text,
        &[
            &format!(
                "apiserver_request_total{{code=\"429\",component=\"apiserver\",dry_run=\"\",{labels}}} 1"
            ),
            &format!(
                "apiserver_request_terminations_total{{code=\"429\",component=\"apiserver\",{labels}}} 1"
            ),
        ],
    );
    assert!(!text.contains("404") && !text.contains("request_duration_seconds"), "{text}");
}

#[test]
fn a_watch_is_long_running_until_it_ends_and_then_counts() {
    let metrics = metrics();
    let watching = metrics.requests.watching(&endpoint(SCHEMAS, "watch=1"), Instant::now());
    let text = metrics.text();
    let running = text.lines().find(|line| line.starts_with("apiserver_longrunning_requests"));
    assert!(running.unwrap().ends_with(" 1"), "{running:?}");
    assert!(!text.contains("apiserver_request_total"));
    drop(watching.answered(200));
    let text = metrics.text();
    let running = text.lines().find(|line| line.starts_with("apiserver_longrunning_requests"));
    assert!(running.unwrap().ends_with(" 0"), "{running:?}");
    assert!(
        text.contains("verb=\"WATCH\"") && text.contains("apiserver_request_total{code=\"200\"")
    );
}

#[test]
fn what_has_no_labels_is_there_from_the_start() {
    let text = metrics().text();
    assert_lines(
        &text,
        &[
            "# TYPE apiserver_audit_event_total counter",
            "apiserver_audit_event_total 0",
            "apiserver_flowcontrol_seat_fair_frac 0",
            "kubernetes_build_info{major=\"1\"} 1",
            "kubernetes_feature_enabled{name=\"WatchList\",stage=\"BETA\"} 1",
            "# TYPE process_resident_memory_bytes gauge",
        ],
    );
    assert!(text.contains("apiserver_flowcontrol_read_vs_write_current_requests_count"));
}

#[test]
fn users_are_counted_by_kind() {
    let metrics = metrics();
    for name in ["admin", "alice", "alice@example.com"] {
        metrics.requests.authenticated(Some(name), Duration::ZERO);
    }
    metrics.requests.authenticated(None, Duration::ZERO);
    assert_lines(
        &metrics.text(),
        &[
            "# TYPE authentication_attempts counter",
            "authentication_attempts{result=\"failure\"} 1",
            "authentication_attempts{result=\"success\"} 3",
            "authenticated_user_requests{username=\"admin\"} 1",
            "authenticated_user_requests{username=\"email_id\"} 1",
            "authenticated_user_requests{username=\"other\"} 1",
        ],
    );
}

//! The table of the metrics.

use super::{Kind, Metric, Stability};
use crate::ratios::{DEMAND_BOUNDS, KIND_BOUNDS, REQUEST_BOUNDS, SEAT_BOUNDS};

const WAIT_BOUNDS: &[f64] =
    &[0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0];
const LEVEL: &[&str] = &["priority_level"];
const FLOW: &[&str] = &["flow_schema", "priority_level"];
const KIND: &[&str] = &["request_kind"];

const fn metric(
    name: &'static str,
    kind: Kind,
    stability: Stability,
    labels: &'static [&'static str],
    meaning: &'static str,
) -> Metric {
    Metric { name, kind, stability, meaning, labels, const_labels: &[] }
}

/// All metrics.
pub const METRICS: &[Metric] = &[
    metric(
        "apiserver_flowcontrol_rejected_requests_total",
        Kind::Counter,
        Stability::Beta,
        &["flow_schema", "priority_level", "reason"],
        "Number of requests that API Priority and Fairness rejected",
    ),
    metric(
        "apiserver_flowcontrol_dispatched_requests_total",
        Kind::Counter,
        Stability::Beta,
        FLOW,
        "Number of requests that API Priority and Fairness began to execute",
    ),
    metric(
        "apiserver_flowcontrol_current_inqueue_requests",
        Kind::Gauge,
        Stability::Beta,
        FLOW,
        "Number of requests that wait in queues of API Priority and Fairness",
    ),
    metric(
        "apiserver_flowcontrol_current_inqueue_seats",
        Kind::Gauge,
        Stability::Alpha,
        FLOW,
        "Number of seats that the waiting requests will occupy",
    ),
    metric(
        "apiserver_flowcontrol_current_executing_requests",
        Kind::Gauge,
        Stability::Beta,
        FLOW,
        "Number of requests in their main phase, watches only until they are initialized",
    ),
    metric(
        "apiserver_flowcontrol_current_executing_seats",
        Kind::Gauge,
        Stability::Beta,
        FLOW,
        "Number of seats that requests occupy in either phase of their execution",
    ),
    metric(
        "apiserver_flowcontrol_request_queue_length_after_enqueue",
        Kind::Histogram(&[0.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0]),
        Stability::Alpha,
        FLOW,
        "Length of the queue a request joined, the request included",
    ),
    metric(
        "apiserver_flowcontrol_request_wait_duration_seconds",
        Kind::Histogram(WAIT_BOUNDS),
        Stability::Beta,
        &["execute", "flow_schema", "priority_level"],
        "Time that requests waited until it was decided about them",
    ),
    metric(
        "apiserver_flowcontrol_request_execution_seconds",
        Kind::Histogram(WAIT_BOUNDS),
        Stability::Alpha,
        &["flow_schema", "priority_level", "type"],
        "Time that requests took in their main phase",
    ),
    metric(
        "apiserver_flowcontrol_watch_count_samples",
        Kind::Histogram(&[0.0, 1.0, 10.0, 100.0, 1000.0, 10000.0]),
        Stability::Alpha,
        FLOW,
        "Number of watches that hear of a mutating request",
    ),
    metric(
        "apiserver_flowcontrol_work_estimated_seats",
        Kind::Histogram(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0]),
        Stability::Alpha,
        FLOW,
        "Number of seats that a request is estimated to occupy at most",
    ),
    metric(
        "apiserver_flowcontrol_request_dispatch_no_accommodation_total",
        Kind::Counter,
        Stability::Alpha,
        FLOW,
        "Number of times the request whose turn it was did not fit in the free seats",
    ),
    metric(
        "apiserver_flowcontrol_epoch_advance_total",
        Kind::Counter,
        Stability::Alpha,
        &["priority_level", "success"],
        "Number of times the progress meter of a priority level was wound back",
    ),
    metric(
        "apiserver_flowcontrol_nominal_limit_seats",
        Kind::Gauge,
        Stability::Beta,
        LEVEL,
        "Nominal number of seats of a priority level",
    ),
    metric(
        "apiserver_flowcontrol_lower_limit_seats",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Least number of seats a priority level is left with by lending",
    ),
    metric(
        "apiserver_flowcontrol_upper_limit_seats",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Greatest number of seats a priority level can get by borrowing",
    ),
    metric(
        "apiserver_flowcontrol_current_limit_seats",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Number of seats of a priority level at the moment",
    ),
    metric(
        "apiserver_flowcontrol_demand_seats",
        Kind::TimingHistogram(DEMAND_BOUNDS),
        Stability::Alpha,
        LEVEL,
        "Demand for seats of a priority level relative to the seats it has, each nanosecond an observation",
    ),
    metric(
        "apiserver_flowcontrol_demand_seats_high_watermark",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Greatest demand for seats in the last adjustment period",
    ),
    metric(
        "apiserver_flowcontrol_demand_seats_average",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Mean demand for seats over the last adjustment period",
    ),
    metric(
        "apiserver_flowcontrol_demand_seats_stdev",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Standard deviation of the demand for seats over the last adjustment period",
    ),
    metric(
        "apiserver_flowcontrol_demand_seats_smoothed",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Smoothed demand for seats",
    ),
    metric(
        "apiserver_flowcontrol_target_seats",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Number of seats a priority level should have by its demand",
    ),
    metric(
        "apiserver_flowcontrol_seat_fair_frac",
        Kind::Gauge,
        Stability::Alpha,
        &[],
        "Part of their targets that unbounded priority levels got in the last adjustment",
    ),
    metric(
        "apiserver_flowcontrol_current_r",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Progress meter of a priority level, in seat-seconds",
    ),
    metric(
        "apiserver_flowcontrol_dispatch_r",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Progress meter at the last dispatch from a queue, in seat-seconds",
    ),
    metric(
        "apiserver_flowcontrol_latest_s",
        Kind::Gauge,
        Stability::Alpha,
        LEVEL,
        "Virtual start of the request dispatched last, in seat-seconds",
    ),
    metric(
        "apiserver_flowcontrol_next_s_bounds",
        Kind::Gauge,
        Stability::Alpha,
        &["bound", "priority_level"],
        "Least and greatest virtual start over the queues at the last dispatch, in seat-seconds",
    ),
    metric(
        "apiserver_flowcontrol_next_discounted_s_bounds",
        Kind::Gauge,
        Stability::Alpha,
        &["bound", "priority_level"],
        "Least and greatest virtual start less the estimated work of seats in use at the last dispatch, in seat-seconds",
    ),
    metric(
        "apiserver_flowcontrol_priority_level_request_utilization",
        Kind::TimingHistogram(REQUEST_BOUNDS),
        Stability::Alpha,
        &["phase", "priority_level"],
        "Requests of a priority level relative to how many may wait or execute, each nanosecond an observation",
    ),
    Metric {
        const_labels: &[("phase", "executing")],
        ..metric(
            "apiserver_flowcontrol_priority_level_seat_utilization",
            Kind::TimingHistogram(SEAT_BOUNDS),
            Stability::Alpha,
            LEVEL,
            "Seats occupied relative to the seats of a priority level, each nanosecond an observation",
        )
    },
    metric(
        "apiserver_flowcontrol_read_vs_write_current_requests",
        Kind::TimingHistogram(KIND_BOUNDS),
        Stability::Alpha,
        &["phase", "request_kind"],
        "Requests by kind relative to how many may wait or execute, each nanosecond an observation",
    ),
    metric(
        "apiserver_current_inflight_requests",
        Kind::Gauge,
        Stability::Stable,
        KIND,
        "Greatest number of executing requests in the last second, by kind",
    ),
    metric(
        "apiserver_current_inqueue_requests",
        Kind::Gauge,
        Stability::Alpha,
        KIND,
        "Greatest number of waiting requests in the last second, by kind",
    ),
    metric(
        "apiserver_request_terminations_total",
        Kind::Counter,
        Stability::Alpha,
        &["code", "component", "group", "resource", "scope", "subresource", "verb", "version"],
        "Number of requests the server ended in self-defence",
    ),
    metric(
        "apiserver_request_total",
        Kind::Counter,
        Stability::Stable,
        &[
            "code",
            "component",
            "dry_run",
            "group",
            "resource",
            "scope",
            "subresource",
            "verb",
            "version",
        ],
        "Number of requests by what they ask for and how they were answered",
    ),
    metric(
        "apiserver_request_filter_duration_seconds",
        Kind::Histogram(&[
            0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 5.0, 10.0, 15.0, 30.0,
        ]),
        Stability::Alpha,
        &["filter"],
        "Time a filter of the handler chain took before it handed on",
    ),
    metric(
        "apiserver_request_sli_duration_seconds",
        Kind::Histogram(&[
            0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0,
            15.0, 20.0, 30.0, 45.0, 60.0,
        ]),
        Stability::Alpha,
        &["component", "group", "resource", "scope", "subresource", "verb", "version"],
        "Time requests took without webhooks and queues",
    ),
];

use super::*;
use crate::test_support::{Json, strings, vectors};

fn bounds(kind: Kind) -> Json {
    match kind {
        Kind::Counter | Kind::Gauge => Json::Array(vec![]),
        Kind::Histogram(bounds) | Kind::TimingHistogram(bounds) => bounds.into(),
    }
}

fn type_of(metric: &Metric) -> &'static str {
    match metric.kind {
        Kind::TimingHistogram(_) => "timing_histogram",
        Kind::Counter | Kind::Gauge | Kind::Histogram(_) => metric.exposed_type(),
    }
}

fn floats(list: &Json) -> Vec<f64> {
    list.as_array().into_iter().flatten().map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn metrics_are_those_recorded() {
    let recorded = vectors("metrics");
    let recorded_metrics = recorded["metrics"].as_array().unwrap();
    assert_eq!(METRICS.len(), recorded_metrics.len());
    for expected in recorded_metrics {
        let name = expected["name"].as_str().unwrap();
        let metric = METRICS.iter().find(|metric| metric.name == name).unwrap();
        assert_eq!(type_of(metric), expected["type"], "{name}");
        assert_eq!(metric.stability.as_str(), expected["stability"], "{name}");
        assert_eq!(metric.labels, strings(&expected["labels"]), "{name}");
        assert_eq!(floats(&bounds(metric.kind)), floats(&expected["buckets"]), "{name}");
        let const_labels = expected["constLabels"].as_object();
        assert_eq!(metric.const_labels.len(), const_labels.map_or(0, serde_json::Map::len));
        for (label, value) in metric.const_labels {
            assert_eq!(expected["constLabels"][label], *value);
        }
        let prefix = &recorded["helpPrefix"][match metric.kind {
            Kind::TimingHistogram(_) => "timing_histogram",
            Kind::Counter | Kind::Gauge | Kind::Histogram(_) => "ordinary",
        }];
        let prefix = prefix.as_str().unwrap().replace("STABILITY", metric.stability.as_str());
        assert!(metric.help().starts_with(&prefix), "{}", metric.help());
    }
    for gone in strings(&recorded["notPresentIn137"]) {
        assert!(METRICS.iter().all(|metric| !metric.name.starts_with(&gone)), "{gone}");
    }
}

#[test]
fn label_values_are_those_recorded() {
    use crate::digest::RequestKind;
    use crate::observe::ExecutionType;
    use crate::queueset::RejectReason;
    use crate::ratios::Phase;
    let ours = |label: &str| match label {
        "reason" => {
            let all =
                [RejectReason::QueueFull, RejectReason::ConcurrencyLimit, RejectReason::TimeOut];
            Some(all.map(RejectReason::as_str).to_vec())
        }
        "type" => {
            let all = [ExecutionType::Regular, ExecutionType::Watch];
            Some(all.map(ExecutionType::as_str).to_vec())
        }
        "phase" => Some(Phase::ALL.map(Phase::as_str).to_vec()),
        "request_kind" => Some(RequestKind::ALL.map(RequestKind::as_str).to_vec()),
        _ => None,
    };
    let mut compared = 0;
    for metric in vectors("metrics")["metrics"].as_array().unwrap() {
        for (label, values) in metric["labelValues"].as_object().into_iter().flatten() {
            if let Some(ours) = ours(label) {
                assert_eq!(ours, strings(values), "{label}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 6);
}

//! The recorded combinations.

use std::collections::BTreeMap;
use std::sync::mpsc::{SyncSender, sync_channel};

use serde_json::Value;

use super::*;
use crate::field::Shown;

const CASES: &str = include_str!("../../tests/data/lifecycle-cases.json");
const PREFIX: &str = "apiserver_validation_declarative_validation";

/// More than any case has to tell.
const REPORTS_MAX: usize = 16;

/// The metrics that count an event, and what is logged.
struct Report {
    metrics: [String; 2],
    log: Option<String>,
}

impl Observer for SyncSender<Report> {
    fn mismatch(&self, identifier: &str, message: &str) {
        let metrics = [
            format!("{PREFIX}_mismatch_total"),
            format!("{PREFIX}_parity_discrepancies_total{{validation_identifier={identifier}}}"),
        ];
        self.try_send(Report { metrics, log: Some(message.to_owned()) }).unwrap();
    }

    fn panic(&self, identifier: &str, _value: &str) {
        let metrics = [
            format!("{PREFIX}_panic_total"),
            format!("{PREFIX}_panics_total{{validation_identifier={identifier}}}"),
        ];
        self.try_send(Report { metrics, log: None }).unwrap();
    }

    fn duplicate(&self, _kind: &str, _error: &str) {
        panic!("combining does not count duplicates");
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn error(recorded: &Value) -> Error {
    let all = [
        ErrorType::Invalid,
        ErrorType::Required,
        ErrorType::Forbidden,
        ErrorType::TooMany,
        ErrorType::Internal,
    ];
    let error_type = all.into_iter().find(|t| t.reason() == text(recorded, "type")).unwrap();
    let value = match &recorded["badValue"] {
        Value::String(text) => Shown::from(text),
        other => Shown::json(other),
    };
    Error {
        error_type,
        field: text(recorded, "field").to_owned(),
        value,
        detail: text(recorded, "detail").to_owned(),
        origin: match text(recorded, "origin") {
            "minimum" => "minimum",
            "maximum" => "maximum",
            "maxItems" => "maxItems",
            "format=k8s-short-name" => "format=k8s-short-name",
            other => {
                assert_eq!(other, "");
                ""
            }
        },
        covered: recorded["covered"] == true,
        level: match text(recorded, "level") {
            "alpha" => Level::Alpha,
            "beta" => Level::Beta,
            _ => Level::Standard,
        },
        short_circuit: recorded["shortCircuit"] == true,
    }
}

fn errors(recorded: &Value) -> ErrorList {
    recorded.as_array().unwrap().iter().map(error).collect()
}

fn check(case: &Value) {
    let name = format!("{} {}", case["id"], case["description"]);
    let normalizations: Vec<Normalization> = case["normalization"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|rule| Normalization {
            from: text(rule, "regex").replace('\\', ""),
            to: text(rule, "replacement").to_owned(),
        })
        .collect();
    let (sender, reports) = sync_channel(REPORTS_MAX);
    let is_update = case["operation"] == "update";
    let lifecycle = Lifecycle {
        compare: true,
        enforce_beta: case["beta"] == true,
        normalizations: &normalizations,
        ancestors_match: case["shortCircuitMismatch"] == true,
        identifier: Identifier {
            kind: "FlowSchema",
            subresource: text(case, "subresource"),
            is_update,
        },
        observer: &sender,
    };
    let combined = lifecycle.combine(errors(&case["handwritten"]), || {
        if let Some(value) = case["panic"].as_str() {
            // Without the hook's noise that a panic! would make.
            std::panic::resume_unwind(Box::new(value.to_owned()));
        }
        errors(&case["declarative"])
    });
    drop(sender);

    let found: Vec<_> =
        combined.iter().map(|e| (e.field.clone(), e.body(), e.error_type.reason())).collect();
    let expected: Vec<_> = case["expectedResult"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (text(e, "field").to_owned(), text(e, "message").to_owned(), text(e, "reason")))
        .collect();
    assert_eq!(found, expected, "{name}");

    let mut logs = Vec::new();
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for report in reports {
        logs.extend(report.log);
        for metric in report.metrics {
            *counts.entry(metric).or_default() += 1;
        }
    }
    let expected: Vec<&str> =
        case["expectedLogs"].as_array().unwrap().iter().map(|log| log.as_str().unwrap()).collect();
    assert_eq!(logs, expected, "{name}");
    let expected: BTreeMap<String, u64> = case["expectedMetricIncrements"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(metric, count)| (metric.clone(), count.as_u64().unwrap()))
        .collect();
    assert_eq!(counts, expected, "{name}");
}

#[test]
fn handwritten_and_declarative_errors_combine_as_recorded() {
    let document: Value = serde_json::from_str(CASES).unwrap();
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 64);
    cases.iter().for_each(check);
}

#[test]
fn without_the_gate_nothing_is_compared_but_everything_runs() {
    let (sender, reports) = sync_channel(REPORTS_MAX);
    let lifecycle = Lifecycle {
        compare: false,
        enforce_beta: true,
        normalizations: &[],
        ancestors_match: false,
        identifier: Identifier { kind: "x", subresource: "", is_update: false },
        observer: &sender,
    };
    let forbidden = Error::forbidden(&Trail::new("a"), "").with_level(Level::Beta);
    let combined = lifecycle.combine(ErrorList::default(), || [forbidden].into_iter().collect());
    drop(sender);
    assert_eq!(combined.aggregate().unwrap(), "a: Forbidden");
    assert_eq!(reports.into_iter().count(), 0);
}

#[test]
fn an_unknown_kind_has_a_name_in_metrics_too() {
    let identifier =
        |kind, subresource, is_update| Identifier { kind, subresource, is_update }.to_string();
    assert_eq!(identifier("", "", false), "unknown_resource_create");
    assert_eq!(identifier("FlowSchema", "a/b", true), "flowschema_a_b_update");
}

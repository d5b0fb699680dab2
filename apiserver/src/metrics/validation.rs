//! Counts and logs what is found out about the rules of validation (spec: validation 17).

use std::sync::Arc;

use validation::lifecycle::Observer;

use super::families::{Counter, Families, Labels, Series, labels};

const MISMATCHES: &str = "apiserver_validation_declarative_validation_mismatch_total";
const MISMATCHES_BY_IDENTIFIER: &str =
    "apiserver_validation_declarative_validation_parity_discrepancies_total";
const PANICS: &str = "apiserver_validation_declarative_validation_panic_total";
const PANICS_BY_IDENTIFIER: &str = "apiserver_validation_declarative_validation_panics_total";
const DUPLICATES: &str = "apiserver_validation_duplicate_validation_error_total";

const IDENTIFIER: &str = "validation_identifier";

/// Counts for the metrics, and logs.
pub struct ValidationObserver {
    families: Arc<Families>,
    mismatches: Series<Counter>,
    panics: Series<Counter>,
    duplicates: Series<Counter>,
}

impl ValidationObserver {
    pub(super) fn new(families: Arc<Families>) -> Self {
        let total = |name| families.counter(name, Labels::new());
        Self {
            mismatches: total(MISMATCHES),
            panics: total(PANICS),
            duplicates: total(DUPLICATES),
            families,
        }
    }

    /// Counts by a kind of request; there are as many as kinds, subresources and verbs.
    fn count(&self, name: &str, identifier: &str) {
        self.families.counter(name, labels([(IDENTIFIER, identifier)])).get().inc();
    }
}

impl Observer for ValidationObserver {
    fn mismatch(&self, identifier: &str, message: &str) {
        self.mismatches.get().inc();
        self.count(MISMATCHES_BY_IDENTIFIER, identifier);
        tracing::error!(validation_identifier = identifier, "{message}");
    }

    fn panic(&self, identifier: &str, value: &str) {
        self.panics.get().inc();
        self.count(PANICS_BY_IDENTIFIER, identifier);
        tracing::error!(validation_identifier = identifier, "Declared rules panicked: {value}");
    }

    fn duplicate(&self, kind: &str, error: &str) {
        self.duplicates.get().inc();
        tracing::info!(kind, error, "Found duplicate validation error");
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use parking_lot::Mutex;
    use serde_json::json;
    use tracing::subscriber::with_default;
    use validation::flowcontrol::{Context, Gates, validate_create_observed};

    use super::super::Metrics;
    use super::super::tests::metrics;
    use super::*;

    /// What is logged.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is logged while the observer is told things.
    fn logged(metrics: &Metrics, tell: impl FnOnce(&ValidationObserver)) -> String {
        let (log, observer) = (Log::default(), metrics.validation_observer());
        let writer = log.clone();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        with_default(subscriber, || tell(&observer));
        let bytes = log.0.lock().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn totals_are_there_from_the_start_and_the_others_when_there_is_something_to_count() {
        let metrics = metrics();
        drop(metrics.validation_observer());
        let text = metrics.text();
        for name in [MISMATCHES, PANICS, DUPLICATES] {
            assert!(
                text.contains(&format!("# TYPE {name} counter\n{name} 0\n")),
                "{name} in {text}"
            );
        }
        assert!(!text.contains(IDENTIFIER), "{text}");
    }

    #[test]
    fn a_difference_between_the_rules_is_counted_and_logged_with_its_field() {
        let metrics = metrics();
        // Only the declared rules look at the members of an unknown type.
        let level = json!({
            "metadata": {"name": "a"},
            "spec": {"type": "Foo", "limited": {"limitResponse": {"type": "Reject"}}},
        });
        let log = logged(&metrics, |observer| {
            let context = Context { gates: Gates::default(), observer };
            let errors = validate_create_observed("PriorityLevelConfiguration", &level, context);
            assert!(errors.iter().any(|error| error.field == "spec.limited"), "{errors:?}");
        });
        let text = metrics.text();
        let identifier = "prioritylevelconfiguration_create";
        for line in [
            format!("{MISMATCHES} 1\n"),
            format!("{MISMATCHES_BY_IDENTIFIER}{{{IDENTIFIER}=\"{identifier}\"}} 1\n"),
        ] {
            assert!(text.contains(&line), "{line} is not in\n{text}");
        }
        for part in [
            "ERROR",
            "extra error(s) found {Type=\"Forbidden\", Field=\"spec.limited\", Origin=\"\"}",
            identifier,
        ] {
            assert!(log.contains(part), "{part} is not in\n{log}");
        }
    }

    #[test]
    fn panics_and_duplicates_are_counted_and_logged() {
        let metrics = metrics();
        let log = logged(&metrics, |observer| {
            observer.panic("flowschema_update", "index out of bounds");
            observer.duplicate("FlowSchema", "spec: Forbidden");
        });
        let text = metrics.text();
        for line in [
            format!("{PANICS} 1\n"),
            format!("{PANICS_BY_IDENTIFIER}{{{IDENTIFIER}=\"flowschema_update\"}} 1\n"),
            format!("{DUPLICATES} 1\n"),
        ] {
            assert!(text.contains(&line), "{line} is not in\n{text}");
        }
        for part in ["index out of bounds", "Found duplicate validation error", "spec: Forbidden"] {
            assert!(log.contains(part), "{part} is not in\n{log}");
        }
    }
}

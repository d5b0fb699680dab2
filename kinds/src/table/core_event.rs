//! Events, of both groups that have them. They are the same objects under other names of fields.

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{elapsed, integer, name, present, string, string_or, text, time};
use super::{Column, Table};

const COLUMNS: &[Column] = &[
    Column::text("Last Seen", "The time since what the event reports last happened."),
    Column::text("Type", "Whether the event is Normal, or a Warning that things go wrong."),
    Column::text("Reason", "Why the event came about, in a word for programs."),
    Column::text("Object", "The object that this event is about."),
    Column::text("Subobject", "Which part of the object the event is about.").wide(),
    Column::text("Source", "The component that reports the event, and where it runs.").wide(),
    Column::text("Message", "What happened, in a sentence meant for people to read."),
    Column::text("First Seen", "The time since what the event reports first happened.").wide(),
    Column::text("Count", "How many times what the event reports has happened.").wide(),
    Column::NAME.wide(),
];

/// The Table of events in the core group.
pub(super) static CORE: Table = Table::new(COLUMNS, |object, now| {
    Fields {
        object: "/involvedObject",
        source: "/source",
        controller: "/reportingComponent",
        message: "/message",
        first_seen: "/firstTimestamp",
        last_seen: "/lastTimestamp",
        count: "/count",
    }
    .cells(object, now)
});

/// The Table of events in group `events.k8s.io`.
pub(super) static EVENTS: Table = Table::new(COLUMNS, |object, now| {
    Fields {
        object: "/regarding",
        source: "/deprecatedSource",
        controller: "/reportingController",
        message: "/note",
        first_seen: "/deprecatedFirstTimestamp",
        last_seen: "/deprecatedLastTimestamp",
        count: "/deprecatedCount",
    }
    .cells(object, now)
});

/// The paths at which a version has what all versions have.
struct Fields {
    object: &'static str,
    source: &'static str,
    controller: &'static str,
    message: &'static str,
    first_seen: &'static str,
    last_seen: &'static str,
    count: &'static str,
}

impl Fields {
    fn cells(&self, event: &Value, now: Timestamp) -> Vec<Value> {
        let first_seen = time(event, self.first_seen).or_else(|| time(event, "/eventTime"));
        let (last_seen, count) = match present(event, "/series") {
            Some(series) => (time(series, "/lastObservedTime"), integer(series, "/count")),
            // Of events that are not repeated, only the older API says that they happened once.
            None => (time(event, self.last_seen).or(first_seen), self.count(event)),
        };
        vec![
            elapsed(last_seen, now).into(),
            text(event, "/type"),
            text(event, "/reason"),
            self.target(event).into(),
            text(event, &format!("{}/fieldPath", self.object)),
            self.reporter(event).into(),
            string(event, self.message).trim().into(),
            elapsed(first_seen, now).into(),
            count.into(),
            name(event),
        ]
    }

    fn count(&self, event: &Value) -> i64 {
        match integer(event, self.count) {
            0 => 1,
            count => count,
        }
    }

    fn target(&self, event: &Value) -> String {
        let kind = string(event, &format!("{}/kind", self.object)).to_lowercase();
        match string(event, &format!("{}/name", self.object)) {
            "" => kind,
            name => format!("{kind}/{name}"),
        }
    }

    fn reporter(&self, event: &Value) -> String {
        let controller = string(event, self.controller);
        let component = string_or(event, &format!("{}/component", self.source), controller);
        let instance = string(event, "/reportingInstance");
        match string_or(event, &format!("{}/host", self.source), instance) {
            "" => component.to_owned(),
            host => format!("{component}, {host}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    #[test]
    fn an_event_of_the_older_api_shows_its_times_and_count() {
        let object = json!({
            "metadata": {"name": "e"}, "type": "Warning", "reason": "BackOff",
            "involvedObject": {
                "kind": "Pod", "name": "p", "namespace": "ns",
                "fieldPath": "spec.containers{c}",
            },
            "source": {"component": "kubelet", "host": "n1"},
            "message": " restarting \n",
            "firstTimestamp": "2026-11-30T11:00:00Z", "lastTimestamp": "2026-11-30T11:59:00Z",
            "count": 7,
        });
        assert_eq!(
            cells(&CORE, &object),
            json!([
                "60s",
                "Warning",
                "BackOff",
                "pod/p",
                "spec.containers{c}",
                "kubelet, n1",
                "restarting",
                "60m",
                7,
                "e"
            ])
        );
    }

    #[test]
    fn a_series_says_when_and_how_often() {
        let object = json!({
            "metadata": {"name": "e"}, "type": "Normal", "reason": "R", "note": "n",
            "regarding": {"kind": "Node"}, "reportingController": "example.com/c",
            "eventTime": "2026-11-30T11:00:00.000000Z",
            "series": {"count": 3, "lastObservedTime": "2026-11-30T11:50:00.500000Z"},
            "deprecatedCount": 9, "deprecatedLastTimestamp": "2026-11-30T10:00:00Z",
        });
        assert_eq!(
            cells(&EVENTS, &object),
            json!(["10m", "Normal", "R", "node", "", "example.com/c", "n", "60m", 3, "e"])
        );
    }

    #[test]
    fn what_the_newer_api_calls_deprecated_is_shown_when_there_is_no_series() {
        let object = json!({
            "deprecatedSource": {"component": "kubelet", "host": "n1"}, "deprecatedCount": 9,
            "deprecatedFirstTimestamp": "2026-11-30T11:00:00Z",
            "deprecatedLastTimestamp": "2026-11-30T11:50:00Z",
        });
        assert_eq!(
            some_cells(&EVENTS, &object, &["Last Seen", "First Seen", "Source", "Count"]),
            json!(["10m", "60m", "kubelet, n1", 9])
        );
    }

    #[test]
    fn an_event_that_happened_once_was_last_seen_when_first_seen() {
        let object = json!({
            "eventTime": "2026-11-30T11:00:00.000000Z", "firstTimestamp": null,
            "source": {}, "reportingComponent": "example.com/c", "reportingInstance": "i",
        });
        assert_eq!(
            some_cells(&CORE, &object, &["Last Seen", "First Seen", "Source", "Count"]),
            json!(["60m", "60m", "example.com/c, i", 1])
        );
    }
}

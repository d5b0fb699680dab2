//! The debug dumps (spec: apf 9).

mod table;
#[cfg(test)]
mod tests;

use std::time::{Duration, SystemTime};

use crate::controller::FlowController;
use crate::gate::{GuestView, RequestDescription};

pub use self::table::render;

const LEVEL_COLUMNS: [&str; 10] = [
    "PriorityLevelName",
    "ActiveQueues",
    "IsIdle",
    "IsQuiescing",
    "WaitingRequests",
    "ExecutingRequests",
    "DispatchedRequests",
    "RejectedRequests",
    "TimedoutRequests",
    "CancelledRequests",
];
const QUEUE_COLUMNS: [&str; 9] = [
    "PriorityLevelName",
    "Index",
    "PendingRequests",
    "ExecutingRequests",
    "SeatsInUse",
    "NextDispatchR",
    "InitialSeatsSum",
    "MaxSeatsSum",
    "TotalWorkSum",
];
/// The reference spells the fifth like this.
const REQUEST_COLUMNS: [&str; 10] = [
    "PriorityLevelName",
    "FlowSchemaName",
    "QueueIndex",
    "RequestIndexInQueue",
    "FlowDistingsher",
    "ArriveTime",
    "InitialSeats",
    "FinalSeats",
    "AdditionalLatency",
    "StartTime",
];
const DETAIL_COLUMNS: [&str; 8] =
    ["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"];
/// The start of a request that has not started.
const NO_TIME: &str = "0001-01-01T00:00:00Z";

/// Whether requests are dumped with what they ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// No.
    Omitted,
    /// Yes: the query value `includeRequestDetails` is not empty.
    Included,
}

impl FlowController {
    /// The dump of all levels, by name.
    #[must_use]
    pub fn dump_priority_levels(&self) -> String {
        let mut rows = vec![row(&LEVEL_COLUMNS)];
        for (name, gate) in self.gates() {
            let view = gate.view();
            let totals = &view.snapshot.totals;
            rows.push(vec![
                name,
                view.snapshot.queues_with_waiting.to_string(),
                view.idle.to_string(),
                view.quiescing.to_string(),
                totals.waiting.to_string(),
                totals.executing.to_string(),
                totals.dispatched.to_string(),
                totals.rejected.to_string(),
                // The reference has such a number and never counts it up.
                0.to_string(),
                totals.cancelled.to_string(),
            ]);
        }
        render(&rows)
    }

    /// The dump of all queues, by level and index.
    #[must_use]
    pub fn dump_queues(&self) -> String {
        let mut rows = vec![row(&QUEUE_COLUMNS)];
        for (name, gate) in self.gates() {
            for (index, queue) in gate.view().snapshot.queues.iter().enumerate() {
                rows.push(vec![
                    name.clone(),
                    index.to_string(),
                    queue.waiting.to_string(),
                    queue.executing.to_string(),
                    queue.seats_in_use.to_string(),
                    queue.next_dispatch.to_string(),
                    queue.sums.initial_seats.to_string(),
                    queue.sums.max_seats.to_string(),
                    queue.sums.total_work.to_string(),
                ]);
            }
        }
        render(&rows)
    }

    /// The dump of all requests that wait or execute, by level and queue.
    #[must_use]
    pub fn dump_requests(&self, detail: Detail) -> String {
        let mut columns = row(&REQUEST_COLUMNS);
        if detail == Detail::Included {
            columns.extend(row(&DETAIL_COLUMNS));
        }
        let mut rows = vec![columns];
        for (_, gate) in self.gates() {
            for guest in gate.requests() {
                let mut cells = self.request_cells(&guest);
                if detail == Detail::Included {
                    cells.extend(detail_cells(guest.details.describe()));
                }
                rows.push(cells);
            }
        }
        render(&rows)
    }

    fn request_cells(&self, guest: &GuestView) -> Vec<String> {
        let wall = |instant| time_text(self.wall_time(instant));
        vec![
            guest.flow.priority_level.name.clone(),
            guest.flow.flow_schema.name.clone(),
            index_text(guest.queue),
            index_text(guest.position),
            guest.distinguisher.to_string(),
            wall(guest.arrived),
            guest.work.initial_seats.to_string(),
            guest.work.final_seats.to_string(),
            duration_text(guest.work.additional_latency),
            guest.started.map_or_else(|| NO_TIME.to_owned(), wall),
        ]
    }
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

fn detail_cells(details: RequestDescription) -> [String; 8] {
    let RequestDescription {
        user_name,
        verb,
        api_path,
        namespace,
        name,
        api_version,
        resource,
        subresource,
    } = details;
    [user_name, verb, api_path, namespace, name, api_version, resource, subresource]
}

fn index_text(index: Option<usize>) -> String {
    index.map_or_else(|| "-1".to_owned(), |index| index.to_string())
}

/// RFC 3339 in UTC, with as many digits of a second as it takes.
fn time_text(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).unwrap_or_default().to_string()
}

/// As Go writes durations, such as `0s`, `7.142857ms` and `1m0.5s`.
fn duration_text(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    match nanos {
        0 => "0s".to_owned(),
        1..1_000 => format!("{nanos}ns"),
        1_000..1_000_000 => format!("{}µs", decimal(nanos, 3)),
        1_000_000..1_000_000_000 => format!("{}ms", decimal(nanos, 6)),
        _ => {
            let (minutes, rest) = (duration.as_secs() / 60, nanos % 60_000_000_000);
            let seconds = decimal(rest, 9);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{seconds}s"),
                (0, minutes) => format!("{minutes}m{seconds}s"),
                (hours, minutes) => format!("{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

/// `number` with its last `places` digits behind the point, as far as they matter.
fn decimal(number: u128, places: u32) -> String {
    let unit = 10_u128.pow(places);
    let digits = format!("{:0width$}", number % unit, width = places as usize);
    match digits.trim_end_matches('0') {
        "" => (number / unit).to_string(),
        digits => format!("{}.{digits}", number / unit),
    }
}

//! The histograms over time that flow control keeps.

use std::fmt;
use std::sync::Arc;

use apf::controller::FlowController;
use apf::digest::RequestKind;
use apf::ratios::{InFlight, LevelRatiosSnapshot, Phase};
use apf::timing_histogram::HistogramSnapshot;
use tokio::time::Instant;

use super::families::{Labels, labels};

/// Reads the ratios when they are written.
pub(super) struct Ratios {
    /// The requests of the whole server.
    pub(super) in_flight: Arc<InFlight>,
    /// The levels, where there are some.
    pub(super) controller: Option<Arc<FlowController>>,
}

/// One series.
pub(super) struct Ratio {
    pub(super) metric: &'static str,
    pub(super) labels: Labels,
    pub(super) histogram: HistogramSnapshot,
}

impl fmt::Debug for Ratios {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ratios").field("in_flight", &self.in_flight).finish_non_exhaustive()
    }
}

impl Ratios {
    /// Brings up to date what is only told when somebody looks.
    pub(super) fn look(&self) {
        if let Some(controller) = &self.controller {
            controller.tell_progress();
        }
    }

    /// All of them, up to now; those of one metric in the order of their labels.
    pub(super) fn snapshot(&self) -> Vec<Ratio> {
        let mut ratios = Vec::new();
        for phase in [Phase::Executing, Phase::Waiting] {
            for kind in [RequestKind::Mutating, RequestKind::ReadOnly] {
                let now = Instant::now().into_std();
                ratios.push(Ratio {
                    metric: "apiserver_flowcontrol_read_vs_write_current_requests",
                    labels: labels([("phase", phase.as_str()), ("request_kind", kind.as_str())]),
                    histogram: self.in_flight.snapshot(now, phase, kind),
                });
            }
        }
        let levels = self.controller.as_ref().map(|controller| controller.level_ratios());
        for level in levels.into_iter().flatten() {
            push_level(&mut ratios, level);
        }
        ratios.sort_by(|a, b| (a.metric, &a.labels).cmp(&(b.metric, &b.labels)));
        ratios
    }
}

fn push_level(ratios: &mut Vec<Ratio>, level: LevelRatiosSnapshot) {
    const REQUESTS: &str = "apiserver_flowcontrol_priority_level_request_utilization";
    let name = level.priority_level.as_str();
    let of_phase = |phase: Phase| labels([("phase", phase.as_str()), ("priority_level", name)]);
    ratios.extend([
        Ratio {
            metric: "apiserver_flowcontrol_demand_seats",
            labels: labels([("priority_level", name)]),
            histogram: level.demand_seats,
        },
        Ratio {
            metric: REQUESTS,
            labels: of_phase(Phase::Executing),
            histogram: level.executing_requests,
        },
        Ratio {
            metric: REQUESTS,
            labels: of_phase(Phase::Waiting),
            histogram: level.waiting_requests,
        },
        Ratio {
            metric: "apiserver_flowcontrol_priority_level_seat_utilization",
            labels: of_phase(Phase::Executing),
            histogram: level.seats,
        },
    ]);
}

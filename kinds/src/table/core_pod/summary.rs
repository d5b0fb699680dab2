//! What the containers of a pod add up to.

use std::collections::BTreeSet;

use api::time::Timestamp;
use serde_json::Value;

use super::super::fields::{
    boolean, elapsed, holds, integer, is_terminating, list, present, string, string_or, time,
};

/// The reason of a pod whose node no longer answers.
const NODE_LOST: &str = "NodeLost";
const SCHEDULING_GATED: &str = "SchedulingGated";

/// The state of a pod in a few words.
pub(super) struct Summary {
    ready: usize,
    total: usize,
    /// Why the pod is not running, else its phase.
    pub(super) status: String,
    restarts: Restarts,
}

impl Summary {
    pub(super) fn of(pod: &Value) -> Self {
        let sidecars = Sidecars::of(pod);
        let mut summary = Self {
            ready: 0,
            total: list(pod, "/spec/containers").len() + sidecars.count,
            status: status_without_containers(pod).to_owned(),
            restarts: Restarts::default(),
        };
        let initializing = summary.add_init_containers(pod, &sidecars);
        if !initializing || holds(pod, "Initialized") {
            summary.add_containers(pod, &sidecars);
        }
        if is_terminating(pod) {
            summary.terminate(pod);
        }
        summary
    }

    /// `ready/total` containers.
    pub(super) fn ready(&self) -> String {
        format!("{}/{}", self.ready, self.total)
    }

    /// The number of restarts, and how long ago the last one was.
    pub(super) fn restarts(&self, now: Timestamp) -> String {
        match (self.restarts.count, self.restarts.last) {
            (0, _) | (_, None) => self.restarts.count.to_string(),
            (count, last) => format!("{count} ({} ago)", elapsed(last, now)),
        }
    }

    /// Whether the pod waits for one of its init containers.
    fn add_init_containers(&mut self, pod: &Value, sidecars: &Sidecars<'_>) -> bool {
        let total = list(pod, "/spec/initContainers").len();
        for (index, status) in list(pod, "/status/initContainerStatuses").iter().enumerate() {
            self.restarts.add(status);
            match InitState::of(status, sidecars.contain(status)) {
                InitState::Done => {}
                InitState::Started { ready } => self.ready += usize::from(ready),
                InitState::Held(why) => {
                    self.status = format!("Init:{why}");
                    return true;
                }
                InitState::Running => {
                    self.status = format!("Init:{index}/{total}");
                    return true;
                }
            }
        }
        false
    }

    fn add_containers(&mut self, pod: &Value, sidecars: &Sidecars<'_>) {
        // What init containers went through no longer matters, but for those that run on.
        self.restarts = sidecars.restarts(pod);
        let mut any_runs = false;
        // The status of the first container that has one wins.
        for status in list(pod, "/status/containerStatuses").iter().rev() {
            self.restarts.add(status);
            if let Some(why) = waiting(status).or_else(|| terminated(status)) {
                self.status = why;
            } else if runs(status) {
                any_runs = true;
                self.ready += 1;
            }
        }
        if any_runs && self.status == "Completed" {
            let ready = condition_holds_anywhere(pod, "Ready");
            self.status = if ready { "Running" } else { "NotReady" }.to_owned();
        }
    }

    fn terminate(&mut self, pod: &Value) {
        if string(pod, "/status/reason") == NODE_LOST {
            "Unknown".clone_into(&mut self.status);
        } else if !matches!(string(pod, "/status/phase"), "Succeeded" | "Failed") {
            "Terminating".clone_into(&mut self.status);
        }
    }
}

fn status_without_containers(pod: &Value) -> &str {
    let gated = list(pod, "/status/conditions").iter().any(|condition| {
        string(condition, "/type") == "PodScheduled"
            && string(condition, "/reason") == SCHEDULING_GATED
    });
    if gated {
        SCHEDULING_GATED
    } else {
        string_or(pod, "/status/reason", string(pod, "/status/phase"))
    }
}

/// Unlike [`holds`], looks at all conditions of the type and not only the first.
fn condition_holds_anywhere(pod: &Value, condition_type: &str) -> bool {
    list(pod, "/status/conditions").iter().any(|condition| {
        string(condition, "/type") == condition_type && string(condition, "/status") == "True"
    })
}

/// The names of the init containers that go on running beside the containers.
struct Sidecars<'a> {
    names: BTreeSet<&'a str>,
    count: usize,
}

impl<'a> Sidecars<'a> {
    fn of(pod: &'a Value) -> Self {
        let restarted = list(pod, "/spec/initContainers")
            .iter()
            .filter(|container| string(container, "/restartPolicy") == "Always");
        let names = restarted.clone().map(|container| string(container, "/name")).collect();
        Self { names, count: restarted.count() }
    }

    fn contain(&self, status: &Value) -> bool {
        self.names.contains(string(status, "/name"))
    }

    /// The restarts of sidecars, up to the init container that the pod waits for.
    fn restarts(&self, pod: &Value) -> Restarts {
        let mut restarts = Restarts::default();
        for status in list(pod, "/status/initContainerStatuses") {
            let is_sidecar = self.contain(status);
            if is_sidecar {
                restarts.add(status);
            }
            if matches!(InitState::of(status, is_sidecar), InitState::Held(_) | InitState::Running)
            {
                break;
            }
        }
        restarts
    }
}

/// What an init container is doing.
enum InitState {
    /// It ended well.
    Done,
    /// It is a sidecar that has started.
    Started {
        ready: bool,
    },
    /// It failed or cannot start.
    Held(String),
    Running,
}

impl InitState {
    fn of(status: &Value, is_sidecar: bool) -> Self {
        let end = present(status, "/state/terminated");
        if end.is_some_and(|end| integer(end, "/exitCode") == 0) {
            Self::Done
        } else if is_sidecar && boolean(status, "/started") {
            Self::Started { ready: boolean(status, "/ready") }
        } else if let Some(why) = terminated(status) {
            Self::Held(why)
        } else {
            match waiting(status) {
                Some(why) if why != "PodInitializing" => Self::Held(why),
                _ => Self::Running,
            }
        }
    }
}

/// Why a container does not start yet.
fn waiting(status: &Value) -> Option<String> {
    Some(string(status, "/state/waiting/reason"))
        .filter(|reason| !reason.is_empty())
        .map(str::to_owned)
}

/// How a container came to its end.
fn terminated(status: &Value) -> Option<String> {
    let end = present(status, "/state/terminated")?;
    Some(match (string(end, "/reason"), integer(end, "/signal")) {
        ("", 0) => format!("ExitCode:{}", integer(end, "/exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    })
}

fn runs(status: &Value) -> bool {
    boolean(status, "/ready") && present(status, "/state/running").is_some()
}

/// How often containers were restarted, and when the last of them ended before that.
#[derive(Default)]
struct Restarts {
    count: i64,
    last: Option<Timestamp>,
}

impl Restarts {
    fn add(&mut self, status: &Value) {
        self.count = self.count.saturating_add(integer(status, "/restartCount"));
        self.last = self.last.max(time(status, "/lastState/terminated/finishedAt"));
    }
}

//! API Priority and Fairness on requests: here they are classified and get their seats.

use std::sync::Arc;
use std::time::{Duration, Instant};

use apf::config::ConditionUpdate;
use apf::controller::{ADJUSTMENT_PERIOD, Admitted, FlowController, Options, Rejected, Request};
use apf::digest::{RequestDigest, RequestKind, ResourceTarget, Target};
use apf::dump::Detail;
use apf::estimate::{EstimatorConfig, ObjectStatisticsSource};
use apf::gate::{RequestDescription, RequestDetails};
use apf::max_in_flight::{MaxInFlight, Permit, RETRY_AFTER_SECONDS};
use apf::queue_wait_limit::queue_wait_deadline;
use apf::ratios::{InFlight, Phase};
use apf::watch_tracker::WatchRegistration;
use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::time::Clock;
use auth::User;
use auth::request_info::RequestInfo;

use crate::metrics::{Counting, Metrics};
use crate::options::Config;
use crate::reply::Failure;
use crate::request::{Record, Turn};

/// A request without a deadline waits for this part of `--request-timeout` at most.
const DEFAULT_WAIT_PARTS: u32 = 4;
/// How often the most requests that there were at a time are noted.
const WATERMARK_PERIOD: Duration = Duration::from_secs(1);
/// Names the first argument that makes dumps tell what requests ask for.
const INCLUDE_REQUEST_DETAILS: &str = "includeRequestDetails";

/// What a request holds while it is served; dropping it lets the next one in.
#[derive(Debug, Default)]
pub enum Seats {
    /// Nothing: the request is not limited.
    #[default]
    Unlimited,
    /// Seats of a priority level.
    Level(apf::gate::Seats),
    /// A place among the requests in flight, without Priority and Fairness.
    InFlight(Permit),
}

/// What limits requests.
enum Limiter {
    /// API Priority and Fairness.
    Levels(Arc<FlowController>),
    /// Only the number of requests in flight.
    InFlight(MaxInFlight),
    /// Nothing.
    Nothing,
}

/// Classifies requests and gives them their seats.
pub struct FlowControl {
    limiter: Limiter,
    /// The requests that are counted, whoever limits them.
    in_flight: Arc<InFlight>,
    default_wait: Duration,
}

/// A request that wants to be served.
pub struct Applicant<'a> {
    /// What it asks for.
    pub info: &'a Arc<RequestInfo>,
    /// Its query, as it was sent.
    pub query: &'a str,
    /// On whose behalf it acts.
    pub user: &'a Arc<User>,
    /// What is noted about it.
    pub record: &'a Record,
    /// When it came in.
    pub received: Instant,
    /// When it asks to be admitted.
    pub now: Instant,
    /// When it must be answered.
    pub deadline: Option<Instant>,
}

impl FlowControl {
    /// What limits requests as the flags say. Until the first configuration is read, the built-in
    /// levels hold.
    #[must_use]
    pub fn new(
        config: &Config,
        objects: Arc<dyn ObjectStatisticsSource>,
        counting: &Counting,
        clock: &dyn Clock,
    ) -> Self {
        let default_wait = config.request_timeout / DEFAULT_WAIT_PARTS;
        if config.priority_and_fairness {
            let gate = |name| config.feature_gates.enabled(name);
            let options = Options {
                server_concurrency_limit: config.server_concurrency(),
                estimator: EstimatorConfig {
                    size_based_list_cost_estimate: gate("SizeBasedListCostEstimate"),
                    watch_list: gate("WatchList"),
                    consistent_read_from_cache: true,
                },
                observer: Arc::new(counting.observer()),
                objects,
            };
            let controller = Arc::new(FlowController::new(options, clock));
            let in_flight = Arc::clone(controller.in_flight());
            Self { limiter: Limiter::Levels(controller), in_flight, default_wait }
        } else {
            let in_flight = Arc::new(InFlight::new(tokio::time::Instant::now().into_std()));
            let limits = MaxInFlight::new(
                config.max_requests_inflight,
                config.max_mutating_requests_inflight,
                Arc::clone(&in_flight),
            );
            let limiter = limits.map_or(Limiter::Nothing, Limiter::InFlight);
            Self { limiter, in_flight, default_wait }
        }
    }

    /// The requests that are counted.
    #[must_use]
    pub fn in_flight(&self) -> &Arc<InFlight> {
        &self.in_flight
    }

    /// Priority and Fairness, if it is on.
    #[must_use]
    pub fn controller(&self) -> Option<&Arc<FlowController>> {
        match &self.limiter {
            Limiter::Levels(controller) => Some(controller),
            Limiter::InFlight(_) | Limiter::Nothing => None,
        }
    }

    /// Notes each second how many requests there were at most, for ever. Requests wait only with
    /// Priority and Fairness.
    pub async fn keep_noting_watermarks(&self, metrics: &Metrics) {
        let phases: &[Phase] = match &self.limiter {
            Limiter::Levels(_) => &[Phase::Executing, Phase::Waiting],
            Limiter::InFlight(_) => &[Phase::Executing],
            Limiter::Nothing => return,
        };
        loop {
            for phase in phases {
                for kind in RequestKind::ALL {
                    let most = self.in_flight.take_watermark(*phase, kind);
                    metrics.note_watermark(*phase, kind, most);
                }
            }
            tokio::time::sleep(WATERMARK_PERIOD).await;
        }
    }

    /// Takes a whole configuration into use. Gives the conditions to write.
    pub fn digest(
        &self,
        flow_schemas: Vec<Arc<FlowSchema>>,
        levels: Vec<Arc<PriorityLevelConfiguration>>,
    ) -> Vec<ConditionUpdate> {
        match &self.limiter {
            Limiter::Levels(controller) => controller.digest(flow_schemas, levels),
            Limiter::InFlight(_) | Limiter::Nothing => Vec::new(),
        }
    }

    /// Lends seats between levels by their demand, each period, for ever.
    pub async fn keep_adjusting(&self) {
        let Limiter::Levels(controller) = &self.limiter else { return };
        loop {
            tokio::time::sleep(ADJUSTMENT_PERIOD).await;
            controller.adjust();
        }
    }

    /// Waits until the configuration should be digested again though no object changed, because a
    /// level that nobody wants any more has become idle.
    pub async fn wants_digest(&self) {
        match &self.limiter {
            Limiter::Levels(controller) => controller.unwanted_level_idle().await,
            Limiter::InFlight(_) | Limiter::Nothing => std::future::pending().await,
        }
    }

    /// Waits until a request may run. Requests that may take as long as they like, other than
    /// watches, pass untouched.
    ///
    /// # Errors
    ///
    /// [`Failure::TooManyRequests`]
    pub async fn admit(&self, applicant: Applicant<'_>) -> Result<Seats, Failure> {
        match &self.limiter {
            Limiter::Levels(controller) if applicant.info.is_subject_to_flow_control() => {
                self.admit_to_level(controller, applicant).await
            }
            Limiter::InFlight(limits) if !applicant.info.is_long_running() => {
                let kind = RequestKind::of_verb(&applicant.info.verb);
                match limits.try_acquire(kind, &applicant.user.groups) {
                    Ok(permit) => Ok(Seats::InFlight(permit)),
                    Err(_no_room) => {
                        Err(Failure::TooManyRequests { retry_after_seconds: RETRY_AFTER_SECONDS })
                    }
                }
            }
            _ => Ok(Seats::Unlimited),
        }
    }

    async fn admit_to_level(
        &self,
        controller: &FlowController,
        applicant: Applicant<'_>,
    ) -> Result<Seats, Failure> {
        let Applicant { info, query, user, record, received, now, deadline } = applicant;
        let request = Request {
            digest: RequestDigest {
                user_name: &user.name,
                groups: &user.groups,
                target: target(info),
            },
            query,
            arrived: now,
            wait_deadline: queue_wait_deadline(now, Some(received), deadline, self.default_wait),
            details: Arc::new(Details { info: Arc::clone(info), user: Arc::clone(user) }),
        };
        // A request is classified once, and waits once.
        let note = |classification, work, waited| {
            let _first = record.turn.set(Turn { classification, work, waited });
        };
        match controller.admit(&request).await {
            Ok(Admitted { classification, work, waited, seats }) => {
                note(classification, work, waited);
                Ok(Seats::Level(seats))
            }
            Err(Rejected { classification, work, waited, retry_after_seconds, .. }) => {
                note(classification, work, waited);
                Err(Failure::TooManyRequests { retry_after_seconds })
            }
        }
    }

    /// Counts a watch for the work estimates of requests that change what it looks at.
    #[must_use]
    pub fn register_watch(&self, info: &RequestInfo) -> Option<WatchRegistration> {
        match (&self.limiter, target(info)) {
            (Limiter::Levels(controller), Target::Resource(target)) => {
                controller.register_watch(&target, None)
            }
            _ => None,
        }
    }

    /// A debug dump: `dump_priority_levels`, `dump_queues` or `dump_requests` (spec: apf 9).
    /// `None` if there is no such dump.
    #[must_use]
    pub fn dump(&self, name: &str, first_argument: impl Fn(&str) -> bool) -> Option<String> {
        let Limiter::Levels(controller) = &self.limiter else { return None };
        match name {
            "dump_priority_levels" => Some(controller.dump_priority_levels()),
            "dump_queues" => Some(controller.dump_queues()),
            "dump_requests" => {
                let detailed = first_argument(INCLUDE_REQUEST_DETAILS);
                let detail = if detailed { Detail::Included } else { Detail::Omitted };
                Some(controller.dump_requests(detail))
            }
            _ => None,
        }
    }
}

fn target(info: &RequestInfo) -> Target<'_> {
    if info.is_resource_request {
        Target::Resource(ResourceTarget {
            verb: &info.verb,
            api_group: &info.api_group,
            resource: &info.resource,
            subresource: &info.subresource,
            namespace: &info.namespace,
            name: &info.name,
        })
    } else {
        Target::NonResource { verb: &info.verb, path: &info.path }
    }
}

/// What dumps tell of a request, put into words only when one is asked for.
struct Details {
    info: Arc<RequestInfo>,
    user: Arc<User>,
}

impl RequestDetails for Details {
    fn describe(&self) -> RequestDescription {
        let Self { info, user } = self;
        let api_version = match (info.api_group.as_str(), info.api_version.as_str()) {
            ("", version) => version.to_owned(),
            (group, version) => format!("{group}/{version}"),
        };
        RequestDescription {
            user_name: user.name.clone(),
            verb: info.verb.clone(),
            api_path: info.path.clone(),
            namespace: info.namespace.clone(),
            name: info.name.clone(),
            api_version,
            resource: info.resource.clone(),
            subresource: info.subresource.clone(),
        }
    }
}

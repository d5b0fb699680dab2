//! A controller with a configuration of its own, and requests for it.

use std::sync::Arc;
use std::time::Duration;

use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::time::SystemClock;

use super::CountingObserver;
use crate::controller::{Admitted, FlowController, Options, Rejected, Request};
use crate::digest::{RequestDigest, ResourceTarget, Target};
use crate::gate::RequestDescription;

pub(crate) struct Harness {
    pub(crate) controller: Arc<FlowController>,
    pub(crate) observer: CountingObserver,
}

/// A request by a user of no groups.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) user: String,
    pub(crate) verb: &'static str,
    pub(crate) wait: Duration,
}

impl Ask {
    pub(crate) fn by(user: &str) -> Self {
        Self { user: user.to_owned(), verb: "get", wait: Duration::from_secs(15) }
    }

    pub(crate) fn verb(self, verb: &'static str) -> Self {
        Self { verb, ..self }
    }

    pub(crate) fn target(&self) -> ResourceTarget<'_> {
        ResourceTarget { verb: self.verb, resource: "things", ..ResourceTarget::default() }
    }

    fn digest(&self) -> RequestDigest<'_> {
        let target = Target::Resource(self.target());
        RequestDigest { user_name: &self.user, groups: &[], target }
    }
}

impl Harness {
    /// A server of so many seats.
    pub(crate) fn new(server_concurrency_limit: u32) -> Self {
        let observer = CountingObserver::default();
        let options = Options {
            server_concurrency_limit,
            observer: Arc::new(observer.clone()),
            ..Options::default()
        };
        let controller = Arc::new(FlowController::new(options, &SystemClock));
        Self { controller, observer }
    }

    /// One level with one seat beside the catch-all one, for the requests of every user named.
    pub(crate) fn with_one_seat(queue_length_limit: i32, users: &[&str]) -> Self {
        let harness = Self::new(2);
        let schemas = users.iter().map(|user| schema_for_user(user, "narrow")).collect();
        let level = queue_level("narrow", 5, (1, 1, queue_length_limit));
        drop(harness.controller.digest(schemas, vec![level]));
        assert_eq!(harness.controller.limits()["narrow"].current, 1);
        harness
    }

    pub(crate) async fn admit(&self, ask: &Ask) -> Result<Admitted, Rejected> {
        let request = Request {
            digest: ask.digest(),
            query: "",
            arrived: crate::gate::now(),
            wait_deadline: crate::gate::now() + ask.wait,
            details: Arc::new(RequestDescription {
                user_name: ask.user.clone(),
                verb: ask.verb.to_owned(),
                ..RequestDescription::default()
            }),
        };
        self.controller.admit(&request).await
    }

    /// Asserts that nothing waits, executes or lingers.
    pub(crate) fn assert_nothing_is_left(&self) {
        use crate::digest::RequestKind;
        use crate::ratios::Phase;
        self.observer.assert_gauges_are_zero();
        for (name, gate) in self.controller.gates() {
            let totals = gate.view().snapshot.totals;
            assert_eq!(
                (totals.waiting, totals.executing, totals.seats_in_use, totals.seats_waiting),
                (0, 0, 0, 0),
                "{name}"
            );
        }
        for phase in Phase::ALL {
            for kind in RequestKind::ALL {
                assert_eq!(self.controller.in_flight().current(phase, kind), 0);
            }
        }
    }
}

fn level(name: &str, shares: i32, response: &serde_json::Value) -> Arc<PriorityLevelConfiguration> {
    let mut object = PriorityLevelConfiguration::default();
    name.clone_into(&mut object.metadata.name);
    object.metadata.uid = format!("uid of {name}");
    object.spec = serde_json::from_value(serde_json::json!({
        "type": "Limited",
        "limited": {"nominalConcurrencyShares": shares, "lendablePercent": 0, "limitResponse": response},
    }))
    .unwrap();
    Arc::new(object)
}

/// A level with (queues, hand size, queue length limit).
pub(crate) fn queue_level(
    name: &str,
    shares: i32,
    (queues, hand_size, queue_length_limit): (i32, i32, i32),
) -> Arc<PriorityLevelConfiguration> {
    let response = serde_json::json!({"type": "Queue", "queuing": {
        "queues": queues, "handSize": hand_size, "queueLengthLimit": queue_length_limit}});
    level(name, shares, &response)
}

pub(crate) fn reject_level(name: &str, shares: i32) -> Arc<PriorityLevelConfiguration> {
    level(name, shares, &serde_json::json!({"type": "Reject"}))
}

/// A FlowSchema for all requests of a user.
pub(crate) fn schema_for_user(user: &str, level: &str) -> Arc<FlowSchema> {
    let mut object = FlowSchema::default();
    object.metadata.name = format!("of-{user}");
    object.metadata.uid = format!("uid of {user}");
    object.spec = serde_json::from_value(serde_json::json!({
        "priorityLevelConfiguration": {"name": level},
        "matchingPrecedence": 100,
        "distinguisherMethod": {"type": "ByUser"},
        "rules": [{
            "subjects": [{"kind": "User", "user": {"name": user}}],
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"],
                "clusterScope": true, "namespaces": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
        }],
    }))
    .unwrap();
    Arc::new(object)
}

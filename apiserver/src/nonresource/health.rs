//! `/healthz`, `/livez`, `/readyz` and their checks (spec: apimachinery 1.3).

use std::sync::atomic::{AtomicBool, Ordering};

use crate::reply::Reply;
use crate::request::Authorized;
use crate::server::Server;
use validation::text::go_quote;

/// The checks of the reference, in the order in which they are listed. Those of parts that this
/// server does not have pass: there is nothing that could fail.
const CHECKS: &str = include_str!("health_checks.txt");

/// The check that the configuration of flow control was read.
const CONSUMER_CHECK: &str = "poststarthook/priority-and-fairness-config-consumer";
/// The check that flow control watches over requests, and what is there without it.
const FILTER_CHECK: &str = "poststarthook/priority-and-fairness-filter";
const MAX_IN_FLIGHT_CHECK: &str = "poststarthook/max-in-flight-filter";

/// An endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endpoint {
    Healthz,
    Livez,
    Readyz,
}

impl Endpoint {
    /// The endpoint of a path, and the check behind it.
    pub(super) fn find(path: &str) -> Option<(Self, &str)> {
        [Self::Healthz, Self::Livez, Self::Readyz].into_iter().find_map(|endpoint| {
            let rest = path.strip_prefix('/')?.strip_prefix(endpoint.name())?;
            match rest.strip_prefix('/') {
                Some(check) => Some((endpoint, check)),
                None => rest.is_empty().then_some((endpoint, "")),
            }
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Healthz => "healthz",
            Self::Livez => "livez",
            Self::Readyz => "readyz",
        }
    }

    /// The names of its checks, with or without API Priority and Fairness.
    pub(super) fn checks(
        self,
        priority_and_fairness: bool,
    ) -> impl Iterator<Item = &'static str> + Clone {
        CHECKS.lines().filter_map(move |line| {
            let (name, only) = line.split_once(' ').unwrap_or((line, ""));
            let here = match only {
                "" => true,
                "ready" => self == Self::Readyz,
                _ => self != Self::Readyz,
            };
            let name = match name {
                _ if priority_and_fairness => name,
                CONSUMER_CHECK => return None,
                FILTER_CHECK => MAX_IN_FLIGHT_CHECK,
                other => other,
            };
            here.then_some(name)
        })
    }
}

/// Whether the server is well.
#[derive(Debug)]
pub struct Health {
    priority_and_fairness: bool,
    consumer_synced: AtomicBool,
    bootstrapped: AtomicBool,
}

impl Health {
    /// Nothing has been done yet.
    #[must_use]
    pub fn new(priority_and_fairness: bool) -> Self {
        Self {
            priority_and_fairness,
            consumer_synced: AtomicBool::new(false),
            bootstrapped: AtomicBool::new(false),
        }
    }

    /// The names of an endpoint's checks.
    pub(super) fn checks(&self, endpoint: Endpoint) -> impl Iterator<Item = &'static str> + Clone {
        endpoint.checks(self.priority_and_fairness)
    }

    /// The first configuration was taken into use.
    pub fn set_consumer_synced(&self) {
        self.consumer_synced.store(true, Ordering::Relaxed);
    }

    /// The objects that every server has are there.
    pub fn set_bootstrapped(&self) {
        self.bootstrapped.store(true, Ordering::Relaxed);
    }

    /// Why a check fails, if it does.
    fn failure(&self, server: &Server, check: &str) -> Option<String> {
        let unfinished =
            |done: &AtomicBool| (!done.load(Ordering::Relaxed)).then(|| "not finished".to_owned());
        match check {
            "etcd" | "etcd-readiness" => server.storage_status().failure,
            CONSUMER_CHECK => unfinished(&self.consumer_synced),
            "poststarthook/priority-and-fairness-config-producer" => unfinished(&self.bootstrapped),
            "shutdown" => server.stop.is_cancelled().then(|| "process is shutting down".to_owned()),
            _ => None,
        }
    }

    /// Answers a request for an endpoint or for one of its checks.
    pub(super) fn answer(
        &self,
        server: &Server,
        request: &Authorized,
        endpoint: Endpoint,
        check: &str,
    ) -> Reply {
        if !check.is_empty() {
            return self.answer_check(server, endpoint, check);
        }
        let checks = self.checks(endpoint);
        let excluded: Vec<&str> = request.query.all("exclude").collect();
        let mut lines = String::new();
        let mut failed = false;
        for name in checks.clone() {
            if excluded.contains(&name) {
                lines.push_str(&format!("[+]{name} excluded: ok\n"));
            } else if let Some(why) = self.failure(server, name) {
                tracing::warn!(check = name, why, "a health check fails");
                lines.push_str(&format!("[-]{name} failed: reason withheld\n"));
                failed = true;
            } else {
                lines.push_str(&format!("[+]{name} ok\n"));
            }
        }
        let mut unknown: Vec<String> = excluded
            .iter()
            .filter(|name| !checks.clone().any(|check| check == **name))
            .map(|name| go_quote(name))
            .collect();
        unknown.sort_unstable();
        if !unknown.is_empty() {
            lines.push_str(&format!(
                "warn: some health checks cannot be excluded: no matches for {}\n",
                unknown.join(",")
            ));
        }
        if failed {
            return Reply::text(500, format!("{lines}{} check failed\n", endpoint.name()));
        }
        if request.query.first("verbose").is_some() {
            return Reply::text(200, format!("{lines}{} check passed\n", endpoint.name()));
        }
        Reply::text(200, "ok")
    }

    fn answer_check(&self, server: &Server, endpoint: Endpoint, check: &str) -> Reply {
        if !self.checks(endpoint).any(|name| name == check) {
            return Reply::not_found();
        }
        match self.failure(server, check) {
            Some(why) => Reply::text(500, format!("internal server error: {why}\n")),
            None => Reply::Text {
                code: 200,
                text: "ok".to_owned(),
                content_type: "text/plain; charset=utf-8",
                nosniff: false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_paths_behind_their_endpoint() {
        assert_eq!(Endpoint::find("/livez"), Some((Endpoint::Livez, "")));
        assert_eq!(
            Endpoint::find("/readyz/poststarthook/rbac/bootstrap-roles"),
            Some((Endpoint::Readyz, "poststarthook/rbac/bootstrap-roles"))
        );
        assert_eq!(Endpoint::find("/healthzz"), None);
    }

    #[test]
    fn readiness_ends_with_shutdown() {
        assert_eq!(Endpoint::Readyz.checks(true).last(), Some("shutdown"));
        assert_eq!(Endpoint::Readyz.checks(true).count(), 36);
        assert_eq!(Endpoint::Livez.checks(true).count(), 34);
    }

    #[test]
    fn without_priority_and_fairness_only_its_objects_are_kept() {
        let names = || Endpoint::Readyz.checks(false);
        let about_it: Vec<_> = names().filter(|name| name.contains("priority-and")).collect();
        assert_eq!(about_it, ["poststarthook/priority-and-fairness-config-producer"]);
        assert!(names().any(|name| name == MAX_IN_FLIGHT_CHECK));
    }
}

//! `/healthz`, `/livez`, `/readyz` and their checks (spec: apimachinery 1.3).

use std::sync::atomic::{AtomicBool, Ordering};

use crate::reply::Reply;
use crate::request::Authorized;
use crate::server::Server;
use validation::text::go_quote;

/// The checks of the reference, in the order in which they are listed. Those of parts that this
/// server does not have pass: there is nothing that could fail.
const CHECKS: &str = include_str!("health_checks.txt");

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

    /// The names of its checks.
    pub(super) fn checks(self) -> impl Iterator<Item = &'static str> {
        CHECKS.lines().filter_map(move |line| {
            let (name, only) = line.split_once(' ').unwrap_or((line, ""));
            let here = match only {
                "" => true,
                "ready" => self == Self::Readyz,
                _ => self != Self::Readyz,
            };
            here.then_some(name)
        })
    }
}

/// Whether the server is well.
#[derive(Debug, Default)]
pub struct Health {
    consumer_synced: AtomicBool,
    bootstrapped: AtomicBool,
}

impl Health {
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
            "poststarthook/priority-and-fairness-config-consumer" => {
                unfinished(&self.consumer_synced)
            }
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
        let excluded: Vec<&str> = request.query.all("exclude").collect();
        let mut lines = String::new();
        let mut failed = false;
        for name in endpoint.checks() {
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
            .filter(|name| !endpoint.checks().any(|check| check == **name))
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
        if !endpoint.checks().any(|name| name == check) {
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
        assert_eq!(Endpoint::Readyz.checks().last(), Some("shutdown"));
        assert_eq!(Endpoint::Readyz.checks().count(), 36);
        assert_eq!(Endpoint::Livez.checks().count(), 34);
    }
}

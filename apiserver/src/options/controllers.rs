//! `--controllers`: what the server does by itself that a cluster leaves to its controller manager.

use std::collections::BTreeSet;

use validation::text::go_quote;

/// A controller inside the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Controller {
    /// Empties namespaces that go.
    Namespace,
    /// Gives each namespace its service account `default`.
    ServiceAccount,
    /// Gives each namespace the authority by which pods know the server.
    RootCertificate,
    /// Gives cluster roles that are made of others their rules.
    RoleAggregation,
    /// Deletes what lost its owners.
    GarbageCollector,
    /// Counts what quotas limit.
    ResourceQuota,
    /// Lets claims go that nobody uses.
    ClaimProtection,
    /// Lets volumes go that nobody uses.
    VolumeProtection,
}

/// Every controller under its name and the names it goes by as well.
const NAMES: [(Controller, &[&str]); 8] = [
    (Controller::Namespace, &["namespace-controller", "namespace"]),
    (Controller::ServiceAccount, &["serviceaccount-controller", "serviceaccount"]),
    (
        Controller::RootCertificate,
        &[
            "root-ca-certificate-publisher-controller",
            "root-ca-certificate-publisher",
            "root-ca-cert-publisher",
        ],
    ),
    (
        Controller::RoleAggregation,
        &["clusterrole-aggregation-controller", "clusterrole-aggregation"],
    ),
    (
        Controller::GarbageCollector,
        &["garbage-collector-controller", "garbage-collector", "garbagecollector"],
    ),
    (Controller::ResourceQuota, &["resourcequota-controller", "resourcequota"]),
    (
        Controller::ClaimProtection,
        &["persistentvolumeclaim-protection-controller", "pvc-protection"],
    ),
    (Controller::VolumeProtection, &["persistentvolume-protection-controller", "pv-protection"]),
];

/// The controllers that run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Controllers(BTreeSet<Controller>);

impl Controllers {
    /// Those that run where no flag says otherwise. A control plane without the ServiceAccount
    /// plugin has no controllers beside it, so that it gets the one that clients cannot do without.
    /// The garbage collector is for those who ask for it.
    #[must_use]
    pub fn usual(bare: bool) -> Self {
        let usual =
            NAMES.iter().map(|(controller, _)| *controller).filter(|controller| match controller {
                Controller::Namespace => true,
                Controller::GarbageCollector => false,
                _ => !bare,
            });
        Self(usual.collect())
    }

    /// Those of a list as kube-controller-manager takes it: `*` is all, `name` that one, `-name`
    /// all but that one. An empty list is the usual one.
    ///
    /// # Errors
    ///
    /// A line for each name that there is no controller of.
    pub fn parse(list: &[&str], bare: bool) -> Result<Self, Vec<String>> {
        if list.is_empty() {
            return Ok(Self::usual(bare));
        }
        let is_known = |item: &&&str| **item == "*" || find(item).is_some();
        let unknown: Vec<_> = list.iter().filter(|item| !is_known(item)).collect();
        if !unknown.is_empty() {
            let told = |item: &&str| {
                let name = item.strip_prefix('-').unwrap_or(item);
                format!("{} is not in the list of known controllers", go_quote(name))
            };
            return Err(unknown.into_iter().map(told).collect());
        }
        let all = list.contains(&"*");
        // What is said of a controller first holds.
        let runs = |controller: Controller| {
            let said = list.iter().find(|item| find(item) == Some(controller));
            said.map_or(all, |item| !item.starts_with('-'))
        };
        let controllers = NAMES.iter().map(|(controller, _)| *controller);
        Ok(Self(controllers.filter(|controller| runs(*controller)).collect()))
    }

    /// Whether a controller runs.
    #[must_use]
    pub fn has(&self, controller: Controller) -> bool {
        self.0.contains(&controller)
    }
}

/// The controller that an item of the list is about.
fn find(item: &str) -> Option<Controller> {
    let name = item.strip_prefix('-').unwrap_or(item);
    let named = NAMES.iter().find(|(_, names)| names.contains(&name));
    named.map(|(controller, _)| *controller)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(list: &[&str]) -> Vec<Controller> {
        Controllers::parse(list, false).unwrap().0.into_iter().collect()
    }

    #[test]
    fn a_star_is_all_and_a_dash_all_but_one() {
        assert_eq!(parse(&["*"]).len(), NAMES.len());
        assert!(!parse(&["*", "-garbage-collector"]).contains(&Controller::GarbageCollector));
        assert_eq!(parse(&["namespace", "-serviceaccount"]), [Controller::Namespace]);
        assert_eq!(parse(&["-namespace"]), []);
        assert_eq!(parse(&["namespace", "-namespace-controller"]), [Controller::Namespace]);
    }

    #[test]
    fn without_a_list_there_is_no_garbage_collector() {
        let usual = Controllers::parse(&[], false).unwrap();
        assert!(usual.has(Controller::ServiceAccount) && usual.has(Controller::ResourceQuota));
        assert!(!usual.has(Controller::GarbageCollector));
        let bare = Controllers::parse(&[], true).unwrap();
        assert_eq!(bare.0.into_iter().collect::<Vec<_>>(), [Controller::Namespace]);
    }

    #[test]
    fn unknown_names_are_told() {
        let errors = Controllers::parse(&["*", "-deploy", "serviceaccount", "x"], false);
        assert_eq!(
            errors.unwrap_err(),
            [
                "\"deploy\" is not in the list of known controllers",
                "\"x\" is not in the list of known controllers",
            ]
        );
    }
}

//! `--enable-admission-plugins` and `--disable-admission-plugins`: which plugins look at writes.
//!
//! All names of the reference are known, also those of plugins that are not here: they are taken
//! and do nothing.

use std::collections::BTreeSet;

use validation::text::go_quote;

/// The reference's plugins, and whether they are on where no flag says otherwise.
const KNOWN: [(&str, bool); 37] = [
    ("AlwaysAdmit", false),
    ("AlwaysDeny", false),
    ("AlwaysPullImages", false),
    ("CertificateApproval", true),
    ("CertificateSigning", true),
    ("CertificateSubjectRestriction", true),
    ("ClusterTrustBundleAttest", true),
    ("DefaultIngressClass", true),
    ("DefaultStorageClass", true),
    ("DefaultTolerationSeconds", true),
    ("DenyServiceExternalIPs", false),
    ("EventRateLimit", false),
    ("ExtendedResourceToleration", false),
    ("ImagePolicyWebhook", false),
    ("LimitPodHardAntiAffinityTopology", false),
    ("LimitRanger", true),
    ("MutatingAdmissionPolicy", true),
    ("MutatingAdmissionWebhook", true),
    ("NamespaceAutoProvision", false),
    ("NamespaceExists", false),
    ("NamespaceLifecycle", true),
    ("NodeDeclaredFeatureValidator", true),
    ("NodeRestriction", false),
    ("OwnerReferencesPermissionEnforcement", false),
    ("PersistentVolumeClaimResize", true),
    ("PodNodeSelector", false),
    ("PodSecurity", true),
    ("PodTolerationRestriction", false),
    ("PodTopologyLabels", true),
    ("Priority", true),
    ("ResourceQuota", true),
    ("RuntimeClass", true),
    ("ServiceAccount", true),
    ("StorageObjectInUseProtection", true),
    ("TaintNodesByCondition", true),
    ("ValidatingAdmissionPolicy", true),
    ("ValidatingAdmissionWebhook", true),
];

/// The plugins that are on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdmissionPlugins(BTreeSet<&'static str>);

impl Default for AdmissionPlugins {
    fn default() -> Self {
        Self(KNOWN.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect())
    }
}

impl AdmissionPlugins {
    /// The usual ones with those `enabled` and without those `disabled`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, a line each, in the reference's words.
    pub fn parse(enabled: &[&str], disabled: &[&str]) -> Result<Self, Vec<String>> {
        let mut errors = Vec::new();
        let mut plugins = Self::default();
        for (flag, names) in [("enable", enabled), ("disable", disabled)] {
            for name in names {
                match KNOWN.iter().find(|(known, _)| known == name) {
                    Some((known, _)) if flag == "enable" => drop(plugins.0.insert(known)),
                    Some((known, _)) => drop(plugins.0.remove(known)),
                    None => errors.push(format!(
                        "{flag}-admission-plugins plugin {} is unknown",
                        go_quote(name)
                    )),
                }
            }
        }
        let both: BTreeSet<_> = enabled.iter().filter(|name| disabled.contains(name)).collect();
        if !both.is_empty() {
            let names: Vec<&str> = both.into_iter().copied().collect();
            errors.push(format!(
                "[{}] in enable-admission-plugins and disable-admission-plugins overlapped",
                names.join(" ")
            ));
        }
        if errors.is_empty() { Ok(plugins) } else { Err(errors) }
    }

    /// Whether a plugin is on.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_are_switched_on_and_off_by_name() {
        let plugins = AdmissionPlugins::parse(&["NodeRestriction"], &["ServiceAccount"]).unwrap();
        assert!(plugins.has("NodeRestriction") && plugins.has("LimitRanger"));
        assert!(!plugins.has("ServiceAccount") && !plugins.has("AlwaysDeny"));
    }

    #[test]
    fn unknown_and_contradicting_names_are_all_told() {
        let errors = AdmissionPlugins::parse(&["Foo", "Priority"], &["Priority", "Bar"]);
        assert_eq!(
            errors.unwrap_err(),
            [
                "enable-admission-plugins plugin \"Foo\" is unknown",
                "disable-admission-plugins plugin \"Bar\" is unknown",
                "[Priority] in enable-admission-plugins and disable-admission-plugins overlapped",
            ]
        );
    }
}

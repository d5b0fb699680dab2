//! The rules of an `AuthenticationConfiguration`, in the reference's order and words.

use std::collections::BTreeSet;

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use validation::field::{Error, ErrorList, Path, Shown};

use super::types::{
    AuthenticationConfiguration, ClaimMappings, ClaimValidationRule, ExtraMapping, Issuer,
    JwtAuthenticator, PrefixedClaimOrExpression, UserValidationRule,
};
use super::url;

const ISSUERS_MAX: usize = 64;
const MATCH_ANY: &str = "MatchAny";
const BOTH: &str = "claim and expression can't both be set";
const NO_EXPRESSIONS: &str = "CEL expressions are not supported by this server yet";

/// Checks a configuration; `disallowed` are the issuers of service account tokens.
pub(super) fn validate(
    configuration: &AuthenticationConfiguration,
    disallowed: &[String],
) -> ErrorList {
    let mut rules = Rules { errors: ErrorList::default(), disallowed };
    let root = Path::new("jwt");
    if configuration.jwt.len() > ISSUERS_MAX {
        rules.errors.push(Error::too_many(&root, configuration.jwt.len(), ISSUERS_MAX));
        return rules.errors;
    }
    let (mut urls, mut discovery_urls) = (BTreeSet::new(), BTreeSet::new());
    for (index, authenticator) in configuration.jwt.iter().enumerate() {
        let path = root.index(index);
        rules.authenticator(authenticator, &path);
        let Issuer { url, discovery_url, .. } = &authenticator.issuer;
        let path = path.child("issuer");
        rules.once(&mut urls, url, &path.child("url"));
        if !discovery_url.is_empty() {
            rules.once(&mut discovery_urls, discovery_url, &path.child("discoveryURL"));
        }
    }
    if let Some(anonymous) = &configuration.anonymous
        && !anonymous.enabled
        && !anonymous.conditions.is_empty()
    {
        rules.errors.push(Error::invalid(
            &Path::new("anonymous").child("conditions"),
            Shown::json(&anonymous.conditions),
            "enabled should be set to true when conditions are defined",
        ));
    }
    rules.errors
}

struct Rules<'a> {
    errors: ErrorList,
    disallowed: &'a [String],
}

impl Rules<'_> {
    fn invalid(&mut self, path: &Path, value: &str, detail: impl Into<String>) {
        self.errors.push(Error::invalid(path, value, detail));
    }

    fn required(&mut self, path: &Path, detail: &str) {
        self.errors.push(Error::required(path, detail));
    }

    /// Whether a value is there for the first time; notes it otherwise.
    fn once<'v>(&mut self, seen: &mut BTreeSet<&'v str>, value: &'v str, path: &Path) -> bool {
        let first = seen.insert(value);
        if !first {
            self.errors.push(Error::duplicate(path, value));
        }
        first
    }

    fn authenticator(&mut self, authenticator: &JwtAuthenticator, path: &Path) {
        self.issuer(&authenticator.issuer, &path.child("issuer"));
        let rules = path.child("claimValidationRules");
        self.claim_rules(&authenticator.claim_validation_rules, &rules);
        self.mappings(&authenticator.claim_mappings, &path.child("claimMappings"));
        let rules = path.child("userValidationRules");
        self.user_rules(&authenticator.user_validation_rules, &rules);
    }

    fn issuer(&mut self, issuer: &Issuer, path: &Path) {
        let url = path.child("url");
        if issuer.url.is_empty() {
            self.required(&url, "");
        } else {
            if self.disallowed.contains(&issuer.url) {
                let mut names = self.disallowed.to_vec();
                names.sort_unstable();
                let names = names.join(" ");
                let detail = format!("URL must not overlap with disallowed issuers: [{names}]");
                self.invalid(&url, &issuer.url, detail);
            }
            self.url(&issuer.url, &url);
        }
        self.discovery_url(issuer, &path.child("discoveryURL"));
        self.audiences(issuer, path);
        let authority = &issuer.certificate_authority;
        if !authority.is_empty() && !holds_certificates(authority) {
            let detail = "data does not contain any valid RSA or ECDSA certificates";
            self.invalid(&path.child("certificateAuthority"), "<omitted>", detail);
        }
        if !issuer.egress_selector_type.is_empty() {
            let detail = "egress selectors are not supported by this server";
            self.invalid(&path.child("egressSelectorType"), &issuer.egress_selector_type, detail);
        }
    }

    fn url(&mut self, url: &str, path: &Path) {
        for problem in url::problems(url) {
            self.invalid(path, url, problem);
        }
    }

    fn discovery_url(&mut self, issuer: &Issuer, path: &Path) {
        let Issuer { url, discovery_url, .. } = issuer;
        if discovery_url.is_empty() {
            return;
        }
        if !url.is_empty() && url.trim_end_matches('/') == discovery_url.trim_end_matches('/') {
            self.invalid(path, discovery_url, "discoveryURL must be different from URL");
        }
        self.url(discovery_url, path);
    }

    fn audiences(&mut self, issuer: &Issuer, path: &Path) {
        let (audiences, policy) = (path.child("audiences"), path.child("audienceMatchPolicy"));
        let count = issuer.audiences.len();
        if count == 0 {
            return self.required(&audiences, &format!("at least one {audiences} is required"));
        }
        let mut seen = BTreeSet::new();
        for (index, audience) in issuer.audiences.iter().enumerate() {
            let path = audiences.index(index);
            if audience.is_empty() {
                self.required(&path, "");
            }
            self.once(&mut seen, audience, &path);
        }
        let given = &issuer.audience_match_policy;
        if count > 1 && given != MATCH_ANY {
            let detail = "audienceMatchPolicy must be MatchAny for multiple audiences";
            self.errors.push(Error::invalid(&policy, Shown::json(given), detail));
        }
        if count == 1 && !given.is_empty() && given != MATCH_ANY {
            let detail = "audienceMatchPolicy must be empty or MatchAny for single audience";
            self.errors.push(Error::invalid(&policy, Shown::json(given), detail));
        }
    }

    fn claim_rules(&mut self, rules: &[ClaimValidationRule], path: &Path) {
        let mut claims = BTreeSet::new();
        for (index, rule) in rules.iter().enumerate() {
            let path = path.index(index);
            match (rule.claim.is_empty(), rule.expression.is_empty()) {
                (false, false) => self.invalid(&path, &rule.claim, BOTH),
                (true, true) => self.required(&path, "claim or expression is required"),
                (false, true) => {
                    if !rule.message.is_empty() {
                        let detail = "may not be specified when claim is set";
                        self.invalid(&path.child("message"), &rule.message, detail);
                    }
                    self.once(&mut claims, &rule.claim, &path.child("claim"));
                }
                (true, false) => {
                    if !rule.required_value.is_empty() {
                        let detail = "may not be specified when expression is set";
                        self.invalid(&path.child("requiredValue"), &rule.required_value, detail);
                    }
                    self.invalid(&path.child("expression"), &rule.expression, NO_EXPRESSIONS);
                }
            }
        }
    }

    fn mappings(&mut self, mappings: &ClaimMappings, path: &Path) {
        let ClaimMappings { username, groups, uid, extra } = mappings;
        if username.claim.is_empty() && username.expression.is_empty() {
            self.required(&path.child("username"), "claim or expression is required");
        }
        self.claim_or_expression(username, &path.child("username"));
        self.claim_or_expression(groups, &path.child("groups"));
        let at = path.child("uid");
        if !uid.claim.is_empty() && !uid.expression.is_empty() {
            self.invalid(&at, "", BOTH);
        } else if !uid.expression.is_empty() {
            self.invalid(&at.child("expression"), &uid.expression, NO_EXPRESSIONS);
        }
        self.extra(extra, &path.child("extra"));
    }

    fn claim_or_expression(&mut self, mapping: &PrefixedClaimOrExpression, path: &Path) {
        let PrefixedClaimOrExpression { claim, prefix, expression } = mapping;
        if !claim.is_empty() && !expression.is_empty() {
            return self.invalid(path, "", BOTH);
        }
        if !expression.is_empty() {
            if let Some(prefix) = prefix {
                let detail = "may not be specified when expression is set";
                self.invalid(&path.child("prefix"), prefix, detail);
            }
            return self.invalid(&path.child("expression"), expression, NO_EXPRESSIONS);
        }
        if !claim.is_empty() && prefix.is_none() {
            let detail = "prefix is required when claim is set. It can be set to an empty string \
                          to disable prefixing";
            self.required(&path.child("prefix"), detail);
        }
    }

    fn extra(&mut self, extra: &[ExtraMapping], path: &Path) {
        let mut keys = BTreeSet::new();
        for (index, mapping) in extra.iter().enumerate() {
            let path = path.index(index);
            let (at, key) = (path.child("key"), &mapping.key);
            if *key != key.to_lowercase() {
                self.invalid(&at, key, "must be lowercase");
            }
            if is_reserved(key) {
                let detail = "k8s.io, kubernetes.io and their subdomains are reserved for \
                              Kubernetes use";
                self.invalid(&at, key, detail);
            }
            if !self.once(&mut keys, key, &at) {
                continue;
            }
            let at = path.child("valueExpression");
            if mapping.value_expression.is_empty() {
                self.required(&at, "");
            } else {
                self.invalid(&at, &mapping.value_expression, NO_EXPRESSIONS);
            }
        }
    }

    fn user_rules(&mut self, rules: &[UserValidationRule], path: &Path) {
        let mut expressions = BTreeSet::new();
        for (index, rule) in rules.iter().enumerate() {
            let path = path.index(index).child("expression");
            if rule.expression.is_empty() {
                self.required(&path, "");
            } else if self.once(&mut expressions, &rule.expression, &path) {
                self.invalid(&path, &rule.expression, NO_EXPRESSIONS);
            }
        }
    }
}

/// Whether a key is in a domain of Kubernetes' own.
fn is_reserved(key: &str) -> bool {
    let Some((domain, _)) = key.split_once('/') else { return false };
    ["kubernetes.io", "k8s.io"].into_iter().any(|own| {
        domain.strip_suffix(own).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// Whether a text holds certificates, all of them readable.
fn holds_certificates(pem: &str) -> bool {
    let certificates = CertificateDer::pem_slice_iter(pem.as_bytes());
    let read: Result<Vec<_>, _> = certificates.collect();
    read.is_ok_and(|certificates| !certificates.is_empty())
}

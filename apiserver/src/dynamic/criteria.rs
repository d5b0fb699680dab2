//! Whom a webhook or policy is about: rules and selectors together.

use std::sync::Arc;

use api::status::Status;
use serde_json::Value;

use super::request::{Objects, Request};
use super::rules::Rule;
use super::selector::Selector;
use crate::resources::Resource;

/// What must match.
#[derive(Debug)]
pub(crate) struct Criteria {
    rules: Vec<Rule>,
    excluded: Vec<Rule>,
    /// Whether all is meant where there are no rules.
    rules_optional: bool,
    /// Whether rules match also what they would match in another version.
    equivalent: bool,
    namespaces: Selector,
    objects: Selector,
}

impl Criteria {
    /// Those of a webhook.
    pub(crate) fn of_webhook(webhook: &Value) -> Self {
        Self::of(webhook, "rules")
    }

    /// Those of a policy.
    pub(crate) fn of_policy(matched: &Value) -> Self {
        Self::of(matched, "resourceRules")
    }

    /// Those of a binding, which need not have rules of its own.
    pub(crate) fn of_binding(matched: &Value) -> Self {
        Self { rules_optional: true, ..Self::of(matched, "resourceRules") }
    }

    fn of(from: &Value, rules: &str) -> Self {
        Self {
            rules: Rule::list(&from[rules]),
            excluded: Rule::list(&from["excludeResourceRules"]),
            rules_optional: false,
            equivalent: from["matchPolicy"] != "Exact",
            namespaces: Selector::of(&from["namespaceSelector"]),
            objects: Selector::of(&from["objectSelector"]),
        }
    }

    /// Whether a request matches, and in which version of its resource.
    ///
    /// # Errors
    ///
    /// 404 if the namespace is gone whose labels are asked for.
    pub(super) fn find(
        &self,
        request: &Request<'_>,
        objects: Objects<'_>,
    ) -> Result<Option<Arc<Resource>>, Status> {
        let Some(resource) = self.rule(request) else { return Ok(None) };
        if self.selects_object(objects) && self.selects_namespace(request, objects)? {
            return Ok(Some(resource));
        }
        Ok(None)
    }

    /// The version in which a rule matches: that of the request, if there is a choice.
    fn rule(&self, request: &Request<'_>) -> Option<Arc<Resource>> {
        if self.is_ruled(&self.excluded, request).is_some() {
            return None;
        }
        if self.rules_optional && self.rules.is_empty() {
            return Some(Arc::clone(request.resource));
        }
        self.is_ruled(&self.rules, request)
    }

    fn is_ruled(&self, rules: &[Rule], request: &Request<'_>) -> Option<Arc<Resource>> {
        let matches = |resource: &Resource| {
            let target = request.target(resource);
            rules.iter().any(|rule| rule.matches(&target))
        };
        if matches(request.resource) {
            return Some(Arc::clone(request.resource));
        }
        if !self.equivalent || rules.is_empty() {
            return None;
        }
        let served = request.catalog.peek();
        let mut versions = served.resources.versions_of(request.resource);
        versions.find(|version| matches(version)).map(Arc::clone)
    }

    fn selects_object(&self, objects: Objects<'_>) -> bool {
        let each = [objects.object, objects.old];
        self.objects.is_empty()
            || each.into_iter().flatten().any(|object| self.objects.matches(&object["metadata"]))
    }

    fn selects_namespace(
        &self,
        request: &Request<'_>,
        objects: Objects<'_>,
    ) -> Result<bool, Status> {
        if self.namespaces.is_empty() {
            return Ok(true);
        }
        let namespace = request.namespace_of(objects)?;
        Ok(namespace.is_none_or(|namespace| self.namespaces.matches(&namespace["metadata"])))
    }
}

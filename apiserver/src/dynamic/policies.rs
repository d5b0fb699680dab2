//! ValidatingAdmissionPolicies and their bindings.

mod params;

use api::status::{Cause, Reason, Status};
use custom::admission::{Decision, Policy, Subject};
use serde_json::Value;

use self::params::{ParamKind, ParamRef, Params};
use super::criteria::Criteria;
use super::name;
use super::request::{Objects, Request};
use super::seen::Seen;
use crate::objects::metadata;

/// All policies that are bound, in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct Policies(Vec<Bound>);

/// A policy with its bindings.
#[derive(Debug)]
struct Bound {
    name: String,
    criteria: Criteria,
    param_kind: Option<ParamKind>,
    policy: Policy,
    bindings: Vec<Binding>,
}

#[derive(Debug)]
struct Binding {
    name: String,
    /// What it leaves of what its policy is about; all of it if there is none.
    criteria: Option<Criteria>,
    params: Option<ParamRef>,
    denies: bool,
    warns: bool,
}

impl Policies {
    pub(super) fn compile(policies: &[Value], bindings: &[Value]) -> Self {
        let mut bound: Vec<Bound> =
            policies.iter().filter_map(|policy| Bound::new(policy, bindings)).collect();
        bound.sort_by(|a, b| a.name.cmp(&b.name));
        Self(bound)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Bound {
    /// `None` if no binding names the policy: it is not compiled then.
    fn new(policy: &Value, bindings: &[Value]) -> Option<Self> {
        let own = name(policy);
        let named = bindings.iter().filter(|binding| binding["spec"]["policyName"] == own);
        let mut bindings: Vec<Binding> = named.map(Binding::new).collect();
        if bindings.is_empty() {
            return None;
        }
        bindings.sort_by(|a, b| a.name.cmp(&b.name));
        let spec = &policy["spec"];
        Some(Self {
            name: own.to_owned(),
            criteria: Criteria::of_policy(&spec["matchConstraints"]),
            param_kind: ParamKind::of(&spec["paramKind"]),
            policy: Policy::compile(spec),
            bindings,
        })
    }
}

impl Binding {
    fn new(binding: &Value) -> Self {
        let spec = &binding["spec"];
        let actions = spec["validationActions"].as_array();
        let has =
            |action: &str| actions.is_some_and(|actions| actions.iter().any(|each| each == action));
        let matched = &spec["matchResources"];
        Self {
            name: name(binding).to_owned(),
            criteria: matched.is_object().then(|| Criteria::of_binding(matched)),
            params: ParamRef::of(&spec["paramRef"]),
            denies: has("Deny"),
            warns: has("Warn"),
        }
    }
}

/// A refusal and whose it is.
struct Denial<'p> {
    policy: &'p str,
    binding: Option<&'p str>,
    decision: Decision,
}

/// Asks policies whether a request may be done.
///
/// # Errors
///
/// The first denial, by the order of policies and bindings.
pub(crate) async fn check_policies(
    policies: &Policies,
    request: &Request<'_>,
    objects: Objects<'_>,
) -> Result<(), Status> {
    if request.is_exempt() {
        return Ok(());
    }
    for bound in &policies.0 {
        if let Some(denial) = bound.check(request, objects).await? {
            return Err(denied(&denial, request, objects));
        }
    }
    Ok(())
}

impl Bound {
    async fn check<'p>(
        &'p self,
        request: &Request<'_>,
        objects: Objects<'_>,
    ) -> Result<Option<Denial<'p>>, Status> {
        let Some(resource) = self.criteria.find(request, objects)? else { return Ok(None) };
        let mut bindings = Vec::new();
        for binding in &self.bindings {
            let criteria = binding.criteria.as_ref();
            let found = criteria.map(|criteria| criteria.find(request, objects)).transpose()?;
            if found.is_none_or(|found| found.is_some()) {
                bindings.push(binding);
            }
        }
        if bindings.is_empty() {
            return Ok(None);
        }
        let seen = Seen::of(request, &resource, objects).await?;
        let subject = seen.subject().map_err(|why| Status::internal_error(&why))?;
        let mut first = None;
        for binding in bindings {
            let denial = self.check_binding(binding, request, &subject);
            first = first.or(denial);
        }
        Ok(first)
    }

    fn check_binding<'p>(
        &'p self,
        binding: &'p Binding,
        request: &Request<'_>,
        subject: &Subject<'_>,
    ) -> Option<Denial<'p>> {
        let deny = |decision, binding| Denial { policy: &self.name, binding, decision };
        let misconfigured = |whose: &str, why: &str| {
            let message = format!("failed to configure {whose}: {why}");
            self.policy.fails().then(|| Decision { message, reason: String::new() })
        };
        let Some(kind) = &self.param_kind else {
            return self.decide(binding, request, subject);
        };
        let params = match kind.params(binding.params.as_ref(), request) {
            Ok(params) => params,
            Err(error) if error.is_of_policy() => {
                let decision = misconfigured("policy", &error.to_string())?;
                return Some(deny(decision, None));
            }
            Err(error) => {
                let decision = misconfigured("binding", &error.to_string())?;
                return Some(deny(decision, Some(binding.name.as_str())));
            }
        };
        let with = |params: Option<&Value>| {
            let subject = subject.with_params(params).ok()?;
            self.decide(binding, request, &subject)
        };
        match params {
            Params::Unbound => with(None),
            Params::Found(found) => found
                .iter()
                .map(|params| with(Some(params)))
                .fold(None, |first, denial| first.or(denial)),
        }
    }

    fn decide<'p>(
        &'p self,
        binding: &'p Binding,
        request: &Request<'_>,
        subject: &Subject<'_>,
    ) -> Option<Denial<'p>> {
        let decisions = self.policy.decide(subject);
        if binding.warns {
            for decision in &decisions {
                request.warn(&format!(
                    "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
                    self.name, binding.name, decision.message
                ));
            }
        }
        let first = decisions.into_iter().next().filter(|_| binding.denies)?;
        Some(Denial { policy: &self.name, binding: Some(&binding.name), decision: first })
    }
}

/// The answer to a request that is denied.
fn denied(denial: &Denial<'_>, request: &Request<'_>, objects: Objects<'_>) -> Status {
    let Denial { policy, binding, decision } = denial;
    let binding = binding.map_or(String::new(), |name| format!(" with binding '{name}'"));
    let message = format!(
        "ValidatingAdmissionPolicy '{policy}'{binding} denied request: {}",
        decision.message
    );
    let mut status = Status::forbidden(
        request.resource.group_resource(),
        shown_name(request, objects),
        &message,
    );
    let (code, reason) = match decision.reason.as_str() {
        "Unauthorized" => (401, Reason::Unauthorized),
        "Forbidden" => (403, Reason::Forbidden),
        "RequestEntityTooLarge" => (413, Reason::RequestEntityTooLarge),
        _ => (422, Reason::Invalid),
    };
    status.code = code;
    status.reason = Some(reason);
    let cause = Cause { message, ..Cause::default() };
    status.details.get_or_insert_default().causes.push(cause);
    status
}

/// What an object is called of which the name may not be known yet.
fn shown_name<'s>(request: &'s Request<'_>, objects: Objects<'s>) -> &'s str {
    let of = |member| objects.object.map_or("", |object| metadata::text(object, member));
    let names = [request.name, of("name"), of("generateName")];
    names.into_iter().find(|name| !name.is_empty()).unwrap_or("Unknown!")
}

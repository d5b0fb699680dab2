//! Dynamic admission: what objects of the API say about other writes. Webhooks that change or refuse
//! them, and policies in CEL (spec: apimachinery 2.15).
//!
//! Configurations are read when they change ([`Compiled`]), never while a request runs: a request
//! takes the view that is in use and asks those whose rules match.

mod criteria;
mod hook;
mod mutate;
mod policies;
mod request;
mod review;
mod rules;
mod seen;
mod selector;
mod validate;

use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::Value;

pub(crate) use self::hook::{Hook, options};
pub(crate) use self::mutate::{Mutated, Round, mutate};
pub(crate) use self::policies::{Policies, check_policies};
pub(crate) use self::request::{Objects, Operation, Request};
pub(crate) use self::validate::validate;

/// Everything that is asked, in its order.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// What may change objects.
    pub(crate) mutating: Vec<Hook>,
    /// What may refuse them.
    pub(crate) validating: Vec<Hook>,
    /// What refuses them without asking anybody.
    pub(crate) policies: Policies,
}

impl Compiled {
    /// The view of stored configurations. They are asked in the order of their names.
    pub(crate) fn new(
        mutating: Vec<Value>,
        validating: Vec<Value>,
        policies: &[Value],
        bindings: &[Value],
    ) -> Self {
        Self {
            mutating: hooks(mutating),
            validating: hooks(validating),
            policies: Policies::compile(policies, bindings),
        }
    }
}

impl Compiled {
    fn is_empty(&self) -> bool {
        self.mutating.is_empty() && self.validating.is_empty() && self.policies.is_empty()
    }
}

fn hooks(mut configurations: Vec<Value>) -> Vec<Hook> {
    configurations.sort_by_cached_key(|each| name(each).to_owned());
    configurations.iter().flat_map(Hook::list).collect()
}

fn name(object: &Value) -> &str {
    crate::objects::metadata::text(object, "name")
}

/// What is asked now. It is swapped as a whole.
#[derive(Debug, Default)]
pub struct DynamicAdmission(ArcSwap<Compiled>);

impl DynamicAdmission {
    /// The view that is in use, to be kept for a request.
    pub(crate) fn now(&self) -> Arc<Compiled> {
        self.0.load_full()
    }

    /// Whether nobody is asked about anything, so that a request need not be described.
    pub(crate) fn is_idle(&self) -> bool {
        self.0.load().is_empty()
    }

    /// Takes another view into use.
    pub(crate) fn replace(&self, compiled: Compiled) {
        self.0.store(Arc::new(compiled));
    }
}

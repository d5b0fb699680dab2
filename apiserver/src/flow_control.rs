//! API Priority and Fairness on requests: classified here, and here they get their seats.

use std::collections::BTreeMap;
use std::sync::Arc;

use apf::classify::flow_schema_matches;
use apf::config::{CATCH_ALL, ConditionUpdate, Digested, LevelInUse};
use apf::digest::{RequestDigest, ResourceTarget, Target};
use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use arc_swap::ArcSwap;

use crate::authn::User;
use crate::reply::Failure;
use crate::request::info::RequestInfo;
use crate::request::{Classified, Record};

/// The seats of a request; dropping them frees them.
#[derive(Debug, Default)]
pub struct Seats(());

/// What is in use.
#[derive(Debug)]
struct Active {
    /// In matching order.
    flow_schemas: Vec<Arc<FlowSchema>>,
    levels: BTreeMap<String, LevelInUse>,
}

/// Classifies requests and gives them their seats.
pub struct FlowControl {
    active: ArcSwap<Active>,
}

impl Default for FlowControl {
    /// With nothing but the built-in stand-ins, until the first configuration was read.
    fn default() -> Self {
        let digested = apf::config::digest(Vec::new(), Vec::new(), &BTreeMap::new(), |_| true);
        Self { active: ArcSwap::from_pointee(Active::from(digested)) }
    }
}

impl From<Digested> for Active {
    fn from(digested: Digested) -> Self {
        Self { flow_schemas: digested.flow_schemas, levels: digested.levels }
    }
}

impl FlowControl {
    /// Takes a whole configuration into use. Gives the conditions to write.
    pub fn digest(
        &self,
        flow_schemas: Vec<Arc<FlowSchema>>,
        levels: Vec<Arc<PriorityLevelConfiguration>>,
    ) -> Vec<ConditionUpdate> {
        let previous = self.active.load();
        let mut digested =
            apf::config::digest(flow_schemas, levels, &previous.levels, |_level| true);
        let updates = std::mem::take(&mut digested.condition_updates);
        self.active.store(Arc::new(Active::from(digested)));
        updates
    }

    /// How a request is classified.
    #[must_use]
    pub fn classify(&self, info: &RequestInfo, user: &User) -> Classified {
        let digest = digest_of(info, user);
        let active = self.active.load();
        let schema = active
            .flow_schemas
            .iter()
            .find(|schema| flow_schema_matches(&schema.spec, &digest))
            .or_else(|| active.flow_schemas.iter().find(|s| s.metadata.name == CATCH_ALL));
        let Some(schema) = schema else { return Classified::default() };
        let level_name = &schema.spec.priority_level_configuration.name;
        let level_uid =
            active.levels.get(level_name).map(|level| level.object.metadata.uid.clone());
        Classified {
            flow_schema: (schema.metadata.name.clone(), schema.metadata.uid.clone()),
            priority_level: (level_name.clone(), level_uid.unwrap_or_default()),
        }
    }

    /// Waits until a request may run. Requests that may take as long as they like, other than
    /// watches, pass untouched.
    ///
    /// # Errors
    ///
    /// [`Failure::TooManyRequests`]
    pub async fn admit(
        &self,
        info: &RequestInfo,
        user: &User,
        record: &Record,
    ) -> Result<Seats, Failure> {
        if info.is_subject_to_flow_control() {
            // A request is classified once.
            let _first = record.classified.set(self.classify(info, user));
        }
        // Every request runs at once as yet; this is where it will wait for its seats.
        std::future::ready(Ok(Seats::default())).await
    }
}

fn digest_of<'a>(info: &'a RequestInfo, user: &'a User) -> RequestDigest<'a> {
    let target = if info.is_resource_request {
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
    };
    RequestDigest { user_name: &user.name, groups: &user.groups, target }
}

//! `flowcontrol.apiserver.k8s.io/v1` (spec: apf 2.2, 2.3).

use serde::{Deserialize, Serialize};

use crate::Schema;
use crate::meta::ObjectMeta;
use crate::time::Timestamp;

/// The version's name.
pub const VERSION: &str = "v1";

/// A FlowSchema says which requests belong together and which priority level serves them. A
/// request belongs to the matching FlowSchema with the lowest matching precedence.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1", validate(supportsSubresource = "/status"))]
pub struct FlowSchema {
    /// The kind of object this is: `FlowSchema`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub kind: String,
    /// The API group and version this object is written in.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub api_version: String,
    /// The object's name and what the server keeps about it.
    #[k8s(number = 1)]
    pub metadata: ObjectMeta,
    /// What the FlowSchema asks for.
    #[k8s(number = 2, required)]
    pub spec: FlowSchemaSpec,
    /// What the server found out about the FlowSchema.
    #[k8s(number = 3)]
    pub status: FlowSchemaStatus,
}

/// What a FlowSchema asks for: which requests it claims, and the priority level they go to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct FlowSchemaSpec {
    /// The priority level that serves the requests this FlowSchema claims.
    #[k8s(number = 1, required)]
    pub priority_level_configuration: PriorityLevelConfigurationReference,
    /// The rank among matching FlowSchemas: the lowest number wins. From 1 to 10000; 1000 when
    /// left out.
    #[k8s(number = 2, default = 1000)]
    pub matching_precedence: i32,
    /// How the requests are told apart into flows; when left out they are all one flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 3)]
    pub distinguisher_method: Option<FlowDistinguisherMethod>,
    /// The requests this FlowSchema claims: those that match any of the rules. Without rules it
    /// claims none.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 4, list_type = "atomic")]
    pub rules: Vec<PolicyRulesWithSubjects>,
}

/// Names a priority level.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct PriorityLevelConfigurationReference {
    /// The name of the PriorityLevelConfiguration.
    #[k8s(number = 1, required)]
    pub name: String,
}

/// How requests are told apart into flows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct FlowDistinguisherMethod {
    /// `ByUser`: one flow for each user name; `ByNamespace`: one for each namespace.
    #[serde(rename = "type")]
    #[k8s(number = 1, required)]
    pub method_type: String,
}

/// A rule: whose requests, and which of them. A request matches if a subject matches and a
/// resource rule or non-resource rule matches.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct PolicyRulesWithSubjects {
    /// Whose requests match; at least one.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 1, required, nullable, list_type = "atomic")]
    pub subjects: Vec<Subject>,
    /// Which requests for resources match.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 2, list_type = "atomic")]
    pub resource_rules: Vec<ResourcePolicyRule>,
    /// Which requests for other paths match.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 3, list_type = "atomic")]
    pub non_resource_rules: Vec<NonResourcePolicyRule>,
}

/// Someone who sends requests; the member named by `kind` says who.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(
    package = "io.k8s.api.flowcontrol.v1",
    union(
        discriminator = "kind",
        user = "User",
        group = "Group",
        service_account = "ServiceAccount"
    )
)]
pub struct Subject {
    /// `User`, `Group` or `ServiceAccount`.
    #[k8s(number = 1, required)]
    pub kind: String,
    /// The user, for kind `User`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 2)]
    pub user: Option<UserSubject>,
    /// The group, for kind `Group`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 3)]
    pub group: Option<GroupSubject>,
    /// The service account, for kind `ServiceAccount`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 4)]
    pub service_account: Option<ServiceAccountSubject>,
}

/// A user by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct UserSubject {
    /// The user's name, or `*` for every user.
    #[k8s(number = 1, required)]
    pub name: String,
}

/// A group by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct GroupSubject {
    /// The group's name, or `*` for every user.
    #[k8s(number = 1, required)]
    pub name: String,
}

/// A service account by namespace and name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct ServiceAccountSubject {
    /// The service account's namespace.
    #[k8s(number = 1, required)]
    pub namespace: String,
    /// The service account's name, or `*` for every one of the namespace.
    #[k8s(number = 2, required)]
    pub name: String,
}

/// Which requests for resources match: verb, API group, resource and scope all have to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct ResourcePolicyRule {
    /// The verbs, or `*` alone for all.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 1, required, nullable, list_type = "set")]
    pub verbs: Vec<String>,
    /// The API groups (the core group is the empty text), or `*` alone for all.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 2, required, nullable, list_type = "set")]
    pub api_groups: Vec<String>,
    /// The resources in plural, with `/` and the subresource where there is one, or `*` alone
    /// for all.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 3, required, nullable, list_type = "set")]
    pub resources: Vec<String>,
    /// Whether requests that name no namespace match.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[k8s(number = 4, omit_zero)]
    pub cluster_scope: bool,
    /// The namespaces whose requests match, or `*` alone for all.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 5, nullable, list_type = "set")]
    pub namespaces: Vec<String>,
}

/// Which requests for paths outside the resources match: verb and path have to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct NonResourcePolicyRule {
    /// The verbs, or `*` alone for all.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 1, required, nullable, list_type = "set")]
    pub verbs: Vec<String>,
    /// The paths: each whole, or ending in `/*` for all below it, or `*` alone for all.
    #[serde(rename = "nonResourceURLs", deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 6, required, nullable, list_type = "set")]
    pub non_resource_urls: Vec<String>,
}

/// What the server found out about a FlowSchema.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct FlowSchemaStatus {
    /// What holds of the FlowSchema, one entry for each type of condition.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 1, list_map_key = "type", patch_merge_key = "type")]
    pub conditions: Vec<FlowSchemaCondition>,
}

/// Something that holds, does not hold, or is not known of a FlowSchema.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct FlowSchemaCondition {
    /// What the condition is about, such as `Dangling`.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    #[k8s(number = 1, required, omit_zero)]
    pub condition_type: String,
    /// `True`, `False` or `Unknown`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 2, omit_zero)]
    pub status: String,
    /// When the status last changed.
    #[k8s(number = 3, nullable)]
    pub last_transition_time: Option<Timestamp>,
    /// Why, in one word for programs.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 4, omit_zero)]
    pub reason: String,
    /// Why, in a sentence for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 5, omit_zero)]
    pub message: String,
}

/// A PriorityLevelConfiguration says how many requests of a priority level may run at a time, and
/// what becomes of the others.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1", validate(supportsSubresource = "/status"))]
pub struct PriorityLevelConfiguration {
    /// The kind of object this is: `PriorityLevelConfiguration`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub kind: String,
    /// The API group and version this object is written in.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub api_version: String,
    /// The object's name and what the server keeps about it.
    #[k8s(number = 1)]
    pub metadata: ObjectMeta,
    /// What the priority level asks for.
    #[k8s(number = 2, required)]
    pub spec: PriorityLevelConfigurationSpec,
    /// What the server found out about the priority level.
    #[k8s(number = 3)]
    pub status: PriorityLevelConfigurationStatus,
}

/// What a priority level asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(
    package = "io.k8s.api.flowcontrol.v1",
    union(discriminator = "type", exempt = "Exempt", limited = "Limited")
)]
pub struct PriorityLevelConfigurationSpec {
    /// `Limited`: only so many requests run at a time; `Exempt`: every request runs at once.
    #[serde(rename = "type")]
    #[k8s(
        number = 1,
        required,
        validate(beta(since: "1.37") = required, beta(since: "1.37") = modeDiscriminator)
    )]
    pub level_type: String,
    /// The limits, for type `Limited`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(
        number = 2,
        validate(beta(since: "1.37") = optional, beta(since: "1.37") = ifMode("Limited") = required)
    )]
    pub limited: Option<LimitedPriorityLevelConfiguration>,
    /// What an exempt level reserves for itself, for type `Exempt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(
        number = 3,
        validate(beta(since: "1.37") = optional, beta(since: "1.37") = ifMode("Exempt") = optional)
    )]
    pub exempt: Option<ExemptPriorityLevelConfiguration>,
}

/// How many seats a limited priority level has, and what becomes of requests that find none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct LimitedPriorityLevelConfiguration {
    /// The level's part of the server's seats, in proportion to the shares of all levels. 30 when
    /// left out.
    #[k8s(number = 1, nullable, default = 30)]
    pub nominal_concurrency_shares: Option<i32>,
    /// What becomes of requests that find no free seat.
    #[k8s(number = 2, required)]
    pub limit_response: LimitResponse,
    /// How much of its seats, in percent, the level lends to others while it does not need them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 3, default = 0)]
    pub lendable_percent: Option<i32>,
    /// How many seats, in percent of its own, the level may borrow from others; no limit when
    /// left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 4)]
    pub borrowing_limit_percent: Option<i32>,
}

/// What becomes of requests that find no free seat.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1", union(discriminator = "type", queuing = "Queuing"))]
pub struct LimitResponse {
    /// `Queue`: they wait in fair queues; `Reject`: they are refused.
    #[serde(rename = "type")]
    #[k8s(
        number = 1,
        required,
        validate(beta(since: "1.37") = required, beta(since: "1.37") = modeDiscriminator)
    )]
    pub response_type: String,
    /// The queues, for type `Queue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(
        number = 2,
        validate(beta(since: "1.37") = optional, beta(since: "1.37") = ifMode("Queue") = required)
    )]
    pub queuing: Option<QueuingConfiguration>,
}

/// The fair queues of a priority level.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct QueuingConfiguration {
    /// How many queues there are. 64 when left out.
    #[k8s(number = 1, default = 64)]
    pub queues: i32,
    /// How many queues a flow is dealt, of which each request takes the one with the least waiting
    /// work. 8 when left out.
    #[k8s(number = 2, default = 8)]
    pub hand_size: i32,
    /// How many requests may wait in one queue. 50 when left out.
    #[k8s(number = 3, default = 50)]
    pub queue_length_limit: i32,
}

/// What an exempt priority level reserves for itself. Its requests run at once in any case.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct ExemptPriorityLevelConfiguration {
    /// The level's part of the server's seats, in proportion to the shares of all levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 1, default = 0)]
    pub nominal_concurrency_shares: Option<i32>,
    /// How much of its seats, in percent, the level lends to others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 2, default = 0)]
    pub lendable_percent: Option<i32>,
}

/// What the server found out about a priority level.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct PriorityLevelConfigurationStatus {
    /// What holds of the priority level, one entry for each type of condition.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 1, list_map_key = "type", patch_merge_key = "type")]
    pub conditions: Vec<PriorityLevelConfigurationCondition>,
}

/// Something that holds, does not hold, or is not known of a priority level.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.flowcontrol.v1")]
pub struct PriorityLevelConfigurationCondition {
    /// What the condition is about.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    #[k8s(number = 1, required, omit_zero)]
    pub condition_type: String,
    /// `True`, `False` or `Unknown`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 2, omit_zero)]
    pub status: String,
    /// When the status last changed.
    #[k8s(number = 3, nullable)]
    pub last_transition_time: Option<Timestamp>,
    /// Why, in one word for programs.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 4, omit_zero)]
    pub reason: String,
    /// Why, in a sentence for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 5, omit_zero)]
    pub message: String,
}

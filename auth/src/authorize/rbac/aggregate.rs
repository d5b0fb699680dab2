//! Cluster roles that are made of others, such as `admin`, `edit` and `view`.

use std::collections::BTreeMap;

use super::objects::{AggregationRule, Role};
use super::rule::PolicyRule;

/// The rules of each cluster role, with those of aggregated roles put together.
///
/// Roles contribute in the order of their names and each rule once. Aggregated roles may be parts
/// of others; rules only grow, so passing over the roles until nothing changes comes to an end.
pub(super) fn rules_by_name(cluster_roles: &[Role]) -> BTreeMap<&str, Vec<PolicyRule>> {
    let mut roles: Vec<&Role> = cluster_roles.iter().collect();
    roles.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    let mut rules: BTreeMap<&str, Vec<PolicyRule>> = roles
        .iter()
        .map(|role| {
            let is_aggregated = role.aggregation_rule.is_some();
            let own = if is_aggregated { Vec::new() } else { role.rules.clone() };
            (role.metadata.name.as_str(), own)
        })
        .collect();
    loop {
        let mut changed = false;
        for (role, aggregation) in aggregated(&roles) {
            let collected = collect(role, aggregation, &roles, &rules);
            let slot = rules.entry(role.metadata.name.as_str()).or_default();
            // Rules already found keep counting, whatever order they are found in next time.
            if collected.len() > slot.len() {
                *slot = collected;
                changed = true;
            }
        }
        if !changed {
            return rules;
        }
    }
}

fn aggregated<'a>(roles: &[&'a Role]) -> Vec<(&'a Role, &'a AggregationRule)> {
    roles.iter().filter_map(|&role| Some((role, role.aggregation_rule.as_ref()?))).collect()
}

fn collect(
    into: &Role,
    aggregation: &AggregationRule,
    roles: &[&Role],
    rules: &BTreeMap<&str, Vec<PolicyRule>>,
) -> Vec<PolicyRule> {
    let is_part = |role: &&&Role| {
        role.metadata.name != into.metadata.name
            && aggregation.cluster_role_selectors.iter().any(|s| s.matches(&role.metadata.labels))
    };
    let mut collected: Vec<PolicyRule> = Vec::new();
    for role in roles.iter().filter(is_part) {
        for rule in rules.get(role.metadata.name.as_str()).into_iter().flatten() {
            if !collected.contains(rule) {
                collected.push(rule.clone());
            }
        }
    }
    collected
}

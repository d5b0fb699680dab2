//! Finds the FlowSchema that claims a request without looking at all of them: whose requests they
//! are decides first, and most rules are about somebody else.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::flowcontrol::v1::{FlowSchema, PolicyRulesWithSubjects};

use super::{SERVICE_ACCOUNT_PREFIX, SubjectMatcher, target_matches};
use crate::digest::RequestDigest;

/// FlowSchemas in matching order.
#[derive(Debug, Default)]
pub struct Classifier {
    schemas: Vec<Arc<FlowSchema>>,
    /// The rules of all of them, in matching order: the position of the FlowSchema, and the rule's
    /// within it.
    rules: Vec<(usize, usize)>,
    subjects: Subjects,
}

/// Ascending positions in [`Classifier::rules`].
type Rules = Vec<usize>;

/// The rules by whose requests they are about.
#[derive(Debug, Default)]
struct Subjects {
    everybody: Rules,
    users: BTreeMap<String, Rules>,
    /// By how the names of the users begin, up to a colon.
    user_name_prefixes: BTreeMap<String, Rules>,
    groups: BTreeMap<String, Rules>,
}

impl Classifier {
    /// Prepares FlowSchemas that are in matching order.
    #[must_use]
    pub fn new(schemas: Vec<Arc<FlowSchema>>) -> Self {
        let (mut rules, mut subjects) = (Vec::new(), Subjects::default());
        for (position, schema) in schemas.iter().enumerate() {
            for (number, rule) in schema.spec.rules.iter().enumerate() {
                for subject in &rule.subjects {
                    subjects.add(SubjectMatcher::new(subject), rules.len());
                }
                rules.push((position, number));
            }
        }
        Self { schemas, rules, subjects }
    }

    /// The position of the first FlowSchema that claims a request: one of its rules has to match.
    /// Without rules it claims none.
    #[must_use]
    pub fn classify(&self, digest: &RequestDigest<'_>) -> Option<usize> {
        let mut first = usize::MAX;
        for rules in self.subjects.rules(digest.user_name, digest.groups) {
            let earlier = rules.iter().copied().take_while(|rule| *rule < first);
            let matches = |rule: &usize| {
                self.rule(*rule).is_some_and(|rule| target_matches(rule, &digest.target))
            };
            first = earlier.into_iter().find(matches).unwrap_or(first);
        }
        self.rules.get(first).map(|(position, _)| *position)
    }

    fn rule(&self, rule: usize) -> Option<&PolicyRulesWithSubjects> {
        let (position, number) = *self.rules.get(rule)?;
        self.schemas.get(position)?.spec.rules.get(number)
    }
}

impl Subjects {
    fn add(&mut self, subject: SubjectMatcher, rule: usize) {
        let rules = match subject {
            SubjectMatcher::Nobody => return,
            SubjectMatcher::Everybody => &mut self.everybody,
            SubjectMatcher::User(name) => self.users.entry(name).or_default(),
            SubjectMatcher::UserNamePrefix(prefix) => {
                self.user_name_prefixes.entry(prefix).or_default()
            }
            SubjectMatcher::Group(name) => self.groups.entry(name).or_default(),
        };
        if rules.last() != Some(&rule) {
            rules.push(rule);
        }
    }

    /// The rules about a user of this name and these groups, as several lists.
    fn rules<'a>(
        &'a self,
        user_name: &str,
        groups: &'a [String],
    ) -> impl Iterator<Item = &'a Rules> + use<'a> {
        let account = service_account_prefix(user_name);
        let account = account.and_then(|prefix| self.user_name_prefixes.get(prefix));
        let groups = groups.iter().filter_map(|group| self.groups.get(group));
        [Some(&self.everybody), self.users.get(user_name), account]
            .into_iter()
            .flatten()
            .chain(groups)
    }
}

/// How the names of all service accounts in the same namespace begin.
fn service_account_prefix(user_name: &str) -> Option<&str> {
    let account = user_name.strip_prefix(SERVICE_ACCOUNT_PREFIX)?;
    let end = SERVICE_ACCOUNT_PREFIX.len() + account.find(':')? + 1;
    user_name.get(..end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::digest::Target;

    fn subject(kind: usize, name: usize) -> serde_json::Value {
        let name = ["*", "a", "b", "c"][name % 4];
        match kind % 3 {
            0 => json!({ "kind": "User", "user": { "name": name } }),
            1 => json!({ "kind": "Group", "group": { "name": name } }),
            _ => json!({
                "kind": "ServiceAccount",
                "serviceAccount": { "namespace": "b", "name": name },
            }),
        }
    }

    fn schema(rules: &[(Vec<(usize, usize)>, bool)]) -> Arc<FlowSchema> {
        let rules: Vec<_> = rules
            .iter()
            .map(|(subjects, all_paths)| {
                let subjects: Vec<_> =
                    subjects.iter().map(|(kind, name)| subject(*kind, *name)).collect();
                let path = if *all_paths { "*" } else { "/elsewhere" };
                json!({
                    "subjects": subjects,
                    "nonResourceRules": [{ "verbs": ["*"], "nonResourceURLs": [path] }],
                })
            })
            .collect();
        Arc::new(serde_json::from_value(json!({ "spec": { "rules": rules } })).unwrap())
    }

    /// What it means, word for word.
    fn looked_through(schemas: &[Arc<FlowSchema>], digest: &RequestDigest<'_>) -> Option<usize> {
        schemas.iter().position(|schema| {
            schema.spec.rules.iter().any(|rule| {
                let is_one = |s| SubjectMatcher::new(s).matches(digest.user_name, digest.groups);
                rule.subjects.iter().any(is_one) && target_matches(rule, &digest.target)
            })
        })
    }

    proptest! {
        #[test]
        fn the_first_schema_that_claims_a_request_is_found(
            schemas in prop::collection::vec(
                prop::collection::vec(
                    (prop::collection::vec((0..3_usize, 0..4_usize), 0..3), any::<bool>()),
                    0..3,
                ),
                0..12,
            ),
            user in 0..4_usize,
            groups in prop::collection::vec(0..4_usize, 0..3),
        ) {
            let schemas: Vec<_> = schemas.iter().map(|rules| schema(rules)).collect();
            let user_name =
                ["a", "system:serviceaccount:b:c", "system:serviceaccount:bb:c", "b"][user];
            let groups: Vec<_> =
                groups.iter().map(|group| ["a", "b", "c", "d"][*group].to_owned()).collect();
            let target = Target::NonResource { verb: "get", path: "/here" };
            let digest = RequestDigest { user_name, groups: &groups, target };
            let expected = looked_through(&schemas, &digest);
            prop_assert_eq!(Classifier::new(schemas).classify(&digest), expected);
        }
    }
}

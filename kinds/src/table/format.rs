//! What cells of several kinds have in common: labels, containers, load balancers, shortened lists.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::fields::{list, string};
use super::{Column, NONE};

/// How many elements a shortened list shows.
pub(super) const SHOWN: usize = 3;

/// The columns of the containers in a template.
pub(super) const CONTAINERS: Column =
    Column::text("Containers", "Names of each container in the template.");
pub(super) const IMAGES: Column =
    Column::text("Images", "The images that the containers in the template run.");
/// The column of what selects the pods.
pub(super) const SELECTOR: Column =
    Column::text("Selector", "Which labels make a pod belong to the object.").wide();

/// Labels as `a=b,c=d`, sorted.
pub(super) fn labels(labels: Option<&Map<String, Value>>) -> String {
    let mut pairs: Vec<_> = labels
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()))
        .collect();
    pairs.sort();
    if pairs.is_empty() { NONE.to_owned() } else { pairs.join(",") }
}

/// The members' texts at a path in each element, joined.
fn column_of(elements: &[Value], pointer: &str) -> Value {
    elements.iter().map(|element| string(element, pointer)).collect::<Vec<_>>().join(",").into()
}

/// The two cells of the containers of the pod at a path.
pub(super) fn containers(object: &Value, pod_spec: &str) -> [Value; 2] {
    let containers = list(object, &format!("{pod_spec}/containers"));
    [column_of(containers, "/name"), column_of(containers, "/image")]
}

/// The addresses at which a load balancer takes traffic, sorted, each once.
pub(super) fn load_balancer(object: &Value) -> Vec<&str> {
    let ingress = list(object, "/status/loadBalancer/ingress").iter();
    let address = |ingress| match (string(ingress, "/ip"), string(ingress, "/hostname")) {
        ("", hostname) => hostname,
        (ip, _) => ip,
    };
    let addresses: BTreeSet<_> = ingress.map(address).filter(|text| !text.is_empty()).collect();
    addresses.into_iter().collect()
}

/// The first three of many, and how many more there are.
pub(super) fn shortened<S: AsRef<str>>(all: &[S]) -> String {
    let shown: Vec<_> = all.iter().take(SHOWN).map(AsRef::as_ref).collect();
    with_more(&shown.join(","), all.len().saturating_sub(SHOWN))
}

/// A list that was cut short, and how many are not shown.
pub(super) fn with_more(shown: &str, more: usize) -> String {
    if more == 0 { shown.to_owned() } else { format!("{shown} + {more} more...") }
}

/// `group` after a kind or a resource, if it has one.
pub(super) fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_are_sorted_and_none_of_them_is_said_in_words() {
        assert_eq!(labels(None), "<none>");
        assert_eq!(labels(json!({}).as_object()), "<none>");
        assert_eq!(labels(json!({"b": "2", "a": ""}).as_object()), "a=,b=2");
    }

    #[test]
    fn three_are_shown_and_the_rest_is_counted() {
        assert_eq!(shortened::<&str>(&[]), "");
        assert_eq!(shortened(&["a", "b", "c"]), "a,b,c");
        assert_eq!(shortened(&["a", "b", "c", "d", "e"]), "a,b,c + 2 more...");
    }
}

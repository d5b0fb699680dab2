//! Group `coordination.k8s.io`.

use super::fields::{name, text};
use super::{Column, Table, age_of};

pub(super) static LEASE: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Holder", "The identity of whoever holds the lease at this moment."),
        Column::AGE,
    ],
    |object, now| vec![name(object), text(object, "/spec/holderIdentity"), age_of(object, now)],
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::cells;
    use super::*;

    #[test]
    fn a_lease_that_was_given_up_has_no_holder() {
        for (holder, expected) in [(json!("me"), "me"), (json!(""), ""), (json!(null), "")] {
            let object = json!({"metadata": {"name": "l"}, "spec": {"holderIdentity": holder}});
            assert_eq!(cells(&LEASE, &object), json!(["l", expected, "<unknown>"]));
        }
    }
}

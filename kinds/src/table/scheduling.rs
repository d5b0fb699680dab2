//! Group `scheduling.k8s.io`.

use super::fields::{flag, name, number, text};
use super::{Column, Table, age_of};

pub(super) static PRIORITY_CLASS: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Value", "The priority of the class's pods: the higher, the sooner.")
            .of_type("integer"),
        Column::text("Global-Default", "Whether pods that name no class are of this one.")
            .of_type("boolean"),
        Column::AGE,
        Column::text(
            "PreemptionPolicy",
            "Whether pods of the class may evict those of lower priority.",
        ),
    ],
    |object, now| {
        vec![
            name(object),
            number(object, "/value"),
            flag(object, "/globalDefault"),
            age_of(object, now),
            text(object, "/preemptionPolicy"),
        ]
    },
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::cells;
    use super::*;

    #[test]
    fn a_class_may_be_the_default_and_have_a_negative_value() {
        let object = json!({
            "metadata": {"name": "p"}, "value": -5, "globalDefault": true,
            "preemptionPolicy": "Never",
        });
        assert_eq!(cells(&PRIORITY_CLASS, &object), json!(["p", -5, true, "<unknown>", "Never"]));
    }
}

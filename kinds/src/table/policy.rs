//! Group `policy`.

use serde_json::Value;

use super::fields::{name, number, present, scalar};
use super::{Column, Table, age_of};

pub(super) static POD_DISRUPTION_BUDGET: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Min Available", "How many pods, or what share of them, must stay available."),
        Column::text(
            "Max Unavailable",
            "How many pods, or what share of them, may be unavailable.",
        ),
        Column::text("Allowed Disruptions", "How many pods may be evicted at this moment.")
            .of_type("integer"),
        Column::AGE,
    ],
    |object, now| {
        vec![
            name(object),
            bound(object, "/spec/minAvailable"),
            bound(object, "/spec/maxUnavailable"),
            number(object, "/status/disruptionsAllowed"),
            age_of(object, now),
        ]
    },
);

fn bound(budget: &Value, pointer: &str) -> Value {
    present(budget, pointer).map_or_else(|| "N/A".into(), |bound| scalar(bound).into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::cells;
    use super::*;

    #[test]
    fn bounds_are_numbers_of_pods_or_parts_of_them() {
        let object = json!({
            "metadata": {"name": "p"}, "spec": {"maxUnavailable": "25%"},
            "status": {"disruptionsAllowed": 2},
        });
        assert_eq!(
            cells(&POD_DISRUPTION_BUDGET, &object),
            json!(["p", "N/A", "25%", 2, "<unknown>"])
        );
        let object = json!({"metadata": {"name": "p"}, "spec": {"minAvailable": 3}});
        assert_eq!(
            cells(&POD_DISRUPTION_BUDGET, &object),
            json!(["p", "3", "N/A", 0, "<unknown>"])
        );
    }
}

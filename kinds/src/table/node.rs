//! Group `node.k8s.io`.

use super::fields::{name, text};
use super::{Column, Table, age_of};

pub(super) static RUNTIME_CLASS: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Handler", "What runs the containers of the class's pods."),
        Column::AGE,
    ],
    |object, now| vec![name(object), text(object, "/handler"), age_of(object, now)],
);

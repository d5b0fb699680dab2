//! Group `node.k8s.io`.

use super::fields::{name, text};
use super::{Column, Table, age_of};

/// The reference does not describe the handler.
pub(super) static RUNTIME_CLASS: Table =
    Table::new(&[Column::NAME, Column::text("Handler", ""), Column::AGE], |object, now| {
        vec![name(object), text(object, "/handler"), age_of(object, now)]
    });

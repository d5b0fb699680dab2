//! The type of objects of which only the metadata is shown.

use std::sync::LazyLock;

use api::meta::ObjectMeta;
use api::schema::{Described, Field, FieldParts, Presence, TypeDef};

/// `PartialObjectMetadata`: encodes any object by its metadata alone.
#[must_use]
pub fn partial_object_metadata() -> &'static TypeDef {
    static TYPE: LazyLock<TypeDef> = LazyLock::new(|| TypeDef {
        name: "PartialObjectMetadata".to_owned(),
        openapi_name: "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata".to_owned(),
        description: "The metadata of an object of any kind.".to_owned(),
        fields: vec![Field::described(FieldParts {
            name: "metadata",
            description: "The object's metadata.",
            shape: ObjectMeta::shape(),
            presence: Presence::Always,
            number: 1,
            required: false,
            default: None,
        })],
        atomic: false,
        open: false,
        unions: Vec::new(),
        rules: Vec::new(),
    });
    &TYPE
}

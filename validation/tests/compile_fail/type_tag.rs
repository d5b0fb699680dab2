use api::Schema;

/// A type.
#[derive(serde::Serialize, Schema)]
#[k8s(package = "example.v1", validate(required))]
struct T {
    /// A field.
    #[k8s(validate(optional))]
    f: String,
    /// Another field.
    g: String,
}

fn main() {}

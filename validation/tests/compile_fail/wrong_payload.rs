use api::Schema;

/// A type.
#[derive(serde::Serialize, Schema)]
#[k8s(package = "example.v1")]
struct T {
    /// A field.
    #[k8s(validate(optional, minimum = "1"))]
    f: i32,
    /// Another field.
    g: String,
}

fn main() {}

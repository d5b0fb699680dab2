use api::Schema;

/// A type.
#[derive(serde::Serialize, Schema)]
#[k8s(package = "example.v1")]
struct T {
    /// A field.
    #[k8s(validate(optional, format = "k8s-ip"))]
    f: String,
    /// Another field.
    g: String,
}

fn main() {}

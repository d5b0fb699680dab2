use api::Schema;

/// A type.
#[derive(serde::Serialize, Schema)]
#[k8s(package = "example.v1beta1")]
struct T {
    /// A field.
    #[k8s(validate(optional, listType = atomic, eachVal = alpha = maxLength = 3))]
    f: Vec<String>,
    /// Another field.
    g: String,
}

fn main() {}

//! What the documents of both versions of OpenAPI begin with.

use serde_json::{Value, json};

/// What the document is about.
pub(crate) fn info() -> Value {
    json!({ "title": "Kubernetes", "version": "1.37" })
}

/// The name of the one way to authenticate that is documented.
pub(crate) const SECURITY_SCHEME: &str = "BearerToken";

/// How clients authenticate.
pub(crate) fn security_schemes() -> Value {
    json!({
        SECURITY_SCHEME: {
            "description": "A bearer token.",
            "in": "header",
            "name": "authorization",
            "type": "apiKey",
        }
    })
}

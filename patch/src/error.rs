//! What a patch ends in: a document, or a refusal that says how to answer.

use serde_json::Value;

/// A patched document, not yet decoded.
#[derive(Debug, Clone, PartialEq)]
pub struct Patched {
    /// The document.
    pub value: Value,
    /// What a strict reader would refuse in the patch itself, in document order; what the decoded
    /// document adds comes after it (spec: apimachinery 2.3).
    pub problems: Vec<String>,
}

/// Why a patch cannot be applied, sorted by how to answer (spec: apimachinery 2.9).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// 400 with this text.
    #[error("{0}")]
    BadRequest(String),
    /// 422 with the generic text of its kind; this text is for logs only.
    #[error("{0}")]
    Unprocessable(String),
    /// 500 with this text and no reason.
    #[error("{0}")]
    Internal(String),
    /// 413 with this text.
    #[error("{0}")]
    TooLarge(String),
}

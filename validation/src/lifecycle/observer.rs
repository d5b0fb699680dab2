//! Who is told about differences between handwritten and declarative rules.

use std::fmt;

/// Counts and logs what is found out about the rules themselves.
pub trait Observer: Send + Sync {
    /// The two kinds of rules differ; called once per difference. Counted in
    /// `apiserver_validation_declarative_validation_mismatch_total` and, by identifier, in
    /// `apiserver_validation_declarative_validation_parity_discrepancies_total`; the message is
    /// logged as an error.
    fn mismatch(&self, identifier: &str, message: &str);

    /// The declarative rules panicked with that text. Counted in
    /// `apiserver_validation_declarative_validation_panic_total` and, by identifier, in
    /// `apiserver_validation_declarative_validation_panics_total`.
    fn panic(&self, identifier: &str, value: &str);

    /// An update failed with two errors of the same text; called once per repetition. Counted in
    /// `apiserver_validation_duplicate_validation_error_total`, and logged as `Found duplicate
    /// validation error` with the keys `kind` and `error`.
    fn duplicate(&self, kind: &str, error: &str);
}

/// Takes no notice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Silent;

impl Observer for Silent {
    fn mismatch(&self, _identifier: &str, _message: &str) {}

    fn panic(&self, _identifier: &str, _value: &str) {}

    fn duplicate(&self, _kind: &str, _error: &str) {}
}

/// Names a kind of request in metrics, such as `flowschema_status_update`. It is put together only
/// if there is something to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identifier<'a> {
    /// The kind; empty if it is not known.
    pub kind: &'a str,
    /// The subresource; empty for the object itself.
    pub subresource: &'a str,
    /// Whether it is an update.
    pub is_update: bool,
}

impl fmt::Display for Identifier<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            "" => f.write_str("unknown_resource")?,
            kind => f.write_str(&kind.to_lowercase())?,
        }
        if !self.subresource.is_empty() {
            write!(f, "_{}", self.subresource.replace('/', "_"))?;
        }
        f.write_str(if self.is_update { "_update" } else { "_create" })
    }
}

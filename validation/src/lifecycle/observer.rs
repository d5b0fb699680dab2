//! Who is told about differences between handwritten and declarative rules.

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

/// Names a kind of request in metrics, such as `flowschema_status_update`. `subresource` is empty
/// for the object itself.
#[must_use]
pub fn identifier(kind: &str, subresource: &str, is_update: bool) -> String {
    let operation = if is_update { "update" } else { "create" };
    let kind = if kind.is_empty() { "unknown_resource".to_owned() } else { kind.to_lowercase() };
    if subresource.is_empty() {
        return format!("{kind}_{operation}");
    }
    format!("{kind}_{}_{operation}", subresource.replace('/', "_"))
}

//! PEM blocks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use x509_parser::pem::Pem;

use super::keys::KeyError;

const LINE_BYTES: usize = 64;

/// All blocks of a file; text around them is ignored.
pub(super) fn blocks(text: &[u8]) -> Result<Vec<Pem>, KeyError> {
    Pem::iter_from_buffer(text)
        .collect::<Result<_, _>>()
        .map_err(|error| KeyError::Pem(error.to_string()))
}

/// One block as text.
pub(super) fn encode(label: &str, der: &[u8]) -> String {
    let encoded = STANDARD.encode(der);
    let mut text = format!("-----BEGIN {label}-----\n");
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, behind) = rest.split_at(rest.len().min(LINE_BYTES));
        text.push_str(line);
        text.push('\n');
        rest = behind;
    }
    text.push_str(&format!("-----END {label}-----\n"));
    text
}

//! Digests by which clients notice that a document changed.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256, Sha512};

/// SHA-512 as upper-case hex digits: the `hash` of `/openapi/v3` and the entity tag of documents
/// (spec: apimachinery 1.6, 1.7).
#[must_use]
pub fn sha512_hex(document: &[u8]) -> String {
    Sha512::digest(document).iter().fold(String::with_capacity(128), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02X}");
        hex
    })
}

/// The first eight bytes of the SHA-256 of `<group>/<version>/<kind>` in base64 (spec:
/// apimachinery 1.5).
pub(crate) fn storage_version_hash(group: &str, version: &str, kind: &str) -> String {
    let digest = Sha256::digest(format!("{group}/{version}/{kind}"));
    STANDARD.encode(digest.get(..8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_storage_version_hash_is_the_recorded_one() {
        let group = "flowcontrol.apiserver.k8s.io";
        assert_eq!(storage_version_hash(group, "v1", "FlowSchema"), "GJVAJZSZBIw=");
        assert_eq!(storage_version_hash(group, "v1", "PriorityLevelConfiguration"), "Kir5PVfvNeI=");
    }

    #[test]
    fn sha512_is_written_in_upper_case() {
        let hash = sha512_hex(b"abc");
        assert_eq!(hash.len(), 128);
        assert!(hash.starts_with("DDAF35A193617ABA"), "{hash}");
    }
}

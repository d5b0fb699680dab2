//! The names behind the UIDs in the two X-Kubernetes-PF headers.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::case::Call;
use crate::error::Error;
use crate::http::Head;
use crate::target::Target;

const GROUP: &str = "/apis/flowcontrol.apiserver.k8s.io/v1";

/// The header with the FlowSchema's UID.
const FLOW_SCHEMA_HEADER: &str = "x-kubernetes-pf-flowschema-uid";

/// Names by UID, as the server listed them when one was last missing.
#[derive(Debug, Default)]
pub(super) struct PfNames(BTreeMap<String, String>);

impl PfNames {
    /// The name of the object with this UID.
    pub(super) fn name(&mut self, target: &Target, uid: &str) -> Result<Option<&str>, Error> {
        if !self.0.contains_key(uid) {
            self.list(target)?;
        }
        Ok(self.0.get(uid).map(String::as_str))
    }

    /// The name of the FlowSchema that an answer's headers tell.
    pub(super) fn flow_schema(
        &mut self,
        target: &Target,
        head: &Head,
    ) -> Result<Option<&str>, Error> {
        self.name(target, head.header(FLOW_SCHEMA_HEADER).unwrap_or_default())
    }

    fn list(&mut self, target: &Target) -> Result<(), Error> {
        for resource in ["flowschemas", "prioritylevelconfigurations"] {
            let response = target.call(&Call::of("GET", format!("{GROUP}/{resource}")))?;
            if response.head.status != 200 {
                continue;
            }
            let list: Value = serde_json::from_slice(&response.body)
                .map_err(|why| Error::Http(format!("a list of {resource}: {why}")))?;
            for item in list["items"].as_array().into_iter().flatten() {
                let metadata = &item["metadata"];
                if let (Some(uid), Some(name)) =
                    (metadata["uid"].as_str(), metadata["name"].as_str())
                {
                    self.0.insert(uid.to_owned(), name.to_owned());
                }
            }
        }
        Ok(())
    }
}

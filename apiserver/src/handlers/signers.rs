//! Who may approve, sign and vouch for certificates in a signer's name (upstream: the admission
//! plugins CertificateApproval, CertificateSigning, CertificateSubjectRestriction and
//! ClusterTrustBundleAttest).

use api::status::Status;
use auth::User;
use auth::authorize::{Attributes, Authorizer as _, ResourceTarget, Target};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use validation::text::go_quote;
use x509_parser::prelude::{FromDer as _, X509CertificationRequest};

use super::part::Part;
use super::write::WriteContext;
use crate::objects::metadata;

const GROUP: &str = "certificates.k8s.io";
const REQUESTS: &str = "certificatesigningrequests";
const BUNDLES: &str = "clustertrustbundles";
/// The signer of certificates that the server itself knows users by.
const CLIENT_SIGNER: &str = "kubernetes.io/kube-apiserver-client";
const MASTERS: &str = "system:masters";

impl WriteContext<'_> {
    /// Refuses what needs a right to the signer that the writer does not have. `live` is the object
    /// as it was; `None` for a new one.
    pub(super) fn check_signer(&self, live: Option<&Value>, object: &Value) -> Result<(), Status> {
        if self.resource.kind.group != GROUP {
            return Ok(());
        }
        let Some(user) = self.origin.user.as_deref() else { return Ok(()) };
        match (self.resource.described.plural.as_str(), live) {
            (REQUESTS, None) => self.check_subject(object),
            (REQUESTS, Some(live)) => self.check_decision(user, live, object),
            (BUNDLES, live) => self.check_bundle(user, live, object),
            _ => Ok(()),
        }
    }

    fn check_decision(&self, user: &User, live: &Value, object: &Value) -> Result<(), Status> {
        if self.part == Part::APPROVAL {
            return self.need(user, "approve", live, "approve requests with");
        }
        let (new, old) = (&object["status"], &live["status"]);
        let decided =
            new["certificate"] != old["certificate"] || conditions(new) != conditions(old);
        if self.part.is_status() && decided {
            return self.need(user, "sign", live, "sign requests with");
        }
        Ok(())
    }

    fn check_bundle(
        &self,
        user: &User,
        live: Option<&Value>,
        object: &Value,
    ) -> Result<(), Status> {
        let signer = &object["spec"]["signerName"];
        let same = live.is_some_and(|live| live["spec"] == object["spec"]);
        if same || signer.as_str().is_none_or(str::is_empty) {
            return Ok(());
        }
        self.need(user, "attest", object, "attest for")
    }

    /// A right to a signer holds for it, or for all of its domain.
    fn need(&self, user: &User, verb: &str, object: &Value, to: &str) -> Result<(), Status> {
        let signer = object["spec"]["signerName"].as_str().unwrap_or_default();
        let domain = signer.split('/').next().unwrap_or_default();
        let may = |name: &str| {
            let target = ResourceTarget {
                group: GROUP,
                version: "*",
                resource: "signers",
                name,
                ..ResourceTarget::default()
            };
            let attributes = Attributes { user, verb, target: Target::Resource(target) };
            self.server.access.authorizer.authorize(&attributes).is_allowed()
        };
        if may(signer) || may(&format!("{domain}/*")) {
            return Ok(());
        }
        let why = format!("user not permitted to {to} signerName {}", go_quote(signer));
        Err(self.forbidden_by_signer(object, &why))
    }

    /// Nobody gets a certificate that makes them do everything.
    fn check_subject(&self, object: &Value) -> Result<(), Status> {
        if object["spec"]["signerName"] != CLIENT_SIGNER {
            return Ok(());
        }
        match names_masters(object["spec"]["request"].as_str().unwrap_or_default()) {
            Ok(false) => Ok(()),
            Ok(true) => {
                let why =
                    format!("use of {CLIENT_SIGNER} signer with {MASTERS} group is not allowed");
                Err(self.forbidden_by_signer(object, &why))
            }
            Err(why) => {
                Err(self.forbidden_by_signer(object, &format!("failed to parse CSR: {why}")))
            }
        }
    }

    fn forbidden_by_signer(&self, object: &Value, why: &str) -> Status {
        Status::forbidden(self.resource.group_resource(), metadata::text(object, "name"), why)
    }
}

/// No conditions may be written as an empty list or not at all.
fn conditions(status: &Value) -> &[Value] {
    status["conditions"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Whether a request, which is PEM in base64, asks for the group that may do everything.
fn names_masters(request: &str) -> Result<bool, String> {
    let pem = STANDARD.decode(request).map_err(|error| error.to_string())?;
    let (_, block) = x509_parser::pem::parse_x509_pem(&pem).map_err(|error| error.to_string())?;
    let (_, request) =
        X509CertificationRequest::from_der(&block.contents).map_err(|error| error.to_string())?;
    let subject = &request.certification_request_info.subject;
    Ok(subject.iter_organization().any(|organization| organization.as_str() == Ok(MASTERS)))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

    use super::*;

    fn request(organization: &str) -> String {
        let mut params = CertificateParams::default();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, "alice");
        params.distinguished_name.push(DnType::OrganizationName, organization);
        let request = params.serialize_request(&KeyPair::generate().unwrap()).unwrap();
        STANDARD.encode(request.pem().unwrap())
    }

    #[test]
    fn the_group_that_may_do_everything_is_found_in_the_subject() {
        assert_eq!(names_masters(&request("system:masters")), Ok(true));
        assert_eq!(names_masters(&request("dev")), Ok(false));
        for broken in ["", "!", "bm9wZQ=="] {
            assert!(names_masters(broken).is_err(), "{broken}");
        }
    }
}

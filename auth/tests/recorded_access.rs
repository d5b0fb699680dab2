//! Recorded requests, from their headers to the decision: authentication, impersonation and
//! authorization together must let the same pass and refuse the others with the same words.

#![expect(clippy::unwrap_used, reason = "a panic fails the test, which is what it is for")]

use std::collections::BTreeMap;
use std::sync::Arc;

use auth::authenticate::{Authenticator, Credentials, TokenFile};
use auth::authorize::rbac::{RbacAuthorizer, RbacIndex, bootstrap};
use auth::authorize::{Attributes, Authorizer, Forbidden, Union};
use auth::impersonate::{ConstrainedImpersonation, impersonate, requested_user};
use auth::request_info::RequestInfo;
use http::{HeaderMap, HeaderName};
use serde::Deserialize;

const TOKENS: &str = "\
admintoken,admin,admin-uid,\"system:masters\"
alicetoken,alice,alice-uid,\"dev,qa\"
bobtoken,bob,bob-uid,\"dev\"
nodetoken,system:node:n1,node-uid,\"system:nodes\"
kcmtoken,system:kube-controller-manager,kcm-uid
schedtoken,system:kube-scheduler,sched-uid
";

#[derive(Debug, Deserialize)]
struct Recorded {
    #[serde(rename = "as")]
    sender: String,
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    status: u16,
    #[serde(default)]
    message: String,
    #[serde(default)]
    details: Details,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Details {
    name: String,
    group: String,
    kind: String,
}

/// An answer that is no success.
#[derive(Debug, PartialEq)]
struct Refusal {
    status: u16,
    message: String,
    details: Details,
}

impl Refusal {
    fn new(status: u16, message: &str) -> Self {
        Self { status, message: message.to_owned(), details: Details::default() }
    }
}

impl From<Forbidden> for Refusal {
    fn from(forbidden: Forbidden) -> Self {
        let message = forbidden.to_string();
        let Forbidden { group, resource, name, .. } = forbidden;
        Self { status: 403, message, details: Details { name, group, kind: resource } }
    }
}

struct Server {
    authenticator: Authenticator,
    authorizer: Union,
}

impl Server {
    fn new() -> Self {
        let tokens = TokenFile::parse(TOKENS, Vec::new()).unwrap();
        let rbac = RbacAuthorizer::new(RbacIndex::build(&bootstrap::policy().unwrap()));
        Self {
            authenticator: Authenticator {
                tokens: vec![Box::new(tokens)],
                ..Authenticator::default()
            },
            authorizer: Union::new(vec![Arc::new(rbac)]),
        }
    }

    fn decide(&self, recorded: &Recorded) -> Result<(), Refusal> {
        let headers = recorded.headers();
        let (path, query) = match recorded.path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (recorded.path.as_str(), None),
        };
        let info = RequestInfo::resolve(&recorded.method, path, query).unwrap();
        let credentials = Credentials { headers: &headers, path: &info.path, certificate: None };
        let mut user = self
            .authenticator
            .authenticate(&credentials, 0)
            .outcome
            .into_user()
            .map_err(|_| Refusal::new(401, "Unauthorized"))?;
        let wanted =
            requested_user(&headers).map_err(|error| Refusal::new(400, &error.to_string()))?;
        if let Some(wanted) = wanted {
            let attributes = Attributes::of_request(&user, &info);
            let gate = ConstrainedImpersonation::Enabled;
            user = impersonate(&self.authorizer, gate, &attributes, &wanted)?.user;
        }
        Ok(self.authorizer.check(&Attributes::of_request(&user, &info))?)
    }
}

impl Recorded {
    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if self.sender != "anonymous" {
            let token = format!("Bearer {}token", self.sender);
            headers.insert(http::header::AUTHORIZATION, token.parse().unwrap());
        }
        for (name, value) in &self.headers {
            let name: HeaderName = name.parse().unwrap();
            headers.insert(name, value.parse().unwrap());
        }
        headers
    }

    fn expected(self) -> Result<(), Refusal> {
        match self.status {
            200..300 => Ok(()),
            status => Err(Refusal { status, message: self.message, details: self.details }),
        }
    }
}

#[test]
fn recorded_requests_pass_or_are_refused_as_recorded() {
    let text = include_str!("data/recorded-access.json");
    let recorded: Vec<Recorded> = serde_json::from_str(text).unwrap();
    assert_eq!(recorded.len(), 43);
    let server = Server::new();
    for case in recorded {
        let label = format!("{} {} as {} {:?}", case.method, case.path, case.sender, case.headers);
        assert_eq!(server.decide(&case), case.expected(), "{label}");
    }
}

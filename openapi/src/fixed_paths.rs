//! Paths beside the resources: what discovery and a few others answer.

use api::meta::discovery::{ApiGroup, ApiGroupList, ApiResourceList, ApiVersions};
use api::meta::version::Info;

use crate::naming;
use crate::operation::{Body, Content, Method, Operation, PathItem, Success, media};
use crate::paths::{object_of, of_group_version};
use crate::resource::{Group, GroupVersion};

/// Every path there is.
pub(crate) fn all(groups: &[Group]) -> Vec<PathItem> {
    let fixed = [core_versions(), self::groups(), openid_configuration(), openid_keys(), version()];
    let named = groups.iter().filter(|served| !served.name.is_empty());
    let resources = groups.iter().flat_map(Group::group_versions);
    fixed
        .into_iter()
        .chain(named.map(|served| group(&served.name)))
        .flatten()
        .chain(resources.flat_map(|(key, version)| of_group_version(&key, version)))
        .collect()
}

/// An operation that answers with a fixed type and is about no resource.
fn fixed(
    path: String,
    id: String,
    tag: String,
    description: &str,
    response: Body,
) -> Option<PathItem> {
    let operation = Operation {
        method: Method::Get,
        id,
        tag,
        description: description.to_owned(),
        subject: None,
        parameters: Vec::new(),
        request: None,
        request_optional: false,
        success: Success::Ok,
        response,
    };
    PathItem::new(path, vec![operation])
}

/// `/api/v1/`, `/apis/<group>/<version>/`.
pub(crate) fn resource_list(group_version: &GroupVersion) -> Option<PathItem> {
    fixed(
        format!("/{}/", group_version.root()),
        format!("get{}APIResources", naming::group_version_pascal(group_version)),
        naming::group_version_tag(group_version),
        "Lists the resources of this group and version.",
        object_of::<ApiResourceList>(media::OBJECT),
    )
}

/// `/apis/<group>/`.
pub(crate) fn group(group: &str) -> Option<PathItem> {
    fixed(
        format!("/apis/{group}/"),
        format!("get{}APIGroup", naming::group_pascal(group)),
        naming::group_word(group),
        "Tells the versions of this group.",
        object_of::<ApiGroup>(media::OBJECT),
    )
}

/// `/api/`.
pub(crate) fn core_versions() -> Option<PathItem> {
    fixed(
        "/api/".to_owned(),
        "getCoreAPIVersions".to_owned(),
        "core".to_owned(),
        "Lists the versions of the core group.",
        object_of::<ApiVersions>(media::OBJECT),
    )
}

/// `/apis/`.
pub(crate) fn groups() -> Option<PathItem> {
    fixed(
        "/apis/".to_owned(),
        "getAPIVersions".to_owned(),
        "apis".to_owned(),
        "Lists the groups.",
        object_of::<ApiGroupList>(media::OBJECT),
    )
}

/// `/version/`.
pub(crate) fn version() -> Option<PathItem> {
    fixed(
        "/version/".to_owned(),
        "getCodeVersion".to_owned(),
        "version".to_owned(),
        "Tells the version of the server.",
        object_of::<Info>(media::JSON),
    )
}

/// `/.well-known/openid-configuration/`.
pub(crate) fn openid_configuration() -> Option<PathItem> {
    fixed(
        "/.well-known/openid-configuration/".to_owned(),
        "getServiceAccountIssuerOpenIDConfiguration".to_owned(),
        "WellKnown".to_owned(),
        "Tells who issues the tokens of service accounts, as OpenID Connect discovery has it.",
        Body { media_types: media::JSON, content: Content::Text },
    )
}

/// `/openid/v1/jwks/`.
pub(crate) fn openid_keys() -> Option<PathItem> {
    fixed(
        "/openid/v1/jwks/".to_owned(),
        "getServiceAccountIssuerOpenIDKeyset".to_owned(),
        "openid".to_owned(),
        "Lists the keys by which tokens of service accounts are verified.",
        Body { media_types: media::KEY_SET, content: Content::Text },
    )
}

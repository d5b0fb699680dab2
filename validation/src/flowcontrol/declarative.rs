//! The declared rules of PriorityLevelConfigurations: two discriminated unions, in beta
//! (spec: validation 6.4, 12.4, 19).

use api::flowcontrol::v1::{LimitResponse, PriorityLevelConfigurationSpec};

use crate::field::{Error, ErrorList, Path};

/// What a union's discriminator says about a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Required,
    Optional,
    Forbidden,
}

/// What did not change since `old` is not looked at again.
pub(super) fn validate(
    spec: &PriorityLevelConfigurationSpec,
    old: Option<&PriorityLevelConfigurationSpec>,
) -> ErrorList {
    let mut errors = ErrorList::default();
    if old == Some(spec) {
        return errors;
    }
    let path = Path::new("spec");
    let old_type = old.map(|old| old.level_type.as_str());
    let level_type = spec.level_type.as_str();

    let rule = if level_type == "Exempt" { Member::Optional } else { Member::Forbidden };
    let unchanged =
        old_type == Some(level_type) && old.map(|old| &old.exempt) == Some(&spec.exempt);
    if !unchanged {
        errors.extend(check(rule, spec.exempt.is_some(), &path.child("exempt")));
    }
    let rule = if level_type == "Limited" { Member::Required } else { Member::Forbidden };
    let unchanged =
        old_type == Some(level_type) && old.map(|old| &old.limited) == Some(&spec.limited);
    if !unchanged {
        errors.extend(check(rule, spec.limited.is_some(), &path.child("limited")));
    }
    if level_type.is_empty() && old_type != Some("") {
        errors.push(Error::required(&path.child("type"), ""));
    }
    if let Some(limited) = &spec.limited {
        let old = old.and_then(|old| old.limited.as_ref());
        validate_limit_response(
            &mut errors,
            &limited.limit_response,
            old.map(|old| &old.limit_response),
            &path.child("limited").child("limitResponse"),
        );
    }
    errors
}

fn validate_limit_response(
    errors: &mut ErrorList,
    response: &LimitResponse,
    old: Option<&LimitResponse>,
    path: &Path,
) {
    if old == Some(response) {
        return;
    }
    let response_type = response.response_type.as_str();
    let old_type = old.map(|old| old.response_type.as_str());
    let rule = if response_type == "Queue" { Member::Required } else { Member::Forbidden };
    let unchanged =
        old_type == Some(response_type) && old.map(|old| &old.queuing) == Some(&response.queuing);
    if !unchanged {
        errors.extend(check(rule, response.queuing.is_some(), &path.child("queuing")));
    }
    if response_type.is_empty() && old_type != Some("") {
        errors.push(Error::required(&path.child("type"), ""));
    }
}

fn check(rule: Member, present: bool, path: &Path) -> Option<Error> {
    match (rule, present) {
        (Member::Required, false) => Some(Error::required(path, "")),
        (Member::Forbidden, true) => Some(Error::forbidden(path, "")),
        _ => None,
    }
}

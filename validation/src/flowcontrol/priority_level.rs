//! The rules of PriorityLevelConfigurations that are code (spec: validation 6). Those that a
//! declarative rule makes too are marked as covered; they stay until those rules are no longer in
//! beta, because they are enforced where the gate is off or ratcheting skips the declared rule.
//!
//! The others are no tags in the reference, whose texts, order and lack of ratcheting are on the
//! wire: names that imply a type, bounds with texts of their own, bounds that depend on other
//! fields, and the fixed specs of the mandatory objects.

use api::flowcontrol::bootstrap;
use api::flowcontrol::v1::{
    ExemptPriorityLevelConfiguration, LimitResponse, LimitedPriorityLevelConfiguration,
    PriorityLevelConfigurationSpec, QueuingConfiguration,
};

use serde::Deserialize as _;
use serde_json::Value;

use super::{conditions, internal};
use crate::field::{Error, ErrorList, Shown, Trail};
use crate::object_meta::{self, Metadata, NameRule};
use crate::view::{member, optional};

/// Kept from an old version of the API; it would be misunderstood.
const PRESERVE_ZERO: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

const QUEUES_MAX: i32 = 10_000_000;

/// So many bits of a flow's hash can be spent on choosing its queues.
const ENTROPY_BITS_MAX: i32 = 60;

pub(super) fn validate(metadata: &Metadata<'_>, object: &Value) -> ErrorList {
    let mut errors = object_meta::validate(metadata, NameRule::DnsSubdomain);
    errors.extend(object_meta::validate_finalizer_names(metadata));
    if metadata.annotations.contains_key(PRESERVE_ZERO) {
        errors.push(Error::forbidden(
            &Trail::new("metadata").child("annotations"),
            format!("annotation '{PRESERVE_ZERO}' is forbidden"),
        ));
    }
    let path = Trail::new("spec");
    match read(member(object, "spec")) {
        Ok(spec) => {
            validate_spec(&mut errors, &spec, metadata.name, &path);
            validate_mandatory(&mut errors, &spec, metadata.name, object, &path);
        }
        // Canonical objects always read; if one does not, validation itself is wrong.
        Err(error) => errors.push(Error::internal(&path, error.to_string())),
    }
    errors.extend(conditions::validate(object));
    errors
}

fn read(spec: &Value) -> Result<PriorityLevelConfigurationSpec, serde_json::Error> {
    let spec = optional(spec).map(PriorityLevelConfigurationSpec::deserialize).transpose()?;
    Ok(spec.unwrap_or_default())
}

fn validate_spec(
    errors: &mut ErrorList,
    spec: &PriorityLevelConfigurationSpec,
    name: &str,
    path: &Trail<'_>,
) {
    let type_path = path.child("type");
    if (name == "exempt") != (spec.level_type == "Exempt") {
        errors.push(Error::invalid(
            &type_path,
            Shown::json(&spec.level_type),
            "must be 'Exempt' if and only if `name` is 'exempt'",
        ));
    }
    let limited_path = path.child("limited");
    let exempt_path = path.child("exempt");
    match spec.level_type.as_str() {
        "Exempt" => {
            if spec.limited.is_some() {
                let detail = "must be nil if the type is not Limited";
                errors.push(Error::forbidden(&limited_path, detail).covered());
            }
            if let Some(exempt) = &spec.exempt {
                validate_exempt(errors, exempt, &exempt_path);
            }
        }
        "Limited" => {
            if spec.exempt.is_some() {
                let detail = "must be nil if the type is Limited";
                errors.push(Error::forbidden(&exempt_path, detail).covered());
            }
            match &spec.limited {
                None => {
                    let detail = "must not be empty when type is Limited";
                    errors.push(Error::required(&limited_path, detail).covered());
                }
                Some(limited) => validate_limited(errors, limited, &limited_path),
            }
        }
        "" => errors.push(Error::required(&type_path, "").covered()),
        other => errors.push(Error::not_supported(
            &type_path,
            Shown::json(&other),
            &["Exempt", "Limited"],
        )),
    }
}

fn validate_exempt(
    errors: &mut ErrorList,
    exempt: &ExemptPriorityLevelConfiguration,
    path: &Trail<'_>,
) {
    validate_shares(errors, exempt.nominal_concurrency_shares, path);
    validate_lendable(errors, exempt.lendable_percent, path);
}

fn validate_limited(
    errors: &mut ErrorList,
    limited: &LimitedPriorityLevelConfiguration,
    path: &Trail<'_>,
) {
    validate_shares(errors, limited.nominal_concurrency_shares, path);
    validate_limit_response(errors, &limited.limit_response, &path.child("limitResponse"));
    validate_lendable(errors, limited.lendable_percent, path);
    if let Some(percent) = limited.borrowing_limit_percent.filter(|percent| *percent < 0) {
        errors.push(Error::invalid(
            &path.child("borrowingLimitPercent"),
            percent,
            "if specified, must be a non-negative integer",
        ));
    }
}

fn validate_shares(errors: &mut ErrorList, shares: Option<i32>, path: &Trail<'_>) {
    if let Some(shares) = shares.filter(|shares| *shares < 0) {
        let path = path.child("nominalConcurrencyShares");
        errors.push(Error::invalid(&path, shares, "must be a non-negative integer"));
    }
}

fn validate_lendable(errors: &mut ErrorList, percent: Option<i32>, path: &Trail<'_>) {
    if let Some(percent) = percent.filter(|percent| !(0..=100).contains(percent)) {
        let path = path.child("lendablePercent");
        errors.push(Error::invalid(&path, percent, "must be between 0 and 100, inclusive"));
    }
}

fn validate_limit_response(errors: &mut ErrorList, response: &LimitResponse, path: &Trail<'_>) {
    let queuing_path = path.child("queuing");
    match (response.response_type.as_str(), &response.queuing) {
        // Both texts speak of the wrong type; that is how they are.
        ("Reject", Some(_)) => errors.push(
            Error::forbidden(
                &queuing_path,
                "must be nil if limited.limitResponse.type is not Limited",
            )
            .covered(),
        ),
        ("Queue", None) => errors.push(
            Error::required(
                &queuing_path,
                "must not be empty if limited.limitResponse.type is Limited",
            )
            .covered(),
        ),
        ("Queue", Some(queuing)) => validate_queuing(errors, queuing, &queuing_path),
        ("Reject", None) => {}
        ("", _) => errors.push(Error::required(&path.child("type"), "").covered()),
        (other, _) => errors.push(Error::not_supported(
            &path.child("type"),
            Shown::json(&other),
            &["Queue", "Reject"],
        )),
    }
}

fn validate_queuing(errors: &mut ErrorList, queuing: &QueuingConfiguration, path: &Trail<'_>) {
    let QueuingConfiguration { queues, hand_size, queue_length_limit } = *queuing;
    if queue_length_limit <= 0 {
        let path = path.child("queueLengthLimit");
        errors.push(Error::invalid(&path, queue_length_limit, "must be positive"));
    }
    let wrong_queues = match queues {
        ..=0 => Some("must be positive".to_owned()),
        _ if queues > QUEUES_MAX => Some(format!("must not be greater than {QUEUES_MAX}")),
        _ => None,
    };
    errors.extend(wrong_queues.map(|detail| Error::invalid(&path.child("queues"), queues, detail)));
    let wrong_hand = if hand_size <= 0 {
        Some("must be positive".to_owned())
    } else if hand_size > queues {
        Some(format!("should not be greater than queues ({queues})"))
    } else if entropy_bits(queues, hand_size) > ENTROPY_BITS_MAX {
        Some(format!(
            "required entropy bits of deckSize {queues} and handSize {hand_size} should not be \
             greater than {ENTROPY_BITS_MAX}"
        ))
    } else {
        None
    };
    errors.extend(
        wrong_hand.map(|detail| Error::invalid(&path.child("handSize"), hand_size, detail)),
    );
}

/// How many bits choosing `hand_size` of `queues` takes. Both are positive.
#[expect(clippy::cast_possible_truncation, reason = "at most 24 bits for each of a few cards")]
fn entropy_bits(queues: i32, hand_size: i32) -> i32 {
    (f64::from(queues).log2() * f64::from(hand_size)).ceil() as i32
}

fn validate_mandatory(
    errors: &mut ErrorList,
    spec: &PriorityLevelConfigurationSpec,
    name: &str,
    object: &Value,
    path: &Trail<'_>,
) {
    let Some(fixed) = bootstrap::mandatory_priority_level(name) else { return };
    let (same, detail) = if name == "exempt" {
        let comparable =
            PriorityLevelConfigurationSpec { exempt: fixed.exempt.clone(), ..spec.clone() };
        let detail = "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value";
        (comparable == *fixed, detail.to_owned())
    } else {
        (spec == fixed, format!("spec of '{name}' must equal the fixed value"))
    };
    if !same {
        errors.push(Error::invalid(
            path,
            internal::shown_as::<PriorityLevelConfigurationSpec>(&object["spec"]),
            detail,
        ));
    }
}

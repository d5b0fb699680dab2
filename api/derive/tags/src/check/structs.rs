//! Tags that tie the fields of a struct together.

use std::collections::BTreeSet;

use crate::model::{Field, Kind, Model};
use crate::rule::Rule;
use crate::syntax::Tag;

/// Each modality has one discriminator. The error comes with the field and the tag's index.
pub(super) fn check_discriminators(fields: &[Field<Rule>]) -> Result<(), (String, usize, String)> {
    let mut seen = BTreeSet::new();
    for field in fields {
        for (index, rule) in field.rules.iter().enumerate() {
            let Rule::ModeDiscriminator { modality } = rule.without_level() else { continue };
            if !seen.insert(modality) {
                let text =
                    format!("tag \"k8s:modeDiscriminator\": duplicate discriminator: {modality:?}");
                return Err((field.name.clone(), index, text));
            }
        }
    }
    Ok(())
}

/// Each `ifMode` has a discriminator, and one that can have that mode.
pub(super) fn check_modes(
    model: &Model<Tag>,
    field: &Field<Rule>,
    fields: &[Field<Rule>],
) -> Result<(), String> {
    for rule in &field.rules {
        let Rule::IfMode { modality, mode, .. } = rule.without_level() else { continue };
        let is_discriminator = |rule: &Rule| {
            matches!(rule.without_level(),
                Rule::ModeDiscriminator { modality: named } if named == modality)
        };
        let discriminator = fields.iter().find(|field| field.rules.iter().any(is_discriminator));
        let Some(discriminator) = discriminator else {
            return Err(match modality.as_str() {
                "" => "missing discriminator".to_owned(),
                named => format!("missing discriminator for group {named:?}"),
            });
        };
        if matches!(model.kind(&discriminator.value_type), Kind::Bool)
            && !["true", "false"].contains(&mode.as_str())
        {
            return Err(format!(
                "invalid discriminator value {mode:?}: cannot parse {mode:?} as bool: {mode:?} is \
                 not a valid bool value"
            ));
        }
        if !model.kind(&field.value_type).can_be_unset() {
            return Err("discriminated member fields of struct type must be pointers".to_owned());
        }
    }
    Ok(())
}

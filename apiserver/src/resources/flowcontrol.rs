//! FlowSchemas and PriorityLevelConfigurations.

use std::borrow::Cow;

use openapi::resource::{GroupVersion, Resource as Described};
use serde_json::Value;
use validation::field::{Error, ErrorList};
use validation::flowcontrol::{
    Context, validate_create_observed, validate_status_update_observed, validate_update_observed,
};

use kinds::convert::{self, Conversion, Shares, shares};
use kinds::table;

use super::{Resource, Strategy};

/// Newest first; the older ones are served only when asked for.
const KNOWN_VERSIONS: &[&str] = &["v1", "v1beta3", "v1beta2", "v1beta1"];

/// One of the two kinds.
pub(super) fn resource(group_version: &GroupVersion, described: Described) -> Option<Resource> {
    let kind = match described.kind.as_str() {
        "FlowSchema" => "FlowSchema",
        "PriorityLevelConfiguration" => "PriorityLevelConfiguration",
        _ => return None,
    };
    let table = table::of(&group_version.group, &described.plural);
    let version = group_version.version.as_str();
    let conversion = convert::of(&group_version.group, version, kind);
    let strategy = Box::new(FlowControlStrategy { kind, shares: shares(version), conversion });
    Some(Resource::built_in(group_version, described, table, strategy))
}

/// Both kinds differ only in their rules, and older versions in how shares are written.
struct FlowControlStrategy {
    kind: &'static str,
    shares: Option<Shares>,
    conversion: Option<Conversion>,
}

impl FlowControlStrategy {
    /// The object as rules look at it.
    fn hub<'a>(&self, object: &'a Value) -> Cow<'a, Value> {
        match self.conversion {
            None => Cow::Borrowed(object),
            Some(conversion) => {
                let mut object = object.clone();
                (conversion.to_hub)(&mut object);
                Cow::Owned(object)
            }
        }
    }

    /// The errors as clients of the version know the field.
    fn served(&self, errors: ErrorList) -> ErrorList {
        let Some(shares) = self.shares else { return errors };
        let rename = |error: &Error| {
            let mut error = error.clone();
            if error.field == NOMINAL_SHARES {
                error.field = format!("spec.limited.{}", shares.member);
                error.detail = "must be positive".to_owned();
            }
            error
        };
        errors.iter().map(rename).collect()
    }
}

const NOMINAL_SHARES: &str = "spec.limited.nominalConcurrencyShares";

impl Strategy for FlowControlStrategy {
    fn known_versions(&self) -> &'static [&'static str] {
        KNOWN_VERSIONS
    }

    fn fill_defaults(&self, object: &mut Value) {
        if let Some(shares) = self.shares {
            shares.fill_default(object);
        }
    }

    fn validate_create(&self, object: &Value, context: Context<'_>) -> ErrorList {
        self.served(validate_create_observed(self.kind, &self.hub(object), context))
    }

    fn validate_update(&self, object: &Value, old: &Value, context: Context<'_>) -> ErrorList {
        let (object, old) = (self.hub(object), self.hub(old));
        self.served(validate_update_observed(self.kind, &object, &old, context))
    }

    fn validate_status_update(
        &self,
        object: &Value,
        old: &Value,
        context: Context<'_>,
    ) -> ErrorList {
        let (object, old) = (self.hub(object), self.hub(old));
        self.served(validate_status_update_observed(self.kind, &object, &old, context))
    }
}

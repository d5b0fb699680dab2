//! The types of older versions of flow control, made from those of v1 (spec: validation 15).

use std::sync::Arc;

use api::flowcontrol::{GROUP, v1};
use api::schema::{Field, List, Presence, Shape, TypeDef, TypeRef};
use kinds::convert::{OLDER_VERSIONS, Shares, shares};
use openapi::recorded;
use openapi::resource::{GroupVersion, Resource, Serves};

/// The package of the types of v1, by which a type is told to be one of the version's own.
const PACKAGE: &str = "io.k8s.api.flowcontrol.v1.";
/// The type that differs.
const LIMITED: &str = "LimitedPriorityLevelConfiguration";
const NOMINAL: &str = "nominalConcurrencyShares";

/// The resources of the older versions, newest first.
pub(crate) fn flow_control() -> Vec<(GroupVersion, Resource)> {
    let current = recorded::group_versions().iter().find(|recorded| {
        let key = recorded.group_version();
        key.group == GROUP && key.version == v1::VERSION
    });
    let current = current.map(recorded::RecordedVersion::resources).unwrap_or_default();
    let versions = OLDER_VERSIONS.iter().filter_map(|version| Some((*version, shares(version)?)));
    let all = versions.flat_map(|(version, shares)| {
        let older = Older { package: format!("io.k8s.api.flowcontrol.{version}."), shares };
        let key = GroupVersion::new(GROUP, version);
        current
            .iter()
            .map(move |resource| (key.clone(), older.resource(resource)))
            .collect::<Vec<_>>()
    });
    all.collect()
}

/// A version, and how it differs from v1.
struct Older {
    package: String,
    shares: Shares,
}

impl Older {
    fn resource(&self, current: &Resource) -> Resource {
        let type_def = Arc::new(self.type_def(&current.type_def));
        let mut resource = Resource { type_def: Arc::clone(&type_def), ..current.clone() };
        for subresource in &mut resource.subresources {
            if matches!(subresource.serves, Serves::Object(_)) {
                subresource.serves = Serves::Object(Arc::clone(&type_def));
            }
        }
        resource
    }

    fn type_def(&self, current: &TypeDef) -> TypeDef {
        let own = current.openapi_name.strip_prefix(PACKAGE);
        let openapi_name = match own {
            Some(name) => format!("{}{name}", self.package),
            None => return current.clone(),
        };
        let fields = current.fields.iter().map(|field| {
            let field = Field { shape: self.shape(&field.shape), ..field.clone() };
            if current.name == LIMITED && field.name == NOMINAL {
                self.plain_shares(field)
            } else {
                field
            }
        });
        TypeDef { openapi_name, fields: fields.collect(), ..current.clone() }
    }

    /// A number that is always written; its default depends on more than itself.
    fn plain_shares(&self, field: Field) -> Field {
        Field {
            name: self.shares.member.to_owned(),
            presence: Presence::Always,
            default: None,
            openapi_default: Some(0.into()),
            required: true,
            ..field
        }
    }

    fn shape(&self, current: &Shape) -> Shape {
        match current {
            Shape::Struct(of) if of.openapi_name.starts_with(PACKAGE) => {
                Shape::Struct(TypeRef::Owned(Arc::new(self.type_def(of))))
            }
            Shape::List(list) => {
                Shape::List(Box::new(List { item: self.shape(&list.item), ..(**list).clone() }))
            }
            Shape::Map(of) => Shape::Map(Box::new(self.shape(of))),
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(version: &str) -> Vec<String> {
        let all = flow_control();
        let found = all.iter().find(|(key, resource)| {
            key.version == version && resource.kind == "PriorityLevelConfiguration"
        });
        let spec = found.unwrap().1.type_def.field("spec").unwrap().shape.clone();
        let Shape::Struct(spec) = spec else { panic!("no struct") };
        let Shape::Struct(limited) = &spec.field("limited").unwrap().shape else { panic!("none") };
        assert!(limited.openapi_name.contains(version));
        limited.fields.iter().map(|field| field.name.clone()).collect()
    }

    #[test]
    fn the_shares_of_limited_levels_have_the_name_of_their_version() {
        assert_eq!(limited("v1beta3")[0], "nominalConcurrencyShares");
        assert_eq!(limited("v1beta2")[0], "assuredConcurrencyShares");
        assert_eq!(limited("v1beta1")[0], "assuredConcurrencyShares");
    }
}

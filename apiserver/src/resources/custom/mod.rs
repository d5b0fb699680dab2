//! Custom resources: from a definition to the [`Resource`]s by which its objects are served. Crate
//! [`custom`] says what the definition means.

mod convert;
mod decode;
mod printer;
mod review;
mod strategy;
#[cfg(test)]
pub(crate) mod testing;

use std::cmp::Reverse;
use std::sync::Arc;

use api::schema::TypeDef;
use custom::Schema;
use custom::definition::{Conversion, Definition, DefinitionError, Version};
use kinds::definition;
use openapi::recorded;
use openapi::resource::{
    GroupVersion, Published, Resource as Described, Serves, Subresource, Verb,
};
use serde_json::Value;

use super::{Convert, GroupVersionKind, Layout, Parts, Resource, SelectableFields};
use crate::catalog::CustomResource;
use convert::OtherVersion;
use printer::Columns;
use review::{ConversionWebhook, Side};
use strategy::CustomStrategy;

/// What may be done with custom resources, in the order in which discovery lists it.
const VERBS: [Verb; 8] = [
    Verb::Delete,
    Verb::DeleteCollection,
    Verb::Get,
    Verb::List,
    Verb::Patch,
    Verb::Create,
    Verb::Update,
    Verb::Watch,
];

pub use review::Reviewed;

const SCALE_TYPE: &str = "io.k8s.api.autoscaling.v1.Scale";

/// A definition that is ready to be served: costly to make, kept as long as what it says of objects
/// stays the same.
#[derive(Debug)]
pub struct Compiled {
    definition: Definition,
    names: Names,
    webhook: Option<ConversionWebhook>,
    stored: Arc<Resource>,
}

/// The names by which objects are served.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Names {
    singular: String,
    kind: String,
    list_kind: String,
    short_names: Vec<String>,
    categories: Vec<String>,
}

impl Names {
    /// Those that were accepted; what is asked for may belong to somebody else.
    fn accepted(definition: &Value) -> Self {
        let names = definition::accepted_names(definition);
        let text = |name: &str| names[name].as_str().unwrap_or_default().to_owned();
        let texts = |name: &str| {
            let items = names[name].as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            singular: text("singular"),
            kind: text("kind"),
            list_kind: text("listKind"),
            short_names: texts("shortNames"),
            categories: texts("categories"),
        }
    }
}

impl Compiled {
    /// Compiles a stored definition.
    ///
    /// # Errors
    ///
    /// If it is none that can be served. Such a one is not stored.
    pub fn new(definition: &Value) -> Result<Self, DefinitionError> {
        let names = Names::accepted(definition);
        let definition = Definition::parse(definition)?;
        let storage =
            definition.storage_version().ok_or(DefinitionError::Missing("storage version"))?;
        let webhook = match &definition.conversion {
            Conversion::None => None,
            Conversion::Webhook(config) => Some(review::webhook(config)),
        };
        let maker = Maker {
            definition: &definition,
            names: &names,
            storage,
            webhook: webhook.as_ref(),
            terminating: false,
        };
        let stored = Arc::new(maker.resource(storage));
        Ok(Self { definition, names, webhook, stored })
    }

    /// What is served of it. While it is on its way out, nothing new can be made.
    #[must_use]
    pub fn serve(&self, terminating: bool) -> CustomResource {
        let Self { definition, names, webhook, stored } = self;
        let webhook = webhook.as_ref();
        let served = definition.storage_version().into_iter().flat_map(|storage| {
            let maker = Maker { definition, names, storage, webhook, terminating };
            let versions = definition.versions.iter().filter(|version| version.served);
            versions.map(move |version| Arc::new(maker.resource(version)))
        });
        CustomResource { stored: Arc::clone(stored), served: served.collect() }
    }

    /// The resource of the stored version, whether that is served or not.
    #[must_use]
    pub fn stored(&self) -> &Arc<Resource> {
        &self.stored
    }
}

/// The order in which the versions of a group are preferred: `v2`, `v1`, `v1beta1`, then others by
/// name.
#[must_use]
pub fn version_order(version: &str) -> (u8, Reverse<(u64, u64)>, String) {
    match parse_version(version) {
        Some((major, stage, minor)) => (stage, Reverse((major, minor)), String::new()),
        None => (3, Reverse((0, 0)), version.to_owned()),
    }
}

/// Major number, stage (0 for stable, 1 for beta, 2 for alpha) and minor number.
fn parse_version(version: &str) -> Option<(u64, u8, u64)> {
    let rest = version.strip_prefix('v')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let major = rest[..digits].parse().ok()?;
    let (stage, minor) = match &rest[digits..] {
        "" => return Some((major, 0, 0)),
        rest => match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
            (Some(minor), _) => (1, minor),
            (_, Some(minor)) => (2, minor),
            _ => return None,
        },
    };
    Some((major, stage, minor.parse().ok()?))
}

/// A schema as OpenAPI documents show it.
#[derive(Debug)]
struct SchemaOf(Arc<Schema>);

impl Published for SchemaOf {
    fn v2(&self) -> &Value {
        self.0.openapi_v2()
    }

    fn v3(&self) -> &Value {
        self.0.openapi_v3()
    }
}

/// Makes the resources of a definition.
#[derive(Clone, Copy)]
struct Maker<'a> {
    definition: &'a Definition,
    names: &'a Names,
    storage: &'a Version,
    webhook: Option<&'a ConversionWebhook>,
    terminating: bool,
}

impl Maker<'_> {
    fn resource(&self, version: &Version) -> Resource {
        let Definition { group, namespaced, .. } = self.definition;
        let kind = GroupVersionKind::new(group, &version.name, &self.names.kind);
        let fields = version.selectable_fields.iter().map(|field| field.selector());
        let parts = Parts {
            layout: Layout::Sorted,
            printer: Box::new(Columns(version.columns.clone())),
            fields: SelectableFields::custom(fields, *namespaced),
            strategy: Box::new(CustomStrategy {
                schema: Arc::clone(&version.schema),
                scale: version.scale.clone(),
                kind: kind.clone(),
                terminating: self.terminating,
                reviewed: self.definition.conversion != Conversion::None,
            }),
            deprecation: version.deprecation_warning.clone(),
            reviewed: self.reviewed(version),
            conversion: self.conversion(version),
            stored_group: group.clone(),
        };
        Resource::new(&GroupVersion::new(group, &version.name), self.described(version), parts)
    }

    fn side(&self, version: &Version) -> Side {
        Side {
            api_version: self.definition.api_version(&version.name),
            schema: Arc::clone(&version.schema),
        }
    }

    fn conversion(&self, version: &Version) -> Option<Box<dyn Convert>> {
        let by_itself = self.definition.conversion == Conversion::None;
        (by_itself && !version.storage).then(|| {
            let (served, stored) = (self.side(version), self.side(self.storage));
            Box::new(OtherVersion { served, stored }) as _
        })
    }

    fn reviewed(&self, version: &Version) -> Option<Arc<Reviewed>> {
        let Conversion::Webhook(config) = &self.definition.conversion else { return None };
        let (served, stored) = (self.side(version), self.side(self.storage));
        Some(Arc::new(Reviewed::new(self.webhook?, config, served, stored)))
    }

    fn described(&self, version: &Version) -> Described {
        let Definition { group, namespaced, names, .. } = self.definition;
        let type_def = version.schema.type_def();
        Described {
            plural: names.plural.clone(),
            singular: self.names.singular.clone(),
            kind: self.names.kind.clone(),
            list_kind: self.names.list_kind.clone(),
            namespaced: *namespaced,
            verbs: VERBS.to_vec(),
            short_names: self.names.short_names.clone(),
            categories: self.names.categories.clone(),
            storage: Some(GroupVersion::new(group, &self.storage.name)),
            returns_deleted_object: false,
            subresources: self.subresources(version, type_def),
            published: Some(Arc::new(SchemaOf(Arc::clone(&version.schema)))),
            type_def: Arc::clone(type_def),
        }
    }

    fn subresources(&self, version: &Version, type_def: &Arc<TypeDef>) -> Vec<Subresource> {
        let status = version.status.then(|| Subresource::status(&self.names.kind, type_def));
        let scale = version.scale.as_ref().and_then(|_| recorded::type_def(SCALE_TYPE));
        let scale = scale.map(|type_def| Subresource {
            name: "scale".to_owned(),
            kind: "Scale".to_owned(),
            foreign: Some(GroupVersion::new("autoscaling", "v1")),
            verbs: vec![Verb::Get, Verb::Patch, Verb::Update],
            serves: Serves::Object(Arc::clone(type_def)),
        });
        status.into_iter().chain(scale).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::testing::{definition, named};
    use super::*;

    #[test]
    fn an_object_of_another_version_has_what_that_version_knows() {
        let compiled = Compiled::new(&definition()).unwrap();
        let served = compiled.serve(false).served;
        let [v1, beta] = &served[..] else { panic!("{served:?}") };
        assert!(v1.is_stored_as_served() && !beta.is_stored_as_served());
        let stored = json!({ "apiVersion": "example.com/v1", "kind": "Widget",
            "metadata": { "name": "a" }, "spec": { "size": 1, "color": "red" } });
        let shown = beta.to_served(stored);
        assert_eq!(shown["apiVersion"], "example.com/v1beta1");
        assert_eq!(shown["spec"], json!({ "size": 1, "old": "yes" }));
        let back = beta.to_stored(shown);
        assert_eq!(back["apiVersion"], "example.com/v1");
        assert_eq!(back["spec"], json!({ "size": 1, "color": "blue" }), "v1 has a default");
    }

    #[test]
    fn names_are_those_that_were_accepted() {
        let mut definition = definition();
        definition["spec"]["names"]["shortNames"] = json!(["taken"]);
        let described = Compiled::new(&definition).unwrap().stored().described.clone();
        assert_eq!(described.short_names, ["wd"]);
        assert_eq!(named(&described.subresources), ["status", "scale"]);
    }

    #[test]
    fn what_is_on_its_way_out_takes_nothing_new() {
        let compiled = Compiled::new(&definition()).unwrap();
        let refusal = |going| compiled.serve(going).served[0].strategy.creation_refusal();
        assert_eq!(refusal(false), None);
        assert!(refusal(true).is_some());
        assert!(Arc::ptr_eq(&compiled.serve(true).stored, &compiled.serve(false).stored));
    }

    #[test]
    fn tables_show_the_name_and_what_is_declared() {
        let compiled = Compiled::new(&definition()).unwrap();
        let printer = &compiled.stored().printer;
        let object = json!({ "metadata": { "name": "a" }, "spec": { "size": 3 } });
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(printer.cells(&object, now), [json!("a"), json!(3)]);
        assert_eq!(printer.column_definitions()[1]["name"], "Size");
    }

    #[test]
    fn stable_versions_come_before_beta_and_alpha_and_high_numbers_before_low_ones() {
        let mut versions = [
            "foo1",
            "v1alpha1",
            "v2beta1",
            "v10",
            "v1",
            "v11alpha2",
            "v3beta1",
            "v12alpha1",
            "foo10",
            "v11beta2",
            "v2",
        ];
        versions.sort_by_key(|version| version_order(version));
        assert_eq!(
            versions,
            [
                "v10",
                "v2",
                "v1",
                "v11beta2",
                "v3beta1",
                "v2beta1",
                "v12alpha1",
                "v11alpha2",
                "v1alpha1",
                "foo1",
                "foo10"
            ]
        );
    }
}

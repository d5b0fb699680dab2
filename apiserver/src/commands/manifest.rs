//! One document, judged as the server would judge a request that creates it.

use api::decode::{Decoded, Tree};
use serde::Serialize;
use serde_json::{Value, json};
use validation::flowcontrol::{Context, Gates};
use validation::lifecycle::Silent;

use crate::handlers::generated_start;
use crate::objects::metadata;
use crate::resources::{GroupVersionKind, Resource, Resources};

/// What stands for the random end of a generated name.
const SUFFIX: &str = "xxxxx";

/// The members of metadata that the server owns: what a manifest says there is not looked at.
const OWNED: [&str; 6] = [
    "creationTimestamp",
    "uid",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "managedFields",
];

/// What is said of an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Verdict {
    /// Its place in a list, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) item: Option<usize>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) api_version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) name: String,
    pub(super) errors: Vec<Problem>,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Problem {
    /// As in `details.causes` of a Status; empty for what keeps an object from being read.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) reason: String,
    /// The field's path; empty if it is the whole object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) field: String,
    pub(super) message: String,
}

impl Problem {
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self { reason: String::new(), field: String::new(), message: message.into() }
    }
}

impl Verdict {
    /// That of a document that cannot be read.
    pub(super) fn unreadable(why: impl Into<String>) -> Self {
        Self {
            item: None,
            api_version: String::new(),
            kind: String::new(),
            name: String::new(),
            errors: vec![Problem::whole(why)],
        }
    }
}

/// Judges documents.
pub(super) struct Judge {
    pub(super) resources: Resources,
    pub(super) gates: Gates,
}

impl Judge {
    /// The verdicts on a document: one, or one for each item of a list.
    pub(super) fn judge(&self, tree: Tree) -> Vec<Verdict> {
        let text = |name: &str| tree.text_member(name).unwrap_or_default().to_owned();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        match list_items(&tree, &kind) {
            Some(items) => {
                let item_kind = self.item_kind(&api_version, &kind);
                let judge = |(index, item): (usize, &Tree)| {
                    let tree = with_kind(item.clone(), item_kind);
                    self.judge(tree).into_iter().map(move |verdict| Verdict {
                        item: Some(verdict.item.unwrap_or(index)),
                        ..verdict
                    })
                };
                items.iter().enumerate().flat_map(judge).collect()
            }
            None => vec![self.judge_object(api_version, kind, tree)],
        }
    }

    /// The kind of those items that do not say it: what the list is a list of.
    fn item_kind(&self, api_version: &str, list_kind: &str) -> Option<&GroupVersionKind> {
        let kinds = self.resources.iter().filter(|resource| {
            resource.described.list_kind == list_kind
                && resource.kind.group_version() == api_version
        });
        kinds.map(|resource| &resource.kind).next()
    }

    fn judge_object(&self, api_version: String, kind: String, tree: Tree) -> Verdict {
        let mut verdict =
            Verdict { item: None, api_version, kind, name: String::new(), errors: Vec::new() };
        if let Tree::Object(_) = tree {
            match self.find(&verdict.api_version, &verdict.kind) {
                Ok(resource) => self.check(resource, tree, &mut verdict),
                Err(why) => verdict.errors.push(Problem::whole(why)),
            }
        } else {
            let why = format!("an object is needed, not a value of type {}", tree.kind());
            verdict.errors.push(Problem::whole(why));
        }
        verdict
    }

    fn find(&self, api_version: &str, kind: &str) -> Result<&Resource, String> {
        if kind.is_empty() || api_version.is_empty() {
            let missing = if kind.is_empty() { "kind" } else { "apiVersion" };
            return Err(format!("{missing} is missing"));
        }
        let mut resources = self.resources.iter().map(AsRef::as_ref);
        let same = |resource: &&Resource| {
            resource.kind.kind == kind && resource.kind.group_version() == api_version
        };
        let found: Option<&Resource> = resources.find(same);
        found.ok_or_else(|| format!("no matches for kind \"{kind}\" in version \"{api_version}\""))
    }

    fn check(&self, resource: &Resource, tree: Tree, verdict: &mut Verdict) {
        let Decoded { value: mut object, problems } = match resource.decode(tree) {
            Ok(decoded) => decoded,
            Err(why) => return verdict.errors.push(Problem::whole(why)),
        };
        verdict.errors.extend(problems.into_iter().map(Problem::whole));
        resource.apply_defaults(&mut object);
        prepare(resource, &mut object);
        metadata::text(&object, "name").clone_into(&mut verdict.name);
        let context = Context { gates: self.gates, observer: &Silent };
        let errors = resource.strategy.validate_create(&object, context);
        verdict.errors.extend(errors.causes().into_iter().map(|cause| Problem {
            reason: cause.reason,
            field: cause.field,
            message: cause.message,
        }));
    }
}

/// The items of a list.
fn list_items<'t>(tree: &'t Tree, kind: &str) -> Option<&'t [Tree]> {
    match tree.member("items") {
        Some(Tree::List(items)) if kind.ends_with("List") => Some(items),
        _ => None,
    }
}

/// The tree with a kind, if it names none.
fn with_kind(mut tree: Tree, kind: Option<&GroupVersionKind>) -> Tree {
    if let (Tree::Object(members), Some(kind)) = (&mut tree, kind)
        && !members.iter().any(|(name, _)| name == "kind" || name == "apiVersion")
    {
        members.push(("apiVersion".to_owned(), Tree::String(kind.group_version())));
        members.push(("kind".to_owned(), Tree::String(kind.kind.clone())));
    }
    tree
}

/// What the server does to a new object before it validates it.
fn prepare(resource: &Resource, object: &mut Value) {
    for member in OWNED {
        metadata::set(object, member, Value::Null);
    }
    metadata::set(object, "generation", json!(1));
    if !resource.described.namespaced {
        metadata::set(object, "namespace", Value::Null);
    } else if metadata::text(object, "namespace").is_empty() {
        metadata::set(object, "namespace", json!("default"));
    }
    let prefix = metadata::text(object, "generateName");
    if metadata::text(object, "name").is_empty() && !prefix.is_empty() {
        let name = generated_start(prefix) + SUFFIX;
        metadata::set(object, "name", json!(name));
    }
    if resource.has_status && !resource.strategy.keeps_status_on_create() {
        let status = resource.type_def().field("status");
        object["status"] = status.map_or(Value::Null, |field| field.shape.zero());
    }
    resource.strategy.prepare_create(object);
}

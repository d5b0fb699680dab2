//! Resources: discovery, and of OpenAPI what discovery does not tell.

use std::collections::BTreeSet;

use base64::Engine as _;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::{Reference, Result, list, referred, text};

/// Versions under which the reference stores objects.
const STORED_VERSIONS: [&str; 7] =
    ["v1", "v2", "v1beta1", "v1beta2", "v1beta3", "v1alpha1", "v1alpha3"];

/// One value for each group version in served order, and the types of all kinds.
pub(crate) fn compact(reference: &Reference) -> Result<(Vec<Value>, BTreeSet<String>)> {
    let mut found = Vec::new();
    let mut kinds = BTreeSet::new();
    for part in ["api", "apis"] {
        for group in list(reference.aggregated.get(part).unwrap_or(&Value::Null), "items") {
            let name = group.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            for version in list(group, "versions") {
                let group_version = GroupVersion::new(reference, name, text(version, "version")?)?;
                found.push(group_version.compact(&mut kinds)?);
            }
        }
    }
    Ok((found, kinds))
}

struct GroupVersion<'a> {
    reference: &'a Reference,
    group: &'a str,
    version: &'a str,
    /// `/apis/apps/v1`
    url: String,
    document: &'a Value,
}

impl<'a> GroupVersion<'a> {
    fn new(reference: &'a Reference, group: &'a str, version: &'a str) -> Result<Self> {
        let url = if group.is_empty() {
            format!("/api/{version}")
        } else {
            format!("/apis/{group}/{version}")
        };
        let file = url.trim_start_matches('/').replace('/', "__");
        let document = reference.documents.get(&file).ok_or("a document is missing")?;
        Ok(Self { reference, group, version, url, document })
    }

    fn compact(&self, kinds: &mut BTreeSet<String>) -> Result<Value> {
        let entries = self.reference.legacy.get(&self.url).unwrap_or(&Value::Null);
        let mut resources: Vec<Value> = Vec::new();
        for entry in list(entries, "resources") {
            match text(entry, "name")?.split_once('/') {
                None => resources.push(self.resource(entry, kinds)?),
                Some((plural, name)) => {
                    let subresource = self.subresource(plural, name, entry, kinds)?;
                    let parent = resources.last_mut().ok_or("a subresource comes first")?;
                    let known = parent.get_mut("subresources").and_then(Value::as_array_mut);
                    known.ok_or("no list of subresources")?.push(subresource);
                }
            }
        }
        Ok(json!({ "group": self.group, "version": self.version, "resources": resources }))
    }

    fn resource(&self, entry: &Value, kinds: &mut BTreeSet<String>) -> Result<Value> {
        let kind = text(entry, "kind")?;
        let plural = text(entry, "name")?;
        let type_name = self.type_of(self.group, self.version, kind)?;
        kinds.insert(type_name.clone());
        let mut resource = json!({
            "plural": plural,
            "singular": text(entry, "singularName")?,
            "kind": kind,
            "listKind": format!("{kind}List"),
            "namespaced": entry.get("namespaced"),
            "verbs": entry.get("verbs"),
            "type": type_name,
        });
        if let Value::Object(members) = &mut resource {
            for name in ["shortNames", "categories"] {
                copy(members, entry, name);
            }
            if let Some(hash) = entry.get("storageVersionHash").and_then(Value::as_str) {
                let (group, version) = self.storage(hash, kind)?;
                members.insert("storage".to_owned(), json!({ "group": group, "version": version }));
            }
            if self.deletion_returns(plural, &type_name) {
                members.insert("returnsDeletedObject".to_owned(), json!(true));
            }
            members.insert("subresources".to_owned(), json!([]));
        }
        Ok(resource)
    }

    fn subresource(
        &self,
        plural: &str,
        name: &str,
        entry: &Value,
        kinds: &mut BTreeSet<String>,
    ) -> Result<Value> {
        let kind = text(entry, "kind")?;
        let mut value = json!({ "name": name, "kind": kind, "verbs": entry.get("verbs") });
        let Value::Object(members) = &mut value else { return Ok(value) };
        copy(members, entry, "group");
        copy(members, entry, "version");
        let path = self.path(plural, &format!("/{{name}}/{name}")).ok_or("a path is missing")?;
        let operation = ["get", "post", "put"].iter().find_map(|method| path.get(method));
        let operation = operation.ok_or("a path has no operation")?;
        let returns_text = operation.pointer("/responses/200/content/text~1plain").is_some();
        if operation.get("x-kubernetes-action") == Some(&json!("connect")) || returns_text {
            let member = if returns_text { "text" } else { "connection" };
            members.insert(member.to_owned(), json!(query_parameters(path, operation)));
            if path.get("head").is_some() {
                members.insert("proxies".to_owned(), json!(true));
            }
        } else {
            let group = entry.get("group").and_then(Value::as_str).unwrap_or(self.group);
            let version = entry.get("version").and_then(Value::as_str).unwrap_or(self.version);
            let type_name = self.type_of(group, version, kind)?;
            kinds.insert(type_name.clone());
            members.insert("type".to_owned(), json!(type_name));
        }
        Ok(value)
    }

    /// The path item of a resource's path.
    fn path(&self, plural: &str, rest: &str) -> Option<&'a Value> {
        let paths = self.document.get("paths")?;
        let cluster = format!("{}/{plural}{rest}", self.url);
        let namespaced = format!("{}/namespaces/{{namespace}}/{plural}{rest}", self.url);
        paths.get(namespaced).or_else(|| paths.get(cluster))
    }

    fn deletion_returns(&self, plural: &str, type_name: &str) -> bool {
        let place = "/delete/responses/200/content/application~1json/schema";
        let path = self.path(plural, "/{name}");
        path.and_then(|path| path.pointer(place)).and_then(referred) == Some(type_name)
    }

    /// The name of the type of a kind.
    fn type_of(&self, group: &str, version: &str, kind: &str) -> Result<String> {
        let wanted = json!({ "group": group, "version": version, "kind": kind });
        let schemas = self.document.pointer("/components/schemas").and_then(Value::as_object);
        let schemas = schemas.ok_or("a document has no schemas")?;
        let found = schemas
            .iter()
            .find(|(_, schema)| list(schema, "x-kubernetes-group-version-kind").contains(&wanted));
        Ok(found.ok_or_else(|| format!("no type for {wanted}"))?.0.clone())
    }

    /// The group and version whose hash it is: any of the reference's groups.
    fn storage(&self, hash: &str, kind: &str) -> Result<(String, &'static str)> {
        let groups = list(self.reference.aggregated.get("apis").unwrap_or(&Value::Null), "items");
        let names = groups.iter().filter_map(|group| group.pointer("/metadata/name")?.as_str());
        for group in std::iter::once(self.group).chain(std::iter::once("")).chain(names) {
            for version in STORED_VERSIONS {
                let digest = Sha256::digest(format!("{group}/{version}/{kind}"));
                let first = digest.get(..8).unwrap_or_default();
                if base64::engine::general_purpose::STANDARD.encode(first) == hash {
                    return Ok((group.to_owned(), version));
                }
            }
        }
        Err(format!("{kind} is stored in an unknown version").into())
    }
}

fn copy(members: &mut Map<String, Value>, entry: &Value, name: &str) {
    if let Some(value) = entry.get(name) {
        members.insert(name.to_owned(), value.clone());
    }
}

/// Names and types of query parameters but for those that every request takes.
fn query_parameters(path: &Value, operation: &Value) -> Vec<Value> {
    let parameters = list(path, "parameters").iter().chain(list(operation, "parameters"));
    parameters
        .filter(|parameter| parameter.get("in") == Some(&json!("query")))
        .filter(|parameter| parameter.get("name") != Some(&json!("pretty")))
        .map(|parameter| {
            json!({ "name": parameter.get("name"), "type": parameter.pointer("/schema/type") })
        })
        .collect()
}

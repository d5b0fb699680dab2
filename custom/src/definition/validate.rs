//! What makes a definition invalid, in the reference's words and order (spec: apimachinery 9.2).

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format::{self, Unit};
use validation::text::is_printable;

use super::{columns, conversion, defaults, names, schema_rules, structural};
use crate::schema::Node;
use crate::value::Members;

const APPROVAL: &str = "api-approved.kubernetes.io";
/// Groups in which the Kubernetes project decides.
const PROTECTED: [&str; 2] = ["k8s.io", "kubernetes.io"];
const SCOPES: [&str; 2] = ["Cluster", "Namespaced"];
const WARNING_BYTES_MAX: usize = 256;
/// What may stand at the root of a schema if the status is a subresource.
const ALLOWED_AT_ROOT: [(&str, &str); 22] = [
    ("description", "Description"),
    ("type", "Type"),
    ("format", "Format"),
    ("title", "Title"),
    ("maximum", "Maximum"),
    ("exclusiveMaximum", "ExclusiveMaximum"),
    ("minimum", "Minimum"),
    ("exclusiveMinimum", "ExclusiveMinimum"),
    ("maxLength", "MaxLength"),
    ("minLength", "MinLength"),
    ("pattern", "Pattern"),
    ("maxItems", "MaxItems"),
    ("minItems", "MinItems"),
    ("uniqueItems", "UniqueItems"),
    ("multipleOf", "MultipleOf"),
    ("required", "Required"),
    ("items", "Items"),
    ("properties", "Properties"),
    ("externalDocs", "ExternalDocs"),
    ("example", "Example"),
    ("x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"),
    ("x-kubernetes-validations", "XValidations"),
];

/// The rules of a new definition, beside those of its metadata. Its defaults are filled in and its
/// `status` is prepared.
pub fn validate_create(definition: &Value, errors: &mut ErrorList) {
    let spec = definition.member("spec");
    let name = definition.member("metadata").text("name");
    if name != format!("{}.{}", spec.member("names").text("plural"), spec.text("group")) {
        let detail = "must be spec.names.plural+\".\"+spec.group";
        errors.push(Error::invalid(&Path::new("metadata").child("name"), name, detail));
    }
    validate_spec(errors, spec, &Path::new("spec"));
    validate_status(errors, definition);
    validate_approval(errors, definition);
    validate_preserve(errors, spec);
}

/// The rules of a changed definition: what objects are stored under stays.
pub fn validate_update(definition: &Value, old: &Value, errors: &mut ErrorList) {
    validate_spec(errors, definition.member("spec"), &Path::new("spec"));
    let (spec, before, path) = (definition.member("spec"), old.member("spec"), Path::new("spec"));
    let conditions = old.member("status").items("conditions");
    let established = conditions
        .iter()
        .any(|each| each.text("type") == "Established" && each.text("status") == "True");
    let mut immutable = |new: &Value, old: &Value, path: &Path, member: &str| {
        if new.member(member) != old.member(member) {
            let shown = Shown::json(new.member(member));
            errors.push(Error::invalid(&path.child(member), shown, "field is immutable"));
        }
    };
    let (names, names_before, names_path) =
        (spec.member("names"), before.member("names"), path.child("names"));
    if established {
        immutable(spec, before, &path, "scope");
        immutable(names, names_before, &names_path, "kind");
    }
    immutable(spec, before, &path, "group");
    immutable(names, names_before, &names_path, "plural");
    validate_status(errors, definition);
    let is_new = |definition: &Value| {
        definition.member("metadata").member("annotations").text(APPROVAL).to_owned()
    };
    if is_new(definition) != is_new(old) {
        validate_approval(errors, definition);
    }
    if !before.flag("preserveUnknownFields") {
        validate_preserve(errors, spec);
    }
}

/// Unknown fields are kept where the schema says so, and only there.
fn validate_preserve(errors: &mut ErrorList, spec: &Value) {
    if spec.flag("preserveUnknownFields") {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                      spec.versions[*].schema instead";
        let path = Path::new("spec").child("preserveUnknownFields");
        errors.push(Error::invalid(&path, true, detail));
    }
}

/// What may be written once for all versions the reference's program keeps in one place, and errors
/// name that place.
struct Shared<'d> {
    versions: &'d [Value],
}

impl<'d> Shared<'d> {
    /// A member that all versions have alike.
    fn member(&self, name: &str) -> Option<&'d Value> {
        let first = self.versions.first()?.member(name);
        self.versions.iter().all(|version| version.member(name) == first).then_some(first)
    }
}

fn validate_spec(errors: &mut ErrorList, spec: &Value, path: &Path) {
    validate_group(errors, spec.text("group"), &path.child("group"));
    let (scope, scope_path) = (spec.text("scope"), path.child("scope"));
    if scope.is_empty() {
        errors.push(Error::required(&scope_path, ""));
    } else if !SCOPES.contains(&scope) {
        errors.push(Error::not_supported(&scope_path, scope, &SCOPES));
    }
    validate_versions(errors, spec.items("versions"), &path.child("versions"));
    // What was once the only version is kept beside the list, and checked again.
    if let Some(first) =
        spec.items("versions").first().filter(|first| !first.text("name").is_empty())
    {
        names::label(errors, first.text("name"), &path.child("version"));
    }
    let names = spec.member("names");
    names::require(errors, names, &path.child("names"));
    names::validate(errors, names, &path.child("names"));
    validate_shared(errors, spec.items("versions"), path);
    conversion::validate(errors, spec.member("conversion"), &path.child("conversion"));
}

fn validate_group(errors: &mut ErrorList, group: &str, path: &Path) {
    let wrong = format::dns_subdomain(group, Unit::Characters);
    if group.is_empty() {
        errors.push(Error::required(path, ""));
    } else if !wrong.is_empty() {
        errors.push(Error::invalid(path, group, wrong.join(",")));
    } else if !group.contains('.') {
        errors.push(Error::invalid(path, group, "should be a domain with at least one dot"));
    }
}

fn open_schema(version: &Value) -> &Value {
    version.member("schema").member("openAPIV3Schema")
}

fn validate_versions(errors: &mut ErrorList, versions: &[Value], path: &Path) {
    for (index, version) in versions.iter().enumerate() {
        if open_schema(version).is_null() {
            let path = path.index(index).child("schema").child("openAPIV3Schema");
            errors.push(Error::required(&path, ""));
        }
    }
    let shared = Shared { versions };
    let status = shared.member("subresources");
    let mut unique = true;
    for (index, version) in versions.iter().enumerate() {
        let (name, path) = (version.text("name"), path.index(index));
        unique &= !versions[..index].iter().any(|before| before.text("name") == name);
        names::label(errors, name, &path.child("name"));
        validate_warning(errors, version, &path);
        let subresources = status.unwrap_or_else(|| version.member("subresources"));
        if shared.member("schema").is_none() {
            let path = path.child("schema");
            let has_status = subresources.has("status");
            validate_schema(errors, open_schema(version), has_status, &path);
        }
        validate_extras(errors, version, &shared, &path);
    }
    let shown = || {
        let shown = versions.iter().map(shown_version).collect::<Vec<_>>();
        Shown::json(&shown)
    };
    if !unique {
        errors.push(Error::invalid(path, shown(), "must contain unique version names"));
    }
    if versions.iter().filter(|version| version.flag("storage")).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.push(Error::invalid(path, shown(), detail));
    }
}

/// What a version has for itself.
fn validate_extras(errors: &mut ErrorList, version: &Value, shared: &Shared<'_>, path: &Path) {
    if shared.member("subresources").is_none() {
        let path = path.child("subresources");
        columns::subresources(errors, version.member("subresources"), &path);
    }
    if shared.member("additionalPrinterColumns").is_none() {
        let path = path.child("additionalPrinterColumns");
        columns::columns(errors, version.items("additionalPrinterColumns"), &path);
    }
    let fields = version.items("selectableFields");
    if shared.member("selectableFields").is_none() && !fields.is_empty() {
        let path = path.child("selectableFields");
        if shared.member("schema").is_some() {
            // The schema that all versions share is not looked for.
            let detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
            errors.push(Error::invalid(&path, "", detail));
        } else {
            columns::selectable(errors, fields, open_schema(version), &path);
        }
    }
}

/// What all versions have alike.
fn validate_shared(errors: &mut ErrorList, versions: &[Value], path: &Path) {
    let shared = Shared { versions };
    if let Some(schema) = shared.member("schema") {
        let has_status =
            versions.iter().any(|version| version.member("subresources").has("status"));
        let schema = schema.member("openAPIV3Schema");
        validate_schema(errors, schema, has_status, &path.child("validation"));
    }
    if let Some(subresources) = shared.member("subresources") {
        columns::subresources(errors, subresources, &path.child("subresources"));
    }
    if let Some(Value::Array(columns)) = shared.member("additionalPrinterColumns") {
        columns::columns(errors, columns, &path.child("additionalPrinterColumns"));
    }
    if let (Some(Value::Array(fields)), Some(first)) =
        (shared.member("selectableFields"), versions.first())
    {
        let path = path.child("selectableFields");
        columns::selectable(errors, fields, open_schema(first), &path);
    }
}

fn validate_warning(errors: &mut ErrorList, version: &Value, path: &Path) {
    if !version.has("deprecationWarning") {
        return;
    }
    let warning = version.text("deprecationWarning");
    let mut fail = |detail: String| {
        let path = path.child("deprecationWarning");
        errors.push(Error::invalid(&path, Shown::json(&warning), detail));
    };
    if !version.flag("deprecated") {
        fail("can only be set for deprecated versions".to_owned());
        return;
    }
    if warning.len() > WARNING_BYTES_MAX {
        fail("must be <= 256 characters long".to_owned());
    }
    if warning.is_empty() {
        fail("must not be an empty string".to_owned());
    }
    if let Some((at, _)) = warning.char_indices().find(|(_, each)| !is_printable(*each)) {
        fail(format!(
            "must only contain printable UTF-8 characters; non-printable character found at index \
             {at}"
        ));
    }
}

fn validate_schema(errors: &mut ErrorList, schema: &Value, has_status: bool, path: &Path) {
    if !schema.is_object() {
        return;
    }
    if has_status {
        validate_root(errors, schema, path);
    }
    if schema.flag("nullable") {
        let path = path.child("openAPIV3Schema.nullable");
        errors.push(Error::forbidden(&path, "nullable cannot be true at the root"));
    }
    let path = path.child("openAPIV3Schema");
    let found = structural::validate(schema, &path);
    let node = if found.is_empty() { Node::parse(schema).ok() } else { None };
    errors.extend(found);
    let found = node.as_ref().map(|node| defaults::validate(node, &path)).unwrap_or_default();
    let node = node.filter(|_| found.is_empty());
    errors.extend(found);
    errors.extend(schema_rules::validate(schema, node.as_ref(), &path));
}

/// If the status is a subresource, its schema is looked at by itself: what stands at the root must
/// not be lost.
fn validate_root(errors: &mut ErrorList, schema: &Value, path: &Path) {
    let kind = schema.text("type");
    if !kind.is_empty() && kind != "object" {
        let detail = "only \"object\" is allowed as the type at the root of the schema if the \
                      status subresource is enabled";
        errors.push(Error::invalid(&path.child("openAPIV3Schema.type"), kind, detail));
        return;
    }
    let is_set = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        _ => true,
    };
    let members = schema.as_object().into_iter().flatten();
    let mut set = members.filter(|(_, value)| is_set(value)).map(|(name, _)| name.as_str());
    if set.any(|name| !ALLOWED_AT_ROOT.iter().any(|(allowed, _)| *allowed == name)) {
        let allowed: Vec<&str> = ALLOWED_AT_ROOT.iter().map(|(_, shown)| *shown).collect();
        let detail = format!(
            "only [{}] fields are allowed at the root of the schema if the status subresource is \
             enabled",
            allowed.join(" ")
        );
        errors.push(Error::invalid(&path.child("openAPIV3Schema"), Shown::json(schema), detail));
    }
}

/// A version as the reference's program sees it, with what all versions share taken out.
fn shown_version(version: &Value) -> Value {
    json!({
        "Name": version.text("name"),
        "Served": version.flag("served"),
        "Storage": version.flag("storage"),
        "Deprecated": version.flag("deprecated"),
        "DeprecationWarning": version.member("deprecationWarning"),
        "Schema": null,
        "Subresources": null,
        "AdditionalPrinterColumns": null,
        "SelectableFields": null,
    })
}

fn validate_status(errors: &mut ErrorList, definition: &Value) {
    let status = definition.member("status");
    let path = Path::new("status");
    names::validate(errors, status.member("acceptedNames"), &path.child("acceptedNames"));
    let (stored, path) = (status.texts("storedVersions"), path.child("storedVersions"));
    if stored.is_empty() {
        let detail = "must have at least one stored version";
        errors.push(Error::invalid(&path, Shown::null(), detail));
        return;
    }
    let versions = definition.member("spec").items("versions");
    for version in versions.iter().filter(|version| version.flag("storage")) {
        let name = version.text("name");
        if !stored.iter().any(|stored| stored == name) {
            let detail = format!("must have the storage version {name}");
            errors.push(Error::invalid(&path, Shown::json(&stored), detail));
        }
    }
    for (index, name) in stored.iter().enumerate() {
        if !versions.iter().any(|version| version.text("name") == name) {
            let path = path.index(index);
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must \
                 remain in spec.versions until a storage migration ensures no data remains \
                 persisted in {name} and removes {name} from status.storedVersions"
            );
            errors.push(Error::invalid(&path, name, detail));
        }
    }
}

fn validate_approval(errors: &mut ErrorList, definition: &Value) {
    let group = definition.member("spec").text("group");
    let protected = PROTECTED.iter().any(|protected| {
        group.strip_suffix(protected).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    let annotation = definition.member("metadata").member("annotations").text(APPROVAL);
    if !protected || annotation.starts_with("unapproved") {
        return;
    }
    let path = Path::new("metadata").child("annotations").key(APPROVAL);
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    if annotation.is_empty() {
        let detail =
            format!("protected groups must have approval annotation \"{APPROVAL}\", {see}");
        errors.push(Error::required(&path, detail));
    } else if !annotation.contains("://") {
        let detail = format!(
            "protected groups must have approval annotation \"{APPROVAL}\" with either a URL or a \
             reason starting with \"unapproved\", {see}"
        );
        errors.push(Error::invalid(&path, annotation, detail));
    }
}

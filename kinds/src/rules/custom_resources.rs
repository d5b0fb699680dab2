//! CustomResourceDefinitions. Of schemas it is checked that they are structural, and that defaults
//! are among the values that are allowed.

mod schema;

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format::{self, Unit};

use super::checks;
use crate::value::Members;

const APPROVAL: &str = "api-approved.kubernetes.io";
/// Groups in which the Kubernetes project decides.
const PROTECTED: [&str; 2] = ["k8s.io", "kubernetes.io"];

/// The rules of a new definition.
pub(crate) fn create(definition: &Value, errors: &mut ErrorList) {
    let spec = definition.member("spec");
    let name = definition.member("metadata").text("name");
    if name != format!("{}.{}", spec.member("names").text("plural"), spec.text("group")) {
        let detail = "must be spec.names.plural+\".\"+spec.group";
        errors.push(Error::invalid(&Path::new("metadata").child("name"), name, detail));
    }
    validate(definition, errors);
    validate_approval(errors, definition);
}

/// The rules of a changed definition: what objects are stored under stays.
pub(crate) fn update(definition: &Value, old: &Value, errors: &mut ErrorList) {
    validate(definition, errors);
    let (spec, before, path) = (definition.member("spec"), old.member("spec"), Path::new("spec"));
    let conditions = old.member("status").items("conditions");
    let established = conditions
        .iter()
        .any(|each| each.text("type") == "Established" && each.text("status") == "True");
    let names = |spec: &Value| spec.member("names").clone();
    let names_path = path.child("names");
    if established {
        checks::immutable(errors, spec, before, &path, "scope");
        checks::immutable(errors, &names(spec), &names(before), &names_path, "kind");
    }
    checks::immutable(errors, spec, before, &path, "group");
    checks::immutable(errors, &names(spec), &names(before), &names_path, "plural");
}

fn validate(definition: &Value, errors: &mut ErrorList) {
    let (spec, path) = (definition.member("spec"), Path::new("spec"));
    validate_group(errors, spec, &path);
    checks::one_of(errors, spec, &path, "scope", &["Cluster", "Namespaced"]);
    validate_versions(errors, spec.items("versions"), &path);
    validate_names(errors, spec.member("names"), &path.child("names"));
    let strategies = ["None", "Webhook"];
    let conversion = spec.member("conversion");
    checks::one_of_if_any(errors, conversion, &path.child("conversion"), "strategy", &strategies);
    validate_stored(errors, definition);
}

fn validate_group(errors: &mut ErrorList, spec: &Value, path: &Path) {
    if !checks::required(errors, spec, path, "group") {
        return;
    }
    let group = spec.text("group");
    let wrong = format::dns_subdomain(group, Unit::Characters);
    if !wrong.is_empty() {
        errors.push(Error::invalid(&path.child("group"), group, wrong.join(",")));
    } else if !group.contains('.') {
        let detail = "should be a domain with at least one dot";
        errors.push(Error::invalid(&path.child("group"), group, detail));
    }
}

fn validate_versions(errors: &mut ErrorList, versions: &[Value], spec_path: &Path) {
    let path = spec_path.child("versions");
    let schema = |version: &Value| version.member("schema").member("openAPIV3Schema").clone();
    let alike = versions.windows(2).all(|pair| schema(&pair[0]) == schema(&pair[1]));
    let mut unique = true;
    for (index, version) in versions.iter().enumerate() {
        let (name, path) = (version.text("name"), path.index(index));
        unique &= !versions[..index].iter().any(|before| before.text("name") == name);
        label(errors, name, &path.child("name"), "");
        let schema_path = path.child("schema").child("openAPIV3Schema");
        if schema(version).is_null() {
            errors.push(Error::required(&schema_path, ""));
        } else if !alike {
            schema::validate(errors, &schema(version), &schema_path);
        }
    }
    let shown = || {
        let shown = versions.iter().map(shown_version).collect::<Vec<_>>();
        Shown::json(&shown)
    };
    if !unique {
        errors.push(Error::invalid(&path, shown(), "must contain unique version names"));
    }
    if versions.iter().filter(|version| version.flag("storage")).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.push(Error::invalid(&path, shown(), detail));
    }
    // The reference's program keeps a schema that all versions share in one place.
    if let Some(first) = versions.first().filter(|first| alike && !schema(first).is_null()) {
        let path = spec_path.child("validation").child("openAPIV3Schema");
        schema::validate(errors, &schema(first), &path);
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

fn validate_names(errors: &mut ErrorList, names: &Value, path: &Path) {
    for member in ["plural", "singular", "kind", "listKind"] {
        checks::required(errors, names, path, member);
    }
    for member in ["plural", "singular"] {
        if !names.is_blank(member) {
            label(errors, names.text(member), &path.child(member), "");
        }
    }
    for member in ["kind", "listKind"] {
        if !names.is_blank(member) {
            let detail = "may have mixed case, but should otherwise match: ";
            label(errors, names.text(member), &path.child(member), detail);
        }
    }
    for list in ["shortNames", "categories"] {
        for (index, name) in names.items(list).iter().enumerate() {
            label(errors, name.as_str().unwrap_or_default(), &path.child(list).index(index), "");
        }
    }
    if !names.is_blank("kind") && names.text("kind") == names.text("listKind") {
        let detail = "kind and listKind may not be the same";
        errors.push(Error::invalid(&path.child("listKind"), names.text("listKind"), detail));
    }
}

/// A DNS-1035 label. With an introduction capital letters are allowed.
fn label(errors: &mut ErrorList, text: &str, path: &Path, introduction: &str) {
    let folded = if introduction.is_empty() { text.to_owned() } else { text.to_lowercase() };
    let is_label = format::dns_label(&folded, Unit::Characters).is_empty();
    let mut wrong = Vec::new();
    if folded.len() > 63 {
        wrong.push("must be no more than 63 characters");
    }
    if (!is_label && folded.len() <= 63) || !folded.starts_with(|c: char| c.is_ascii_lowercase()) {
        wrong.push(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start \
             with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  \
             or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        );
    }
    if !wrong.is_empty() {
        errors.push(Error::invalid(path, text, introduction.to_owned() + &wrong.join(",")));
    }
}

fn validate_stored(errors: &mut ErrorList, definition: &Value) {
    let stored = definition.member("status").items("storedVersions");
    let path = Path::new("status").child("storedVersions");
    if stored.is_empty() {
        let detail = "must have at least one stored version";
        errors.push(Error::invalid(&path, Shown::null(), detail));
        return;
    }
    let versions = definition.member("spec").items("versions");
    for (index, name) in stored.iter().enumerate() {
        if !versions.iter().any(|version| version.member("name") == name) {
            let path = path.index(index);
            errors.push(Error::invalid(&path, Shown::json(name), "must appear in spec.versions"));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(spec: &Value) -> Value {
        let mut definition = json!({"metadata": {"name": "widgets.example.com"}, "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}}}]}});
        for (member, value) in spec.as_object().unwrap() {
            definition["spec"][member] = value.clone();
        }
        let (group, kind) = ("apiextensions.k8s.io", "CustomResourceDefinition");
        crate::defaults::fill(group, kind, &mut definition);
        crate::defaults::prepare_create(group, kind, &mut definition);
        definition
    }

    fn texts(spec: &Value) -> Vec<String> {
        let mut errors = ErrorList::default();
        create(&definition(spec), &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_plain_definition_is_right() {
        assert_eq!(texts(&json!({})), Vec::<String>::new());
    }

    #[test]
    fn names_are_labels_that_start_with_a_letter() {
        let names = json!({"kind": "1Widget", "listKind": "1Widget", "plural": "widgets", "singular": "a.b"});
        let texts = texts(&json!({"names": names}));
        assert!(
            texts[0].starts_with("spec.names.singular: Invalid value: \"a.b\": a DNS-1035 label")
        );
        assert!(texts[1].contains("may have mixed case, but should otherwise match: a DNS-1035"));
        assert!(texts[3].ends_with("kind and listKind may not be the same"), "{texts:?}");
    }

    #[test]
    fn the_group_and_once_established_the_kind_stay() {
        let mut old = definition(&json!({}));
        old["status"]["conditions"] = json!([{"type": "Established", "status": "True"}]);
        let names = json!({"kind": "Gadget", "plural": "widgets"});
        let new = definition(&json!({"names": names, "scope": "Cluster"}));
        let mut errors = ErrorList::default();
        update(&new, &old, &mut errors);
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["spec.scope", "spec.names.kind"]);
    }
}

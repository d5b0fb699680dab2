//! The rules of object metadata (spec: validation 4).

use std::collections::BTreeSet;

use api::meta::{ManagedFieldsEntry, ObjectMeta, OwnerReference};

use crate::field::{Error, ErrorList, Path, Shown};
use crate::format::{self, Unit};
use crate::text::{go_quote, is_printable};

/// The most bytes that all annotations may have together.
pub const ANNOTATIONS_BYTES_MAX: usize = 256 * 1024;

const MANAGER_BYTES_MAX: usize = 128;
const SUBRESOURCE_BYTES_MAX: usize = 256;

/// What a kind asks of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameRule {
    /// A DNS-1123 subdomain.
    DnsSubdomain,
    /// A DNS-1123 label.
    DnsLabel,
    /// Whatever can stand in a path; what the generic checks ask of every kind.
    PathSegment,
}

impl NameRule {
    fn check(self, name: &str) -> Vec<String> {
        match self {
            Self::DnsSubdomain => format::dns_subdomain(name, Unit::Characters),
            Self::DnsLabel => format::dns_label(name, Unit::Characters),
            Self::PathSegment => format::path_segment(name),
        }
    }

    fn check_prefix(self, prefix: &str) -> Vec<String> {
        match self {
            Self::PathSegment => format::path_segment_prefix(prefix),
            Self::DnsSubdomain | Self::DnsLabel => self.check(&masked(prefix)),
        }
    }
}

/// A prefix as a whole name: what follows a dash at its end is yet to come.
fn masked(prefix: &str) -> String {
    if prefix.len() > 1 && prefix.ends_with('-') {
        let mut kept = prefix.len() - 2;
        while !prefix.is_char_boundary(kept) {
            kept -= 1;
        }
        return format!("{}a", &prefix[..kept]);
    }
    prefix.to_owned()
}

/// The checks of one object's metadata.
#[must_use]
pub fn validate(metadata: &ObjectMeta, name_rule: NameRule) -> ErrorList {
    let path = Path::new("metadata");
    let mut errors = ErrorList::default();
    validate_names(&mut errors, metadata, name_rule, &path);
    validate_labels(&mut errors, metadata, &path.child("labels"));
    validate_annotations(&mut errors, metadata, &path.child("annotations"));
    validate_owners(&mut errors, &metadata.owner_references, &path.child("ownerReferences"));
    validate_finalizers(&mut errors, &metadata.finalizers, &path.child("finalizers"));
    validate_managed_fields(&mut errors, &metadata.managed_fields, &path.child("managedFields"));
    errors
}

/// The further rule of many kinds: a finalizer has a domain or is a standard one.
#[must_use]
pub fn validate_finalizer_names(finalizers: &[String]) -> ErrorList {
    let path = Path::new("metadata").child("finalizers");
    let standard = ["kubernetes", "orphan", "foregroundDeletion"];
    finalizers
        .iter()
        .enumerate()
        .filter(|(_, name)| !name.contains('/') && !standard.contains(&name.as_str()))
        .map(|(index, name)| {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            Error::invalid(&path.index(index), name, detail)
        })
        .collect()
}

/// The checks of a change of one object's metadata.
#[must_use]
pub fn validate_update(metadata: &ObjectMeta, old: &ObjectMeta) -> ErrorList {
    let path = Path::new("metadata");
    let mut errors = ErrorList::default();
    validate_new_finalizers(&mut errors, metadata, old, &path.child("finalizers"));
    let mut immutable = |member: &str, same: bool, value: Shown| {
        if !same {
            let error = Error::invalid(&path.child(member), value, "field is immutable");
            let mut error = error.with_origin("immutable");
            error.covered = !matches!(member, "name" | "namespace");
            errors.push(error);
        }
    };
    immutable("name", metadata.name == old.name, Shown::from(&metadata.name));
    immutable("namespace", metadata.namespace == old.namespace, Shown::from(&metadata.namespace));
    immutable("uid", metadata.uid == old.uid, Shown::json(&metadata.uid));
    let created = metadata.creation_timestamp;
    immutable("creationTimestamp", created == old.creation_timestamp, Shown::json(&created));
    let deleted = metadata.deletion_timestamp;
    immutable("deletionTimestamp", deleted == old.deletion_timestamp, Shown::json(&deleted));
    let grace = metadata.deletion_grace_period_seconds;
    immutable(
        "deletionGracePeriodSeconds",
        grace == old.deletion_grace_period_seconds,
        Shown::json(&grace),
    );
    validate_labels(&mut errors, metadata, &path.child("labels"));
    validate_annotations(&mut errors, metadata, &path.child("annotations"));
    validate_owners(&mut errors, &metadata.owner_references, &path.child("ownerReferences"));
    validate_managed_fields(&mut errors, &metadata.managed_fields, &path.child("managedFields"));
    errors
}

fn validate_names(errors: &mut ErrorList, metadata: &ObjectMeta, rule: NameRule, path: &Path) {
    if !metadata.generate_name.is_empty() {
        for detail in rule.check_prefix(&metadata.generate_name) {
            errors.push(Error::invalid(
                &path.child("generateName"),
                &metadata.generate_name,
                detail,
            ));
        }
    }
    let path = path.child("name");
    if metadata.name.is_empty() {
        errors.push(Error::required(&path, "name or generateName is required"));
        return;
    }
    for detail in rule.check(&metadata.name) {
        errors.push(Error::invalid(&path, &metadata.name, detail));
    }
}

fn validate_labels(errors: &mut ErrorList, metadata: &ObjectMeta, path: &Path) {
    for (key, value) in &metadata.labels {
        let wrong = format::qualified_name(key).into_iter();
        errors.extend(wrong.map(|detail| Error::invalid(path, key, detail)));
        let wrong = format::label_value(value).into_iter();
        errors.extend(wrong.map(|detail| Error::invalid(path, value, detail)));
    }
}

fn validate_annotations(errors: &mut ErrorList, metadata: &ObjectMeta, path: &Path) {
    for key in metadata.annotations.keys() {
        let wrong = format::qualified_name(&key.to_lowercase()).into_iter();
        errors.extend(wrong.map(|detail| Error::invalid(path, key, detail)));
    }
    let bytes: usize = metadata.annotations.iter().map(|(k, v)| k.len() + v.len()).sum();
    if bytes > ANNOTATIONS_BYTES_MAX {
        errors.push(Error::too_long(path, ANNOTATIONS_BYTES_MAX));
    }
}

fn validate_owners(errors: &mut ErrorList, owners: &[OwnerReference], path: &Path) {
    let mut controller: Option<&OwnerReference> = None;
    for (index, owner) in owners.iter().enumerate() {
        validate_owner(errors, owner, &path.index(index));
        if owner.controller != Some(true) {
            continue;
        }
        match controller {
            None => controller = Some(owner),
            Some(first) => errors.push(Error::invalid(
                path,
                Shown::json(&owners),
                format!(
                    "Only one reference can have Controller set to true. Found \"true\" in \
                     references for {}/{} and {}/{}",
                    first.kind, first.name, owner.kind, owner.name
                ),
            )),
        }
    }
}

fn validate_owner(errors: &mut ErrorList, owner: &OwnerReference, path: &Path) {
    let version = owner.api_version.rsplit_once('/').map_or(owner.api_version.as_str(), |(_, v)| v);
    if owner.api_version.is_empty() {
        errors.push(Error::required(&path.child("apiVersion"), "must not be empty").covered());
    } else if version.is_empty() || owner.api_version.matches('/').count() > 1 {
        errors.push(Error::invalid(
            &path.child("apiVersion"),
            &owner.api_version,
            "must be <group>/<version> or <version>",
        ));
    }
    for (member, value) in [("kind", &owner.kind), ("name", &owner.name), ("uid", &owner.uid)] {
        if value.is_empty() {
            errors.push(Error::required(&path.child(member), "must not be empty").covered());
        }
    }
    if owner.api_version == "v1" && owner.kind == "Event" {
        errors.push(Error::invalid(
            path,
            Shown::json(owner),
            "/v1, Kind=Event is disallowed from being an owner",
        ));
    }
}

fn validate_finalizers(errors: &mut ErrorList, finalizers: &[String], path: &Path) {
    for finalizer in finalizers {
        let wrong = format::qualified_name(finalizer).into_iter();
        errors.extend(wrong.map(|detail| Error::invalid(path, finalizer, detail)));
    }
    let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        errors.push(Error::invalid(
            path,
            Shown::json(&finalizers),
            "finalizer orphan and foregroundDeletion cannot be both set",
        ));
    }
}

fn validate_new_finalizers(
    errors: &mut ErrorList,
    metadata: &ObjectMeta,
    old: &ObjectMeta,
    path: &Path,
) {
    if old.deletion_timestamp.is_none() {
        return;
    }
    let before: BTreeSet<&String> = old.finalizers.iter().collect();
    let after: BTreeSet<&String> = metadata.finalizers.iter().collect();
    let added: Vec<String> = after.difference(&before).map(|name| go_quote(name)).collect();
    if !added.is_empty() {
        errors.push(Error::forbidden(
            path,
            format!(
                "no new finalizers can be added if the object is being deleted, found new \
                 finalizers []string{{{}}}",
                added.join(", ")
            ),
        ));
    }
}

fn validate_managed_fields(errors: &mut ErrorList, entries: &[ManagedFieldsEntry], path: &Path) {
    for (index, entry) in entries.iter().enumerate() {
        let path = path.index(index);
        match entry.operation.as_str() {
            "Apply" | "Update" => {}
            "" => errors
                .push(Error::required(&path.child("operation"), "must not be empty").covered()),
            operation => errors.push(
                Error::not_supported(
                    &path.child("operation"),
                    Shown::json(&operation),
                    &["Apply", "Update"],
                )
                .covered(),
            ),
        }
        if !entry.fields_type.is_empty() && entry.fields_type != "FieldsV1" {
            errors.push(Error::invalid(
                &path.child("fieldsType"),
                &entry.fields_type,
                "must be `FieldsV1`",
            ));
        }
        errors.extend(validate_field_manager(&entry.manager, &path.child("manager")));
        if entry.subresource.len() > SUBRESOURCE_BYTES_MAX {
            errors.push(Error::too_long(&path.child("subresource"), SUBRESOURCE_BYTES_MAX));
        }
    }
}

/// The name of a field manager: not too long, printable characters only.
#[must_use]
pub fn validate_field_manager(manager: &str, path: &Path) -> ErrorList {
    let mut errors = ErrorList::default();
    if manager.len() > MANAGER_BYTES_MAX {
        errors.push(Error::too_long(path, MANAGER_BYTES_MAX));
    }
    for (at, character) in manager.char_indices().filter(|(_, c)| !is_printable(*c)) {
        let code = u32::from(character);
        errors.push(Error::invalid(
            path,
            manager,
            format!("invalid character U+{code:04X} (at position {at})"),
        ));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(errors: &ErrorList) -> Vec<String> {
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_prefix_may_end_with_a_dash() {
        let metadata = ObjectMeta {
            generate_name: "a-".to_owned(),
            name: "a-x".to_owned(),
            ..ObjectMeta::default()
        };
        assert_eq!(texts(&validate(&metadata, NameRule::DnsSubdomain)), Vec::<String>::new());
    }

    #[test]
    fn an_object_needs_a_name() {
        let errors = validate(&ObjectMeta::default(), NameRule::DnsSubdomain);
        assert_eq!(
            texts(&errors),
            ["metadata.name: Required value: name or generateName is required"]
        );
    }

    #[test]
    fn only_one_owner_is_the_controller() {
        let owner = |kind: &str, name: &str| OwnerReference {
            api_version: "v1".to_owned(),
            kind: kind.to_owned(),
            name: name.to_owned(),
            uid: "u".to_owned(),
            controller: Some(true),
            block_owner_deletion: None,
        };
        let metadata = ObjectMeta {
            name: "a".to_owned(),
            owner_references: vec![owner("ConfigMap", "x"), owner("Deployment", "d")],
            ..ObjectMeta::default()
        };
        let errors = texts(&validate(&metadata, NameRule::DnsSubdomain));
        assert_eq!(errors.len(), 1);
        assert!(
            errors[0].ends_with("in references for ConfigMap/x and Deployment/d"),
            "{errors:?}"
        );
    }

    #[test]
    fn no_finalizer_is_added_to_an_object_that_is_being_deleted() {
        let old = ObjectMeta {
            deletion_timestamp: api::time::Timestamp::from_unix_seconds(0),
            finalizers: vec!["a/b".to_owned()],
            ..ObjectMeta::default()
        };
        let mut new = old.clone();
        new.finalizers.push("a/c".to_owned());
        assert_eq!(
            texts(&validate_update(&new, &old)),
            ["metadata.finalizers: Forbidden: no new finalizers can be added if the object is \
              being deleted, found new finalizers []string{\"a/c\"}"]
        );
    }

    #[test]
    fn unprintable_characters_of_a_manager_are_named_with_their_place() {
        let errors = validate_field_manager("a\u{7}b", &Path::new("fieldManager"));
        assert_eq!(
            texts(&errors),
            ["fieldManager: Invalid value: \"a\\ab\": invalid character U+0007 (at position 1)"]
        );
    }
}

//! The rules of object metadata (spec: validation 4).

mod view;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::field::{Error, ErrorList, Shown, Trail};
use crate::format::{self, Unit};
use crate::text::{go_quote, is_printable};
use crate::view::Texts;

pub use view::Metadata;
use view::{Manager, Owner};

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
pub fn validate(metadata: &Metadata<'_>, name_rule: NameRule) -> ErrorList {
    let path = Trail::new("metadata");
    let mut errors = validate_names(metadata, name_rule);
    validate_labels(&mut errors, metadata, &path.child("labels"));
    validate_annotations(&mut errors, metadata, &path.child("annotations"));
    validate_owners(&mut errors, metadata.owner_references, &path.child("ownerReferences"));
    validate_finalizers(&mut errors, metadata.finalizers, &path.child("finalizers"));
    validate_managed_fields(&mut errors, metadata.managed_fields, &path.child("managedFields"));
    errors
}

/// The further rule of many kinds: a finalizer has a domain or is a standard one.
#[must_use]
pub fn validate_finalizer_names(metadata: &Metadata<'_>) -> ErrorList {
    let path = Trail::new("metadata");
    let path = path.child("finalizers");
    let standard = ["kubernetes", "orphan", "foregroundDeletion"];
    let finalizers = metadata.finalizers.iter().enumerate();
    finalizers
        .filter(|(_, name)| !name.contains('/') && !standard.contains(name))
        .map(|(index, name)| {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            Error::invalid(&path.index(index), name, detail)
        })
        .collect()
}

/// The checks of a change of one object's metadata.
#[must_use]
pub fn validate_update(metadata: &Metadata<'_>, old: &Metadata<'_>) -> ErrorList {
    let path = Trail::new("metadata");
    let mut errors = ErrorList::default();
    validate_new_finalizers(&mut errors, metadata, old, &path.child("finalizers"));
    let mut immutable = |member: &str, same: bool, shown: &dyn Fn() -> Shown| {
        if !same {
            let error = Error::invalid(&path.child(member), shown(), "field is immutable");
            let mut error = error.with_origin("immutable");
            error.covered = !matches!(member, "name" | "namespace");
            errors.push(error);
        }
    };
    let Metadata { name, namespace, uid, .. } = *metadata;
    immutable("name", name == old.name, &|| name.into());
    immutable("namespace", namespace == old.namespace, &|| namespace.into());
    immutable("uid", uid == old.uid, &|| Shown::json(&uid));
    let created = metadata.creation_timestamp;
    immutable("creationTimestamp", created == old.creation_timestamp, &|| Shown::json(created));
    let deleted = metadata.deletion_timestamp;
    immutable("deletionTimestamp", deleted == old.deletion_timestamp, &|| Shown::json(deleted));
    let grace = metadata.deletion_grace_period_seconds;
    let same = grace == old.deletion_grace_period_seconds;
    immutable("deletionGracePeriodSeconds", same, &|| Shown::json(grace));
    validate_labels(&mut errors, metadata, &path.child("labels"));
    validate_annotations(&mut errors, metadata, &path.child("annotations"));
    validate_owners(&mut errors, metadata.owner_references, &path.child("ownerReferences"));
    validate_managed_fields(&mut errors, metadata.managed_fields, &path.child("managedFields"));
    errors
}

/// The part of [`validate`] that differs from kind to kind.
pub(crate) fn validate_names(metadata: &Metadata<'_>, rule: NameRule) -> ErrorList {
    let path = Trail::new("metadata");
    let mut errors = ErrorList::default();
    let prefix = metadata.generate_name;
    if !prefix.is_empty() {
        errors.push_invalid(&path.child("generateName"), prefix, rule.check_prefix(prefix));
    }
    let path = path.child("name");
    if metadata.name.is_empty() {
        errors.push(Error::required(&path, "name or generateName is required"));
        return errors;
    }
    errors.push_invalid(&path, metadata.name, rule.check(metadata.name));
    errors
}

fn validate_labels(errors: &mut ErrorList, metadata: &Metadata<'_>, path: &Trail<'_>) {
    for (key, value) in metadata.labels.iter() {
        errors.push_invalid(path, key, format::qualified_name(key));
        errors.push_invalid(path, value, format::label_value(value));
    }
}

fn validate_annotations(errors: &mut ErrorList, metadata: &Metadata<'_>, path: &Trail<'_>) {
    let mut bytes = 0;
    for (key, value) in metadata.annotations.iter() {
        errors.push_invalid(path, key, format::qualified_name(&lowercase(key)));
        bytes += key.len() + value.len();
    }
    if bytes > ANNOTATIONS_BYTES_MAX {
        errors.push(Error::too_long(path, ANNOTATIONS_BYTES_MAX));
    }
}

/// Most keys are in lower case already.
fn lowercase(text: &str) -> Cow<'_, str> {
    let is_lower = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_lower { text.into() } else { text.to_lowercase().into() }
}

fn validate_owners(errors: &mut ErrorList, owners: &[Value], path: &Trail<'_>) {
    let mut controller: Option<Owner<'_>> = None;
    for (index, value) in owners.iter().enumerate() {
        let owner = Owner::from(value);
        validate_owner(errors, &owner, value, &path.index(index));
        if !owner.is_controller {
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

fn validate_owner(errors: &mut ErrorList, owner: &Owner<'_>, value: &Value, path: &Trail<'_>) {
    let version = owner.api_version.rsplit_once('/').map_or(owner.api_version, |(_, v)| v);
    if owner.api_version.is_empty() {
        errors.push(Error::required(&path.child("apiVersion"), "must not be empty").covered());
    } else if version.is_empty() || owner.api_version.matches('/').count() > 1 {
        errors.push(Error::invalid(
            &path.child("apiVersion"),
            owner.api_version,
            "must be <group>/<version> or <version>",
        ));
    }
    for (member, value) in [("kind", owner.kind), ("name", owner.name), ("uid", owner.uid)] {
        if value.is_empty() {
            errors.push(Error::required(&path.child(member), "must not be empty").covered());
        }
    }
    if owner.api_version == "v1" && owner.kind == "Event" {
        errors.push(Error::invalid(
            path,
            Shown::json(value),
            "/v1, Kind=Event is disallowed from being an owner",
        ));
    }
}

fn validate_finalizers(errors: &mut ErrorList, finalizers: Texts<'_>, path: &Trail<'_>) {
    for finalizer in finalizers.iter() {
        errors.push_invalid(path, finalizer, format::qualified_name(finalizer));
    }
    if finalizers.contains("orphan") && finalizers.contains("foregroundDeletion") {
        errors.push(Error::invalid(
            path,
            Shown::json(&finalizers),
            "finalizer orphan and foregroundDeletion cannot be both set",
        ));
    }
}

fn validate_new_finalizers(
    errors: &mut ErrorList,
    metadata: &Metadata<'_>,
    old: &Metadata<'_>,
    path: &Trail<'_>,
) {
    if old.deletion_timestamp.is_null() {
        return;
    }
    let before: BTreeSet<&str> = old.finalizers.iter().collect();
    let after: BTreeSet<&str> = metadata.finalizers.iter().collect();
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

fn validate_managed_fields(errors: &mut ErrorList, entries: &[Value], path: &Trail<'_>) {
    for (index, entry) in entries.iter().enumerate() {
        let path = path.index(index);
        let entry = Manager::from(entry);
        match entry.operation {
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
                entry.fields_type,
                "must be `FieldsV1`",
            ));
        }
        errors.extend(validate_field_manager(entry.name, &path.child("manager")));
        if entry.subresource.len() > SUBRESOURCE_BYTES_MAX {
            errors.push(Error::too_long(&path.child("subresource"), SUBRESOURCE_BYTES_MAX));
        }
    }
}

/// The name of a field manager: not too long, printable characters only.
#[must_use]
pub fn validate_field_manager(manager: &str, path: &impl fmt::Display) -> ErrorList {
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
    use serde_json::json;

    use super::*;

    fn texts(errors: &ErrorList) -> Vec<String> {
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_prefix_may_end_with_a_dash() {
        let object = json!({"metadata": {"generateName": "a-", "name": "a-x"}});
        let errors = validate(&Metadata::of(&object), NameRule::DnsSubdomain);
        assert_eq!(texts(&errors), Vec::<String>::new());
    }

    #[test]
    fn an_object_needs_a_name() {
        let errors = validate(&Metadata::of(&json!({})), NameRule::DnsSubdomain);
        assert_eq!(
            texts(&errors),
            ["metadata.name: Required value: name or generateName is required"]
        );
    }

    #[test]
    fn only_one_owner_is_the_controller() {
        let owner = |kind: &str, name: &str| json!({"apiVersion": "v1", "kind": kind, "name": name, "uid": "u", "controller": true});
        let owners = [owner("ConfigMap", "x"), owner("Deployment", "d")];
        let object = json!({"metadata": {"name": "a", "ownerReferences": owners}});
        let errors = texts(&validate(&Metadata::of(&object), NameRule::DnsSubdomain));
        assert_eq!(errors.len(), 1);
        assert!(
            errors[0].ends_with("in references for ConfigMap/x and Deployment/d"),
            "{errors:?}"
        );
    }

    #[test]
    fn no_finalizer_is_added_to_an_object_that_is_being_deleted() {
        let deleted = "1970-01-01T00:00:00Z";
        let old = json!({"metadata": {"deletionTimestamp": deleted, "finalizers": ["a/b"]}});
        let mut new = old.clone();
        new["metadata"]["finalizers"] = json!(["a/b", "a/c"]);
        assert_eq!(
            texts(&validate_update(&Metadata::of(&new), &Metadata::of(&old))),
            ["metadata.finalizers: Forbidden: no new finalizers can be added if the object is \
              being deleted, found new finalizers []string{\"a/c\"}"]
        );
    }

    #[test]
    fn keys_of_annotations_are_looked_at_in_lower_case() {
        assert_eq!(lowercase("example.com/a-1"), "example.com/a-1");
        assert_eq!(lowercase("EXAMPLE.com/É"), "example.com/é");
    }

    #[test]
    fn unprintable_characters_of_a_manager_are_named_with_their_place() {
        let errors = validate_field_manager("a\u{7}b", &Trail::new("fieldManager"));
        assert_eq!(
            texts(&errors),
            ["fieldManager: Invalid value: \"a\\ab\": invalid character U+0007 (at position 1)"]
        );
    }
}

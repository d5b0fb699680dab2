//! Where the fields of a type stand in its message.

use api::schema::{Field, Presence, Shape, TypeDef};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// The one type that says by its name how it is written.
const RAW_EXTENSION: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";

/// What has a number in a message.
#[derive(Debug)]
pub(super) enum Place<'t> {
    /// A field, and its index in the type.
    Field(usize, &'t Field),
    /// Fields that JSON shows in the struct around them.
    Message(Layout<'t>),
}

/// The places of a message, in the order of their numbers: that is the order they are written in.
#[derive(Debug, Default)]
pub(super) struct Layout<'t> {
    places: Vec<(u32, Place<'t>)>,
}

impl<'t> Layout<'t> {
    pub(super) fn of(type_def: &'t TypeDef) -> Self {
        let mut layout = Self::default();
        for (index, field) in type_def.fields.iter().enumerate() {
            if field.number != 0 {
                layout.places.push((field.number, Place::Field(index, field)));
            } else if let Some(path) =
                openapi::recorded::wire_path(&type_def.openapi_name, &field.name)
            {
                layout.insert(path, Place::Field(index, field));
            }
        }
        layout.sort();
        layout
    }

    pub(super) fn places(&self) -> &[(u32, Place<'t>)] {
        &self.places
    }

    pub(super) fn find(&self, number: u32) -> Option<&Place<'t>> {
        let index = self.places.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.places.get(index).map(|(_, place)| place)
    }

    /// Whether a field has no place in the message.
    pub(super) fn is_outside(type_def: &TypeDef, field: &Field) -> bool {
        field.number == 0
            && openapi::recorded::wire_path(&type_def.openapi_name, &field.name).is_none()
    }

    fn insert(&mut self, path: &[u32], place: Place<'t>) {
        match path {
            [] => {}
            [number] => self.places.push((*number, place)),
            [number, rest @ ..] => {
                let known = self.places.iter_mut().find_map(|(known, place)| match place {
                    Place::Message(layout) if known == number => Some(layout),
                    _ => None,
                });
                if let Some(layout) = known {
                    return layout.insert(rest, place);
                }
                let mut layout = Self::default();
                layout.insert(rest, place);
                self.places.push((*number, Place::Message(layout)));
            }
        }
    }

    fn sort(&mut self) {
        self.places.sort_unstable_by_key(|(number, _)| *number);
        for (_, place) in &mut self.places {
            if let Place::Message(layout) = place {
                layout.sort();
            }
        }
    }
}

/// Whether a field is written even where it is absent: it is a plain value in Go, and those are.
/// Pointers, lists, maps and bytes are written where they are present.
pub(super) fn is_plain(type_def: &TypeDef, field: &Field) -> bool {
    match (&field.shape, field.presence) {
        (Shape::List(_) | Shape::Map(_) | Shape::Bytes, _) => false,
        (_, Presence::Always | Presence::OmitZero) => true,
        // Plain structs that JSON shows as null when they are zero.
        (Shape::Time | Shape::MicroTime, Presence::Nullable) => true,
        (Shape::Json(name), Presence::Nullable) => *name == RAW_EXTENSION,
        // The one plain time that JSON leaves out when it is zero.
        (Shape::Time, Presence::Optional) => {
            field.name == "creationTimestamp" && is_meta(type_def, "ObjectMeta")
        }
        (_, Presence::Optional | Presence::Nullable) => false,
    }
}

/// Whether a list is a message of its own that holds the items under the number 1. The others of
/// that form are the values of maps.
pub(super) fn is_wrapped_list(type_def: &TypeDef, field: &Field) -> bool {
    field.name == "verbs" && is_meta(type_def, "APIResource")
}

fn is_meta(type_def: &TypeDef, name: &str) -> bool {
    type_def.openapi_name.strip_prefix(META) == Some(name)
}

/// A field's name in Go, which errors give.
pub(super) fn go_name(field: &Field) -> String {
    const ABBREVIATIONS: [&str; 8] = ["api", "ca", "cidr", "csi", "fs", "ip", "uid", "url"];
    if field.name == "metadata"
        && let Shape::Struct(type_def) = &field.shape
    {
        return type_def.name.clone();
    }
    let end = field.name.find(|letter: char| !letter.is_ascii_lowercase());
    let (word, rest) = field.name.split_at(end.unwrap_or(field.name.len()));
    if ABBREVIATIONS.contains(&word) {
        return word.to_ascii_uppercase() + rest;
    }
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect::<String>() + rest
}

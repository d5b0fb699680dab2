//! Canonical form and defaulting: the two walks that every object takes.

use serde_json::{Map, Value};

use crate::decode::is_empty;

use super::{Field, Presence, Shape, TypeDef};

impl TypeDef {
    /// The canonical form of an empty object.
    #[must_use]
    pub fn zero(&self) -> Value {
        let mut value = Map::new();
        for field in &self.fields {
            match field.presence {
                Presence::Optional | Presence::OmitZero => {}
                Presence::Always => drop(value.insert(field.name.clone(), field.shape.zero())),
                Presence::Nullable => drop(value.insert(field.name.clone(), Value::Null)),
            }
        }
        Value::Object(value)
    }

    /// Fills in what is absent and has a default, depth first. Values must be in canonical form.
    /// Structs that are absent are not created.
    pub fn apply_defaults(&self, value: &mut Value) {
        let Value::Object(object) = value else { return };
        let mut inserted = false;
        for field in &self.fields {
            match object.get_mut(&field.name) {
                Some(present) => field.apply_default(present),
                None => {
                    if let Some(default) = &field.default {
                        object.insert(field.name.clone(), default.clone());
                        inserted = true;
                    }
                }
            }
        }
        if inserted {
            self.order(object);
        }
    }

    /// Drops the empty lists that are not written.
    pub fn prune(&self, value: &mut Value) {
        let Value::Object(object) = value else { return };
        for field in &self.fields {
            let Some(present) = object.get_mut(&field.name) else { continue };
            field.shape.prune(present);
            if is_empty(&field.shape, present) {
                match field.presence {
                    Presence::OmitZero => drop(object.shift_remove(&field.name)),
                    // What is stored cannot tell an empty list from an absent one.
                    Presence::Nullable if matches!(field.shape, Shape::List(_) | Shape::Map(_)) => {
                        *present = Value::Null;
                    }
                    Presence::Nullable | Presence::Optional | Presence::Always => {}
                }
            }
        }
    }

    /// Puts the members of an object, and of all that is in it, into field order.
    pub fn put_in_order(&self, value: &mut Value) {
        let Value::Object(object) = value else { return };
        for field in &self.fields {
            if let Some(member) = object.get_mut(&field.name) {
                field.shape.put_in_order(member);
            }
        }
        let mut known = self.fields.iter();
        // Each member is found further on in the table, or else stands where it should not.
        let in_order = object.keys().all(|name| known.any(|field| field.name == *name));
        if !in_order {
            self.order(object);
        }
    }

    /// Puts the members of an object into field order.
    fn order(&self, object: &mut Map<String, Value>) {
        let mut members = std::mem::take(object);
        for field in &self.fields {
            if let Some((name, value)) = members.remove_entry(&field.name) {
                object.insert(name, value);
            }
        }
        object.extend(members);
    }
}

impl Field {
    fn apply_default(&self, value: &mut Value) {
        if let Some(default) = &self.default {
            let counts_as_absent = value.is_null()
                || (matches!(self.presence, Presence::Always | Presence::OmitZero)
                    && *value == self.shape.zero());
            if counts_as_absent {
                *value = default.clone();
                return;
            }
        }
        self.shape.apply_defaults(value);
    }
}

impl Shape {
    fn prune(&self, value: &mut Value) {
        match (self, value) {
            (Self::Struct(type_def), value) => type_def.prune(value),
            (Self::List(list), Value::Array(items)) => {
                items.iter_mut().for_each(|item| list.item.prune(item));
            }
            (Self::Map(shape), Value::Object(members)) => {
                members.values_mut().for_each(|member| shape.prune(member));
            }
            _ => {}
        }
    }

    fn put_in_order(&self, value: &mut Value) {
        match (self, value) {
            (Self::Struct(type_def), value) => type_def.put_in_order(value),
            (Self::List(list), Value::Array(items)) => {
                items.iter_mut().for_each(|item| list.item.put_in_order(item));
            }
            (Self::Map(shape), Value::Object(members)) => {
                members.values_mut().for_each(|member| shape.put_in_order(member));
            }
            _ => {}
        }
    }

    fn apply_defaults(&self, value: &mut Value) {
        match (self, value) {
            (Self::Struct(type_def), value) => type_def.apply_defaults(value),
            (Self::List(list), Value::Array(items)) => {
                items.iter_mut().for_each(|item| list.item.apply_defaults(item));
            }
            (Self::Map(shape), Value::Object(members)) => {
                members.values_mut().for_each(|member| shape.apply_defaults(member));
            }
            _ => {}
        }
    }
}

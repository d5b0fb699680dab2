//! From a type's table to a model.

use std::collections::BTreeMap;

use api::schema::tag::Tag;
use api::schema::{Field, Presence, Shape, TypeDef, ValueType};
use validation_tags::Model;
use validation_tags::model::{self, Constant, Default, Definition, Int, NamedType, Type, TypeId};

/// The model of a type and all it is made of; the type itself comes first.
pub(super) fn model(type_def: &TypeDef) -> Model<Tag> {
    let mut builder = Builder { types: Vec::new(), known: BTreeMap::new() };
    builder.add(type_def);
    Model { types: builder.types }
}

struct Builder {
    types: Vec<NamedType<Tag>>,
    known: BTreeMap<String, TypeId>,
}

impl Builder {
    fn add(&mut self, type_def: &TypeDef) -> TypeId {
        if let Some(id) = self.known.get(&type_def.openapi_name) {
            return *id;
        }
        let id = self.push(short_name(&type_def.openapi_name), &type_def.rules);
        self.known.insert(type_def.openapi_name.clone(), id);
        let fields = type_def.fields.iter().map(|field| self.field(field)).collect();
        self.types[id.0].definition = Definition::Struct(fields);
        id
    }

    fn push(&mut self, name: String, rules: &[Tag]) -> TypeId {
        self.types.push(NamedType {
            name,
            rules: rules.to_vec(),
            definition: Definition::Unknown,
            constants: Vec::new(),
        });
        TypeId(self.types.len() - 1)
    }

    fn field(&mut self, field: &Field) -> model::Field<Tag> {
        let value_type = match &field.value_type {
            Some(value_type) => self.named_text(&field.name, value_type),
            None => self.value_type(&field.shape),
        };
        let many = matches!(value_type, Type::List(_) | Type::Map(..));
        let value_type = match field.presence {
            Presence::Optional if !many => Type::Pointer(Box::new(value_type)),
            _ => value_type,
        };
        let zero = field.shape.zero();
        model::Field {
            name: field.name.clone(),
            value_type,
            rules: field.rules.clone(),
            default: field.default.as_ref().map(|default| match *default == zero {
                true => Default::Zero,
                false => Default::Other,
            }),
            omitted_when_unset: matches!(field.presence, Presence::Optional | Presence::OmitZero),
        }
    }

    fn named_text(&mut self, name: &str, value_type: &ValueType) -> Type {
        let id = self.push(name.to_owned(), &value_type.rules);
        let named = &mut self.types[id.0];
        named.definition = Definition::Alias(Type::String);
        let constant = |value: &String| Constant { value: value.clone(), rules: Vec::new() };
        named.constants = value_type.constants.iter().map(constant).collect();
        Type::Named(id)
    }

    fn value_type(&mut self, shape: &Shape) -> Type {
        let opaque = |name: &str| Type::Opaque(name.to_owned());
        match shape {
            Shape::String(_) => Type::String,
            Shape::Bool => Type::Bool,
            Shape::Int32 => Type::Int(Int::Int32),
            Shape::Int64 => Type::Int(Int::Int64),
            Shape::Double => Type::Float,
            Shape::Bytes => opaque("bytes"),
            Shape::Time => opaque("Time"),
            Shape::MicroTime => opaque("MicroTime"),
            Shape::Quantity => opaque("Quantity"),
            Shape::IntOrString => opaque("IntOrString"),
            Shape::Json(_) => opaque("Json"),
            Shape::Struct(type_def) => Type::Named(self.add(type_def)),
            Shape::List(list) => Type::List(Box::new(self.value_type(&list.item))),
            Shape::Map(value) => {
                Type::Map(Box::new(Type::String), Box::new(self.value_type(value)))
            }
        }
    }
}

/// `io.k8s.api.flowcontrol.v1.FlowSchema` as `v1.FlowSchema`.
fn short_name(openapi_name: &str) -> String {
    let dots: Vec<usize> = openapi_name.rmatch_indices('.').map(|(at, _)| at).take(2).collect();
    match dots[..] {
        [_, at] => openapi_name[at + 1..].to_owned(),
        _ => openapi_name.to_owned(),
    }
}

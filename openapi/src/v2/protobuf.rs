//! The protobuf form of the document, the only one that client-go asks for (spec: apimachinery
//! 1.7). Numbers are those of the messages in package `openapi.v2`.

use serde_json::{Map, Value};

/// Writes a document of [`document`](super::document) in protobuf. The bytes stand for themselves,
/// without the envelope that objects have.
#[must_use]
pub fn encode(document: &Value) -> Vec<u8> {
    let mut message = Message::default();
    message.text(1, document.get("swagger"));
    message.message(2, document.get("info"), |info, value| {
        info.text(1, value.get("title"));
        info.text(2, value.get("version"));
    });
    message.message(8, document.get("paths"), |paths, value| {
        paths.named(2, value, path_item);
    });
    message.message(9, document.get("definitions"), |definitions, value| {
        definitions.named(1, value, schema);
    });
    message.message(10, document.get("parameters"), |parameters, value| {
        parameters.named(1, value, parameter);
    });
    message.messages(12, document.get("security"), |requirement, value| {
        requirement.named(1, value, |scopes, value| scopes.texts(1, Some(value)));
    });
    message.message(13, document.get("securityDefinitions"), |definitions, value| {
        definitions.named(1, value, |item, value| item.message(2, Some(value), api_key));
    });
    message.0
}

fn api_key(message: &mut Message, value: &Value) {
    message.text(1, value.get("type"));
    message.text(2, value.get("name"));
    message.text(3, value.get("in"));
    message.text(4, value.get("description"));
}

fn path_item(message: &mut Message, value: &Value) {
    let methods = [
        (2, "get"),
        (3, "put"),
        (4, "post"),
        (5, "delete"),
        (6, "options"),
        (7, "head"),
        (8, "patch"),
    ];
    for (number, method) in methods {
        message.message(number, value.get(method), operation);
    }
    message.messages(9, value.get("parameters"), parameter_item);
}

fn operation(message: &mut Message, value: &Value) {
    message.texts(1, value.get("tags"));
    message.text(3, value.get("description"));
    message.text(5, value.get("operationId"));
    message.texts(6, value.get("produces"));
    message.texts(7, value.get("consumes"));
    message.messages(8, value.get("parameters"), parameter_item);
    message.message(9, value.get("responses"), |responses, value| {
        responses.named(1, value, |response_value, value| {
            response_value.message(1, Some(value), response);
        });
    });
    message.texts(10, value.get("schemes"));
    message.extensions(13, value);
}

fn response(message: &mut Message, value: &Value) {
    message.text(1, value.get("description"));
    message.message(2, value.get("schema"), |item, value| item.message(1, Some(value), schema));
}

/// A parameter or a reference to one.
fn parameter_item(message: &mut Message, value: &Value) {
    if value.get("$ref").is_some() {
        message.message(2, Some(value), |reference, value| reference.text(1, value.get("$ref")));
    } else {
        message.message(1, Some(value), parameter);
    }
}

fn parameter(message: &mut Message, value: &Value) {
    match value.get("in").and_then(Value::as_str) {
        Some("body") => message.message(1, Some(value), body_parameter),
        Some("path") => message.message(2, Some(value), |other, value| {
            other.message(4, Some(value), |path, value| value_parameter(path, value, 5, 19));
        }),
        _ => message.message(2, Some(value), |other, value| {
            other.message(3, Some(value), |query, value| value_parameter(query, value, 6, 20));
        }),
    }
}

fn body_parameter(message: &mut Message, value: &Value) {
    message.text(2, value.get("name"));
    message.text(3, value.get("in"));
    message.flag(4, value.get("required"));
    message.message(5, value.get("schema"), schema);
}

/// A parameter with a plain value; `type` and `uniqueItems` have other numbers by location.
fn value_parameter(message: &mut Message, value: &Value, type_number: u32, unique_number: u32) {
    message.flag(1, value.get("required"));
    message.text(2, value.get("in"));
    message.text(3, value.get("description"));
    message.text(4, value.get("name"));
    message.text(type_number, value.get("type"));
    message.flag(unique_number, value.get("uniqueItems"));
}

fn schema(message: &mut Message, value: &Value) {
    message.text(1, value.get("$ref"));
    message.text(2, value.get("format"));
    message.text(4, value.get("description"));
    message.texts(19, value.get("required"));
    for allowed in value.get("enum").and_then(Value::as_array).into_iter().flatten() {
        message.any(20, allowed);
    }
    message.message(21, value.get("additionalProperties"), |item, value| {
        item.message(1, Some(value), schema);
    });
    message.message(22, value.get("type"), |item, value| item.text(1, Some(value)));
    message.message(23, value.get("items"), |item, value| item.message(1, Some(value), schema));
    message.message(25, value.get("properties"), |properties, value| {
        properties.named(1, value, schema);
    });
    message.extensions(31, value);
}

/// How a field's value is framed.
#[derive(Clone, Copy)]
enum WireType {
    Varint = 0,
    Bytes = 2,
}

/// A message being written. Members that are not there are not written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn text(&mut self, number: u32, value: Option<&Value>) {
        if let Some(Value::String(text)) = value {
            self.bytes(number, text.as_bytes());
        }
    }

    fn texts(&mut self, number: u32, value: Option<&Value>) {
        for text in value.and_then(Value::as_array).into_iter().flatten() {
            self.text(number, Some(text));
        }
    }

    fn flag(&mut self, number: u32, value: Option<&Value>) {
        if value == Some(&Value::Bool(true)) {
            self.key(number, WireType::Varint);
            self.varint(1);
        }
    }

    fn message(&mut self, number: u32, value: Option<&Value>, write: impl Fn(&mut Self, &Value)) {
        if let Some(value) = value {
            let mut inner = Self::default();
            write(&mut inner, value);
            self.bytes(number, &inner.0);
        }
    }

    fn messages(&mut self, number: u32, value: Option<&Value>, write: impl Fn(&mut Self, &Value)) {
        for item in value.and_then(Value::as_array).into_iter().flatten() {
            self.message(number, Some(item), &write);
        }
    }

    /// The members of an object as pairs of name and value.
    fn named(&mut self, number: u32, value: &Value, write: impl Fn(&mut Self, &Value)) {
        for (name, member) in members(value) {
            let mut pair = Self::default();
            pair.bytes(1, name.as_bytes());
            pair.message(2, Some(member), &write);
            self.bytes(number, &pair.0);
        }
    }

    /// The members whose names begin with `x-`.
    fn extensions(&mut self, number: u32, value: &Value) {
        for (name, member) in members(value).filter(|(name, _)| name.starts_with("x-")) {
            let mut pair = Self::default();
            pair.bytes(1, name.as_bytes());
            pair.any(2, member);
            self.bytes(number, &pair.0);
        }
    }

    /// Any value as YAML text, of which JSON is a part.
    fn any(&mut self, number: u32, value: &Value) {
        let mut any = Self::default();
        any.bytes(2, value.to_string().as_bytes());
        self.bytes(number, &any.0);
    }

    fn bytes(&mut self, number: u32, bytes: &[u8]) {
        self.key(number, WireType::Bytes);
        self.varint(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    fn key(&mut self, number: u32, wire_type: WireType) {
        self.varint(number as usize * 8 + wire_type as usize);
    }

    fn varint(&mut self, mut number: usize) {
        while number > 0x7f {
            self.0.push((number % 0x80) as u8 | 0x80);
            number /= 0x80;
        }
        self.0.push(number as u8);
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

#[cfg(test)]
mod tests;

//! The values of expressions. Parts of JSON documents are looked at where they stand.

use std::net::IpAddr;
use std::sync::Arc;

use api::quantity::Quantity;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::civil::Date;
use jiff::tz::Offset;
use serde_json::{Map, Value as Json};

use super::eval::EvalError;
use super::functions::Semver;
use super::types::{ListType, MapType, ObjectType, Type};
use crate::pattern::Pattern;
use crate::schema::parse_duration;

/// A value.
#[derive(Debug, Clone)]
pub enum Value<'v> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// One without a sign.
    Uint(u64),
    /// A floating-point number.
    Double(f64),
    /// Text.
    Text(Arc<str>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// Nanoseconds.
    Duration(i64),
    /// A point in time.
    Timestamp(jiff::Timestamp),
    /// A type, by its name.
    Type(&'static str),
    /// A list that was computed.
    List(Arc<Vec<Self>>),
    /// A list in a document.
    JsonList(&'v [Json], &'v ListType),
    /// A map that was computed.
    Map(Arc<Vec<(Self, Self)>>),
    /// A map in a document.
    JsonMap(&'v Map<String, Json>, &'v MapType),
    /// An object in a document.
    Object(&'v Map<String, Json>, &'v ObjectType),
    /// A value, or none.
    Optional(Option<Arc<Self>>),
    /// An amount.
    Quantity(Quantity),
    /// A semantic version.
    Semver(Arc<Semver>),
    /// An address on the web.
    Url(Arc<Url>),
    /// An IP address.
    Ip(IpAddr),
    /// A range of IP addresses.
    Cidr(IpAddr, u8),
    /// A format of text, by its name.
    Format(&'static str),
    /// A regular expression that was compiled beforehand.
    Pattern(CompiledPattern),
}

/// A regular expression that was compiled.
#[derive(Debug, Clone)]
pub struct CompiledPattern(pub(super) Arc<Pattern>);

/// The parts of a URL.
#[derive(Debug, PartialEq, Eq)]
pub struct Url {
    pub(super) scheme: String,
    pub(super) host: String,
    pub(super) path: String,
    pub(super) query: String,
}

/// What is said of a value that is not of its type, in the words of the reference's language.
fn unexpected(expected: &Type, found: &Json) -> EvalError {
    let expected = match expected {
        Type::Bool => "bool",
        Type::Int => "int",
        Type::Double => "float",
        Type::List(_) => {
            let problem = "invalid data, expected an array for the provided schema with type=array";
            return EvalError::message(problem);
        }
        Type::Map(_) | Type::Object(_) => {
            let problem = "invalid data, expected a map for the provided schema with type=object";
            return EvalError::message(problem);
        }
        _ => "string",
    };
    let found = match found {
        Json::Null => "nil",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_f64() => "float64",
        Json::Number(_) => "int64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    };
    EvalError::message(format!("invalid data, expected {expected}, got {found}"))
}

impl<'v> Value<'v> {
    /// A part of a document, seen by its type.
    ///
    /// # Errors
    ///
    /// [`EvalError`] if it is no value of that type.
    pub fn of_json(json: &'v Json, value_type: &'v Type) -> Result<Self, EvalError> {
        Ok(match (value_type, json) {
            (_, Json::Null) => Self::Null,
            (Type::Dyn(_), json) => return Self::untyped(json),
            (Type::Bool, Json::Bool(flag)) => Self::Bool(*flag),
            (Type::Int, Json::Number(number)) => match number.as_i64() {
                Some(number) => Self::Int(number),
                None => return Err(unexpected(value_type, json)),
            },
            (Type::Double, Json::Number(number)) => Self::Double(number.as_f64().unwrap_or(0.0)),
            (Type::Text(_), Json::String(text)) => Self::text(text),
            (Type::Bytes(_), Json::String(text)) => {
                let bytes = STANDARD.decode(text).map_err(|_| {
                    EvalError::message(format!("Invalid byte formatted string {text}"))
                })?;
                Self::Bytes(bytes.into())
            }
            (Type::Duration, Json::String(text)) => {
                let unreadable = || {
                    let problem =
                        format!("Invalid duration {text}: unable to parse {text} as duration");
                    EvalError::message(problem)
                };
                let nanos = parse_duration(text).ok_or_else(unreadable)?;
                Self::Duration(nanos)
            }
            (Type::Timestamp, Json::String(text)) => {
                Self::Timestamp(moment(text).ok_or_else(|| {
                    EvalError::message(format!("Invalid date formatted string {text}"))
                })?)
            }
            (Type::List(list), Json::Array(items)) => Self::JsonList(items, list),
            (Type::Map(map), Json::Object(members)) => Self::JsonMap(members, map),
            (Type::Object(object), Json::Object(members)) => Self::Object(members, object),
            (expected, found) => return Err(unexpected(expected, found)),
        })
    }

    fn untyped(json: &Json) -> Result<Self, EvalError> {
        Ok(match json {
            Json::Null => Self::Null,
            Json::Bool(flag) => Self::Bool(*flag),
            Json::Number(number) => match number.as_i64() {
                Some(whole) => Self::Int(whole),
                None => Self::Double(number.as_f64().unwrap_or(0.0)),
            },
            Json::String(text) => Self::text(text),
            Json::Array(items) => {
                let items = items.iter().map(Self::untyped).collect::<Result<_, _>>()?;
                Self::List(Arc::new(items))
            }
            Json::Object(members) => {
                let entry =
                    |(name, value): (&String, &Json)| Ok((Self::text(name), Self::untyped(value)?));
                Self::Map(Arc::new(members.iter().map(entry).collect::<Result<_, EvalError>>()?))
            }
        })
    }

    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(Arc::new(items))
    }

    pub(super) fn some(value: Self) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    pub(super) const fn none() -> Self {
        Self::Optional(None)
    }

    /// How large the value is, for what it costs to look at it.
    pub(super) fn size(&self) -> u64 {
        let size = match self {
            Self::Text(text) => text.len(),
            Self::Pattern(pattern) => pattern.0.text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::List(items) => items.len(),
            Self::JsonList(items, _) => items.len(),
            Self::Map(entries) => entries.len(),
            Self::JsonMap(members, _) | Self::Object(members, _) => members.len(),
            _ => 1,
        };
        u64::try_from(size).unwrap_or(u64::MAX)
    }

    /// The name of the value's type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) | Self::Pattern(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
            Self::List(_) | Self::JsonList(..) => "list",
            Self::Map(_) | Self::JsonMap(..) => "map",
            Self::Object(..) => "object",
            Self::Optional(_) => "optional_type",
            Self::Quantity(_) => super::types::QUANTITY,
            Self::Semver(_) => super::types::SEMVER,
            Self::Url(_) => super::types::URL,
            Self::Ip(_) => super::types::IP,
            Self::Cidr(..) => super::types::CIDR,
            Self::Format(_) => super::types::FORMAT,
        }
    }

    /// The value of a key of a map or of a field of an object; `None` if there is none.
    pub(super) fn entry(&self, key: &Value<'_>) -> Result<Option<Self>, EvalError> {
        match (self, key) {
            (Self::Map(entries), key) => {
                let mut entries = entries.iter();
                Ok(entries.find(|(each, _)| each.equals(key)).map(|(_, value)| value.clone()))
            }
            (Self::JsonMap(members, map), Value::Text(name)) => {
                members.get(&**name).map(|json| Self::of_json(json, &map.value)).transpose()
            }
            (Self::JsonMap(..), _) => Ok(None),
            (Self::Object(members, object), Value::Text(name)) => {
                let Some(field) = object.fields.get(&**name) else { return Ok(None) };
                let json = members.get(&field.json_name).filter(|json| !json.is_null());
                json.map(|json| Self::of_json(json, &field.value_type)).transpose()
            }
            _ => Err(EvalError::NoSuchOverload),
        }
    }

    /// The items of a list, or the keys of a map.
    pub(super) fn elements(&self) -> Result<Vec<Self>, EvalError> {
        match self {
            Self::List(items) => Ok(items.to_vec()),
            Self::JsonList(items, list) => {
                items.iter().map(|item| Self::of_json(item, &list.item)).collect()
            }
            Self::Map(entries) => Ok(entries.iter().map(|(key, _)| key.clone()).collect()),
            Self::JsonMap(members, _) => Ok(members.keys().map(|name| Self::text(name)).collect()),
            _ => Err(EvalError::NoSuchOverload),
        }
    }
}

fn moment(text: &str) -> Option<jiff::Timestamp> {
    if let Ok(moment) = text.parse() {
        return Some(moment);
    }
    let date: Date = text.parse().ok()?;
    Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()
}

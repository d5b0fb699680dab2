//! Values of any form: JSON inside a message, and the schemas of CRDs that may stand beside
//! something else.

use api::schema::Shape;
use serde_json::Value;

use super::read::Reader;
use super::wire::{BYTES, Cursor, VARINT, put_bytes, put_integer, put_message};
use super::write::message;
use super::{DecodeError, PREFIX, scalar};

const SCHEMA: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/// How a value of any form is written.
#[derive(Clone, Copy)]
enum Form {
    /// `{1 raw}`
    Raw,
    /// `{1 allows, 2 schema}`
    SchemaOrBool,
    /// `{1 schema, 2 schemas}`
    SchemaOrSchemas,
    /// `{1 schema, 2 names}`
    SchemaOrNames,
}

impl Form {
    fn of(openapi_name: &str) -> Self {
        match openapi_name.strip_prefix(SCHEMA) {
            Some("OrBool") => Self::SchemaOrBool,
            Some("OrArray") => Self::SchemaOrSchemas,
            Some("OrStringArray") => Self::SchemaOrNames,
            _ => Self::Raw,
        }
    }

    fn schema_number(self) -> u32 {
        match self {
            Self::SchemaOrBool => 2,
            Self::Raw | Self::SchemaOrSchemas | Self::SchemaOrNames => 1,
        }
    }
}

/// Writes what is in the message of a value.
pub(super) fn put(out: &mut Vec<u8>, openapi_name: &str, value: &Value) {
    let form = Form::of(openapi_name);
    match (form, value) {
        (Form::Raw, Value::Null) => {}
        (Form::Raw, value) => put_bytes(out, 1, value.to_string().as_bytes()),
        (Form::SchemaOrBool, value) => {
            put_integer(out, 1, i64::from(value.as_bool().unwrap_or(value.is_object())));
            put_schema(out, 2, value);
        }
        (_, Value::Array(items)) => {
            for item in items {
                match item {
                    Value::String(text) => put_bytes(out, 2, text.as_bytes()),
                    schema => put_schema(out, 2, schema),
                }
            }
        }
        (form, value) => put_schema(out, form.schema_number(), value),
    }
}

fn put_schema(out: &mut Vec<u8>, number: u32, value: &Value) {
    if let (Value::Object(_), Some(type_def)) = (value, openapi::recorded::type_def(SCHEMA)) {
        put_message(out, number, |out| message(out, type_def, value));
    }
}

/// Reads the message of a value.
pub(super) fn read(
    reader: &mut Reader<'_>,
    openapi_name: &str,
    bytes: &[u8],
) -> Result<Value, DecodeError> {
    match Form::of(openapi_name) {
        Form::Raw => raw(reader, openapi_name, bytes),
        form => schema_or(reader, form, bytes),
    }
}

/// JSON, or an object in an envelope of its own.
fn raw(reader: &mut Reader<'_>, openapi_name: &str, bytes: &[u8]) -> Result<Value, DecodeError> {
    let name = openapi_name.rsplit('.').next().unwrap_or_default();
    match scalar::last_bytes(bytes, name, "Raw")? {
        None | Some([]) => Ok(Value::Null),
        Some(object) if object.starts_with(&PREFIX) => reader.object(object),
        Some(json) => {
            serde_json::from_slice(json).map_err(|error| DecodeError::Json(error.to_string()))
        }
    }
}

fn schema_or(reader: &mut Reader<'_>, form: Form, bytes: &[u8]) -> Result<Value, DecodeError> {
    let (mut allows, mut schema, mut items) = (false, None::<Vec<u8>>, Vec::new());
    let mut cursor = Cursor::new(bytes);
    while let Some(tag) = cursor.tag("JSONSchemaProps")? {
        match (form, tag.number) {
            (Form::SchemaOrBool, 1) => {
                tag.expect(VARINT, "Allows")?;
                allows = cursor.varint()? != 0;
            }
            (form, number) if number == form.schema_number() => {
                tag.expect(BYTES, "Schema")?;
                schema.get_or_insert_default().extend_from_slice(cursor.bytes()?);
            }
            (Form::SchemaOrSchemas, 2) => {
                tag.expect(BYTES, "JSONSchemas")?;
                items.push(read_schema(reader, cursor.bytes()?)?);
            }
            (Form::SchemaOrNames, 2) => {
                tag.expect(BYTES, "Property")?;
                items.push(reader.single(&Shape::String(&[]), cursor.bytes()?)?);
            }
            _ => cursor.skip(tag)?,
        }
    }
    match (form, schema) {
        (Form::SchemaOrSchemas | Form::SchemaOrNames, _) if !items.is_empty() => Ok(items.into()),
        (_, Some(schema)) => read_schema(reader, &schema),
        (Form::SchemaOrBool, None) => Ok(allows.into()),
        (_, None) => Ok(Value::Null),
    }
}

fn read_schema(reader: &mut Reader<'_>, bytes: &[u8]) -> Result<Value, DecodeError> {
    match openapi::recorded::type_def(SCHEMA) {
        Some(type_def) => reader.message(type_def, bytes),
        None => Ok(Value::Null),
    }
}

//! A schema in a form to work with.

use std::collections::BTreeMap;

use serde_json::Value;

use super::SchemaError;
use super::format::Format;
use crate::definition::resolve_field_path;
use crate::pattern::Pattern;
use crate::value::Members;

/// `type`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Array,
    Boolean,
    Integer,
    Number,
    Object,
    String,
}

impl Kind {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "array" => Self::Array,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "object" => Self::Object,
            "string" => Self::String,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }
}

/// `x-kubernetes-list-type`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum ListKind {
    #[default]
    Atomic,
    Set,
    /// By these keys.
    Map(Vec<String>),
}

/// `additionalProperties`
#[derive(Debug)]
pub(crate) enum Additional {
    /// `true` or `false`
    Allowed(bool),
    Schema(Box<Node>),
}

/// A rule of `x-kubernetes-validations`, as it is written.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuleText {
    pub(crate) rule: String,
    pub(crate) message: String,
    pub(crate) message_expression: String,
    pub(crate) reason: String,
    /// The field that errors name, below the value; as errors spell it.
    pub(crate) field_path: Option<String>,
    pub(crate) optional_old_self: bool,
}

/// A schema, at the root, below it, or inside `allOf` and its like.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) kind: Option<Kind>,
    pub(crate) format: Option<Format>,
    pub(crate) nullable: bool,
    pub(crate) default: Option<Value>,
    pub(crate) int_or_string: bool,
    pub(crate) preserves_unknown: bool,
    pub(crate) embedded: bool,
    pub(crate) list: ListKind,
    pub(crate) atomic_map: bool,
    pub(crate) items: Option<Box<Self>>,
    pub(crate) properties: BTreeMap<String, Self>,
    pub(crate) additional: Option<Additional>,
    pub(crate) limits: Limits,
    pub(crate) rules: Vec<RuleText>,
}

/// What a schema asks of values beside their type.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_length: Option<i64>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_items: Option<i64>,
    pub(crate) max_properties: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) required: Vec<String>,
    pub(crate) enumerated: Vec<Value>,
    pub(crate) all_of: Vec<Node>,
    pub(crate) any_of: Vec<Node>,
    pub(crate) one_of: Vec<Node>,
    pub(crate) not: Option<Box<Node>>,
}

impl Node {
    /// Reads a schema. That it is structural has been checked, or is yet to be.
    pub(crate) fn parse(schema: &Value) -> Result<Self, SchemaError> {
        let kind = match schema.text("type") {
            "" => None,
            text => {
                Some(Kind::parse(text).ok_or_else(|| SchemaError::UnknownType(text.to_owned()))?)
            }
        };
        let properties = schema.sorted("properties").into_iter();
        let properties = properties.map(|(name, schema)| Ok((name.clone(), Self::parse(schema)?)));
        Ok(Self {
            kind,
            format: Format::parse(schema.text("format"), kind),
            nullable: schema.flag("nullable"),
            default: schema.has("default").then(|| schema.member("default").clone()),
            int_or_string: schema.flag("x-kubernetes-int-or-string"),
            preserves_unknown: schema.flag("x-kubernetes-preserve-unknown-fields"),
            embedded: schema.flag("x-kubernetes-embedded-resource"),
            list: list_kind(schema),
            atomic_map: schema.text("x-kubernetes-map-type") == "atomic",
            items: boxed(schema.member("items"))?,
            properties: properties.collect::<Result<_, SchemaError>>()?,
            additional: match schema.member("additionalProperties") {
                Value::Null => None,
                Value::Bool(allowed) => Some(Additional::Allowed(*allowed)),
                schema => Some(Additional::Schema(Box::new(Self::parse(schema)?))),
            },
            limits: Limits::parse(schema)?,
            rules: RuleText::all(schema),
        })
    }

    /// The schema of all members that are not declared.
    pub(crate) fn additional_schema(&self) -> Option<&Self> {
        match &self.additional {
            Some(Additional::Schema(node)) => Some(node),
            _ => None,
        }
    }

    /// The schema of a member.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        self.properties.get(name).or_else(|| self.additional_schema())
    }

    /// What the member of that name is called in paths below this one.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        self.properties.contains_key(name)
    }
}

fn boxed(schema: &Value) -> Result<Option<Box<Node>>, SchemaError> {
    if schema.is_object() { Ok(Some(Box::new(Node::parse(schema)?))) } else { Ok(None) }
}

fn list_kind(schema: &Value) -> ListKind {
    match schema.text("x-kubernetes-list-type") {
        "set" => ListKind::Set,
        "map" => ListKind::Map(schema.texts("x-kubernetes-list-map-keys")),
        _ => ListKind::Atomic,
    }
}

impl Limits {
    fn parse(schema: &Value) -> Result<Self, SchemaError> {
        let float = |name| schema.member(name).as_f64();
        let whole = |name| schema.member(name).as_i64();
        let nodes = |name| schema.items(name).iter().map(Node::parse).collect::<Result<_, _>>();
        let pattern = match schema.text("pattern") {
            "" => None,
            text => Some(
                Pattern::compile(text).map_err(|error| SchemaError::Pattern(error.to_string()))?,
            ),
        };
        Ok(Self {
            maximum: float("maximum"),
            exclusive_maximum: schema.flag("exclusiveMaximum"),
            minimum: float("minimum"),
            exclusive_minimum: schema.flag("exclusiveMinimum"),
            multiple_of: float("multipleOf"),
            max_length: whole("maxLength"),
            min_length: whole("minLength"),
            pattern,
            max_items: whole("maxItems"),
            min_items: whole("minItems"),
            max_properties: whole("maxProperties"),
            min_properties: whole("minProperties"),
            required: schema.texts("required"),
            enumerated: schema.items("enum").to_vec(),
            all_of: nodes("allOf")?,
            any_of: nodes("anyOf")?,
            one_of: nodes("oneOf")?,
            not: boxed(schema.member("not"))?,
        })
    }
}

impl RuleText {
    fn all(schema: &Value) -> Vec<Self> {
        let parse = |rule: &Value| Self {
            rule: rule.text("rule").to_owned(),
            message: rule.text("message").to_owned(),
            message_expression: rule.text("messageExpression").to_owned(),
            reason: rule.text("reason").to_owned(),
            field_path: resolve_field_path(rule.text("fieldPath"), schema, true)
                .ok()
                .map(|(path, _)| path)
                .filter(|path| !path.is_empty()),
            optional_old_self: rule.flag("optionalOldSelf"),
        };
        schema.items("x-kubernetes-validations").iter().map(parse).collect()
    }
}

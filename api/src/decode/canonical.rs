//! Reading a tree by a schema: types are checked, unknown and duplicate fields are noted and
//! dropped, and what is left is put into canonical form (spec: apimachinery 2.2, 2.3).

use serde_json::{Map, Number, Value};

use super::Tree;
use crate::quantity::{Quantity, QuantityError};
use crate::schema::{Field, Presence, Shape, TypeDef};

/// How many problems are collected at the most; the rest of the document is still checked for
/// types.
const PROBLEMS_MAX: usize = 100;

/// An object in canonical form, and what a strict reader would refuse.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The object: known fields only, in schema order, zero values treated as the schema says.
    /// Empty lists are still there; [`TypeDef::prune`] drops those that are not written.
    pub value: Value,
    /// `unknown field "…"` and `duplicate field "…"`, in document order.
    pub problems: Vec<String>,
}

/// A value of the wrong type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// It is of another JSON type.
    #[error("json: cannot unmarshal {found} into Go {place} of type {expected}")]
    Type {
        /// What stands there.
        found: String,
        /// Where.
        place: String,
        /// What should.
        expected: String,
    },
    /// It is no quantity.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
}

/// Reads a document as an object of that type.
///
/// # Errors
///
/// [`Mismatch`] where a value has the wrong type.
pub fn decode(type_def: &TypeDef, tree: Tree) -> Result<Decoded, Mismatch> {
    let mut reader = Reader { problems: Vec::new(), path: Vec::new(), owners: Vec::new() };
    let value = reader.structure(type_def, tree)?;
    Ok(Decoded { value, problems: reader.problems })
}

/// Brings a value into canonical form; what the schema does not know or does not write is dropped.
///
/// # Errors
///
/// [`Mismatch`] where a value has the wrong type.
pub fn decode_value(type_def: &TypeDef, value: Value) -> Result<Value, Mismatch> {
    let mut decoded = decode(type_def, Tree::from(value))?;
    type_def.prune(&mut decoded.value);
    Ok(decoded.value)
}

/// A step from an object to a value inside it.
enum Step {
    Member(String),
    Item(usize),
}

struct Reader<'s> {
    problems: Vec<String>,
    path: Vec<Step>,
    /// The names of the structs that are being read, outermost first.
    owners: Vec<&'s str>,
}

impl<'s> Reader<'s> {
    fn structure(&mut self, type_def: &'s TypeDef, tree: Tree) -> Result<Value, Mismatch> {
        let members = match tree {
            Tree::Object(members) => members,
            Tree::Null => return Ok(type_def.zero()),
            other => return Err(self.mismatch(&other, &type_def.qualified_name())),
        };
        self.owners.push(&type_def.name);
        let mut read: Vec<Option<Value>> = vec![None; type_def.fields.len()];
        let mut others = Map::new();
        for (name, tree) in members {
            match type_def.fields.iter().position(|field| field.name == name) {
                Some(index) => {
                    if read[index].is_some() {
                        self.note("duplicate", &name);
                    }
                    self.path.push(Step::Member(name));
                    let value = self.value(&type_def.fields[index].shape, tree)?;
                    self.path.pop();
                    read[index] = Some(value);
                }
                None if type_def.open => {
                    if others.contains_key(&name) {
                        self.note("duplicate", &name);
                    }
                    others.insert(name, tree.into_value());
                }
                None => self.note("unknown", &name),
            }
        }
        self.owners.pop();
        let mut members = canonical_members(type_def, read);
        members.extend(others);
        Ok(Value::Object(members))
    }

    /// `null` stays `null` here: what it means depends on where the value stands.
    fn value(&mut self, shape: &'s Shape, tree: Tree) -> Result<Value, Mismatch> {
        if tree == Tree::Null {
            return Ok(Value::Null);
        }
        match (shape, tree) {
            (Shape::Struct(type_def), tree) => self.structure(type_def, tree),
            (Shape::List(list), Tree::List(items)) => self.items(&list.item, items),
            (Shape::Map(shape), Tree::Object(members)) => self.members(shape, members),
            (Shape::Json(_), tree) => Ok(tree.into_value()),
            (shape, tree) => self.scalar(shape, &tree),
        }
    }

    fn items(&mut self, shape: &'s Shape, items: Vec<Tree>) -> Result<Value, Mismatch> {
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            self.path.push(Step::Item(index));
            read.push(zero_for_null(shape, self.value(shape, item)?));
            self.path.pop();
        }
        Ok(Value::Array(read))
    }

    /// Maps are written in the order of their keys.
    fn members(
        &mut self,
        shape: &'s Shape,
        members: Vec<(String, Tree)>,
    ) -> Result<Value, Mismatch> {
        let mut read = Map::new();
        for (name, tree) in members {
            if read.contains_key(&name) {
                self.note("duplicate", &name);
            }
            self.path.push(Step::Member(name.clone()));
            let value = zero_for_null(shape, self.value(shape, tree)?);
            self.path.pop();
            read.insert(name, value);
        }
        read.sort_keys();
        Ok(Value::Object(read))
    }

    fn scalar(&self, shape: &Shape, tree: &Tree) -> Result<Value, Mismatch> {
        let read = match (shape, tree) {
            (Shape::String(_) | Shape::Bytes, Tree::String(_))
            | (Shape::Bool, Tree::Bool(_))
            | (Shape::Double, Tree::Number(_))
            | (Shape::IntOrString, Tree::String(_) | Tree::Number(_)) => {
                Some(tree.clone().into_value())
            }
            (Shape::Quantity, Tree::String(text)) => Some(quantity(text)?),
            (Shape::Quantity, Tree::Number(number)) => Some(quantity(&number.to_string())?),
            (Shape::Int32, Tree::Number(number)) => whole::<i32>(number),
            (Shape::Int64, Tree::Number(number)) => whole::<i64>(number),
            (Shape::Time, Tree::String(text)) => {
                text.parse::<crate::time::Timestamp>().ok().map(|time| time.to_string().into())
            }
            (Shape::MicroTime, Tree::String(text)) => {
                text.parse::<crate::time::MicroTime>().ok().map(|time| time.to_string().into())
            }
            _ => None,
        };
        read.ok_or_else(|| self.mismatch(tree, &type_name(shape)))
    }

    fn note(&mut self, problem: &str, member: &str) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(format!("{problem} field \"{}\"", self.path_to(member)));
        }
    }

    /// `spec.rules[0].member`
    fn path_to(&self, member: &str) -> String {
        let mut text = String::new();
        for step in &self.path {
            match step {
                Step::Member(name) if text.is_empty() => text.push_str(name),
                Step::Member(name) => text.extend([".", name]),
                Step::Item(index) => text.push_str(&format!("[{index}]")),
            }
        }
        if !text.is_empty() {
            text.push('.');
        }
        text + member
    }

    fn mismatch(&self, found: &Tree, expected: &str) -> Mismatch {
        let members: Vec<&str> = self
            .path
            .iter()
            .filter_map(|step| match step {
                Step::Member(name) => Some(name.as_str()),
                Step::Item(_) => None,
            })
            .collect();
        let place = match self.owners.last() {
            Some(owner) if !members.is_empty() => {
                format!("struct field {owner}.{}", members.join("."))
            }
            _ => "value".to_owned(),
        };
        let found = match found {
            Tree::Number(number) => format!("number {number}"),
            other => other.kind().to_owned(),
        };
        Mismatch::Type { found, place, expected: expected.to_owned() }
    }
}

/// Each amount is written in one way only.
fn quantity(text: &str) -> Result<Value, QuantityError> {
    Ok(text.trim().parse::<Quantity>()?.to_string().into())
}

fn canonical_members(type_def: &TypeDef, read: Vec<Option<Value>>) -> Map<String, Value> {
    let mut members = Map::with_capacity(type_def.fields.len());
    for (field, value) in type_def.fields.iter().zip(read) {
        if let Some(value) = canonical_member(field, value) {
            members.insert(field.name.clone(), value);
        }
    }
    members
}

/// What is written for a field that was read as `value`; `None` if nothing is.
fn canonical_member(field: &Field, value: Option<Value>) -> Option<Value> {
    let value = value.filter(|value| !value.is_null());
    match field.presence {
        Presence::Optional => value,
        Presence::OmitZero => {
            value.filter(|value| value.is_array() || !is_empty(&field.shape, value))
        }
        Presence::Always => Some(value.unwrap_or_else(|| field.shape.zero())),
        Presence::Nullable => Some(value.unwrap_or(Value::Null)),
    }
}

/// Whether a value is not written where its field omits zero values.
pub(crate) fn is_empty(shape: &Shape, value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => matches!(shape, Shape::Map(_)) && members.is_empty(),
        scalar => *scalar == shape.zero(),
    }
}

/// Inside lists and maps `null` reads as the zero value.
fn zero_for_null(shape: &Shape, value: Value) -> Value {
    if value.is_null() { shape.zero() } else { value }
}

fn whole<N: TryFrom<i64>>(number: &Number) -> Option<Value> {
    let number = number.as_i64()?;
    N::try_from(number).is_ok().then(|| number.into())
}

/// A shape in the words of decode errors.
fn type_name(shape: &Shape) -> String {
    match shape {
        Shape::String(_) => "string".to_owned(),
        Shape::Bool => "bool".to_owned(),
        Shape::Int32 => "int32".to_owned(),
        Shape::Int64 => "int64".to_owned(),
        Shape::Double => "float64".to_owned(),
        Shape::Bytes => "[]uint8".to_owned(),
        Shape::Time => "v1.Time".to_owned(),
        Shape::MicroTime => "v1.MicroTime".to_owned(),
        Shape::Quantity => "resource.Quantity".to_owned(),
        Shape::IntOrString => "intstr.IntOrString".to_owned(),
        Shape::Json(_) => "interface {}".to_owned(),
        Shape::Struct(type_def) => type_def.qualified_name(),
        Shape::List(list) => format!("[]{}", type_name(&list.item)),
        Shape::Map(shape) => format!("map[string]{}", type_name(shape)),
    }
}

impl TypeDef {
    /// The name with its package's last part: `v1.FlowSchema`.
    fn qualified_name(&self) -> String {
        let package = self.openapi_name.rsplit('.').nth(1).unwrap_or_default();
        format!("{package}.{}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
    use crate::schema::Described;

    fn read<T: Described>(text: &str) -> Result<Decoded, Mismatch> {
        decode(T::type_def().unwrap(), super::super::parse_json(text.as_bytes()).unwrap())
    }

    #[test]
    fn an_empty_object_has_the_members_that_are_always_written() {
        let decoded = read::<FlowSchema>("{}").unwrap();
        assert_eq!(
            decoded.value.to_string(),
            r#"{"metadata":{},"spec":{"priorityLevelConfiguration":{"name":""},"matchingPrecedence":0},"status":{}}"#
        );
    }

    #[test]
    fn members_are_put_into_schema_order() {
        let decoded = read::<PriorityLevelConfiguration>(
            r#"{"spec":{"limited":{"lendablePercent":1,"nominalConcurrencyShares":2},"type":"Limited"},"kind":"X"}"#,
        );
        assert_eq!(
            decoded.unwrap().value.to_string(),
            r#"{"kind":"X","metadata":{},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":2,"limitResponse":{"type":""},"lendablePercent":1}},"status":{}}"#
        );
    }

    #[test]
    fn lists_that_are_always_written_are_null_when_absent() {
        let decoded =
            read::<FlowSchema>(r#"{"spec":{"rules":[{"resourceRules":[{"verbs":["get"]}]}]}}"#);
        assert_eq!(
            decoded.unwrap().value["spec"]["rules"][0],
            json!({"subjects": null, "resourceRules": [{"verbs": ["get"], "apiGroups": null,
                "resources": null, "namespaces": null}]})
        );
    }

    #[test]
    fn unknown_and_duplicate_members_are_named_in_document_order() {
        let decoded = read::<FlowSchema>(
            r#"{"extra":1,"metadata":{"wrong":1,"name":"a","name":"b"},"spec":{"rules":[{},{"x":1}]}}"#,
        )
        .unwrap();
        assert_eq!(
            decoded.problems,
            [
                "unknown field \"extra\"",
                "unknown field \"metadata.wrong\"",
                "duplicate field \"metadata.name\"",
                "unknown field \"spec.rules[1].x\""
            ]
        );
    }

    #[test]
    fn a_value_of_the_wrong_type_is_named_with_its_struct_and_path() {
        let error = read::<PriorityLevelConfiguration>(
            r#"{"spec":{"limited":{"nominalConcurrencyShares":"x"}}}"#,
        );
        assert_eq!(
            error.unwrap_err().to_string(),
            "json: cannot unmarshal string into Go struct field \
             LimitedPriorityLevelConfiguration.spec.limited.nominalConcurrencyShares of type int32"
        );
    }

    #[test]
    fn whole_numbers_have_no_fraction_and_stay_in_range() {
        for number in ["1.5", "99999999999", "1e3"] {
            let text = format!(r#"{{"spec":{{"matchingPrecedence":{number}}}}}"#);
            assert!(read::<FlowSchema>(&text).is_err(), "{number}");
        }
    }

    #[test]
    fn defaults_are_filled_in_where_a_value_is_absent_or_zero() {
        let mut value = read::<PriorityLevelConfiguration>(
            r#"{"spec":{"type":"Limited","limited":{"limitResponse":{"type":"Queue","queuing":{"queues":0,"handSize":4}}}}}"#,
        )
        .unwrap()
        .value;
        PriorityLevelConfiguration::type_def().unwrap().apply_defaults(&mut value);
        assert_eq!(
            value["spec"]["limited"].to_string(),
            r#"{"nominalConcurrencyShares":30,"limitResponse":{"type":"Queue","queuing":{"queues":64,"handSize":4,"queueLengthLimit":50}},"lendablePercent":0}"#
        );
    }

    #[test]
    fn an_explicit_zero_is_kept_where_absence_means_something() {
        let mut value = read::<PriorityLevelConfiguration>(
            r#"{"spec":{"limited":{"nominalConcurrencyShares":0}}}"#,
        )
        .unwrap()
        .value;
        PriorityLevelConfiguration::type_def().unwrap().apply_defaults(&mut value);
        assert_eq!(value["spec"]["limited"]["nominalConcurrencyShares"], 0);
    }

    #[test]
    fn typed_structs_read_and_write_the_canonical_form() {
        let text = r#"{"kind":"FlowSchema","apiVersion":"v","metadata":{"name":"a"},"spec":{"priorityLevelConfiguration":{"name":"x"},"matchingPrecedence":5,"rules":[{"subjects":[{"kind":"User","user":{"name":"u"}}],"resourceRules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"clusterScope":true,"namespaces":null}]}]},"status":{"conditions":[{"type":"A","status":"True","lastTransitionTime":null}]}}"#;
        let canonical = read::<FlowSchema>(text).unwrap().value;
        assert_eq!(canonical.to_string(), text);
        let typed: FlowSchema = serde_json::from_value(canonical.clone()).unwrap();
        let written =
            decode_value(FlowSchema::type_def().unwrap(), serde_json::to_value(&typed).unwrap());
        assert_eq!(
            written.unwrap()["spec"]["matchingPrecedence"],
            canonical["spec"]["matchingPrecedence"]
        );
    }
}

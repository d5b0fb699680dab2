//! What values an expression can have.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::cost::UNKNOWN;

/// The type of a value, with what is known of its size.
#[derive(Debug, Clone)]
pub enum Type {
    /// Anything; texts in it have at most so many bytes.
    Dyn(u64),
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A whole number of 64 bits.
    Int,
    /// One without a sign.
    Uint,
    /// A floating-point number.
    Double,
    /// Text of at most so many bytes.
    Text(u64),
    /// At most so many bytes.
    Bytes(u64),
    /// A span of time.
    Duration,
    /// A point in time.
    Timestamp,
    /// A type itself.
    Type,
    /// A list.
    List(Arc<ListType>),
    /// A map.
    Map(Arc<MapType>),
    /// An object with declared fields.
    Object(Arc<ObjectType>),
    /// A value, or none.
    Optional(Arc<Self>),
    /// A value that only functions know, by its name.
    Opaque(&'static str),
    /// Whatever the arguments of a function make it; only in signatures.
    Param(usize),
}

/// The type of a list.
#[derive(Debug)]
pub struct ListType {
    /// What its items are.
    pub item: Type,
    /// How many there are at the most.
    pub max: u64,
    /// Items are told apart by these members, or as a whole if there are none; their order does not
    /// matter. `None` for lists whose order does.
    pub keys: Option<Vec<String>>,
    /// Whether it was declared so, and not computed: of the items of other lists no sizes are known to
    /// functions.
    pub declared: bool,
}

/// The type of a map.
#[derive(Debug)]
pub struct MapType {
    /// What its keys are.
    pub key: Type,
    /// What its values are.
    pub value: Type,
    /// How many entries there are at the most.
    pub max: u64,
}

/// The type of an object: its fields by the names they have in expressions.
#[derive(Debug)]
pub struct ObjectType {
    /// The fields.
    pub fields: BTreeMap<String, FieldType>,
}

/// A field of an object.
#[derive(Debug)]
pub struct FieldType {
    /// Its name in JSON.
    pub json_name: String,
    /// What values it has.
    pub value_type: Type,
}

pub(super) const QUANTITY: &str = "kubernetes.Quantity";
pub(super) const URL: &str = "kubernetes.URL";
pub(super) const FORMAT: &str = "kubernetes.NamedFormat";
pub(super) const SEMVER: &str = "kubernetes.Semver";
pub(super) const IP: &str = "net.IP";
pub(super) const CIDR: &str = "net.CIDR";

impl Type {
    pub(super) fn list(item: Self, max: u64) -> Self {
        Self::List(Arc::new(ListType { item, max, keys: None, declared: false }))
    }

    pub(super) fn map(key: Self, value: Self, max: u64) -> Self {
        Self::Map(Arc::new(MapType { key, value, max }))
    }

    pub(super) fn anything() -> Self {
        Self::Dyn(UNKNOWN)
    }

    /// The most that values of the type measure: bytes of text, items of lists, 1 for what has no
    /// size.
    pub(super) fn size_max(&self) -> u64 {
        match self {
            Self::Dyn(max) | Self::Text(max) | Self::Bytes(max) => *max,
            Self::List(list) => list.max,
            Self::Map(map) => map.max,
            Self::Optional(_) | Self::Param(_) => UNKNOWN,
            _ => 1,
        }
    }

    /// The most that items of a list measure, for functions that look at each of them.
    pub(super) fn item_size_max(&self) -> u64 {
        match self {
            Self::List(list) => match (&list.item, list.declared) {
                (Self::Text(_) | Self::Bytes(_), false) => UNKNOWN,
                (Self::Text(max) | Self::Bytes(max), true) => *max,
                _ => 0,
            },
            _ => 0,
        }
    }

    /// Whether a value of that type can be given where one of this type is asked for.
    pub(super) fn accepts(&self, given: &Self, bound: &mut [Option<Self>]) -> bool {
        match (self, given) {
            (Self::Param(index), given) => bind(bound, *index, given),
            (Self::Dyn(_), _) | (_, Self::Dyn(_)) => {
                bind_all(self, bound);
                true
            }
            (Self::List(asked), Self::List(given)) => asked.item.accepts(&given.item, bound),
            (Self::Map(asked), Self::Map(given)) => {
                asked.key.accepts(&given.key, bound) && asked.value.accepts(&given.value, bound)
            }
            (Self::Optional(asked), Self::Optional(given)) => asked.accepts(given, bound),
            (Self::Object(asked), Self::Object(given)) => {
                Arc::ptr_eq(asked, given) || asked.fields.keys().eq(given.fields.keys())
            }
            (Self::Opaque(asked), Self::Opaque(given)) => asked == given,
            (Self::Object(_) | Self::Duration | Self::Timestamp | Self::Opaque(_), Self::Null)
            | (Self::Null, Self::Object(_) | Self::Duration | Self::Timestamp | Self::Opaque(_)) => {
                true
            }
            (asked, given) => std::mem::discriminant(asked) == std::mem::discriminant(given),
        }
    }

    /// The type with what was bound in place of parameters.
    pub(super) fn resolved(&self, bound: &[Option<Self>]) -> Self {
        match self {
            Self::Param(index) => {
                bound.get(*index).cloned().flatten().unwrap_or_else(Self::anything)
            }
            Self::List(list) => Self::list(list.item.resolved(bound), list.max),
            Self::Map(map) => {
                Self::map(map.key.resolved(bound), map.value.resolved(bound), map.max)
            }
            Self::Optional(inner) => Self::Optional(Arc::new(inner.resolved(bound))),
            other => other.clone(),
        }
    }
}

fn bind(bound: &mut [Option<Type>], index: usize, given: &Type) -> bool {
    match bound.get(index).cloned().flatten() {
        None => {
            if let Some(place) = bound.get_mut(index) {
                *place = Some(given.clone());
            }
            true
        }
        Some(before) => {
            let fits = before.accepts(given, &mut []) || given.accepts(&before, &mut []);
            let larger = given.size_max() > before.size_max();
            if fits && (larger || matches!(before, Type::Null)) {
                bound[index] = Some(given.clone());
            }
            fits
        }
    }
}

/// Of anything, nothing is known of its parts either.
fn bind_all(asked: &Type, bound: &mut [Option<Type>]) {
    match asked {
        Type::Param(index) => drop(bind(bound, *index, &Type::anything())),
        Type::List(list) => bind_all(&list.item, bound),
        Type::Map(map) => {
            bind_all(&map.key, bound);
            bind_all(&map.value, bound);
        }
        Type::Optional(inner) => bind_all(inner, bound),
        _ => {}
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn(_) => f.write_str("dyn"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::Text(_) => f.write_str("string"),
            Self::Bytes(_) => f.write_str("bytes"),
            Self::Duration => f.write_str("google.protobuf.Duration"),
            Self::Timestamp => f.write_str("google.protobuf.Timestamp"),
            Self::Type => f.write_str("type(dyn)"),
            Self::List(list) => write!(f, "list({})", list.item),
            Self::Map(map) => write!(f, "map({}, {})", map.key, map.value),
            Self::Object(_) => f.write_str("object"),
            Self::Optional(inner) => write!(f, "optional_type({inner})"),
            Self::Opaque(name) => f.write_str(name),
            Self::Param(index) => write!(f, "{}", ['A', 'B', 'C'].get(*index).unwrap_or(&'?')),
        }
    }
}

/// What cannot be the name of a field in expressions.
pub(super) const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// The name in expressions of a member of that name; `None` if it has none.
pub(crate) fn escaped(name: &str) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_known = |each: char| each.is_ascii_alphanumeric() || "_.-/".contains(each);
    if !starts_well || !name.chars().all(is_known) {
        return None;
    }
    let name = name.replace("__", "__underscores__");
    Some(name.replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__"))
}

//! Types as validation sees them: what a value is, what its zero value is, whether it can be nil,
//! and which tags (or rules) stand on it. Built from attributes by the derive, from a `TypeDef` by
//! the engine.

/// Named types that refer to each other by index, so that types may contain themselves.
#[derive(Debug, Clone)]
pub struct Model<R> {
    /// The types.
    pub types: Vec<NamedType<R>>,
}

/// The index of a type in its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypeId(pub usize);

/// A type with a name.
#[derive(Debug, Clone)]
pub struct NamedType<R> {
    /// As messages name it, such as `v1.FlowSchema`.
    pub name: String,
    /// What stands on the type.
    pub rules: Vec<R>,
    /// What it is.
    pub definition: Definition<R>,
    /// Its constants, for enumerations.
    pub constants: Vec<Constant<R>>,
}

/// What a named type is.
#[derive(Debug, Clone)]
pub enum Definition<R> {
    /// A struct.
    Struct(Vec<Field<R>>),
    /// Another type under this name.
    Alias(Type),
    /// Not known here: the derive sees one struct at a time.
    Unknown,
}

/// A field of a struct.
#[derive(Debug, Clone)]
pub struct Field<R> {
    /// The JSON name.
    pub name: String,
    /// What it holds.
    pub value_type: Type,
    /// What stands on it.
    pub rules: Vec<R>,
    /// Its default, if defaulting fills one in.
    pub default: Option<Default>,
    /// Whether the field is left out of JSON while it is not set.
    pub omitted_when_unset: bool,
}

/// What defaulting fills in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// The zero value.
    Zero,
    /// Another value.
    Other,
}

/// A constant of an enumeration.
#[derive(Debug, Clone)]
pub struct Constant<R> {
    /// Its value.
    pub value: String,
    /// What stands on it.
    pub rules: Vec<R>,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Text.
    String,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int(Int),
    /// A floating-point number.
    Float,
    /// A value that validation does not look into: bytes, times, quantities, any JSON. The text
    /// is the type as messages name it.
    Opaque(String),
    /// A named type.
    Named(TypeId),
    /// A value that may be nil.
    Pointer(Box<Self>),
    /// A list.
    List(Box<Self>),
    /// A list of a fixed length, which validation does not support.
    Array(usize, Box<Self>),
    /// A map.
    Map(Box<Self>, Box<Self>),
}

/// The whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Int {
    Int,
    Int32,
    Int64,
    Uint32,
    Uint64,
}

impl Int {
    /// The name, as messages show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
        }
    }

    /// The smallest and the largest value.
    #[must_use]
    pub fn range(self) -> (i128, i128) {
        match self {
            Self::Int | Self::Int64 => (i64::MIN.into(), i64::MAX.into()),
            Self::Int32 => (i32::MIN.into(), i32::MAX.into()),
            Self::Uint32 => (0, u32::MAX.into()),
            Self::Uint64 => (0, u64::MAX.into()),
        }
    }
}

/// What a value is once names are looked through.
#[derive(Debug)]
pub enum Kind<'a, R> {
    /// Text.
    String,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int(Int),
    /// A floating-point number.
    Float,
    /// Not looked into.
    Opaque,
    /// A struct.
    Struct(&'a [Field<R>]),
    /// A value that may be nil.
    Pointer(&'a Type),
    /// A list.
    List(&'a Type),
    /// A map of keys to values.
    Map(&'a Type, &'a Type),
    /// Not known here.
    Unknown,
}

impl<R> Kind<'_, R> {
    /// The kind as some messages name it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::String | Self::Bool | Self::Int(_) | Self::Float => "Builtin",
            Self::Opaque | Self::Struct(_) | Self::Unknown => "Struct",
            Self::Pointer(_) => "Pointer",
            Self::List(_) => "Slice",
            Self::Map(..) => "Map",
        }
    }

    /// Whether the value may be nil or has a zero value that counts as not set.
    #[must_use]
    pub fn can_be_unset(&self) -> bool {
        !matches!(self, Self::Struct(_))
    }
}

impl<R> Model<R> {
    /// The named type.
    #[must_use]
    pub fn get(&self, id: TypeId) -> Option<&NamedType<R>> {
        self.types.get(id.0)
    }

    /// What a value of the type is.
    #[must_use]
    pub fn kind<'a>(&'a self, value_type: &'a Type) -> Kind<'a, R> {
        match value_type {
            Type::String => Kind::String,
            Type::Bool => Kind::Bool,
            Type::Int(int) => Kind::Int(*int),
            Type::Float => Kind::Float,
            Type::Opaque(_) => Kind::Opaque,
            Type::Pointer(target) => Kind::Pointer(target),
            Type::List(item) | Type::Array(_, item) => Kind::List(item),
            Type::Map(key, value) => Kind::Map(key, value),
            Type::Named(id) => match self.get(*id).map(|named| &named.definition) {
                Some(Definition::Struct(fields)) => Kind::Struct(fields),
                Some(Definition::Alias(target)) => self.kind(target),
                Some(Definition::Unknown) | None => Kind::Unknown,
            },
        }
    }

    /// What a value of the type is, or what it points to.
    #[must_use]
    pub fn target_kind<'a>(&'a self, value_type: &'a Type) -> Kind<'a, R> {
        match self.kind(value_type) {
            Kind::Pointer(target) => self.kind(target),
            kind => kind,
        }
    }

    /// The fields of a struct or of the struct pointed to.
    #[must_use]
    pub fn fields<'a>(&'a self, value_type: &'a Type) -> Option<&'a [Field<R>]> {
        match self.target_kind(value_type) {
            Kind::Struct(fields) => Some(fields),
            _ => None,
        }
    }

    /// The type as messages show it, such as `[]string` or `v1.Color -> string`.
    #[must_use]
    pub fn describe(&self, value_type: &Type) -> String {
        let name = self.name(value_type);
        match value_type {
            Type::Named(id) => match self.get(*id).map(|named| &named.definition) {
                Some(Definition::Alias(target)) => format!("{name} -> {}", self.name(target)),
                _ => name,
            },
            _ => name,
        }
    }

    fn name(&self, value_type: &Type) -> String {
        match value_type {
            Type::String => "string".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int(int) => int.name().to_owned(),
            Type::Float => "float64".to_owned(),
            Type::Opaque(name) => name.clone(),
            Type::Named(id) => self.get(*id).map(|named| named.name.clone()).unwrap_or_default(),
            Type::Pointer(target) => format!("*{}", self.name(target)),
            Type::List(item) => format!("[]{}", self.name(item)),
            Type::Array(length, item) => format!("[{length}]{}", self.name(item)),
            Type::Map(key, value) => format!("map[{}]{}", self.name(key), self.name(value)),
        }
    }
}

impl<R> Field<R> {
    /// The field's name in the reference's program.
    #[must_use]
    pub fn go_name(&self) -> String {
        let mut letters = self.name.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    }
}

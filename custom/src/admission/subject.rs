//! What expressions look at, and how it is declared.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::Value as Json;

use crate::cel::{
    EvalError, FieldType, ListType, MapType, ObjectType, Type, UNKNOWN, Value, Variable,
};

static ANYTHING: Type = Type::Dyn(UNKNOWN);
static REQUEST: LazyLock<Type> = LazyLock::new(request);
static NAMESPACE: LazyLock<Type> = LazyLock::new(namespace);

/// What can be named.
#[derive(Debug)]
pub(super) struct Scope(Vec<Variable>);

impl Scope {
    pub(super) fn new(params: bool) -> Self {
        let mut scope = Self(Vec::new());
        scope.declare("object", ANYTHING.clone());
        scope.declare("oldObject", ANYTHING.clone());
        scope.declare("request", REQUEST.clone());
        scope.declare("namespaceObject", NAMESPACE.clone());
        if params {
            scope.declare("params", ANYTHING.clone());
        }
        scope
    }

    /// The same with what a policy computes beforehand.
    pub(super) fn with_computed(params: bool, computed: &[(String, Type)]) -> Self {
        let mut scope = Self::new(params);
        let fields = computed.iter().map(|(name, value_type)| {
            let field = FieldType { json_name: name.clone(), value_type: value_type.clone() };
            (name.clone(), field)
        });
        scope.declare("variables", Type::Object(Arc::new(ObjectType { fields: fields.collect() })));
        scope
    }

    fn declare(&mut self, name: &str, value_type: Type) {
        self.0.push(Variable { name: name.to_owned(), value_type });
    }

    pub(super) fn variables(&self) -> &[Variable] {
        &self.0
    }
}

/// A request, as expressions see it. It is read once for all of them.
#[derive(Debug, Clone)]
pub struct Subject<'v>(Vec<Value<'v>>);

impl<'v> Subject<'v> {
    /// The object as it is to be (none when it is deleted), as it was (none when it is new), the
    /// request without both, and the namespace if there is one.
    ///
    /// # Errors
    ///
    /// [`EvalError`] if one of them is not of its type.
    pub fn new(
        object: Option<&'v Json>,
        old: Option<&'v Json>,
        request: &'v Json,
        namespace: Option<&'v Json>,
    ) -> Result<Self, EvalError> {
        let of = |json: Option<&'v Json>, value_type: &'v Type| {
            json.map_or(Ok(Value::Null), |json| Value::of_json(json, value_type))
        };
        Ok(Self(vec![
            of(object, &ANYTHING)?,
            of(old, &ANYTHING)?,
            of(Some(request), &REQUEST)?,
            of(namespace, &NAMESPACE)?,
        ]))
    }

    /// The same with parameters: `None` where a policy knows some, and there are none.
    ///
    /// # Errors
    ///
    /// [`EvalError`]
    pub fn with_params(&self, params: Option<&'v Json>) -> Result<Self, EvalError> {
        let mut values = self.0.clone();
        values.push(params.map_or(Ok(Value::Null), |json| Value::of_json(json, &ANYTHING))?);
        Ok(Self(values))
    }

    pub(super) fn values(&self) -> Vec<Value<'v>> {
        self.0.clone()
    }
}

fn object(fields: impl IntoIterator<Item = (&'static str, Type)>) -> Type {
    let fields = fields.into_iter().map(|(name, value_type)| {
        // No name here is one that expressions write otherwise, but for `namespace`.
        let known = crate::cel::escaped(name).unwrap_or_else(|| name.to_owned());
        (known, FieldType { json_name: name.to_owned(), value_type })
    });
    Type::Object(Arc::new(ObjectType { fields: fields.collect::<BTreeMap<_, _>>() }))
}

fn texts(names: &[&'static str]) -> Type {
    object(names.iter().map(|name| (*name, text())))
}

fn text() -> Type {
    Type::Text(UNKNOWN)
}

fn list(item: Type) -> Type {
    Type::List(Arc::new(ListType { item, max: UNKNOWN, keys: None, declared: true }))
}

fn map(value: Type) -> Type {
    Type::Map(Arc::new(MapType { key: text(), value, max: UNKNOWN }))
}

fn request() -> Type {
    let kind = || texts(&["group", "version", "kind"]);
    let resource = || texts(&["group", "version", "resource"]);
    let user = object([
        ("username", text()),
        ("uid", text()),
        ("groups", list(text())),
        ("extra", map(list(text()))),
    ]);
    object([
        ("kind", kind()),
        ("resource", resource()),
        ("subResource", text()),
        ("requestKind", kind()),
        ("requestResource", resource()),
        ("requestSubResource", text()),
        ("name", text()),
        ("namespace", text()),
        ("operation", text()),
        ("userInfo", user),
        ("dryRun", Type::Bool),
        ("options", ANYTHING.clone()),
    ])
}

fn namespace() -> Type {
    let metadata = object([
        ("name", text()),
        ("generateName", text()),
        ("namespace", text()),
        ("labels", map(text())),
        ("annotations", map(text())),
        ("uid", text()),
        ("creationTimestamp", Type::Timestamp),
        ("deletionGracePeriodSeconds", Type::Int),
        ("deletionTimestamp", Type::Timestamp),
        ("generation", Type::Int),
        ("resourceVersion", text()),
        ("finalizers", list(text())),
    ]);
    let condition = object([
        ("status", text()),
        ("type", text()),
        ("lastTransitionTime", Type::Timestamp),
        ("message", text()),
        ("reason", text()),
    ]);
    object([
        ("metadata", metadata),
        ("spec", object([("finalizers", list(text()))])),
        ("status", object([("conditions", list(condition)), ("phase", text())])),
    ])
}

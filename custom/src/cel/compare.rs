//! Which values are the same, and which is less.

use std::cmp::Ordering;

use super::value::Value;

impl Value<'_> {
    /// Whether two values are the same. Numbers are compared by what they are worth; lists whose order
    /// does not matter, in any order.
    pub(super) fn equals(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Text(left), Value::Text(right)) => left == right,
            (Value::Bytes(left), Value::Bytes(right)) => left == right,
            (Value::Duration(left), Value::Duration(right)) => left == right,
            (Value::Timestamp(left), Value::Timestamp(right)) => left == right,
            (Value::Type(left), Value::Type(right)) => left == right,
            (Value::Optional(left), Value::Optional(right)) => match (left, right) {
                (None, None) => true,
                (Some(left), Some(right)) => left.equals(right),
                _ => false,
            },
            (Value::Quantity(left), Value::Quantity(right)) => left.equals(*right),
            (Value::Url(left), Value::Url(right)) => left == right,
            (Value::Semver(left), Value::Semver(right)) => left == right,
            (Value::Ip(left), Value::Ip(right)) => left == right,
            (Value::Cidr(left, bits), Value::Cidr(right, other)) => left == right && bits == other,
            (Value::Format(left), Value::Format(right)) => left == right,
            (
                Value::Int(_) | Value::Uint(_) | Value::Double(_),
                Value::Int(_) | Value::Uint(_) | Value::Double(_),
            ) => self.order(other) == Some(Ordering::Equal),
            (Value::List(_) | Value::JsonList(..), Value::List(_) | Value::JsonList(..)) => {
                self.equals_list(other)
            }
            (
                Value::Map(_) | Value::JsonMap(..) | Value::Object(..),
                Value::Map(_) | Value::JsonMap(..) | Value::Object(..),
            ) => self.equals_map(other),
            _ => false,
        }
    }

    fn equals_list(&self, other: &Value<'_>) -> bool {
        let (Ok(left), Ok(right)) = (self.elements(), other.elements()) else { return false };
        let in_any_order =
            |value: &Value<'_>| matches!(value, Value::JsonList(_, list) if list.keys.is_some());
        if left.len() != right.len() {
            return false;
        }
        if in_any_order(self) || in_any_order(other) {
            return left.iter().all(|item| right.iter().any(|each| each.equals(item)));
        }
        left.iter().zip(&right).all(|(left, right)| left.equals(right))
    }

    fn equals_map(&self, other: &Value<'_>) -> bool {
        let Some(keys) = self.keys() else { return false };
        if other.keys().is_none_or(|others| others.len() != keys.len()) {
            return false;
        }
        keys.iter().all(|key| match (self.entry(key), other.entry(key)) {
            (Ok(Some(left)), Ok(Some(right))) => left.equals(&right),
            _ => false,
        })
    }

    /// The keys of a map, or the names of the fields that an object has.
    fn keys(&self) -> Option<Vec<Self>> {
        match self {
            Self::Object(members, object) => {
                let present = object.fields.iter();
                let present = present.filter(|(_, field)| members.contains_key(&field.json_name));
                Some(present.map(|(name, _)| Self::text(name)).collect())
            }
            Self::Map(_) | Self::JsonMap(..) => self.elements().ok(),
            _ => None,
        }
    }

    /// Which of two values is less; `None` if they cannot be compared.
    pub(super) fn order(&self, other: &Value<'_>) -> Option<Ordering> {
        match (self, other) {
            (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
            (Value::Uint(left), Value::Uint(right)) => Some(left.cmp(right)),
            (Value::Int(left), Value::Uint(right)) => {
                Some(u64::try_from(*left).map_or(Ordering::Less, |left| left.cmp(right)))
            }
            (Value::Uint(_), Value::Int(_)) => other.order(self).map(Ordering::reverse),
            (Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
            (Value::Double(left), Value::Int(right)) => left.partial_cmp(&(*right as f64)),
            (Value::Double(left), Value::Uint(right)) => left.partial_cmp(&(*right as f64)),
            (Value::Int(_) | Value::Uint(_), Value::Double(_)) => {
                other.order(self).map(Ordering::reverse)
            }
            (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
            (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
            (Value::Bytes(left), Value::Bytes(right)) => Some(left.cmp(right)),
            (Value::Duration(left), Value::Duration(right)) => Some(left.cmp(right)),
            (Value::Timestamp(left), Value::Timestamp(right)) => Some(left.cmp(right)),
            (Value::Quantity(left), Value::Quantity(right)) => left.partial_cmp(right),
            _ => None,
        }
    }
}

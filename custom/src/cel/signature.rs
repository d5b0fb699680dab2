//! The functions of expressions: which arguments they take, what they give, what they cost.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::cost::{Model, UNKNOWN};
use super::eval::EvalError;
use super::functions;
use super::types::{self, Type};
use super::value::Value;

/// What a function does.
pub(super) type Native = for<'v> fn(&[Value<'v>]) -> Result<Value<'v>, EvalError>;

/// One form of a function.
#[derive(Debug)]
pub(super) struct Overload {
    /// The first argument stands before the name.
    pub(super) is_member: bool,
    params: Vec<Type>,
    result: Type,
    pub(super) native: Native,
    pub(super) model: Model,
}

/// The most parameters that a signature has.
const PARAMS_MAX: usize = 2;

impl Overload {
    /// What the function gives for arguments of these types; `None` if it does not take them.
    pub(super) fn result(&self, args: &[&Type]) -> Option<Type> {
        let mut bound = vec![None; PARAMS_MAX];
        let fits = args.len() == self.params.len()
            && self.params.iter().zip(args).all(|(param, arg)| param.accepts(arg, &mut bound));
        fits.then(|| self.result.resolved(&bound))
    }
}

/// The forms of the function of that name.
pub(super) fn lookup(name: &str) -> Option<&'static [Overload]> {
    static FUNCTIONS: LazyLock<BTreeMap<String, Vec<Overload>>> = LazyLock::new(|| {
        let mut functions: BTreeMap<String, Vec<Overload>> = BTreeMap::new();
        for (signatures, native, model) in functions::TABLE {
            let lines = signatures.split(';').map(str::trim).filter(|line| !line.is_empty());
            for (name, overload) in lines.filter_map(|line| read(line, *native, *model)) {
                functions.entry(name).or_default().push(overload);
            }
        }
        functions
    });
    FUNCTIONS.get(name).map(Vec::as_slice)
}

/// Reads `string.find(string) string`, where the first argument stands before the name, or
/// `size(bytes) int`; a colon before it says that all of `:optional.of` is the name.
fn read(line: &str, native: Native, model: Model) -> Option<(String, Overload)> {
    let (head, rest) = line.split_once('(')?;
    // The argument list ends at the last bracket before the result.
    let (args, result) = rest.rsplit_once(") ")?;
    let (target, name) = match (head.strip_prefix(':'), head.rsplit_once('.')) {
        (Some(name), _) => (None, name),
        (None, Some((target, name))) => (Some(target), name),
        (None, None) => (None, head),
    };
    let params = target.into_iter().chain(split(args));
    let params = params.map(read_type).collect::<Option<Vec<Type>>>()?;
    let result = read_type(result)?;
    let overload = Overload { is_member: target.is_some(), params, result, native, model };
    Some((name.to_owned(), overload))
}

/// Arguments are separated by commas outside of brackets.
fn split(args: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0_usize);
    for (at, character) in args.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(args[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(args[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn read_type(text: &str) -> Option<Type> {
    let text = text.trim();
    if let Some((head, inner)) = text.strip_suffix('>').and_then(|text| text.split_once('<')) {
        let inner = split(inner).into_iter().map(read_type).collect::<Option<Vec<Type>>>()?;
        return match (head, inner.as_slice()) {
            ("list", [item]) => Some(Type::list(item.clone(), UNKNOWN)),
            ("map", [key, value]) => Some(Type::map(key.clone(), value.clone(), UNKNOWN)),
            ("optional", [inner]) => Some(Type::Optional(Arc::new(inner.clone()))),
            _ => None,
        };
    }
    Some(match text {
        "A" => Type::Param(0),
        "B" => Type::Param(1),
        "dyn" => Type::anything(),
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::Text(UNKNOWN),
        "bytes" => Type::Bytes(UNKNOWN),
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        "type" => Type::Type,
        "quantity" => Type::Opaque(types::QUANTITY),
        "semver" => Type::Opaque(types::SEMVER),
        "url" => Type::Opaque(types::URL),
        "format" => Type::Opaque(types::FORMAT),
        "ip" => Type::Opaque(types::IP),
        "cidr" => Type::Opaque(types::CIDR),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_signature() {
        for (signatures, native, model) in functions::TABLE {
            for line in signatures.split(';').map(str::trim).filter(|line| !line.is_empty()) {
                assert!(read(line, *native, *model).is_some(), "{line}");
            }
        }
        assert!(lookup("ip.isCanonical").is_some() && lookup("optional.of").is_some());
    }
}

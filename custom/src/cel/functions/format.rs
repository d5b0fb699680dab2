//! Formats of text by their names.

use validation::format::{self as rules, Unit};

use super::{Evaluated, mismatch};
use crate::cel::value::Value;
use crate::definition::label_problem;
use crate::schema::Format;

const NAMES: [&str; 10] = [
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
];

pub(super) fn named<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Text(name)] = args else { return mismatch() };
    let known = NAMES.into_iter().find(|known| *known == &**name);
    Ok(known.map_or_else(Value::none, |name| Value::some(Value::Format(name))))
}

macro_rules! formats {
    ($($function:ident = $name:literal;)*) => {$(
        pub(super) fn $function<'v>(_: &[Value<'v>]) -> Evaluated<'v> {
            Ok(Value::Format($name))
        }
    )*};
}

formats! {
    dns1123_label = "dns1123Label";
    dns1123_subdomain = "dns1123Subdomain";
    dns1035_label = "dns1035Label";
    qualified_name = "qualifiedName";
    label_value = "labelValue";
    uri = "uri";
    uuid = "uuid";
    byte = "byte";
    date = "date";
    date_time = "datetime";
}

/// Nothing if the text has the format, and what is wrong otherwise.
pub(super) fn validate<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Format(name), Value::Text(text)] = args else { return mismatch() };
    let problems = match *name {
        "dns1123Label" => rules::dns_label(text, Unit::Characters),
        "dns1123Subdomain" => rules::dns_subdomain(text, Unit::Characters),
        "dns1035Label" => {
            Some(label_problem(text)).filter(|problem| !problem.is_empty()).into_iter().collect()
        }
        "qualifiedName" => rules::qualified_name(text),
        "labelValue" => rules::label_value(text),
        name => {
            let holds = Format::of_text(name).is_none_or(|format| format.holds(text));
            let problem = match name {
                "uri" => format!("parse {text:?}: invalid URI for request"),
                "uuid" => "does not match the UUID format".to_owned(),
                "byte" => "invalid base64".to_owned(),
                name => format!("invalid {name}"),
            };
            if holds { Vec::new() } else { vec![problem] }
        }
    };
    if problems.is_empty() {
        return Ok(Value::none());
    }
    let problems = problems.iter().map(|problem| Value::text(problem)).collect();
    Ok(Value::some(Value::list(problems)))
}

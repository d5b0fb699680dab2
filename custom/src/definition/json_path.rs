//! The JSON paths of printer columns, such as `.status.conditions[?(@.type=="Ready")].status`.

use std::cmp::Ordering;

use serde_json::Value;

/// How many values a path may lead to on its way; the rest is not looked at.
const VALUES_MAX: usize = 1000;
/// How deep `..` looks.
const DEPTH_MAX: usize = 64;

/// A path that was read. What is no path leads nowhere.
#[derive(Debug, Clone, Default)]
pub(super) struct JsonPath {
    steps: Option<Vec<Step>>,
}

#[derive(Debug, Clone)]
enum Step {
    Member(String),
    Every,
    Below,
    Slice(Option<i64>, Option<i64>, i64),
    Index(i64),
    /// One after the other.
    Union(Vec<Self>),
    Filter(Operand, Option<(Comparison, Operand)>),
}

#[derive(Debug, Clone, Copy)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone)]
enum Operand {
    Literal(Value),
    Path(JsonPath),
}

impl JsonPath {
    /// Reads a path, with or without braces around it.
    pub(super) fn parse(text: &str) -> Self {
        let text = text.trim();
        let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        let text = text.strip_prefix(['$', '@']).unwrap_or(text);
        Self { steps: steps(text) }
    }

    /// The first value that the path leads to.
    pub(super) fn first<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        let mut values = vec![object];
        for step in self.steps.as_ref()? {
            let mut next = Vec::new();
            for value in values {
                take(step, value, &mut next);
            }
            next.truncate(VALUES_MAX);
            values = next;
        }
        values.first().copied()
    }
}

fn take<'v>(step: &Step, value: &'v Value, out: &mut Vec<&'v Value>) {
    match step {
        Step::Member(name) => out.extend(value.get(name)),
        Step::Every => out.extend(children(value)),
        Step::Below => below(value, out, 0),
        Step::Index(index) => {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            out.extend(position(*index, items.len()).and_then(|at| items.get(at)));
        }
        Step::Slice(from, to, by) => {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            let bound = |bound: Option<i64>, otherwise| {
                let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
                let bound = bound.unwrap_or(otherwise);
                let bound = if bound < 0 { bound + length } else { bound };
                usize::try_from(bound.clamp(0, length)).unwrap_or(0)
            };
            let (from, to) = (bound(*from, 0), bound(*to, i64::MAX));
            let by = usize::try_from(*by).unwrap_or(1).max(1);
            out.extend(items.get(from..to).unwrap_or_default().iter().step_by(by));
        }
        Step::Union(steps) => steps.iter().for_each(|step| take(step, value, out)),
        Step::Filter(left, right) => {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            out.extend(items.iter().filter(|item| holds(left, right.as_ref(), item)));
        }
    }
}

fn position(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    usize::try_from(if index < 0 { index + length } else { index }).ok()
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            members.into_iter().map(|(_, member)| member).collect()
        }
        _ => Vec::new(),
    }
}

fn below<'v>(value: &'v Value, out: &mut Vec<&'v Value>, depth: usize) {
    if depth > DEPTH_MAX || out.len() >= VALUES_MAX {
        return;
    }
    out.push(value);
    for child in children(value) {
        below(child, out, depth + 1);
    }
}

fn holds(left: &Operand, right: Option<&(Comparison, Operand)>, item: &Value) -> bool {
    let value = |operand: &Operand| match operand {
        Operand::Literal(value) => Some(value.clone()),
        Operand::Path(path) => path.first(item).cloned(),
    };
    let Some((comparison, right)) = right else { return value(left).is_some() };
    let (Some(left), Some(right)) = (value(left), value(right)) else { return false };
    let order = match (&left, &right) {
        (Value::Number(left), Value::Number(right)) => {
            left.as_f64().zip(right.as_f64()).and_then(|(left, right)| left.partial_cmp(&right))
        }
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => (left == right).then_some(Ordering::Equal),
    };
    match comparison {
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::NotEqual => order != Some(Ordering::Equal),
        Comparison::Less => order.is_some_and(Ordering::is_lt),
        Comparison::LessOrEqual => order.is_some_and(Ordering::is_le),
        Comparison::Greater => order.is_some_and(Ordering::is_gt),
        Comparison::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
    }
}

fn steps(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '.' if rest.starts_with("..") => {
                steps.push(Step::Below);
                // What follows is a name, or a dot of its own.
                let after = rest.get(2..)?;
                if after.starts_with(['[', '.']) { after } else { name(after, &mut steps)? }
            }
            '.' => name(rest.get(1..)?, &mut steps)?,
            '[' => {
                let end = closing(rest)?;
                steps.push(bracket(rest.get(1..end)?)?);
                rest.get(end + 1..)?
            }
            _ => name(rest, &mut steps)?,
        };
    }
    Some(steps)
}

/// A name up to the next step; a backslash takes away what the next character means.
fn name<'t>(text: &'t str, steps: &mut Vec<Step>) -> Option<&'t str> {
    let mut name = String::new();
    let mut characters = text.char_indices();
    let mut end = text.len();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => name.push(characters.next()?.1),
            '.' | '[' => {
                end = at;
                break;
            }
            other => name.push(other),
        }
    }
    match name.as_str() {
        "*" => steps.push(Step::Every),
        "" if end == text.len() => {}
        _ => steps.push(Step::Member(name)),
    }
    text.get(end..)
}

/// Where the bracket that a text begins with is closed.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, '[') => depth += 1,
            (None, ']') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn quoted(text: &str) -> Option<String> {
    let inner = |quote| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inner('\'').or_else(|| inner('"')).map(str::to_owned)
}

fn bracket(text: &str) -> Option<Step> {
    let text = text.trim();
    if text == "*" {
        return Some(Step::Every);
    }
    if let Some(filter) = text.strip_prefix("?(").and_then(|rest| rest.strip_suffix(')')) {
        return filter_step(filter);
    }
    if let Some(name) = quoted(text) {
        return Some(Step::Member(name));
    }
    if text.contains(',') {
        return Some(Step::Union(text.split(',').map(bracket).collect::<Option<_>>()?));
    }
    if text.contains(':') {
        let bounds = text.split(':').map(|bound| match bound.trim() {
            "" => Some(None),
            bound => bound.parse::<i64>().ok().map(Some),
        });
        let bounds: Vec<Option<i64>> = bounds.collect::<Option<_>>()?;
        let bound = |index: usize| bounds.get(index).copied().flatten();
        return Some(Step::Slice(bound(0), bound(1), bound(2).unwrap_or(1)));
    }
    text.parse().ok().map(Step::Index)
}

fn filter_step(text: &str) -> Option<Step> {
    let operators = [
        ("==", Comparison::Equal),
        ("!=", Comparison::NotEqual),
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];
    for (operator, comparison) in operators {
        if let Some((left, right)) = text.split_once(operator) {
            return Some(Step::Filter(operand(left)?, Some((comparison, operand(right)?))));
        }
    }
    Some(Step::Filter(operand(text)?, None))
}

fn operand(text: &str) -> Option<Operand> {
    let text = text.trim();
    if let Some(text) = quoted(text) {
        return Some(Operand::Literal(text.into()));
    }
    if text.starts_with(['@', '$', '.']) {
        return Some(Operand::Path(JsonPath::parse(text)));
    }
    serde_json::from_str(text).ok().map(Operand::Literal)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_lead_to_the_first_value() {
        let object = json!({"a": {"b.c": 1, "d": [1, 2, {"e": "x"}]},
            "conditions": [{"type": "A", "n": 1}, {"type": "Ready", "status": "True", "n": 2}]});
        for (path, value) in [
            (".a.d[1]", json!(2)),
            (".a.d[-1].e", json!("x")),
            (r".a.b\.c", json!(1)),
            (".a['b.c']", json!(1)),
            ("{.a.d[*]}", json!(1)),
            (".a.d[1:2]", json!(2)),
            (r#".conditions[?(@.type=="Ready")].status"#, json!("True")),
            (".conditions[?(@.n>1)].type", json!("Ready")),
            (".conditions[?(@.status)].n", json!(2)),
            ("..e", json!("x")),
        ] {
            assert_eq!(JsonPath::parse(path).first(&object), Some(&value), "{path}");
        }
        for path in [".z", ".a.d[9]", ".a[", ".a.d[?(@.x==)]"] {
            assert_eq!(JsonPath::parse(path).first(&object), None, "{path}");
        }
    }
}

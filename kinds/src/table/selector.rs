//! Label selectors in words.

use serde_json::Value;

use super::NONE;
use super::fields::{list, map, string, strings};

/// The selector asks for something that no selector can, such as an operator that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InvalidSelector;

/// A selector as clients write it in queries: `a=b,c in (d,e),!f`. Requirements are sorted by key.
pub(super) fn query(selector: &Value) -> Result<String, InvalidSelector> {
    let labels = map(selector, "/matchLabels").into_iter().flatten();
    let mut requirements: Vec<(&str, String)> = labels
        .map(|(key, value)| (key.as_str(), format!("{key}={}", value.as_str().unwrap_or_default())))
        .collect();
    for expression in list(selector, "/matchExpressions") {
        requirements.push((string(expression, "/key"), requirement(expression)?));
    }
    requirements.sort_by_key(|(key, _)| *key);
    let texts: Vec<_> = requirements.into_iter().map(|(_, text)| text).collect();
    Ok(texts.join(","))
}

fn requirement(expression: &Value) -> Result<String, InvalidSelector> {
    let key = string(expression, "/key");
    let mut values = strings(expression, "/values");
    values.sort_unstable();
    match (string(expression, "/operator"), values.as_slice()) {
        ("Exists", []) => Ok(key.to_owned()),
        ("DoesNotExist", []) => Ok(format!("!{key}")),
        ("In", [_, ..]) => Ok(format!("{key} in ({})", values.join(","))),
        ("NotIn", [_, ..]) => Ok(format!("{key} notin ({})", values.join(","))),
        _ => Err(InvalidSelector),
    }
}

/// The selector as a cell of most kinds.
pub(super) fn cell(selector: Option<&Value>) -> Value {
    match selector.map_or_else(|| Ok(String::new()), query) {
        Ok(text) if text.is_empty() => NONE.into(),
        Ok(text) => text.into(),
        Err(InvalidSelector) => "<error>".into(),
    }
}

/// The selector as the reference dumps its data structure.
pub(super) fn dump(selector: &Value) -> String {
    let mut labels: Vec<_> = map(selector, "/matchLabels")
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}: {},", value.as_str().unwrap_or_default()))
        .collect();
    labels.sort();
    let expression = |expression: &Value| {
        format!(
            "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
            string(expression, "/key"),
            string(expression, "/operator"),
            strings(expression, "/values").join(" "),
        )
    };
    let expressions: String = list(selector, "/matchExpressions").iter().map(expression).collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{}}},\
         MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}",
        labels.concat()
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requirements_are_sorted_by_key_and_values_too() {
        let selector = json!({
            "matchLabels": {"z": "1", "b": "2"},
            "matchExpressions": [
                {"key": "c", "operator": "In", "values": ["y", "x"]},
                {"key": "a", "operator": "DoesNotExist"},
                {"key": "d", "operator": "NotIn", "values": ["w", "v"]},
                {"key": "e", "operator": "Exists"},
            ],
        });
        assert_eq!(query(&selector).unwrap(), "!a,b=2,c in (x,y),d notin (v,w),e,z=1");
    }

    #[test]
    fn a_selector_that_selects_by_nothing_is_none() {
        for selector in [None, Some(json!(null)), Some(json!({})), Some(json!({"matchLabels": {}}))]
        {
            assert_eq!(cell(selector.as_ref()), "<none>", "{selector:?}");
        }
    }

    #[test]
    fn a_selector_with_an_operator_that_does_not_exist_is_an_error() {
        for expression in [
            json!({"key": "a", "operator": "Like", "values": ["b"]}),
            json!({"key": "a", "operator": "In"}),
            json!({"key": "a", "operator": "Exists", "values": ["b"]}),
        ] {
            let selector = json!({"matchExpressions": [expression]});
            assert_eq!(cell(Some(&selector)), "<error>", "{selector}");
        }
    }

    #[test]
    fn a_dump_has_every_member() {
        let selector = json!({
            "matchLabels": {"b": "2", "a": "1"},
            "matchExpressions": [{"key": "c", "operator": "In", "values": ["y", "x"]}],
        });
        assert_eq!(
            dump(&selector),
            "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:\
             []LabelSelectorRequirement{LabelSelectorRequirement{Key:c,Operator:In,\
             Values:[y x],},},}"
        );
    }
}

//! Expressions in webhook configurations and admission policies: what does not compile is refused
//! (spec: apimachinery 2.15).

use custom::admission::{Conditions, Part, Policy};
use serde_json::Value;
use validation::field::{Error, ErrorList, Path};
use validation::format;

use super::checks;
use crate::value::Members;

/// The most conditions that one list may have.
const CONDITIONS_MAX: usize = 64;

/// The rules of `matchConditions`.
pub(super) fn check_conditions(errors: &mut ErrorList, of: &Value, path: &Path) {
    check_condition_names(errors, of, path);
    let list = of.member("matchConditions");
    let compiled = Conditions::compile(list, false);
    for (index, problem) in compiled.problems() {
        let path = path.child("matchConditions").index(index);
        fail(errors, list.get(index), &path, "expression", problem);
    }
}

/// The rules of the expressions of a ValidatingAdmissionPolicy.
pub(super) fn check_policy(errors: &mut ErrorList, spec: &Value, path: &Path) {
    check_condition_names(errors, spec, path);
    let compiled = Policy::compile(spec);
    for (part, index, problem) in compiled.problems() {
        let (list, member) = match part {
            Part::Condition => ("matchConditions", "expression"),
            Part::Variable => ("variables", "expression"),
            Part::Validation => ("validations", "expression"),
            Part::Message => ("validations", "messageExpression"),
        };
        let item = spec.member(list).get(index);
        fail(errors, item, &path.child(list).index(index), member, problem);
    }
}

fn check_condition_names(errors: &mut ErrorList, of: &Value, path: &Path) {
    let (list, path) = (of.items("matchConditions"), path.child("matchConditions"));
    if list.len() > CONDITIONS_MAX {
        errors.push(Error::too_many(&path, list.len(), CONDITIONS_MAX));
    }
    for (index, condition) in list.iter().enumerate() {
        let path = path.index(index);
        checks::required(errors, condition, &path, "expression");
        if !checks::required(errors, condition, &path, "name") {
            continue;
        }
        let (name, path) = (condition.text("name"), path.child("name"));
        checks::each_message(errors, &path, name, format::qualified_name(name));
        if list[..index].iter().any(|before| before.text("name") == name) {
            errors.push(Error::duplicate(&path, name));
        }
    }
}

/// Says what is wrong with an expression; one that is not there is another rule's.
fn fail(errors: &mut ErrorList, item: Option<&Value>, path: &Path, member: &str, problem: &str) {
    let expression = item.map_or("", |item| item.text(member));
    if !expression.trim().is_empty() {
        errors.push(Error::invalid(&path.child(member), expression, problem.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_compile_is_refused_at_its_place() {
        let webhook = json!({ "matchConditions": [
            { "name": "a", "expression": "object.x == 1" },
            { "name": "a b", "expression": "1" },
            { "name": "a", "expression": "" },
        ] });
        let mut errors = ErrorList::default();
        check_conditions(&mut errors, &webhook, &Path::new("webhooks").index(0));
        let fields: Vec<String> = errors
            .iter()
            .map(|error| error.to_string().split(": ").next().unwrap_or_default().to_owned())
            .collect();
        let at = |end: &str| format!("webhooks[0].matchConditions{end}");
        let expected = ["[1].name", "[2].expression", "[2].name", "[1].expression"];
        assert_eq!(fields, expected.map(at));
    }

    #[test]
    fn the_expressions_of_a_policy_must_give_what_is_asked_of_them() {
        let spec = json!({ "validations": [{ "expression": "object.x" }, { "expression": "'a'" }],
            "variables": [{ "name": "v", "expression": "params.x" }] });
        let mut errors = ErrorList::default();
        check_policy(&mut errors, &spec, &Path::new("spec"));
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts[1],
            "spec.validations[1].expression: Invalid value: \"'a'\": must evaluate to bool"
        );
        assert!(
            texts[0].starts_with(
                "spec.variables[0].expression: Invalid value: \"params.x\": \
            compilation failed: ERROR: <input>:1:1: undeclared reference to 'params'"
            ),
            "{texts:?}"
        );
    }
}

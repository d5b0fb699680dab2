//! Carrying out the operations.

use serde_json::{Map, Value};

use super::operation::Operation;

/// How many bytes of JSON all `copy` operations of a patch may add up to.
const COPIED_BYTES_MAX: usize = 3 * 1024 * 1024;

/// Why an operation does not apply. Clients are not told; it is for logs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    #[error("an operation lacks its {0:?} field")]
    Lacking(&'static str),
    #[error("unknown operation {0:?}")]
    Unknown(String),
    #[error("nothing is at {0:?}")]
    Missing(String),
    #[error("{0:?} is not an index of the list")]
    Index(String),
    #[error("the value at {0:?} is not the expected one")]
    TestFailed(String),
    #[error("the copies of the patch exceed {COPIED_BYTES_MAX} bytes")]
    CopiesTooLarge,
    #[error("only an object or a list can replace the whole document")]
    WholeDocument,
}

/// Applies all operations in order.
pub(super) fn apply(target: Value, operations: Vec<Operation>) -> Result<Value, Failure> {
    let mut document = Document { root: target, copied_bytes: 0 };
    for operation in operations {
        document.apply(operation)?;
    }
    Ok(document.root)
}

struct Document {
    root: Value,
    copied_bytes: usize,
}

impl Document {
    fn apply(&mut self, operation: Operation) -> Result<(), Failure> {
        let Operation { op, path, from, value } = operation;
        let op = op.ok_or(Failure::Lacking("op"))?;
        let path = || path.ok_or(Failure::Lacking("path"));
        let from = || from.ok_or(Failure::Lacking("from"));
        match op.as_str() {
            "add" => self.add(&path()?, value),
            "remove" => self.remove(&path()?).map(drop),
            "replace" => self.replace(&path()?, value),
            "test" => self.test(&path()?, &value),
            "move" => {
                let moved = self.remove(&from()?)?;
                self.add(&path()?, moved)
            }
            "copy" => {
                let copied = self.copied(&from()?)?;
                self.add(&path()?, copied)
            }
            _ => Err(Failure::Unknown(op)),
        }
    }

    fn add(&mut self, path: &str, value: Value) -> Result<(), Failure> {
        match self.container(path)? {
            (Container::Object(members), name) => {
                members.insert(name, value);
                members.sort_keys();
            }
            (Container::List(items), name) if name == "-" => items.push(value),
            (Container::List(items), name) => {
                // An added item may stand behind the last one.
                let index = index(&name, items.len() + 1)?;
                items.insert(index, value);
            }
        }
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<Value, Failure> {
        match self.container(path)? {
            (Container::Object(members), name) => {
                members.shift_remove(&name).ok_or_else(|| Failure::Missing(path.to_owned()))
            }
            (Container::List(items), name) => {
                let index = index(&name, items.len())?;
                Ok(items.remove(index))
            }
        }
    }

    fn replace(&mut self, path: &str, value: Value) -> Result<(), Failure> {
        if path.is_empty() {
            if !value.is_object() && !value.is_array() {
                return Err(Failure::WholeDocument);
            }
            self.root = value;
            return Ok(());
        }
        let place = match self.container(path)? {
            (Container::Object(members), name) => {
                members.get_mut(&name).ok_or_else(|| Failure::Missing(path.to_owned()))?
            }
            (Container::List(items), name) => {
                let index = index(&name, items.len())?;
                &mut items[index]
            }
        };
        *place = value;
        Ok(())
    }

    /// What is absent equals `null`.
    fn test(&mut self, path: &str, expected: &Value) -> Result<(), Failure> {
        let found = if path.is_empty() {
            &self.root
        } else {
            match self.container(path)? {
                (Container::Object(members), name) => members.get(&name).unwrap_or(&Value::Null),
                (Container::List(items), name) => &items[index(&name, items.len())?],
            }
        };
        if found == expected { Ok(()) } else { Err(Failure::TestFailed(path.to_owned())) }
    }

    fn copied(&mut self, from: &str) -> Result<Value, Failure> {
        let value = match self.container(from)? {
            (Container::Object(members), name) => {
                members.get(&name).cloned().ok_or_else(|| Failure::Missing(from.to_owned()))?
            }
            (Container::List(items), name) => items[index(&name, items.len())?].clone(),
        };
        self.copied_bytes += value.to_string().len();
        if self.copied_bytes > COPIED_BYTES_MAX {
            return Err(Failure::CopiesTooLarge);
        }
        Ok(value)
    }

    /// What holds the value that a path leads to, and the value's name in it. What stands before
    /// the first slash of a path is not looked at.
    fn container(&mut self, path: &str) -> Result<(Container<'_>, String), Failure> {
        let missing = || Failure::Missing(path.to_owned());
        let mut steps: Vec<String> = path.split('/').skip(1).map(unescaped).collect();
        let last = steps.pop().ok_or_else(missing)?;
        let mut place = &mut self.root;
        for step in steps {
            place = match place {
                Value::Object(members) => {
                    members.sort_keys();
                    members.get_mut(&step).ok_or_else(missing)?
                }
                Value::Array(items) => {
                    let index = index(&step, items.len())?;
                    &mut items[index]
                }
                _ => return Err(missing()),
            };
        }
        match place {
            Value::Object(members) => {
                members.sort_keys();
                Ok((Container::Object(members), last))
            }
            Value::Array(items) => Ok((Container::List(items), last)),
            _ => Err(missing()),
        }
    }
}

enum Container<'d> {
    Object(&'d mut Map<String, Value>),
    List(&'d mut Vec<Value>),
}

fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// The place in a list of that length; negative numbers count from its end.
fn index(text: &str, length: usize) -> Result<usize, Failure> {
    let refused = || Failure::Index(text.to_owned());
    let number: i64 = text.parse().map_err(|_| refused())?;
    let length = i64::try_from(length).map_err(|_| refused())?;
    let number = if number < 0 { number + length } else { number };
    if !(0..length).contains(&number) {
        return Err(refused());
    }
    usize::try_from(number).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(target: Value, operations: &[(&str, &str, &str, Value)]) -> Result<Value, Failure> {
        let operations = operations
            .iter()
            .map(|(op, path, from, value)| Operation {
                op: Some((*op).to_owned()),
                path: Some((*path).to_owned()),
                from: Some((*from).to_owned()),
                value: value.clone(),
            })
            .collect();
        apply(target, operations)
    }

    #[test]
    fn members_and_items_are_added_where_the_path_says() {
        let target = json!({"a": [1, 3], "m": {}});
        let patched = run(
            target,
            &[
                ("add", "/a/1", "", json!(2)),
                ("add", "/a/-", "", json!(4)),
                ("add", "/a/4", "", json!(5)),
                ("add", "/m/x~1y~0z", "", json!("v")),
            ],
        );
        assert_eq!(patched, Ok(json!({"a": [1, 2, 3, 4, 5], "m": {"x/y~z": "v"}})));
    }

    #[test]
    fn negative_indices_count_from_the_end() {
        assert_eq!(
            run(json!({"a": [1, 2]}), &[("remove", "/a/-1", "", json!(null))]),
            Ok(json!({"a": [1]}))
        );
        assert_eq!(
            run(json!({"a": [1]}), &[("remove", "/a/-2", "", json!(null))]),
            Err(Failure::Index("-2".to_owned()))
        );
    }

    #[test]
    fn moving_takes_away_and_copying_does_not() {
        let patched = run(
            json!({"labels": {"a": "1"}}),
            &[
                ("move", "/labels/b", "/labels/a", json!(null)),
                ("copy", "/labels/c", "/labels/b", json!(null)),
            ],
        );
        assert_eq!(patched, Ok(json!({"labels": {"b": "1", "c": "1"}})));
    }

    #[test]
    fn the_whole_document_can_be_tested_and_replaced_but_not_added() {
        let patched = run(
            json!({"a": 1}),
            &[("test", "", "", json!({"a": 1})), ("replace", "", "", json!({"b": 2}))],
        );
        assert_eq!(patched, Ok(json!({"b": 2})));
        assert!(run(json!({}), &[("add", "", "", json!({}))]).is_err());
        assert!(run(json!({}), &[("replace", "", "", json!(1))]).is_err());
    }

    #[test]
    fn what_is_absent_passes_a_test_for_null() {
        assert!(run(json!({}), &[("test", "/a", "", json!(null))]).is_ok());
        assert!(run(json!({"a": 1}), &[("test", "/a", "", json!(null))]).is_err());
    }

    #[test]
    fn copies_that_double_a_value_again_and_again_are_stopped() {
        let mut operations = vec![("add", "/a", "", json!(["0123456789"]))];
        operations.extend(std::iter::repeat_n(("copy", "/a/-", "/a", json!(null)), 40));
        assert_eq!(run(json!({}), &operations), Err(Failure::CopiesTooLarge));
    }
}

//! Duplicate members of a document that no schema describes.

use std::collections::BTreeSet;

use api::decode::Tree;

/// How many problems are collected at the most.
pub(crate) const PROBLEMS_MAX: usize = 100;

/// `duplicate field "a.b[0].c"` for each member that comes again, in document order. `path` is
/// where the tree stands, empty for a whole document.
pub fn note_duplicates(tree: &Tree, path: &str, problems: &mut Vec<String>) {
    match tree {
        Tree::Object(members) => {
            let mut seen = BTreeSet::new();
            for (name, member) in members {
                let member_path =
                    if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                if !seen.insert(name) {
                    note(problems, format!("duplicate field \"{member_path}\""));
                }
                note_duplicates(member, &member_path, problems);
            }
        }
        Tree::List(items) => {
            for (index, item) in items.iter().enumerate() {
                note_duplicates(item, &format!("{path}[{index}]"), problems);
            }
        }
        Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::String(_) => {}
    }
}

/// Adds a problem while there is room.
pub(crate) fn note(problems: &mut Vec<String>, problem: String) {
    if problems.len() < PROBLEMS_MAX {
        problems.push(problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_members_are_named_with_their_path() {
        let tree = api::decode::parse_json(br#"{"a":{"b":1,"b":2},"c":[{"d":1,"d":1}],"a":0}"#);
        let mut problems = Vec::new();
        note_duplicates(&tree.unwrap(), "", &mut problems);
        assert_eq!(
            problems,
            ["duplicate field \"a.b\"", "duplicate field \"c[0].d\"", "duplicate field \"a\""]
        );
    }
}

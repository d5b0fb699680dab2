//! What holds for any objects and any writes.

use super::server::{GROUP_VERSION, Kind, Server, Target, Write};
use api::decode::{Tree, decode_value};
use patch::fieldset::{FieldSet, Path, PathElement};
use patch::typed::{compare, extract, field_set, merge, remove};
use patch::{json_patch, merge_patch, strategic};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

const KIND: Kind = Kind::PriorityLevelConfiguration;
const NAME: &str = "p";
const CONDITION_TYPES: [&str; 3] = ["A", "B", "C"];

fn labels() -> impl Strategy<Value = Value> {
    btree_map("[abc]", "[12]", 1..3).prop_map(|labels| json!(labels))
}

fn finalizers() -> impl Strategy<Value = Value> {
    subsequence(vec!["x/a", "x/b", "x/c"], 0..=3).prop_shuffle().prop_map(|names| json!(names))
}

fn owners() -> impl Strategy<Value = Value> {
    subsequence(vec!["u1", "u2"], 0..=2).prop_map(|uids| {
        let owner = |uid: &str| json!({"apiVersion": "v1", "kind": "K", "name": "n", "uid": uid});
        uids.into_iter().map(owner).collect()
    })
}

/// Some members of an object: each is there or not. None is empty: what is empty is owned but not
/// stored, or goes with the last that was in it, so that applying it again is not the same again.
fn object(
    members: Vec<(&'static str, BoxedStrategy<Value>)>,
) -> impl Strategy<Value = Value> + use<> {
    let members: Vec<_> = members
        .into_iter()
        .map(|(name, value)| {
            let filled = |value: &Value| *value != json!({}) && *value != json!([]);
            proptest::option::of(value)
                .prop_map(move |value| Some((name.to_owned(), value.filter(filled)?)))
        })
        .collect();
    members.prop_map(|members| Value::Object(members.into_iter().flatten().collect()))
}

fn number() -> BoxedStrategy<Value> {
    (0..3i32).prop_map(Value::from).boxed()
}

fn spec() -> BoxedStrategy<Value> {
    let queuing = object(vec![("queues", number()), ("handSize", number())]);
    let response = object(vec![
        ("type", select(vec!["Queue", "Reject"]).prop_map(Value::from).boxed()),
        ("queuing", queuing.boxed()),
    ]);
    let limited = object(vec![
        ("nominalConcurrencyShares", number()),
        ("lendablePercent", number()),
        ("borrowingLimitPercent", number()),
        ("limitResponse", response.boxed()),
    ]);
    let level_type = select(vec!["Limited", "Exempt"]).prop_map(Value::from).boxed();
    object(vec![("type", level_type), ("limited", limited.boxed())]).boxed()
}

fn conditions() -> impl Strategy<Value = Value> {
    let condition = ("[12]", proptest::option::of("[xy]"));
    (subsequence(CONDITION_TYPES.to_vec(), 0..=3).prop_shuffle(), vec(condition, 3)).prop_map(
        |(types, parts)| {
            types
                .into_iter()
                .zip(parts)
                .map(|(condition_type, (status, reason))| match reason {
                    Some(reason) => {
                        json!({"type": condition_type, "status": status, "reason": reason})
                    }
                    None => json!({"type": condition_type, "status": status}),
                })
                .collect()
        },
    )
}

/// A body, as clients send it: not in canonical form, with some members missing.
fn body() -> impl Strategy<Value = Value> {
    let metadata = object(vec![
        ("labels", labels().boxed()),
        ("finalizers", finalizers().boxed()),
        ("ownerReferences", owners().boxed()),
    ]);
    let status = object(vec![("conditions", conditions().boxed())]);
    (object(vec![("spec", spec()), ("status", status.boxed())]), metadata).prop_map(
        |(mut body, metadata)| {
            body["apiVersion"] = json!(GROUP_VERSION);
            body["kind"] = json!("PriorityLevelConfiguration");
            body["metadata"] = metadata;
            body["metadata"]["name"] = json!(NAME);
            body
        },
    )
}

/// Any JSON, with the directives of strategic merge patches among its names.
fn document() -> impl Strategy<Value = Value> {
    let names = "metadata|spec|status|labels|finalizers|conditions|type|a|\\$patch|\\$retainKeys|\
                 \\$setElementOrder/conditions|\\$setElementOrder/finalizers|\
                 \\$deleteFromPrimitiveList/finalizers";
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..3i64).prop_map(Value::from),
        "[ab]|delete|replace|merge".prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            btree_map(names, inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

#[derive(Debug, Clone)]
enum How {
    Replace,
    Merge,
    Strategic,
    Apply { force: bool },
}

#[derive(Debug, Clone)]
struct Step {
    manager: &'static str,
    subresource: &'static str,
    how: How,
    body: Value,
}

fn step() -> impl Strategy<Value = Step> {
    let how = prop_oneof![
        1 => Just(How::Replace),
        1 => Just(How::Merge),
        1 => Just(How::Strategic),
        3 => any::<bool>().prop_map(|force| How::Apply { force }),
    ];
    (select(vec!["one", "two", "three"]), select(vec!["", "", "status"]), how, body())
        .prop_map(|(manager, subresource, how, body)| Step { manager, subresource, how, body })
}

impl Step {
    fn target(&self) -> Target<'_> {
        let Self { manager, subresource, .. } = self;
        Target { kind: KIND, name: NAME, subresource, manager }
    }

    fn write(&self, is_new: bool) -> Write {
        let body = self.body.clone();
        match self.how {
            How::Apply { force } => Write::Apply { body, force },
            _ if is_new => Write::Create(body),
            How::Replace => Write::Update(body),
            How::Merge => Write::Merge(Tree::from(body)),
            How::Strategic => Write::Strategic(Tree::from(body)),
        }
    }

    fn is_apply(&self) -> bool {
        matches!(self.how, How::Apply { .. })
    }
}

fn entries(object: &Value) -> Vec<Value> {
    object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default()
}

fn fields_of(entry: &Value) -> FieldSet {
    FieldSet::from_fields_v1(&entry["fieldsV1"]).unwrap()
}

fn owned_by_any(object: &Value) -> FieldSet {
    entries(object).iter().fold(FieldSet::new(), |all, entry| all.union(&fields_of(entry)))
}

fn is_never_owned(path: &Path) -> bool {
    let text = path.to_string();
    let of_metadata = ["name", "uid", "creationTimestamp", "generation", "resourceVersion"];
    [".apiVersion", ".kind", ".metadata"].contains(&text.as_str())
        || text.starts_with(".metadata.managedFields")
        || of_metadata.iter().any(|name| text == format!(".metadata.{name}"))
}

/// Whether the object would be the same without that field: it is a default or a zero value.
fn is_filled_in(object: &Value, path: &Path) -> bool {
    let without: FieldSet = [path.clone()].into_iter().collect();
    let mut object = object.clone();
    object["metadata"].as_object_mut().unwrap().shift_remove("managedFields");
    let rest = remove(KIND.type_def(), &object, &without);
    let mut rest = decode_value(KIND.type_def(), rest).unwrap();
    KIND.type_def().apply_defaults(&mut rest);
    compare(KIND.type_def(), &object, &rest).is_same()
}

fn check_entries(object: &Value) {
    for entry in entries(object) {
        let fields = fields_of(&entry);
        assert!(!fields.is_empty(), "{entry}");
        assert_eq!(fields.to_fields_v1(), entry["fieldsV1"]);
        assert!(!fields.paths().iter().any(is_never_owned), "{entry}");
        let is_status = |path: &Path| path.0.first() == Some(&PathElement::field("status"));
        let expected = entry["subresource"] == "status";
        assert!(fields.paths().iter().all(|path| is_status(path) == expected), "{entry}");
    }
}

/// The applier owns what it applied, and what the apply brought into the object has an owner or was
/// filled in.
fn check_apply(step: &Step, before: Option<&Value>, after: &Value) {
    let reset = if step.subresource.is_empty() {
        patch::managed::reset_on_main()
    } else {
        patch::managed::reset_on_status()
    };
    let applied = field_set(KIND.type_def(), &step.body).recursive_difference(&reset);
    let own = entries(after)
        .iter()
        .find(|entry| {
            entry["manager"] == step.manager
                && entry["operation"] == "Apply"
                && entry["subresource"].as_str().unwrap_or_default() == step.subresource
        })
        .map(fields_of)
        .unwrap_or_default();
    let expected: Vec<Path> =
        applied.paths().into_iter().filter(|path| !is_never_owned(path)).collect();
    assert_eq!(own.paths(), expected);

    let of = |object: Option<&Value>| {
        object.map(|object| field_set(KIND.type_def(), object)).unwrap_or_default()
    };
    let owned = owned_by_any(after);
    for path in of(Some(after)).difference(&of(before)).paths() {
        assert!(
            is_never_owned(&path) || owned.contains(&path.0) || is_filled_in(after, &path),
            "{path} has no owner in {after}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_writes_by_several_managers_keep_the_books_straight(steps in vec(step(), 1..10)) {
        let mut server = Server::default();
        for step in steps {
            let before = server.get(KIND, NAME).cloned();
            let Ok(after) = server.write(step.target(), step.write(before.is_none())) else {
                continue;
            };
            check_entries(&after);
            server.put(KIND, NAME, after.clone());
            if step.is_apply() {
                check_apply(&step, before.as_ref(), &after);
                let again = server.write(step.target(), step.write(false)).unwrap();
                prop_assert_eq!(again, after);
            }
        }
    }

    #[test]
    fn patches_of_any_shape_are_applied_or_refused(target in body(), patch in document()) {
        let _unused = strategic(KIND.type_def(), target.clone(), Tree::from(patch.clone()));
        let _unused = json_patch(target.clone(), Tree::from(patch.clone()));
        let _unused = merge_patch(target, Tree::from(patch));
    }

    #[test]
    fn merging_the_difference_of_two_documents_leads_from_one_to_the_other(
        from in body(), to in body(),
    ) {
        let patched = merge_patch(from.clone(), Tree::from(difference(&from, &to))).unwrap();
        prop_assert_eq!(patched.value, to);
    }

    #[test]
    fn an_object_merged_into_itself_is_the_same(object in body()) {
        let type_def = KIND.type_def();
        prop_assert_eq!(&merge(type_def, &object, &object), &object);
        prop_assert!(compare(type_def, &object, &object).is_same());
        let patched = strategic(type_def, object.clone(), Tree::from(object.clone())).unwrap();
        prop_assert_eq!(patched.value, object);
    }

    #[test]
    fn what_is_extracted_is_applied_back_without_a_change(object in body(), other in body()) {
        let type_def = KIND.type_def();
        let fields = field_set(type_def, &object);
        let part = extract(type_def, &object, &fields.intersection(&field_set(type_def, &other)));
        let merged = merge(type_def, &object, &part);
        prop_assert!(compare(type_def, &object, &merged).is_same(), "{} {}", part, merged);
    }

    #[test]
    fn what_is_removed_is_all_that_differs(object in body(), other in body()) {
        let type_def = KIND.type_def();
        let removed = field_set(type_def, &object).difference(&field_set(type_def, &other));
        let rest = remove(type_def, &object, &removed);
        let comparison = compare(type_def, &object, &rest);
        prop_assert!(comparison.set().difference(&parents(&removed)).is_empty());
        prop_assert!(removed.difference(&comparison.removed).is_empty());
    }

    #[test]
    fn sets_obey_the_laws_of_sets(left in body(), right in body()) {
        let [left, right] = [left, right].map(|object| field_set(KIND.type_def(), &object));
        prop_assert_eq!(left.union(&right), right.union(&left));
        prop_assert_eq!(left.intersection(&right), right.intersection(&left));
        let (only_left, both) = (left.difference(&right), left.intersection(&right));
        prop_assert_eq!(only_left.union(&both), left.clone());
        prop_assert_eq!(only_left.len() + both.len(), left.len());
        prop_assert_eq!(FieldSet::from_fields_v1(&left.to_fields_v1()), Ok(left.clone()));
        prop_assert_eq!(left.paths().into_iter().collect::<FieldSet>(), left);
    }
}

/// The paths above those of a set: what is `null` where all its parts have been removed.
fn parents(fields: &FieldSet) -> FieldSet {
    fields
        .paths()
        .into_iter()
        .flat_map(|path| (1..=path.0.len()).map(move |length| Path(path.0[..length].to_vec())))
        .collect()
}

/// The merge patch that leads from one document to another.
fn difference(from: &Value, to: &Value) -> Value {
    let (Value::Object(from), Value::Object(to)) = (from, to) else { return to.clone() };
    let mut patch = Map::new();
    for name in from.keys().filter(|name| !to.contains_key(*name)) {
        patch.insert(name.clone(), Value::Null);
    }
    for (name, value) in to {
        match from.get(name) {
            Some(before) if before == value => {}
            Some(before) => drop(patch.insert(name.clone(), difference(before, value))),
            None => drop(patch.insert(name.clone(), value.clone())),
        }
    }
    Value::Object(patch)
}

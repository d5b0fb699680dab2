use proptest::prelude::*;

use super::*;

fn create(key: &str, value: &'static str) -> Change {
    Change::Create { key: Key::new(key), value: Bytes::from_static(value.as_bytes()) }
}

fn texts(snapshot: &Snapshot<Vec<KeyValue>>) -> Vec<(&str, &[u8])> {
    snapshot.value.iter().map(|kv| (kv.key.as_str(), kv.value.as_ref())).collect()
}

#[test]
fn the_first_change_makes_revision_two() {
    let (committed, _) = Index::default().apply(&create("a", "1")).unwrap();
    assert_eq!(committed.revision, Revision(2));
}

#[test]
fn a_deletion_has_a_revision_of_its_own_and_shows_the_last_value() {
    let mut index = Index::default();
    index.apply(&create("a", "1")).unwrap();
    let delete = Change::Delete { key: Key::new("a"), expected: Revision(2) };
    let (committed, event) = index.apply(&delete).unwrap();
    assert_eq!(committed.revision, Revision(3));
    assert_eq!((event.kind, event.current.value.as_ref()), (EventKind::Delete, b"1".as_ref()));
}

#[test]
fn exact_reads_see_the_past_until_it_is_compacted() {
    let mut index = Index::default();
    index.apply(&create("a", "1")).unwrap();
    index.apply(&create("b", "1")).unwrap();
    let at_two = index.range("", At::Exact(Revision(2)), &Page::default()).unwrap();
    assert_eq!(texts(&at_two), [("a", b"1".as_ref())]);
    index.compact(Revision(3)).unwrap();
    let error = index.range("", At::Exact(Revision(2)), &Page::default()).unwrap_err();
    assert_eq!(error, Error::Compacted { oldest: Revision(3) });
    assert_eq!(index.range("", At::Latest, &Page::default()).unwrap().value.len(), 2);
}

#[test]
fn a_page_starts_where_it_is_told_and_ends_at_its_limit() {
    let mut index = Index::default();
    for key in ["x/a", "x/b", "x/c", "y/a"] {
        index.apply(&create(key, "1")).unwrap();
    }
    let page = Page { from: Some("x/b".to_owned()), limit: Some(1) };
    assert_eq!(texts(&index.range("x/", At::Latest, &page).unwrap()), [("x/b", b"1".as_ref())]);
    let all = index.range("x/", At::Latest, &Page::default()).unwrap();
    assert_eq!(all.value.len(), 3);
}

/// The whole history, kept in the plainest way.
#[derive(Default)]
struct Model {
    states: Vec<BTreeMap<String, (u8, u64)>>,
}

impl Model {
    /// How many bytes must be kept: what was there at a revision, and every change since.
    fn bytes_after(&self, compacted: Revision) -> u64 {
        let states = &self.states[usize::try_from(compacted.0).unwrap() - 1..];
        let put = |key: &String| stored_bytes(&Key::new(key), Some(&Bytes::from_static(b"1")));
        let kept: u64 = states[0].keys().map(put).sum();
        let changed = states.windows(2).map(|pair| {
            let deleted = pair[0].keys().find(|key| !pair[1].contains_key(*key));
            let changed = pair[1].iter().find(|(key, now)| pair[0].get(*key) != Some(*now));
            let deletion = deleted.map_or(0, |key| stored_bytes(&Key::new(key), None));
            deletion + changed.map_or(0, |(key, _)| put(key))
        });
        kept + changed.sum::<u64>()
    }
}

#[derive(Debug, Clone)]
enum Step {
    Put(u8, u8),
    Delete(u8),
    Compact(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..6u8, any::<u8>()).prop_map(|(key, value)| Step::Put(key, value)),
        2 => (0..6u8).prop_map(Step::Delete),
        1 => (0..40u8).prop_map(Step::Compact),
    ]
}

proptest! {
    #[test]
    fn every_revision_that_is_kept_reads_as_in_a_plain_model(steps in proptest::collection::vec(step(), 1..60)) {
        let mut index = Index::default();
        // States by revision; the first is that of revision 1.
        let mut model = Model { states: vec![BTreeMap::new()] };
        for step in steps {
            let mut state = model.states.last().cloned().unwrap_or_default();
            let next = model.states.len() as u64 + 1;
            match step {
                Step::Put(key, value) => {
                    let key = format!("k{key}");
                    let value_bytes = Bytes::copy_from_slice(&[value]);
                    let change = match state.get(&key) {
                        None => Change::Create { key: Key::new(&key), value: value_bytes },
                        Some((_, modified)) => Change::Update {
                            key: Key::new(&key), value: value_bytes, expected: Revision(*modified),
                        },
                    };
                    index.apply(&change).unwrap();
                    state.insert(key, (value, next));
                    model.states.push(state);
                }
                Step::Delete(key) => {
                    let key = format!("k{key}");
                    let expected = state.remove(&key).map(|(_, modified)| Revision(modified));
                    let change = Change::Delete {
                        key: Key::new(&key), expected: expected.unwrap_or(Revision(7)),
                    };
                    prop_assert_eq!(index.apply(&change).is_ok(), expected.is_some());
                    if expected.is_some() {
                        model.states.push(state);
                    }
                }
                Step::Compact(up_to) => {
                    let up_to = Revision(u64::from(up_to));
                    prop_assert_eq!(index.compact(up_to).is_ok(), up_to <= index.revision());
                }
            }
            prop_assert_eq!(index.revision(), Revision(model.states.len() as u64));
        }
        for (at, state) in model.states.iter().enumerate() {
            let revision = Revision(at as u64 + 1);
            let read = index.range("", At::Exact(revision), &Page::default());
            if revision < index.compacted() {
                prop_assert!(read.is_err());
                continue;
            }
            let read: Vec<_> = read.unwrap().value.into_iter()
                .map(|kv| (kv.key.as_str().to_owned(), (kv.value[0], kv.modified.0))).collect();
            let expected: Vec<_> = state.clone().into_iter().collect();
            prop_assert_eq!(read, expected);
        }
        let events = index.events_after("", index.compacted()).unwrap();
        let revisions: Vec<_> = events.iter().map(|event| event.revision().0).collect();
        let expected: Vec<_> = (index.compacted().0 + 1..=index.revision().0).collect();
        prop_assert_eq!(revisions, expected);
        prop_assert_eq!(index.keys(), model.states.last().unwrap().len());
        prop_assert_eq!(index.bytes(), model.bytes_after(index.compacted()));
    }
}

//! The state against a model that remembers everything.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

type Number = Arc<Entry<u64>>;

fn entry(key: u8, revision: u64) -> Number {
    let key = Key::new(&format!("/{key}"));
    Arc::new(Entry { key, modified: Revision(revision), bytes: 1, object: revision })
}

/// Puts (true) and deletions of keys, each after revisions that went elsewhere.
fn steps() -> impl Strategy<Value = Vec<(u8, bool, u64)>> {
    proptest::collection::vec((0..5u8, proptest::bool::weighted(0.7), 1..4u64), 1..40)
}

/// What lists of the past show: keys and the revisions of their last changes.
fn shown<'a>(entries: impl IntoIterator<Item = &'a Number>) -> Vec<(String, u64)> {
    let show = |entry: &Number| (entry.key.as_str().to_owned(), entry.object);
    entries.into_iter().map(show).collect()
}

fn past(state: &mut State<u64>, revision: Revision) -> Option<Vec<(String, u64)>> {
    match state.past(revision) {
        Past::Known(entries) => Some(shown(&*entries)),
        Past::Made(rollback) => {
            let list = rollback.list();
            let entries = shown(&*list.entries);
            state.keep(list);
            Some(entries)
        }
        Past::Forgotten => None,
    }
}

proptest! {
    #[test]
    fn every_state_of_the_past_is_as_it_was_then(
        steps in steps(),
        asked in proptest::collection::vec(any::<proptest::sample::Index>(), 0..30),
    ) {
        let mut state = State::new(vec![entry(0, 1)], Revision(1));
        let mut objects = BTreeMap::from([("/0".to_owned(), 1)]);
        // By revision; the first one is revision 1.
        let mut states = vec![objects.clone()];
        let mut asked = asked.into_iter();
        for (key, put, skipped) in steps {
            states.extend((1..skipped).map(|_| objects.clone()));
            let current = entry(key, states.len() as u64 + 1);
            let name = current.key.as_str().to_owned();
            let existed = objects.remove(&name).is_some();
            if put {
                objects.insert(name, current.object);
                state.apply(EventKind::Put, current, Revision(1));
            } else if existed {
                state.apply(EventKind::Delete, current, Revision(1));
            }
            states.push(objects.clone());
            // Some lists are asked for while they are new, so that old ones are at hand later.
            if let Some(asked) = asked.next() {
                let at = asked.index(states.len());
                let expected: Vec<_> = states[at].clone().into_iter().collect();
                prop_assert_eq!(past(&mut state, Revision(at as u64 + 1)), Some(expected));
            }
        }
        for (at, expected) in states.iter().enumerate() {
            let expected: Vec<_> = expected.clone().into_iter().collect();
            prop_assert_eq!(past(&mut state, Revision(at as u64 + 1)), Some(expected));
        }
        prop_assert!(past(&mut state, Revision(0)).is_none());
        prop_assert_eq!(state.size(), (objects.len(), objects.len() as u64));
    }

    #[test]
    fn a_state_and_what_follows_it_is_the_state_later(steps in steps(), start in 0..40usize) {
        let mut state = State::new(vec![entry(0, 1)], Revision(1));
        let mut revision = 1;
        let mut watches = Vec::new();
        for (at, (key, put, skipped)) in steps.into_iter().enumerate() {
            if at == start {
                watches.push(state.subscribe_with_state(Revision(revision)));
                watches.push(state.subscribe(Revision(1), Revision(revision)).unwrap());
            }
            revision += skipped;
            let current = entry(key, revision);
            let kind = if put { EventKind::Put } else { EventKind::Delete };
            if put || state.get(current.key.as_str()).is_some() {
                state.apply(kind, current, Revision(1));
            }
        }
        for mut watch in watches {
            let initial = match &watch.initial {
                Some(list) => shown(&*list.entries),
                None => vec![("/0".to_owned(), 1)],
            };
            let mut objects: BTreeMap<_, _> = initial.into_iter().collect();
            let live = std::iter::from_fn(|| watch.events.try_recv().ok());
            for event in watch.backlog.into_iter().chain(live) {
                let key = event.current.key.as_str().to_owned();
                let previous = event.previous.as_ref().map(|previous| previous.object);
                prop_assert_eq!(objects.remove(&key), previous);
                if event.kind == EventKind::Put {
                    objects.insert(key, event.current.object);
                }
            }
            let now = state.list(Revision(revision));
            prop_assert_eq!(objects.into_iter().collect::<Vec<_>>(), shown(&*now.entries));
        }
    }
}

#[test]
fn old_changes_make_room_and_young_ones_stay_up_to_a_bound() {
    let mut state = State::new(Vec::new(), Revision(1));
    let kept = HISTORY_EVENTS_KEPT as u64;
    let most = HISTORY_EVENTS_MAX as u64;
    for revision in 2..2 + kept + 10 {
        state.apply(EventKind::Put, entry(0, revision), Revision(revision));
    }
    assert_eq!(state.oldest, Revision(11), "ten are more than are kept of old ones");
    for revision in state.newest.0 + 1..12 + most {
        state.apply(EventKind::Put, entry(0, revision), Revision(11));
    }
    assert_eq!((state.oldest, state.history.len() as u64), (Revision(11), most));
    state.apply(EventKind::Put, entry(0, 12 + most), Revision(11));
    assert_eq!((state.oldest, state.history.len() as u64), (Revision(12), most));
    let error = state.subscribe(Revision(11), state.newest).unwrap_err();
    assert_eq!(error, ReadError::TooOld { requested: Revision(11), oldest: Revision(12) });
    assert!(matches!(state.past(Revision(11)), Past::Forgotten));
    assert!(matches!(state.past(Revision(12)), Past::Made(_)));
}

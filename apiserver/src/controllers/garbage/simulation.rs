//! The collector's decisions against a model of a cluster, in which everything happens at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::graph::{Graph, Job, Node, Owner, Phase, Place, Task, Uid};
use super::verdict::{Defendant, OwnerState, Verdict, judge};
use crate::handlers::Propagation;

/// More steps than any of these clusters needs.
const STEPS_MAX: usize = 10_000;

#[derive(Default)]
struct Cluster {
    objects: BTreeMap<Uid, Node>,
    graph: Graph,
}

fn uid(name: &str) -> Uid {
    name.into()
}

impl Cluster {
    fn add(&mut self, name: &str, owners: &[(&str, bool)]) {
        let place =
            Place { prefix: "/k/".into(), namespace: "n".to_owned(), name: name.to_owned() };
        let owners =
            owners.iter().map(|(owner, blocks)| Owner { uid: uid(owner), blocks: *blocks });
        let node = Node { place, owners: owners.collect(), phase: Phase::Live };
        self.put(&uid(name), node);
    }

    fn put(&mut self, uid: &Uid, node: Node) {
        self.objects.insert(Arc::clone(uid), node.clone());
        self.graph.observe(uid, node);
    }

    fn delete(&mut self, uid: &Uid, propagation: Propagation) {
        let Some(node) = self.objects.get(uid) else { return };
        let phase = match propagation {
            Propagation::Background => return self.remove(&Arc::clone(uid)),
            Propagation::Foreground => Phase::Foreground,
            Propagation::Orphan => Phase::Orphaning,
        };
        if node.phase == Phase::Live {
            self.put(&Arc::clone(uid), Node { phase, ..node.clone() });
        }
    }

    fn remove(&mut self, uid: &Uid) {
        self.objects.remove(uid);
        self.graph.forget(uid);
    }

    fn change_owners(&mut self, uid: &Uid, change: impl Fn(&mut Vec<Owner>)) {
        if let Some(mut node) = self.objects.get(uid).cloned() {
            change(&mut node.owners);
            self.put(uid, node);
        }
    }

    /// Does all there is to do; how many steps it took.
    fn settle(&mut self) -> usize {
        let mut steps = 0;
        while let Some((task, job)) = self.graph.next(&BTreeSet::new()) {
            self.perform(&task, job);
            steps += 1;
            assert!(steps < STEPS_MAX, "it never ends");
        }
        steps
    }

    fn perform(&mut self, task: &Task, job: Job) {
        let (Task::Check(uid) | Task::Finish(uid) | Task::Orphan(uid)) = task;
        match job {
            Job::Finish { .. } => self.remove(uid),
            Job::Orphan { dependents, .. } => {
                for (dependent, _) in dependents {
                    self.change_owners(&dependent, |owners| owners.retain(|o| o.uid != *uid));
                }
                self.remove(uid);
            }
            Job::Check { dependents, .. } => {
                let Some(node) = self.objects.get(uid) else { return };
                let owners: Vec<_> = node
                    .owners
                    .iter()
                    .map(|owner| (Arc::clone(&owner.uid), self.state(&owner.uid)))
                    .collect();
                let is_going = node.phase != Phase::Live;
                let says = Propagation::Background;
                match judge(Defendant { is_going, says, dependents }, &owners) {
                    Verdict::Keep | Verdict::LookAgain => {}
                    Verdict::Release(gone) => {
                        self.change_owners(uid, |owners| owners.retain(|o| !gone.contains(&o.uid)));
                    }
                    Verdict::Delete(propagation) => self.delete(uid, propagation),
                    Verdict::BreakCircle => {
                        self.change_owners(uid, |owners| {
                            owners.iter_mut().for_each(|owner| owner.blocks = false);
                        });
                        self.delete(uid, Propagation::Foreground);
                    }
                }
            }
        }
    }

    fn state(&self, uid: &Uid) -> OwnerState {
        match self.objects.get(uid).map(|node| node.phase) {
            None => OwnerState::Absent,
            Some(Phase::Foreground) => OwnerState::Waiting,
            Some(_) => OwnerState::Solid,
        }
    }

    fn names(&self) -> Vec<&str> {
        self.objects.keys().map(|uid| &**uid).collect()
    }
}

#[test]
fn dependents_go_after_an_owner_that_went() {
    let mut cluster = Cluster::default();
    cluster.add("owner", &[]);
    cluster.add("child", &[("owner", false)]);
    cluster.add("grandchild", &[("child", true)]);
    cluster.add("other", &[]);
    assert!(cluster.settle() > 0);
    assert_eq!(cluster.names().len(), 4);
    cluster.delete(&uid("owner"), Propagation::Background);
    cluster.settle();
    assert_eq!(cluster.names(), ["other"]);
}

#[test]
fn in_the_foreground_the_owner_goes_last() {
    let mut cluster = Cluster::default();
    cluster.add("owner", &[]);
    cluster.add("child", &[("owner", true)]);
    cluster.settle();
    cluster.objects.get_mut(&uid("child")).unwrap().phase = Phase::Going;
    let going = cluster.objects[&uid("child")].clone();
    cluster.put(&uid("child"), going);
    cluster.delete(&uid("owner"), Propagation::Foreground);
    cluster.settle();
    assert_eq!(cluster.names(), ["child", "owner"], "it waits for the child to end");
    cluster.remove(&uid("child"));
    cluster.settle();
    assert_eq!(cluster.names(), [""; 0]);
}

#[test]
fn orphans_stay_and_lose_the_reference() {
    let mut cluster = Cluster::default();
    cluster.add("owner", &[]);
    cluster.add("child", &[("owner", true)]);
    cluster.delete(&uid("owner"), Propagation::Orphan);
    cluster.settle();
    assert_eq!(cluster.names(), ["child"]);
    assert!(cluster.objects[&uid("child")].owners.is_empty());
}

#[test]
fn a_circle_does_not_hold_itself() {
    let mut cluster = Cluster::default();
    cluster.add("a", &[("c", true)]);
    cluster.add("b", &[("a", true)]);
    cluster.add("c", &[("b", true)]);
    cluster.settle();
    assert_eq!(cluster.names().len(), 3, "a circle that nobody deletes stays");
    cluster.delete(&uid("a"), Propagation::Foreground);
    cluster.settle();
    assert_eq!(cluster.names(), [""; 0]);
}

#[test]
fn a_circle_that_was_all_deleted_at_once_does_not_hold_itself_either() {
    let mut cluster = Cluster::default();
    cluster.add("a", &[("b", true), ("a", true)]);
    cluster.add("b", &[("a", true)]);
    for name in ["a", "b"] {
        cluster.delete(&uid(name), Propagation::Foreground);
    }
    cluster.settle();
    assert_eq!(cluster.names(), [""; 0]);
}

#[test]
fn who_has_another_owner_loses_only_the_reference() {
    let mut cluster = Cluster::default();
    cluster.add("waits", &[]);
    cluster.add("stays", &[]);
    cluster.add("child", &[("waits", true), ("stays", true)]);
    cluster.delete(&uid("waits"), Propagation::Foreground);
    cluster.settle();
    assert_eq!(cluster.names(), ["child", "stays"]);
    assert_eq!(cluster.objects[&uid("child")].owners.len(), 1);
}

#[test]
fn what_was_missed_while_a_watch_was_down_is_made_up_for() {
    let mut cluster = Cluster::default();
    cluster.add("owner", &[]);
    cluster.add("child", &[("owner", false)]);
    cluster.settle();
    let child = cluster.objects[&uid("child")].clone();
    cluster.objects.remove(&uid("owner"));
    cluster.graph.replace("/k/", vec![(uid("child"), child)]);
    cluster.settle();
    assert_eq!(cluster.names(), [""; 0]);
}

#[test]
fn owners_that_were_never_seen_are_known_to_be_so() {
    let mut cluster = Cluster::default();
    cluster.add("child", &[("owner", false)]);
    assert!(cluster.graph.has_unseen_owner(&uid("child")));
    cluster.add("owner", &[]);
    assert!(!cluster.graph.has_unseen_owner(&uid("child")));
    assert!(!cluster.graph.has_unseen_owner(&uid("nobody")));
}

#[test]
fn a_task_under_way_is_not_begun_again() {
    let mut cluster = Cluster::default();
    cluster.add("child", &[("owner", false)]);
    let (task, _) = cluster.graph.next(&BTreeSet::new()).unwrap();
    cluster.graph.put_back(task.clone());
    assert_eq!(cluster.graph.next(&BTreeSet::from([task.clone()])), None);
    assert!(cluster.graph.next(&BTreeSet::new()).is_some());
}

fn propagation() -> impl Strategy<Value = Propagation> {
    prop_oneof![
        Just(Propagation::Background),
        Just(Propagation::Foreground),
        Just(Propagation::Orphan)
    ]
}

proptest! {
    #[test]
    fn it_ends_and_nothing_is_left_that_waits_or_lost_its_owners(
        references in prop::collection::vec((0..12_u8, 0..14_u8, any::<bool>()), 0..30),
        deletions in prop::collection::vec((0..12_u8, propagation(), any::<bool>()), 0..8),
    ) {
        let mut cluster = Cluster::default();
        for object in 0..12_u8 {
            let owners = references.iter().filter(|(of, _, _)| *of == object);
            let owners: Vec<_> = owners.map(|(_, to, blocks)| (to.to_string(), *blocks)).collect();
            let owners: Vec<_> = owners.iter().map(|(to, blocks)| (to.as_str(), *blocks)).collect();
            cluster.add(&object.to_string(), &owners);
        }
        for (object, propagation, settle) in deletions {
            if settle {
                cluster.settle();
            }
            cluster.delete(&uid(&object.to_string()), propagation);
        }
        cluster.settle();
        for (name, node) in &cluster.objects {
            prop_assert_eq!(node.phase, Phase::Live, "{} waits for ever", name);
            for owner in &node.owners {
                prop_assert_eq!(cluster.state(&owner.uid), OwnerState::Solid, "{}", name);
            }
        }
    }

    #[test]
    fn nothing_goes_whose_owners_all_stay(
        references in prop::collection::vec((0..10_u8, 0..10_u8), 0..20),
        deleted in 0..10_u8,
        propagation in propagation(),
    ) {
        let mut cluster = Cluster::default();
        for object in 0..10_u8 {
            // Owners are older, so that there are no circles.
            let owners = references.iter().filter(|(of, to)| *of == object && to < of);
            let owners: Vec<_> = owners.map(|(_, to)| to.to_string()).collect();
            let owners: Vec<_> = owners.iter().map(|to| (to.as_str(), true)).collect();
            cluster.add(&object.to_string(), &owners);
        }
        let before = cluster.objects.clone();
        cluster.delete(&uid(&deleted.to_string()), propagation);
        cluster.settle();
        for (name, node) in before {
            let gone = !cluster.objects.contains_key(&name);
            let lost_all = !node.owners.is_empty()
                && node.owners.iter().all(|owner| !cluster.objects.contains_key(&owner.uid));
            let asked = *name == *deleted.to_string();
            let expected = asked || (lost_all && propagation != Propagation::Orphan);
            prop_assert_eq!(gone, expected, "{}", name);
        }
    }
}

//! Who belongs to whom, and what there is to do about it. Pure: it is told what happens to objects,
//! and hands out jobs. There is at most one job of a kind for each object, so that there are never
//! more than a few times as many as there are objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An object's uid.
pub(super) type Uid = Arc<str>;

/// Where an object is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// What the keys of its kind begin with.
    pub(super) prefix: Arc<str>,
    /// Empty for objects of the whole cluster.
    pub(super) namespace: String,
    pub(super) name: String,
}

/// An owner as its dependent names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) uid: Uid,
    /// Whether the owner's foreground deletion waits for the dependent.
    pub(super) blocks: bool,
}

/// How far the deletion of an object has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nobody asked for it.
    Live,
    /// It waits for others than the collector.
    Going,
    /// It waits until its dependents are gone.
    Foreground,
    /// It waits until its dependents are let go.
    Orphaning,
}

/// An object as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) owners: Vec<Owner>,
    pub(super) phase: Phase,
}

/// What is to be done with an object; what others wait for comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Let its dependents go.
    Orphan(Uid),
    /// See whether its dependents are gone.
    Finish(Uid),
    /// See whether its owners are still there.
    Check(Uid),
}

/// So many objects are looked at to find out whether some that are being deleted wait for each
/// other in a circle.
const CIRCLE_MAX: usize = 1_000;

/// A task, and what the graph knows about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Job {
    /// See whether the owners are still there, and judge by [`super::verdict::judge`].
    Check { place: Place, dependents: Dependents },
    /// Nothing is waited for any more: take off the finalizer.
    Finish { place: Place },
    /// Take the owner off each dependent, then take off the finalizer.
    Orphan { place: Place, dependents: Vec<(Uid, Place)> },
}

/// What there is below an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dependents {
    None,
    Some,
    /// Some, of which one waits for its own dependents: it may be a circle.
    Waiting,
}

/// The objects, and the tasks about them.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: BTreeMap<Uid, Node>,
    /// By the owner's uid, be it there or not.
    dependents: BTreeMap<Uid, BTreeSet<Uid>>,
    tasks: BTreeSet<Task>,
}

impl Graph {
    /// An object is there, as it is now.
    pub(super) fn observe(&mut self, uid: &Uid, node: Node) {
        let old = self.nodes.remove(uid);
        let old_owners = old.as_ref().map(|old| old.owners.as_slice()).unwrap_or_default();
        let old_phase = old.as_ref().map_or(Phase::Live, |old| old.phase);
        if old_owners != node.owners.as_slice() {
            self.unlink(uid, old_owners);
            self.link(uid, &node.owners);
            if !node.owners.is_empty() {
                self.tasks.insert(Task::Check(Arc::clone(uid)));
            }
        }
        let owners = old_owners.iter().chain(&node.owners);
        let owners: Vec<Uid> = owners.map(|owner| Arc::clone(&owner.uid)).collect();
        let phase = node.phase;
        self.nodes.insert(Arc::clone(uid), node);
        if old_phase != phase {
            self.enter(uid, phase);
        }
        owners.iter().for_each(|owner| self.look_at_owner(owner));
    }

    /// An object is gone.
    pub(super) fn forget(&mut self, uid: &Uid) {
        let Some(node) = self.nodes.remove(uid) else { return };
        self.unlink(uid, &node.owners);
        self.check_dependents(uid);
        node.owners.iter().for_each(|owner| self.look_at_owner(&owner.uid));
    }

    /// All objects of a kind, after it is unknown what happened to them.
    pub(super) fn replace(&mut self, prefix: &str, objects: Vec<(Uid, Node)>) {
        let there: BTreeSet<&Uid> = objects.iter().map(|(uid, _)| uid).collect();
        let of_kind = self.nodes.iter().filter(|(_, node)| &*node.place.prefix == prefix);
        let gone = of_kind.filter(|(uid, _)| !there.contains(uid)).map(|(uid, _)| Arc::clone(uid));
        let gone: Vec<Uid> = gone.collect();
        gone.iter().for_each(|uid| self.forget(uid));
        objects.into_iter().for_each(|(uid, node)| self.observe(&uid, node));
    }

    /// Something is to be done, again.
    pub(super) fn put_back(&mut self, task: Task) {
        self.tasks.insert(task);
    }

    /// What to do next, but for tasks that are under way.
    pub(super) fn next(&mut self, under_way: &BTreeSet<Task>) -> Option<(Task, Job)> {
        loop {
            let task = self.tasks.iter().find(|task| !under_way.contains(task))?.clone();
            self.tasks.remove(&task);
            if let Some(job) = self.job(&task) {
                return Some((task, job));
            }
        }
    }

    /// The namespace of the object with that uid, if there is one.
    pub(super) fn namespace_of(&self, uid: &str) -> Option<&str> {
        self.nodes.get(uid).map(|node| node.place.namespace.as_str())
    }

    /// Whether an object has an owner that was never seen: nobody will tell when that is gone.
    pub(super) fn has_unseen_owner(&self, uid: &Uid) -> bool {
        let owners = self.nodes.get(uid).map(|node| node.owners.as_slice()).unwrap_or_default();
        owners.iter().any(|owner| !self.nodes.contains_key(&owner.uid))
    }

    fn job(&mut self, task: &Task) -> Option<Job> {
        match task {
            Task::Check(uid) => {
                let place = self.nodes.get(uid)?.place.clone();
                Some(Job::Check { place, dependents: self.below(uid) })
            }
            Task::Finish(uid) => self.finish(uid),
            Task::Orphan(uid) => {
                let place = self.nodes.get(uid)?.place.clone();
                let dependents = self.dependents_of(uid);
                let dependents =
                    dependents.map(|(uid, node)| (Arc::clone(uid), node.place.clone())).collect();
                Some(Job::Orphan { place, dependents })
            }
        }
    }

    /// Those that an owner waits for are seen to; it is done if there are none.
    fn finish(&mut self, uid: &Uid) -> Option<Job> {
        let place =
            self.nodes.get(uid).filter(|node| node.phase == Phase::Foreground)?.place.clone();
        let blocks =
            |node: &Node| node.owners.iter().any(|owner| owner.uid == *uid && owner.blocks);
        let blocking = self.dependents_of(uid).filter(|(_, node)| blocks(node));
        let blocking = blocking.filter(|(dependent, _)| !self.waits_for(dependent, uid));
        let blocking: Vec<(Uid, Phase)> =
            blocking.map(|(uid, node)| (Arc::clone(uid), node.phase)).collect();
        if blocking.is_empty() {
            return Some(Job::Finish { place });
        }
        let idle = blocking.into_iter().filter(|(_, phase)| *phase == Phase::Live);
        self.tasks.extend(idle.map(|(uid, _)| Task::Check(uid)));
        None
    }

    /// Whether an object that waits for its dependents waits for `target` in the end. If both do
    /// so for each other, nobody but the collector can end it.
    fn waits_for(&self, uid: &Uid, target: &Uid) -> bool {
        let mut seen = BTreeSet::from([uid]);
        let mut next = vec![uid];
        while let Some(uid) = next.pop() {
            if uid == target {
                return true;
            }
            let waits =
                |uid: &Uid| self.nodes.get(uid).is_some_and(|node| node.phase == Phase::Foreground);
            if !waits(uid) || seen.len() > CIRCLE_MAX {
                continue;
            }
            let below = self.dependents_of(uid).map(|(uid, _)| uid).filter(|uid| waits(uid));
            next.extend(below.filter(|uid| seen.insert(uid)));
        }
        false
    }

    fn below(&self, uid: &Uid) -> Dependents {
        let mut found = Dependents::None;
        for (_, node) in self.dependents_of(uid) {
            if node.phase == Phase::Foreground {
                return Dependents::Waiting;
            }
            found = Dependents::Some;
        }
        found
    }

    fn dependents_of<'a>(
        &'a self,
        uid: &Uid,
    ) -> impl Iterator<Item = (&'a Uid, &'a Node)> + use<'a> {
        let uids = self.dependents.get(uid).into_iter().flatten();
        uids.filter_map(|uid| self.nodes.get_key_value(uid))
    }

    fn enter(&mut self, uid: &Uid, phase: Phase) {
        match phase {
            Phase::Live | Phase::Going => {}
            Phase::Orphaning => drop(self.tasks.insert(Task::Orphan(Arc::clone(uid)))),
            Phase::Foreground => {
                self.check_dependents(uid);
                self.tasks.insert(Task::Finish(Arc::clone(uid)));
            }
        }
    }

    fn check_dependents(&mut self, uid: &Uid) {
        let dependents = self.dependents.get(uid).into_iter().flatten();
        self.tasks.extend(dependents.map(|uid| Task::Check(Arc::clone(uid))));
    }

    /// An owner that waits for its dependents may be done when one of them changes.
    fn look_at_owner(&mut self, uid: &Uid) {
        if self.nodes.get(uid).is_some_and(|owner| owner.phase == Phase::Foreground) {
            self.tasks.insert(Task::Finish(Arc::clone(uid)));
        }
    }

    fn link(&mut self, uid: &Uid, owners: &[Owner]) {
        for owner in owners {
            self.dependents.entry(Arc::clone(&owner.uid)).or_default().insert(Arc::clone(uid));
        }
    }

    fn unlink(&mut self, uid: &Uid, owners: &[Owner]) {
        for owner in owners {
            let Some(dependents) = self.dependents.get_mut(&owner.uid) else { continue };
            dependents.remove(uid);
            if dependents.is_empty() {
                self.dependents.remove(&owner.uid);
            }
        }
    }
}

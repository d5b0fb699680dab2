//! The set itself: a tree of steps, in which each node may be a member.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Path, PathElement};

/// A set of paths. Owning a path does not mean owning what is below it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldSet {
    nodes: BTreeMap<PathElement, Node>,
}

/// What the set knows of a step: itself, paths below it, or both; never neither.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Node {
    member: bool,
    below: FieldSet,
}

impl FieldSet {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the set has no path.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many paths are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.values().map(|node| usize::from(node.member) + node.below.len()).sum()
    }

    /// Adds a path. The empty path, the object itself, is never in a set.
    pub fn insert(&mut self, path: &[PathElement]) {
        let Some((first, rest)) = path.split_first() else { return };
        let node = self.nodes.entry(first.clone()).or_default();
        if rest.is_empty() {
            node.member = true;
        } else {
            node.below.insert(rest);
        }
    }

    /// Whether the path itself is in the set.
    #[must_use]
    pub fn contains(&self, path: &[PathElement]) -> bool {
        match path {
            [] => false,
            [last] => self.has(last),
            [first, rest @ ..] => self.below(first).is_some_and(|below| below.contains(rest)),
        }
    }

    /// Whether the path of this one step is in the set.
    #[must_use]
    pub fn has(&self, element: &PathElement) -> bool {
        self.nodes.get(element).is_some_and(|node| node.member)
    }

    /// The paths that begin with this step, without it; `None` if there are none.
    #[must_use]
    pub fn below(&self, element: &PathElement) -> Option<&Self> {
        self.nodes.get(element).map(|node| &node.below).filter(|below| !below.is_empty())
    }

    /// The paths that are in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        union.extend_from(other);
        union
    }

    fn extend_from(&mut self, other: &Self) {
        for (element, node) in &other.nodes {
            match self.nodes.entry(element.clone()) {
                Entry::Vacant(place) => drop(place.insert(node.clone())),
                Entry::Occupied(mut place) => {
                    place.get_mut().member |= node.member;
                    place.get_mut().below.extend_from(&node.below);
                }
            }
        }
    }

    /// The paths that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.combined(|element, node| {
            let theirs = other.nodes.get(element)?;
            Some(Node {
                member: node.member && theirs.member,
                below: node.below.intersection(&theirs.below),
            })
        })
    }

    /// The paths that are not in the other set.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.combined(|element, node| {
            Some(match other.nodes.get(element) {
                None => node.clone(),
                Some(theirs) => Node {
                    member: node.member && !theirs.member,
                    below: node.below.difference(&theirs.below),
                },
            })
        })
    }

    /// The paths that are neither in the other set nor below one of its paths.
    #[must_use]
    pub fn recursive_difference(&self, other: &Self) -> Self {
        self.combined(|element, node| match other.nodes.get(element) {
            None => Some(node.clone()),
            Some(theirs) if theirs.member => None,
            Some(theirs) => Some(Node {
                member: node.member,
                below: node.below.recursive_difference(&theirs.below),
            }),
        })
    }

    /// All paths: at each level first the members, then what is below them.
    #[must_use]
    pub fn paths(&self) -> Vec<Path> {
        let mut paths = Vec::with_capacity(self.len());
        self.push_paths(&mut Vec::new(), &mut paths);
        paths
    }

    fn push_paths(&self, prefix: &mut Vec<PathElement>, paths: &mut Vec<Path>) {
        for (element, _) in self.nodes.iter().filter(|(_, node)| node.member) {
            prefix.push(element.clone());
            paths.push(Path(prefix.clone()));
            prefix.pop();
        }
        for (element, node) in &self.nodes {
            prefix.push(element.clone());
            node.below.push_paths(prefix, paths);
            prefix.pop();
        }
    }

    /// Each step with whether it is a member itself and what is below it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (&PathElement, bool, &Self)> {
        self.nodes.iter().map(|(element, node)| (element, node.member, &node.below))
    }

    /// Adds a step; one that is neither a member nor has paths below it is left out.
    pub(crate) fn add_step(&mut self, element: PathElement, member: bool, below: Self) {
        if member || !below.is_empty() {
            self.nodes.insert(element, Node { member, below });
        }
    }

    /// A set of the nodes that `combine` gives, without those that have become empty.
    fn combined(&self, combine: impl Fn(&PathElement, &Node) -> Option<Node>) -> Self {
        let mut set = Self::new();
        for (element, node) in &self.nodes {
            if let Some(Node { member, below }) = combine(element, node) {
                set.add_step(element.clone(), member, below);
            }
        }
        set
    }
}

impl FromIterator<Path> for FieldSet {
    fn from_iter<I: IntoIterator<Item = Path>>(paths: I) -> Self {
        let mut set = Self::new();
        for path in paths {
            set.insert(&path.0);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(paths: &[&str]) -> FieldSet {
        paths.iter().map(|path| Path::of_fields(&path.split('.').collect::<Vec<_>>())).collect()
    }

    #[test]
    fn sets_combine_path_by_path() {
        let left = set(&["a", "a.b", "a.c", "d"]);
        let right = set(&["a", "a.b", "d.e", "f"]);
        assert_eq!(left.union(&right), set(&["a", "a.b", "a.c", "d", "d.e", "f"]));
        assert_eq!(left.intersection(&right), set(&["a", "a.b"]));
        assert_eq!(left.difference(&right), set(&["a.c", "d"]));
        assert_eq!(right.difference(&left), set(&["d.e", "f"]));
        assert!(left.difference(&left).is_empty());
    }

    #[test]
    fn a_recursive_difference_takes_away_what_is_below() {
        let left = set(&["a", "a.b", "a.c.d", "e"]);
        assert_eq!(left.recursive_difference(&set(&["a"])), set(&["e"]));
        assert_eq!(left.recursive_difference(&set(&["a.c"])), set(&["a", "a.b", "e"]));
    }

    #[test]
    fn members_are_listed_before_what_is_below_them() {
        let paths: Vec<String> =
            set(&["a.b", "c", "a", "a.d.e"]).paths().iter().map(Path::to_string).collect();
        assert_eq!(paths, [".a", ".c", ".a.b", ".a.d.e"]);
    }

    #[test]
    fn owning_a_path_is_not_owning_what_is_above_or_below_it() {
        let set = set(&["a.b"]);
        let contains = |names: &[&str]| set.contains(&Path::of_fields(names).0);
        assert!(contains(&["a", "b"]));
        assert!(!contains(&["a"]) && !contains(&["a", "b", "c"]) && !contains(&[]));
        assert_eq!(set.len(), 1);
    }
}

//! The queues in which requests wait.

/// Ascending indexes of queues. Few at a time, and they come and go with every request: a plain
/// list needs no memory for that.
#[derive(Debug, Default)]
pub(super) struct Occupied(Vec<usize>);

impl Occupied {
    pub(super) fn insert(&mut self, index: usize) {
        if let Err(place) = self.0.binary_search(&index) {
            self.0.insert(place, index);
        }
    }

    pub(super) fn remove(&mut self, index: usize) {
        if let Ok(place) = self.0.binary_search(&index) {
            self.0.remove(place);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them once, beginning with the first that is not below `first`.
    pub(super) fn cycle_from(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        let place = self.0.partition_point(|index| *index < first);
        let (before, after) = self.0.split_at(place);
        after.iter().chain(before).copied()
    }

    /// A queue in which nobody waits is removed; those after it move down.
    pub(super) fn move_down_after(&mut self, removed: usize) {
        for index in self.0.iter_mut().filter(|index| **index > removed) {
            *index -= 1;
        }
    }

    #[cfg(test)]
    pub(super) fn contains(&self, index: usize) -> bool {
        self.0.binary_search(&index).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_meets_every_queue_once() {
        let mut occupied = Occupied::default();
        for index in [5, 1, 9, 5] {
            occupied.insert(index);
        }
        assert_eq!(occupied.cycle_from(2).collect::<Vec<_>>(), [5, 9, 1]);
        assert_eq!(occupied.cycle_from(0).collect::<Vec<_>>(), [1, 5, 9]);
        assert_eq!(occupied.cycle_from(10).collect::<Vec<_>>(), [1, 5, 9]);
        occupied.remove(5);
        occupied.move_down_after(3);
        assert_eq!(occupied.cycle_from(0).collect::<Vec<_>>(), [1, 8]);
        assert_eq!(occupied.len(), 2);
    }
}

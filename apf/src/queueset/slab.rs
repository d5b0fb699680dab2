//! Keeps values under keys that are never used again for another value.

/// Names a request of a queue set; it names nothing once the request is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId {
    slot: u32,
    generation: u32,
}

#[derive(Debug)]
pub(super) struct Slab<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

impl<T> Slab<T> {
    pub(super) const fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }

    pub(super) fn insert(&mut self, value: T) -> RequestId {
        if let Some(slot) = self.free.pop()
            && let Some(place) = self.slots.get_mut(slot as usize)
        {
            place.value = Some(value);
            return RequestId { slot, generation: place.generation };
        }
        let slot = self.slots.len() as u32;
        self.slots.push(Slot { generation: 0, value: Some(value) });
        RequestId { slot, generation: 0 }
    }

    pub(super) fn get(&self, id: RequestId) -> Option<&T> {
        let slot = self.slots.get(id.slot as usize)?;
        slot.value.as_ref().filter(|_| slot.generation == id.generation)
    }

    pub(super) fn get_mut(&mut self, id: RequestId) -> Option<&mut T> {
        let slot = self.slots.get_mut(id.slot as usize)?;
        slot.value.as_mut().filter(|_| slot.generation == id.generation)
    }

    pub(super) fn remove(&mut self, id: RequestId) -> Option<T> {
        let slot = self.slots.get_mut(id.slot as usize)?;
        if slot.generation != id.generation {
            return None;
        }
        let value = slot.value.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.slot);
        Some(value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| slot.value.as_ref())
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().filter_map(|slot| slot.value.as_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_nothing_once_its_value_is_gone() {
        let mut slab = Slab::new();
        let first = slab.insert('a');
        assert_eq!(slab.remove(first), Some('a'));
        let second = slab.insert('b');
        assert_eq!(slab.get(first), None);
        assert_eq!(slab.remove(first), None);
        assert_eq!(slab.get(second), Some(&'b'));
    }
}

//! A slab: entries that are known by small numbers instead of names.
//!
//! Invariant: an id means one entry until that is taken out; then it may mean another.

/// Which entry of a slab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SlabId(u32);

impl SlabId {
    pub(crate) const FIRST: Self = Self(0);
}

/// Entries with their ids.
#[derive(Debug, Clone)]
pub(crate) struct Slab<T> {
    entries: Vec<Option<T>>,
    free: Vec<SlabId>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    pub(crate) fn put(&mut self, entry: T) -> SlabId {
        if let Some(id) = self.free.pop() {
            self.entries[id.0 as usize] = Some(entry);
            return id;
        }
        let next =
            u32::try_from(self.entries.len()).expect("a network has fewer than 2^32 holders");
        if self.entries.len() == self.entries.capacity() {
            // There is a list for each network, and unused memory adds up.
            self.entries.reserve_exact(1 + self.entries.len() / 4);
        }
        self.entries.push(Some(entry));
        SlabId(next)
    }

    pub(crate) fn of(&self, id: SlabId) -> &T {
        self.entries[id.0 as usize].as_ref().expect("an id in use means something")
    }

    pub(crate) fn of_mut(&mut self, id: SlabId) -> &mut T {
        self.entries[id.0 as usize].as_mut().expect("an id in use means something")
    }

    pub(crate) fn take_out(&mut self, id: SlabId) -> Option<T> {
        let entry = self.entries[id.0 as usize].take();
        if entry.is_some() {
            self.free.push(id);
        }
        entry
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    pub(crate) fn all(&self) -> Vec<SlabId> {
        let numbers = (0_u32..).zip(&self.entries).filter(|(_, entry)| entry.is_some());
        numbers.map(|(number, _)| SlabId(number)).collect()
    }
}

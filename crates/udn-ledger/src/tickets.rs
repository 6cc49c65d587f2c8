//! Things that are known by small numbers instead of names.
//!
//! Invariant: a ticket means one thing until that thing is taken out; then it may mean another.

/// Where a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u32);

impl Ticket {
    pub(crate) const FIRST: Self = Self(0);
}

/// Things with their tickets.
#[derive(Debug, Clone)]
pub(crate) struct Tickets<T> {
    slots: Vec<Option<T>>,
    free: Vec<Ticket>,
}

impl<T> Default for Tickets<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Tickets<T> {
    pub(crate) fn put(&mut self, thing: T) -> Ticket {
        if let Some(ticket) = self.free.pop() {
            self.slots[ticket.0 as usize] = Some(thing);
            return ticket;
        }
        let next = u32::try_from(self.slots.len()).expect("a network has fewer than 2^32 holders");
        if self.slots.len() == self.slots.capacity() {
            // There is a list for each network, and room that waits is dear.
            self.slots.reserve_exact(1 + self.slots.len() / 4);
        }
        self.slots.push(Some(thing));
        Ticket(next)
    }

    pub(crate) fn of(&self, ticket: Ticket) -> &T {
        self.slots[ticket.0 as usize].as_ref().expect("a ticket in use means something")
    }

    pub(crate) fn of_mut(&mut self, ticket: Ticket) -> &mut T {
        self.slots[ticket.0 as usize].as_mut().expect("a ticket in use means something")
    }

    pub(crate) fn take_out(&mut self, ticket: Ticket) -> Option<T> {
        let thing = self.slots[ticket.0 as usize].take();
        if thing.is_some() {
            self.free.push(ticket);
        }
        thing
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(crate) fn all(&self) -> Vec<Ticket> {
        let numbers = (0_u32..).zip(&self.slots).filter(|(_, slot)| slot.is_some());
        numbers.map(|(number, _)| Ticket(number)).collect()
    }
}

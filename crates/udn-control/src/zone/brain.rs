//! What the driver asks of a brain, so that tests can put a wrong one in its place.
//!
//! Invariant: the only brain of the product is [`Zone`].

use ovsdb::Cache;
use udn_zone::{Drawing, Extent, Piece, Touched, WorkItem, Zone};

/// A zone's brain. Whatever may stumble over one object or one network goes through here.
pub trait ZoneBrain: Send + 'static {
    fn zone(&self) -> &Zone;

    fn zone_mut(&mut self) -> &mut Zone;

    /// Reads a piece again.
    fn renew(&mut self, piece: &Piece) -> Touched {
        self.zone_mut().renew(piece)
    }

    /// Draws a work item.
    fn draw(&mut self, item: &WorkItem, extent: &Extent, rows: &Cache) -> Drawing {
        self.zone_mut().draw(item, extent, rows)
    }
}

impl ZoneBrain for Zone {
    fn zone(&self) -> &Zone {
        self
    }

    fn zone_mut(&mut self) -> &mut Zone {
        self
    }
}

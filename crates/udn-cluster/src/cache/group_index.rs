//! Which work items meet at a place: under one name in OVN, on one VLAN.
//!
//! Invariant: a work item that joined a place several times is there until it left as often.

use std::collections::BTreeMap;
use std::ops::RangeFrom;

use udn_model::SmallMap;

use crate::work_item::WorkItem;

/// Work items by place.
#[derive(Debug)]
pub(crate) struct GroupIndex<Place>(BTreeMap<Place, SmallMap<WorkItem, usize>>);

impl<Place> Default for GroupIndex<Place> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Place: Ord> GroupIndex<Place> {
    pub(crate) fn join(&mut self, place: Place, item: WorkItem) {
        *self.0.entry(place).or_default().or_insert_with(item, || 0) += 1;
    }

    pub(crate) fn leave(&mut self, place: &Place, item: &WorkItem) {
        let Some(members) = self.0.get_mut(place) else { return };
        if let Some(times) = members.get_mut(item) {
            *times -= 1;
            if *times == 0 {
                members.remove(item);
            }
        }
        if members.is_empty() {
            self.0.remove(place);
        }
    }

    /// Those at a place, in order.
    pub(crate) fn at<'a>(
        &'a self,
        place: &Place,
    ) -> impl Iterator<Item = &'a WorkItem> + use<'a, Place> {
        self.0.get(place).into_iter().flat_map(SmallMap::keys)
    }

    /// Those at all places from one on, each with its place.
    pub(crate) fn from(
        &self,
        places: RangeFrom<Place>,
    ) -> impl Iterator<Item = (&Place, &WorkItem)> {
        let group_indexes = self.0.range(places);
        group_indexes.flat_map(|(place, members)| members.keys().map(move |it| (place, it)))
    }
}

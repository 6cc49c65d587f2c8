//! Which affairs meet at a place: under one name in OVN, on one VLAN.
//!
//! Invariant: an affair that joined a place several times is there until it left as often.

use std::collections::BTreeMap;
use std::ops::RangeFrom;

use udn_model::FewMap;

use crate::affair::Affair;

/// Affairs by place.
#[derive(Debug)]
pub(super) struct Crowd<Place>(BTreeMap<Place, FewMap<Affair, usize>>);

impl<Place> Default for Crowd<Place> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Place: Ord> Crowd<Place> {
    pub(super) fn join(&mut self, place: Place, affair: Affair) {
        *self.0.entry(place).or_default().or_insert_with(affair, || 0) += 1;
    }

    pub(super) fn leave(&mut self, place: &Place, affair: &Affair) {
        let Some(members) = self.0.get_mut(place) else { return };
        if let Some(times) = members.get_mut(affair) {
            *times -= 1;
            if *times == 0 {
                members.remove(affair);
            }
        }
        if members.is_empty() {
            self.0.remove(place);
        }
    }

    /// Those at a place, in order.
    pub(super) fn at<'a>(
        &'a self,
        place: &Place,
    ) -> impl Iterator<Item = &'a Affair> + use<'a, Place> {
        self.0.get(place).into_iter().flat_map(FewMap::keys)
    }

    /// Those at all places from one on, each with its place.
    pub(super) fn from(&self, places: RangeFrom<Place>) -> impl Iterator<Item = (&Place, &Affair)> {
        let crowds = self.0.range(places);
        crowds.flat_map(|(place, members)| members.keys().map(move |it| (place, it)))
    }
}

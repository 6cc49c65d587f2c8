//! What stands of the chains that isolate pods, their rules and sets.
//!
//! Reads the kernel's answers; returns an [`IsolationSeen`].
//! Invariant: what the kernel tells besides what was sent makes no difference.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use udn_host::isolation::{AddressSet, Element, IsolationSeen, KubeletGroup, Sets};

use super::messages::{Chain, TABLE, chain_shape, element, expressions, set_shape};
use crate::kernel::netlink::{Attributes, attribute, attributes, holds};
use crate::kernel::nftables::{self, GET_CHAIN, GET_ELEMENTS, GET_RULE, GET_SET, GET_TABLE, INET};

/// Of a table's flags: it does nothing.
const DORMANT: u32 = 1;

/// The objects that bear our names, as the kernel tells them.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// How many objects its table has.
    in_table: u32,
    pub(super) is_dormant: bool,
    pub(super) chains: BTreeMap<Chain, Vec<u8>>,
    pub(super) sets: BTreeMap<AddressSet, Vec<u8>>,
}

/// Looks for objects with our names; `None` if there are none.
pub(super) fn find() -> io::Result<Option<Found>> {
    let table = || Attributes::default().text(1, TABLE);
    let Some(told) = nftables::find(INET, GET_TABLE, table())? else { return Ok(None) };
    let number = |kind| {
        let value = attribute(&told, kind).and_then(|it| it.first_chunk());
        value.map_or(0, |it| u32::from_be_bytes(*it))
    };
    let mut chains = BTreeMap::new();
    for chain in Chain::ALL {
        let told = nftables::find(INET, GET_CHAIN, table().text(3, chain.name()))?;
        chains.extend(told.map(|told| (chain, told)));
    }
    let mut sets = BTreeMap::new();
    for set in AddressSet::ALL {
        let told = nftables::find(INET, GET_SET, table().text(2, set.name()))?;
        sets.extend(told.map(|told| (set, told)));
    }
    let is_ours = !chains.is_empty() || !sets.is_empty();
    let found = Found { in_table: number(3), is_dormant: number(2) & DORMANT != 0, chains, sets };
    Ok(is_ours.then_some(found))
}

impl Found {
    /// Whether nobody else has something in the table.
    pub(super) fn is_alone(&self) -> bool {
        let ours = self.sets.len() + self.chains.len();
        usize::try_from(self.in_table).is_ok_and(|it| it == ours)
    }

    /// What stands, next to what is planned for the kubelet.
    pub(super) fn read(&self, kubelet: Option<KubeletGroup>) -> io::Result<IsolationSeen> {
        let mut sets = Sets::new();
        for set in self.sets.keys() {
            sets.insert(*set, elements(*set)?);
        }
        let is_chain = |chain: Chain| {
            self.chains.get(&chain).is_some_and(|told| holds(told, &chain_shape(chain)))
        };
        let is_set =
            |set: AddressSet| self.sets.get(&set).is_some_and(|told| holds(told, &set_shape(set)));
        let are_chains = Chain::ALL.into_iter().all(is_chain);
        let is_framed = are_chains && AddressSet::ALL.into_iter().all(is_set);
        let mut is_ruled = are_chains;
        for chain in Chain::ALL {
            is_ruled = is_ruled && are_rules(chain, &expressions(chain, kubelet))?;
        }
        Ok(IsolationSeen { is_framed, is_ruled, sets })
    }
}

fn elements(set: AddressSet) -> io::Result<BTreeSet<Element>> {
    let asked = Attributes::default().text(1, TABLE).text(2, set.name());
    let take = |told: &[u8]| Some(of_list(attribute(told, 3)?));
    let lists: Vec<Vec<Element>> = nftables::all(INET, GET_ELEMENTS, asked, take)?;
    Ok(lists.into_iter().flatten().collect())
}

/// The elements in a list, of which a message holds some.
pub(super) fn of_list(list: &[u8]) -> Vec<Element> {
    let key = |told| attribute(attribute(told, 1)?, 1).and_then(element);
    attributes(list, 1).filter_map(key).collect()
}

fn are_rules(chain: Chain, wanted: &[Attributes]) -> io::Result<bool> {
    let asked = Attributes::default().text(1, TABLE).text(2, chain.name());
    let take = |told: &[u8]| Some(attribute(told, 4)?.to_vec());
    let standing: Vec<Vec<u8>> = nftables::all(INET, GET_RULE, asked, take)?;
    let is_it = |(told, wanted): (&Vec<u8>, &Attributes)| holds(told, wanted);
    Ok(standing.len() == wanted.len() && standing.iter().zip(wanted).all(is_it))
}

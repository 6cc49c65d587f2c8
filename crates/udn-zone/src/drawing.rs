//! Draws a work item.
//!
//! Invariant: whatever stands in the name of a network and is not drawn any more has an empty sheet.

use std::collections::BTreeSet;

use ovn::{Owner, Sheet};
use ovsdb::Cache;
use udn_blueprint::names::Prefix;
use udn_blueprint::{draw, draw_southbound, owners, parts_of};
use udn_model::{Finding, Findings, Part, Subject, Told};

use crate::work::{Extent, WorkItem};
use crate::zone::Zone;

/// The sheets of a work item; what its parts lack is kept in the [`Zone`].
#[derive(Debug)]
pub struct Drawing {
    pub sheets: Vec<Sheet>,
}

impl Drawing {
    /// Whose rows are drawn.
    pub fn owners(&self) -> BTreeSet<Owner> {
        self.sheets.iter().map(|sheet| sheet.owner.clone()).collect()
    }
}

impl Zone {
    /// Draws as much of a work item as is asked for; `rows` are those of its database. Nothing is
    /// drawn, and nothing taken away, while the zone may not be touched at all.
    pub fn draw(&mut self, item: &WorkItem, extent: &Extent, rows: &Cache) -> Drawing {
        if self.refusal().is_some() {
            return Drawing { sheets: Vec::new() };
        }
        let sheets = match item {
            WorkItem::Shared => vec![draw(&Part::Zone, &self.input()).value],
            WorkItem::Southbound => vec![draw_southbound(&self.input())],
            WorkItem::Network(prefix) => match extent {
                Extent::Whole => self.draw_network(prefix, rows),
                Extent::Parts(parts) => {
                    parts.iter().map(|part| self.draw_part(prefix, part)).collect()
                }
            },
        };
        Drawing { sheets }
    }

    /// What a network lacks, as far as it was drawn.
    pub fn lacking(&self, prefix: &Prefix) -> impl Iterator<Item = &Finding> {
        self.lacking.get(prefix).into_iter().flat_map(|parts| parts.values().flatten())
    }

    /// What keeps a network from being whole here: the first finding about it, or about what the own node
    /// lacks for it. What another node or a pod lacks is told of those.
    pub(crate) fn shortfall(&self, prefix: &Prefix) -> Option<&Finding> {
        let network = self.names.get(prefix)?;
        let numbers = self.told.numbers.get(network);
        let own = [Subject::Network(network.clone()), Subject::Node(self.node.clone())];
        let is_own = |it: &&Finding| own.contains(&it.subject);
        numbers.or_else(|| self.lacking(prefix).find(is_own))
    }

    fn draw_network(&mut self, prefix: &Prefix, rows: &Cache) -> Vec<Sheet> {
        if self.is_foreign(prefix) {
            return Vec::new();
        }
        self.lacking.remove(prefix);
        let network = self.names.get(prefix).cloned();
        // What could not be read may well be there; whatever stands in its name stays until it is known.
        if network.is_none() && self.unread().any(|(it, _)| Prefix::of(&it) == *prefix) {
            return Vec::new();
        }
        let parts = network.map(|it| parts_of(&self.input(), &it)).unwrap_or_default();
        let mut sheets: Vec<Sheet> =
            parts.iter().map(|part| self.draw_part(prefix, part)).collect();
        let drawn: BTreeSet<Owner> = sheets.iter().map(|sheet| sheet.owner.clone()).collect();
        let left = owners::standing_of(rows, prefix).into_iter();
        sheets.extend(left.filter(|owner| !drawn.contains(owner)).map(Sheet::new));
        sheets
    }

    fn draw_part(&mut self, prefix: &Prefix, part: &Part) -> Sheet {
        let Told { value: sheet, findings } = draw(part, &self.input());
        self.note_lacking(prefix, part, findings);
        sheet
    }

    fn note_lacking(&mut self, prefix: &Prefix, part: &Part, findings: Findings) {
        if !findings.is_empty() {
            let of_network = self.lacking.entry(prefix.clone()).or_default();
            of_network.insert(part.clone(), findings);
        } else if let Some(of_network) = self.lacking.get_mut(prefix) {
            of_network.remove(part);
            if of_network.is_empty() {
                self.lacking.remove(prefix);
            }
        }
    }
}

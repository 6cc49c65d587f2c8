//! Plays a history to a zone that keeps its databases up to date, and compares it with fresh ones.

use std::collections::{BTreeMap, BTreeSet};

use ovn::audit::{Note, audit};
use ovn::{Owner, Plan, SimulatedDatabase};
use ovsdb::cache::{Change as RowChange, RowView, Table};
use udn_blueprint::{owners, shared_part, unreachable_nodes};
use udn_cluster::reconciler::Change;
use udn_cluster::{Write, translate};
use udn_ledger::accept;
use udn_model::{ClusterSettings, Findings, NodeName};
use udn_wire::Kind;
use udn_wire::object::AnyObject;
use udn_zone::{Extent, KINDS, Touched, WorkItem, Zone, disturbed};

use super::damage::{Damage, OF_OTHERS, inflict};
use super::drafts::Draft;
use super::server::{Belief, Entry, Server, decode};
use super::{Step, Tally};
use crate::driver::{Commit, Driver};
use crate::patch::patched;
use crate::rows::content::content_of;

/// A zone, and a server that it hears.
pub(crate) struct Player {
    server: Server,
    belief: Belief,
    settings: ClusterSettings,
    pub(crate) driver: Driver,
    /// What is touched and not committed.
    pending: Touched,
    pub(crate) tally: Tally,
}

fn own_node() -> NodeName {
    NodeName::new("n1")
}

impl Player {
    /// A zone that has committed everything of a cluster.
    pub(crate) fn new(settings: &ClusterSettings, opening: Vec<Draft>) -> Self {
        let mut server = Server::default();
        opening.into_iter().for_each(|draft| server.write(draft));
        let mut player = Self {
            server,
            belief: Belief::default(),
            settings: settings.clone(),
            driver: Driver::new(&own_node(), settings),
            pending: Touched::default(),
            tally: Tally::default(),
        };
        for kind in KINDS {
            player.list(kind, player.server.version());
        }
        player.pending.append(player.driver.everything());
        player.settle();
        player
    }

    pub(crate) fn play(&mut self, step: Step) {
        match step {
            Step::Write(draft, is_heard) => {
                self.server.write(draft);
                self.tell_last(is_heard);
            }
            Step::Delete(which, is_heard) => {
                let before = self.server.version();
                self.server.delete(|number| which.index(number));
                self.tell_last(is_heard && self.server.version() > before);
            }
            Step::Repeat(which) => {
                let entry = self.server.log[which.index(self.server.log.len())].clone();
                self.tell(&entry);
            }
            Step::List(kind, at) => {
                let version = self.server.version();
                let span = usize::try_from(version).expect("a short history");
                let at = at.map_or(version, |it| it.index(span) as u64 + 1);
                self.list(KINDS[kind.index(KINDS.len())], at);
            }
            Step::Damage(damage) => damage.iter().for_each(|it| self.damage(it)),
            Step::Restart => self.restart(),
        }
    }

    /// A zone that knows nothing comes to databases that stand.
    fn restart(&mut self) {
        self.driver.zone = Zone::new(own_node(), self.settings.clone().into());
        self.belief = Belief::default();
        self.pending = Touched::default();
        for kind in KINDS {
            self.list(kind, self.server.version());
        }
        self.pending.append(self.driver.everything());
        self.tally.restarts += 1;
    }

    fn tell_last(&mut self, is_heard: bool) {
        if let Some(entry) = self.server.log.last().filter(|_| is_heard).cloned() {
            self.tell(&entry);
        }
    }

    fn tell(&mut self, entry: &Entry) {
        self.belief.hear(entry);
        let Entry { version, target, object } = entry.clone();
        let change = match object {
            Some(object) => Change::Put(Box::new(decode(target.kind, object))),
            None => Change::Removed { target, version },
        };
        let touched = self.driver.hear([change]);
        self.tally.touched += usize::from(!touched.is_empty());
        self.pending.append(touched);
    }

    fn list(&mut self, kind: Kind, version: u64) {
        self.belief.hear_list(kind, &self.server.at(version), version);
        let objects = self.server.list(kind, version);
        self.pending.append(self.driver.hear([Change::Listed { kind, objects, version }]));
    }

    fn damage(&mut self, (damage, is_southbound): &(Damage, bool)) {
        let (database, item) = match is_southbound {
            true => (&mut self.driver.southbound, WorkItem::Southbound),
            false => (&mut self.driver.northbound, WorkItem::Shared),
        };
        let changes = inflict(database, damage);
        self.tally.damages += usize::from(!changes.is_empty());
        for owner in self.disturbed(&item, &changes) {
            let prefix = owners::prefix(&owner);
            self.pending.whole(prefix.map_or_else(|| item.clone(), WorkItem::Network));
        }
    }

    fn disturbed(&self, item: &WorkItem, changes: &[RowChange]) -> BTreeSet<Owner> {
        let database = match item {
            WorkItem::Southbound => &self.driver.southbound,
            WorkItem::Shared | WorkItem::Network(_) => &self.driver.northbound,
        };
        let all = changes.iter().flat_map(|it| disturbed(it, database.rows(), database.rules()));
        all.collect()
    }

    fn patch(&mut self, write: &Write) -> bool {
        let present = self.server.at(self.server.version());
        let object = present.get(&write.target).and_then(|it| patched(it, write));
        let object = object.map(|object| self.server.write(Draft { kind: Kind::Pod, object }));
        object.is_some()
    }

    /// Writes down what the zone granted, as a server takes it: what was written for another state
    /// of a pod is refused.
    fn publish(&mut self) {
        loop {
            let news = self.driver.zone.take_news();
            let all = self.driver.zone.writes();
            let writes: Vec<Write> = news.iter().filter_map(|it| all.get(it)).cloned().collect();
            if writes.is_empty() {
                return;
            }
            for write in writes {
                match self.patch(&write) {
                    true => {
                        self.tally.published += 1;
                        self.tell_last(true);
                    }
                    false => self.tally.conflicts += 1,
                }
            }
        }
    }

    /// Commits what is touched, unless the zone may not be. What cannot be done whole is tried again
    /// after the others, for as long as that helps.
    pub(crate) fn settle(&mut self) {
        self.publish();
        if self.driver.zone.refusal().is_some() {
            self.tally.refusals += 1;
            return;
        }
        let mut is_moving = true;
        while std::mem::take(&mut is_moving) {
            for (item, extent) in std::mem::take(&mut self.pending).0 {
                let plan = self.commit(&item, &extent);
                let freed = self.driver.renew();
                self.pending.append(freed);
                is_moving |= !plan.is_empty();
                if !plan.is_complete() {
                    self.pending.append(Touched([(item, extent)].into()));
                    self.tally.retries += 1;
                }
            }
            self.publish();
            is_moving |= !self.pending.is_empty() && self.driver.zone.writes().is_empty();
        }
    }

    /// Commits a work item, and looks at what else the transaction did.
    fn commit(&mut self, item: &WorkItem, extent: &Extent) -> Plan {
        let before: BTreeSet<Note> = self.notes().into_iter().collect();
        let Commit { owners, plan, changes } = self.driver.commit(item, extent);
        let new: Vec<Note> = self.notes().into_iter().filter(|it| !before.contains(it)).collect();
        assert!(new.is_empty(), "{item} left notes: {new:?}\n{plan}");
        let disturbed = self.disturbed(item, &changes);
        assert!(disturbed.is_subset(&owners), "{item} disturbed others: {disturbed:?}\n{plan}");
        self.tally.transactions += usize::from(!plan.is_empty());
        plan
    }

    /// What is wrong with the northbound database as a whole.
    fn notes(&self) -> Vec<Note> {
        let database = &self.driver.northbound;
        let mut notes = audit(database.rows(), database.rules(), None);
        // Logging metrics are made by whoever logs.
        notes.retain(|note| !note.to_string().contains("acl-logging"));
        notes
    }

    /// Compares everything with a zone that reads all objects at once, into empty databases.
    pub(crate) fn check(&mut self) {
        let mut fresh = self.fresh();
        let is_refused = fresh.zone.refusal().is_some();
        assert_eq!(self.driver.zone.refusal(), fresh.zone.refusal());
        assert_eq!(self.driver.zone.intent(), fresh.zone.intent());
        assert_eq!(self.driver.zone.grants(), fresh.zone.grants());
        fresh.commit_all(&fresh.everything());
        assert_eq!(told(&self.driver.zone.findings()), told(&fresh.zone.findings()));
        if is_refused {
            return;
        }
        assert_same(
            &content(&self.driver, &self.driver.northbound),
            &content(&fresh, &fresh.northbound),
        );
        assert_same(
            &content(&self.driver, &self.driver.southbound),
            &content(&fresh, &fresh.southbound),
        );
        let left: Vec<String> = self.driver.left_to_do().iter().map(ToString::to_string).collect();
        assert!(left.is_empty(), "left to do:\n{}", left.join("\n"));
        let notes = self.notes();
        assert!(notes.is_empty(), "{notes:?}");
        self.tally.checks += 1;
        self.tally.rows += fresh.northbound.rows().tables().map(Table::len).sum::<usize>();
        self.tally.granted += granted_here(&fresh.zone);
        self.tally.networks += fresh.zone.grants().networks.len();
        self.tally.findings += fresh.zone.findings().len();
    }

    /// A zone that hears of everything at once, and has drawn nothing.
    fn fresh(&self) -> Driver {
        let mut fresh = Driver::new(&own_node(), &self.settings);
        let mut lists = self.belief.lists();
        let version = self.server.version();
        let listed = |kind: Kind| {
            let objects: Vec<AnyObject> = lists.remove(&kind).unwrap_or_default();
            Change::Listed { kind, objects, version }
        };
        fresh.hear(KINDS.map(listed));
        // Reading everything in one piece gives the same.
        let translated = translate::zone_of(fresh.zone.world(), &own_node(), &self.settings);
        assert_eq!(*fresh.zone.intent(), translated.value);
        let accepted = accept(&translated.value, &self.settings);
        assert_eq!(*fresh.zone.grants(), accepted.value);
        let found =
            [translated.findings, accepted.findings, unreachable_nodes(&fresh.zone.input())];
        let found: BTreeSet<_> = found.concat().into_iter().collect();
        assert_eq!(told(&fresh.zone.findings()), told(&found.into_iter().collect()));
        fresh
    }
}

/// How many addresses stand that nodes give.
fn granted_here(zone: &Zone) -> usize {
    let networks = zone.intent().networks.values().filter(|it| it.layer3().is_some());
    let grants = networks.filter_map(|it| zone.grants().attachments.get(&it.name));
    grants.map(BTreeMap::len).sum()
}

fn told(findings: &Findings) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}

/// All rows but those of others, and what networks share only where they share it.
fn content(driver: &Driver, database: &SimulatedDatabase) -> Vec<String> {
    let shares = shared_part(&driver.zone.input()).is_some();
    let is_shared = |row: RowView<'_>| {
        let owner = database.rules().owner(row);
        *row.table.name == *"Meter_Band" || owner.is_some_and(|it| it.as_str() == "zone")
    };
    let is_others = |row: RowView<'_>| row.text("name").is_some_and(|it| it.starts_with(OF_OTHERS));
    content_of(database, &|row| (shares || !is_shared(row)) && !is_others(row))
}

fn assert_same(got: &[String], want: &[String]) {
    let lost = want.iter().filter(|row| !got.contains(row)).map(|row| format!("- {row}"));
    let surplus = got.iter().filter(|row| !want.contains(row)).map(|row| format!("+ {row}"));
    let lines: Vec<String> = lost.chain(surplus).collect();
    assert!(lines.is_empty() && got.len() == want.len(), "rows differ:\n{}", lines.join("\n"));
}

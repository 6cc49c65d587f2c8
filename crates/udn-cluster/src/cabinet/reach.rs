//! How far a change goes: the affairs for which it could make a difference.
//!
//! Reads a view of the cabinet, once as it was and once as it is; returns affairs.
//! Invariant: an affair that is not reached has the same network and the same findings as before.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::ObjectName;

use super::view::View;
use crate::affair::Affair;
use crate::translate::ovn_prefix;

mod pods;

/// What was reached so far.
///
/// Who takes a seat in a namespace takes it from somebody, who gives free the name of its NAD there,
/// and, if that was its last, its name in OVN, for somebody else who takes seats then. Such chains
/// are followed to their ends.
#[derive(Debug)]
pub(super) struct Reach<'a> {
    pub(super) view: View<'a>,
    pub(super) default_definition: &'a ObjectName,
    touched: BTreeSet<Affair>,
    /// Those whose siblings were looked at.
    met: BTreeSet<Affair>,
    /// Those all of whose places were looked at.
    spread: BTreeSet<Affair>,
    /// Those who were looked at in a namespace.
    seated: BTreeSet<(Arc<str>, Affair)>,
    /// The namespaces all of whose primary networks were looked at.
    contested: BTreeSet<Arc<str>>,
    /// The pods that were reached together with the claims that they name.
    pods: BTreeSet<ObjectName>,
    /// The claims all of whose pods were touched.
    circles: BTreeSet<ObjectName>,
    waiting: Vec<Affair>,
}

impl<'a> Reach<'a> {
    pub(super) fn new(view: View<'a>, default_definition: &'a ObjectName) -> Self {
        Self {
            view,
            default_definition,
            touched: BTreeSet::new(),
            met: BTreeSet::new(),
            spread: BTreeSet::new(),
            seated: BTreeSet::new(),
            contested: BTreeSet::new(),
            pods: BTreeSet::new(),
            circles: BTreeSet::new(),
            waiting: Vec::new(),
        }
    }

    /// Follows all chains to their ends.
    pub(super) fn finish(mut self) -> BTreeSet<Affair> {
        while let Some(affair) = self.waiting.pop() {
            if self.spread.insert(affair.clone()) {
                self.look_around(&affair);
            }
        }
        self.touched
    }

    /// The affair itself, and nobody else.
    pub(super) fn touch(&mut self, affair: &Affair) {
        if !self.touched.contains(affair) {
            self.touched.insert(affair.clone());
        }
    }

    /// A network that may be another one now, everywhere.
    pub(super) fn spread(&mut self, affair: &Affair) {
        if !self.spread.contains(affair) {
            self.waiting.push(affair.clone());
        }
    }

    /// A network that may have got or lost what it has in a namespace.
    pub(super) fn seat(&mut self, affair: &Affair, namespace: &str) {
        let namespace: Arc<str> = namespace.into();
        let mut next = vec![affair.clone()];
        while let Some(affair) = next.pop() {
            if !self.seated.insert((namespace.clone(), affair.clone())) {
                continue;
            }
            self.meet(&affair);
            next.extend(self.view.namesakes(&affair, &namespace));
            if self.view.is_primary(&affair) && self.contested.insert(namespace.clone()) {
                next.extend(self.view.primaries(&namespace));
            }
        }
    }

    /// Networks on the same segment hear of each other.
    pub(super) fn segments(&mut self, affair: &Affair) {
        for segment in self.view.segments(affair) {
            self.view.index.segments.at(segment).for_each(|it| self.touch(it));
        }
    }

    /// A namespace that came, went or changed its labels.
    pub(super) fn namespace(&mut self, name: &str) {
        self.view.residents(name).iter().for_each(|affair| self.meet(affair));
        if *self.default_definition.namespace == *name {
            self.touch(&Affair::DefaultDefinition);
        }
    }

    /// A NAD that came, went or says something else.
    pub(super) fn definition(&mut self, name: &ObjectName) {
        if name == self.default_definition {
            self.touch(&Affair::DefaultDefinition);
        }
        let card = self.view.index.definitions.get(name);
        let home = card.and_then(|it| it.home.as_ref());
        for namer in self.view.namers(name).iter().filter(|it| Some(*it) != home) {
            self.seat(namer, &name.namespace);
        }
        if let Some(home) = home {
            if self.decides(home, name) {
                self.spread(home);
                self.segments(home);
            } else {
                self.seat(home, &name.namespace);
            }
        }
        // A NAD of a primary network keeps others out, whosever it is and whatever it is worth.
        if card.is_some_and(|it| it.is_primary) {
            let primaries = self.view.primaries(&name.namespace);
            primaries.iter().for_each(|it| self.seat(it, &name.namespace));
        }
        // Its numbers are those of the network that it names, whosever that is.
        if let Some(network) = card.and_then(|it| it.network.as_ref()) {
            let named = self.view.index.prefixes.at(&ovn_prefix(network));
            named.filter(|it| Some(*it) != home).for_each(|it| self.spread(it));
        }
    }

    /// Everybody who tells of nodes.
    pub(super) fn all_manifests(&mut self) {
        self.view.index.manifests.keys().for_each(|it| self.touch(it));
    }

    /// Whether a NAD says more of its network than that it is there: its number, or what it is.
    fn decides(&self, home: &Affair, name: &ObjectName) -> bool {
        if matches!(home, Affair::Written(_)) {
            return true;
        }
        let is_first = self.view.definitions_of(home).next() == Some(name);
        let leader = self.view.leader(home);
        is_first || leader.is_none_or(|(leader, card)| leader == name || card.rank == u16::MAX)
    }

    fn meet(&mut self, affair: &Affair) {
        self.touch(affair);
        if self.met.insert(affair.clone()) {
            self.view.siblings(affair).into_iter().for_each(|it| self.spread(it));
        }
    }

    fn look_around(&mut self, affair: &Affair) {
        self.meet(affair);
        let places: BTreeSet<Arc<str>> = self.view.places(affair);
        places.iter().for_each(|place| self.seat(affair, place));
    }
}

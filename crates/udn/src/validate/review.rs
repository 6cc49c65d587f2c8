//! Looks at all objects together, as the cluster controller would.
//!
//! Reads a world of accepted objects, and the cluster's objects if there is a cluster; returns what
//! no server can tell.
//! Invariant: of objects that nobody gave, only what the given ones bring about is told.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use udn_cluster::{World, translate};
use udn_manifest::manifest::Step;
use udn_model::{
    ClusterSettings, Finding, Intent, Manifest, ObjectName, Origin as Maker, Reason, Subject,
};
use udn_wire::Kind;

use super::identity::Identity;
use super::judge::Judged;
use super::session::Origin;

/// A finding, and whose it is.
#[derive(Debug)]
pub(super) struct Reviewed {
    pub(super) identity: Identity,
    pub(super) judged: Judged,
}

/// Reviews the given objects.
pub(super) fn review(
    given: World,
    origins: &BTreeMap<Identity, Origin>,
    cluster: Option<&BTreeMap<Identity, Value>>,
    settings: &ClusterSettings,
) -> Vec<Reviewed> {
    let Some(cluster) = cluster else {
        let found = findings(&given, settings).into_iter();
        return found.filter_map(reviewed).collect();
    };
    let mut rest = World::default();
    let mut both = given;
    for (identity, object) in cluster {
        if !origins.contains_key(identity) {
            // What the cluster holds in another shape than ours is not the user's to mend.
            let _ = rest.insert(object);
            let _ = both.insert(object);
        }
    }
    let known: BTreeSet<Finding> = findings(&rest, settings).into_iter().collect();
    let found = findings(&both, settings).into_iter().filter(|it| !known.contains(it));
    found.filter_map(reviewed).collect()
}

/// What the cluster controller would find, in the words of the objects that people wrote.
fn findings(world: &World, settings: &ClusterSettings) -> BTreeSet<Finding> {
    let intent = translate::cluster(world, settings).value;
    let all = udn_cluster::review(world, settings).into_iter();
    // What waits for a node or a controller gets there by itself.
    all.filter(|it| it.reason != Reason::Waiting)
        .map(|it| Finding { subject: written(&intent, it.subject), ..it })
        .collect()
}

/// The object that a network comes from.
fn written(intent: &Intent, subject: Subject) -> Subject {
    let Subject::Network(name) = &subject else { return subject };
    let Some(network) = intent.networks.get(name) else { return subject };
    match (&network.origin, network.nads.first()) {
        (Maker::Manifest(manifest), _) => Subject::Manifest(manifest.clone()),
        (Maker::Nads, Some(nad)) => Subject::Nad(nad.clone()),
        (Maker::Nads, None) | (Maker::Settings, _) => subject,
    }
}

fn reviewed(finding: Finding) -> Option<Reviewed> {
    let identity = identity_of(&finding.subject)?;
    let steps = Step::parse_path(finding.path.as_deref().unwrap_or_default());
    let severity = finding.severity();
    let reason = finding.reason.as_str().to_owned();
    let mut judged = Judged::of_cluster(&identity, steps, reason, finding.message);
    judged.finding.severity = severity;
    // As the finding spells it: brackets around keys that have dots.
    judged.finding.path = finding.path.unwrap_or_default();
    Some(Reviewed { identity, judged })
}

/// The object that a finding is about.
fn identity_of(subject: &Subject) -> Option<Identity> {
    let namespaced =
        |kind: Kind, name: &ObjectName| Identity::new(kind, &name.namespace, &name.name);
    Some(match subject {
        Subject::Manifest(Manifest::Udn(name)) => namespaced(Kind::UserDefinedNetwork, name),
        Subject::Manifest(Manifest::Cudn(name)) => {
            Identity::new(Kind::ClusterUserDefinedNetwork, "", name)
        }
        Subject::Nad(name) => namespaced(Kind::Nad, name),
        Subject::Pod(name) => namespaced(Kind::Pod, name),
        Subject::Claim(name) => namespaced(Kind::Claim, name),
        Subject::Node(name) => Identity::new(Kind::Node, "", name.as_str()),
        Subject::Namespace(name) => Identity::new(Kind::Namespace, "", name),
        Subject::Network(_) => return None,
    })
}

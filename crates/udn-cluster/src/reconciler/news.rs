//! Whether the answer to a write tells more than what was written.
//!
//! Reads an object as it was last heard of, and as the server holds it after a write of ours.
//! Invariant: whatever others changed meanwhile counts, because no event tells it again.

use udn_wire::keys::POD_NETWORKS;
use udn_wire::object::{AnyObject, Metadata, Pod};

use super::Answer;
use crate::cache::is_same;
use crate::world::{Object, Objects, World};

pub(super) fn tells_more_than_the_write(heard: &World, answer: &Answer) -> bool {
    let Answer::Stands(object) = answer else { return false };
    match &**object {
        AnyObject::UserDefinedNetwork(it) => is_news(&heard.networks, it, |heard| {
            heard.spec == it.spec && is_same(&heard.metadata, &it.metadata)
        }),
        AnyObject::ClusterUserDefinedNetwork(it) => is_news(&heard.cluster_networks, it, |heard| {
            heard.spec == it.spec && is_same(&heard.metadata, &it.metadata)
        }),
        AnyObject::Pod(it) => {
            is_news(&heard.pods, it, |heard| is_same_but_for_addresses(heard, it))
        }
        // Kubelets write nodes all the time, and we seldom do.
        AnyObject::Node(_) => true,
        // Written with the version that was heard, or not at all.
        AnyObject::Nad(_)
        | AnyObject::Claim(_)
        | AnyObject::Namespace(_)
        | AnyObject::Service(_)
        | AnyObject::Report(_)
        | AnyObject::Machine(_) => false,
    }
}

fn is_news<T: Object>(
    heard: &Objects<T::Name, T>,
    answered: &T,
    is_same: impl FnOnce(&T) -> bool,
) -> bool {
    heard.get(&T::name_from(answered.metadata())).is_none_or(|heard| !is_same(heard))
}

fn is_same_but_for_addresses(heard: &Pod, answered: &Pod) -> bool {
    let others = |pod: &Pod| {
        let all = pod.metadata.annotations.iter().filter(|(key, _)| *key != POD_NETWORKS);
        all.map(|(key, text)| (key.to_owned(), text.clone())).collect::<Vec<_>>()
    };
    let annotations = answered.metadata.annotations.clone();
    let metadata = Metadata { annotations, ..heard.metadata.clone() };
    (&heard.spec, &heard.status) == (&answered.spec, &answered.status)
        && others(heard) == others(answered)
        && is_same(&metadata, &answered.metadata)
}

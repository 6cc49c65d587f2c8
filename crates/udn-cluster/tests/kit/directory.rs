//! A state directory in memory.

use std::collections::BTreeMap;

use udn_cluster::{Publication, World};

/// Files by name.
pub(crate) type Directory = BTreeMap<String, String>;

/// Writes publications into a state directory.
pub(crate) fn write(directory: &mut Directory, publications: &[Publication]) {
    for publication in publications {
        let name = publication.target.file_name();
        match publication.to_yaml() {
            Some(text) => directory.insert(name, text),
            None => directory.remove(&name),
        };
    }
}

/// The world with a state directory over it.
pub(crate) fn overlaid(world: &World, directory: &Directory) -> World {
    let files = directory.iter().map(|(name, text)| (name.as_str(), text.as_bytes()));
    let reading = World::read(files);
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    let mut world = world.clone();
    world.merge(reading.world);
    world
}

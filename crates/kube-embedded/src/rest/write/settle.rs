//! What the server settles itself about an object, just before it is stored.
//!
//! Reads what is stored already; fills in addresses of services.
//! Invariant: an object that is settled does not change when it is settled again.

use serde_json::Value;

use crate::builtin;
use crate::core::Core;
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::store::Stored;

/// How many addresses services have to choose from.
const ADDRESSES: u32 = 1 << 16;

/// How many node ports there are to choose from.
const PORTS: u32 = 2768;

pub(super) fn settle(core: &Core, kind: &Kind, object: &mut Value) -> Result<(), Refusal> {
    match (kind.group.as_str(), kind.plural.as_str()) {
        ("", "services") => give_addresses(core, kind, object)?,
        ("batch", "jobs") => builtin::identify_job(object),
        _ => {}
    }
    Ok(())
}

fn give_addresses(core: &Core, kind: &Kind, service: &mut Value) -> Result<(), Refusal> {
    let own = |name: &str| service["metadata"][name].as_str().unwrap_or("").to_owned();
    let own = [own("namespace"), own("name")];
    let others = core.store.list("services", None).objects;
    let others: Vec<_> = others
        .into_iter()
        .filter(|it| [&*it.place.namespace, &*it.place.name] != own.each_ref().map(|it| &**it))
        .collect();
    let is_used = |address: &str| others.iter().any(|it| is_used(it, address));
    let refused = |error| builtin::invalid(kind, &own[1], &[error]);
    builtin::cluster_ip(service, core.stack, &is_used, core.roll(ADDRESSES)).map_err(refused)?;
    let is_taken = |port: u16| others.iter().any(|it| is_taken(it, port));
    let start = u16::try_from(core.roll(PORTS)).unwrap_or(0);
    builtin::node_ports(service, &is_taken, start).map_err(refused)
}

fn is_taken(service: &Stored, port: u16) -> bool {
    let ports = &service.object()["spec"]["ports"];
    ports.as_array().is_some_and(|it| it.iter().any(|it| it["nodePort"] == port))
}

fn is_used(service: &Stored, address: &str) -> bool {
    let addresses = &service.object()["spec"]["clusterIPs"];
    addresses.as_array().is_some_and(|it| it.iter().any(|it| it == address))
}

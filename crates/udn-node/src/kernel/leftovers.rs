//! What agents leave in a host's kernel: rules, routes, fixed neighbours, tables of nf_tables.
//!
//! Reads the kernel; returns what stands, and takes single things away.
//! Invariant: what shows our protocol is listed as ours; of neighbours and links all are listed, and
//! whoever asks decides.

use std::collections::BTreeSet;
use std::io;
use std::net::IpAddr;

use futures_util::TryStreamExt;
use nix::libc;
use rtnetlink::Handle;
use rtnetlink::packet_route::neighbour::{
    NeighbourAddress, NeighbourAttribute, NeighbourMessage, NeighbourState,
};
use udn_host::routing::{HostNeighbour, MAIN_TABLE, is_our_table};
use udn_model::{Family, MacAddress};

use super::netlink::{Attributes, attribute};
use super::nftables::{self, DELETE_TABLE, GET_TABLE, INET, LINKS, is_unknown};
use super::{Kernel, KernelError, addresses, links, refused, routes, rules};

/// The attribute in which a table tells its name.
// compat: include/uapi/linux/netfilter/nf_tables.h, NFTA_TABLE_NAME
const NAME: u16 = 1;

/// What stands in a host's kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelLeftovers {
    pub links: BTreeSet<String>,
    /// Those of them that have addresses, besides what the kernel gives by itself.
    pub addressed: BTreeSet<String>,
    /// Ours alone, as people read them.
    pub rules: Vec<String>,
    /// Ours alone, as people read them.
    pub routes: Vec<String>,
    /// All that are fixed, whoever fixed them.
    pub neighbours: Vec<HostNeighbour>,
    /// Tables of nf_tables, whoever made them.
    pub filters: BTreeSet<FilterTable>,
}

/// A table of nf_tables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilterTable {
    pub family: FilterFamily,
    pub name: String,
}

/// What a table of nf_tables looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FilterFamily {
    /// Packets of IP, of both families.
    Internet,
    /// Frames of links.
    Link,
}

impl FilterFamily {
    fn number(self) -> u8 {
        match self {
            Self::Internet => INET,
            Self::Link => LINKS,
        }
    }
}

impl Kernel {
    /// Lists what may be an agent's.
    pub async fn leftovers(&self) -> Result<KernelLeftovers, KernelError> {
        let mut found = self.inside(|inside| inside.block_on(look)).await??;
        let filters = self.inside(|_| filters()).await?;
        found.filters = filters.map_err(|source| KernelError::Filters { source })?;
        Ok(found)
    }

    /// Takes away all rules of ours.
    pub async fn take_rules(&self) -> Result<usize, KernelError> {
        let take = async |handle: &Handle| rules::apply(handle, &BTreeSet::new(), |_| true).await;
        self.inside(move |inside| inside.block_on(take)).await?
    }

    /// Takes away all routes of ours.
    pub async fn take_routes(&self) -> Result<usize, KernelError> {
        let take = async |handle: &Handle| {
            routes::change(handle, routes::list(handle, is_ours).await?, BTreeSet::new()).await
        };
        self.inside(move |inside| inside.block_on(take)).await?
    }

    /// Takes a fixed neighbour away, if it is there.
    pub async fn take_neighbour(&self, neighbour: &HostNeighbour) -> Result<usize, KernelError> {
        let neighbour = neighbour.clone();
        let take = async move |handle: &Handle| take_neighbour(handle, &neighbour).await;
        self.inside(move |inside| inside.block_on(take)).await?
    }

    /// Takes a table of nf_tables away, if it is there.
    pub async fn take_filter(&self, table: &FilterTable) -> Result<usize, KernelError> {
        let table = table.clone();
        let taken = self.inside(move |_| take_filter(&table)).await?;
        taken.map_err(|source| KernelError::Filters { source })
    }
}

/// Networks have tables of their own, and the default network lives in the main one.
fn is_ours(table: u32) -> bool {
    table == MAIN_TABLE || is_our_table(table)
}

async fn look(handle: &Handle) -> Result<KernelLeftovers, KernelError> {
    let mut found = KernelLeftovers::default();
    for family in Family::BOTH {
        let standing = rules::list(handle, family).await?.into_iter();
        let named = standing.map(|(rule, _)| rule.map(|it| it.to_string()));
        found.rules.extend(named.map(|it| it.unwrap_or_else(|| format!("a rule of {family}"))));
    }
    let standing = routes::list(handle, is_ours).await?.into_iter();
    let named = standing.map(|(route, _)| route.map(|it| it.to_string()));
    found.routes = named.map(|it| it.unwrap_or_else(|| "a route".to_owned())).collect();
    let names = routes::link_names(handle).await?;
    let all = neighbours(handle).await?;
    let fixed = all.iter().filter_map(|message| {
        let link = names.get(&message.header.ifindex)?.clone();
        let (ip, mac) = read(message)?;
        Some(HostNeighbour { link, ip, mac })
    });
    found.neighbours = fixed.collect();
    found.addressed =
        addresses::links(handle).await?.iter().filter_map(|it| names.get(it).cloned()).collect();
    found.links = names.into_values().collect();
    Ok(found)
}

async fn neighbours(handle: &Handle) -> Result<Vec<NeighbourMessage>, KernelError> {
    let all = handle.neighbours().get().execute().try_collect::<Vec<_>>().await;
    all.map_err(refused("list the neighbours".to_owned()))
}

/// A neighbour that somebody fixed.
fn read(message: &NeighbourMessage) -> Option<(IpAddr, MacAddress)> {
    let (mut ip, mut mac) = (None, None);
    for attribute in &message.attributes {
        match attribute {
            NeighbourAttribute::Destination(NeighbourAddress::Inet(it)) => ip = Some((*it).into()),
            NeighbourAttribute::Destination(NeighbourAddress::Inet6(it)) => ip = Some((*it).into()),
            NeighbourAttribute::LinkLayerAddress(octets) => {
                mac = <[u8; 6]>::try_from(octets.as_slice()).ok().map(MacAddress::new);
            }
            _ => {}
        }
    }
    let is_fixed = message.header.state == NeighbourState::Permanent;
    is_fixed.then_some((ip?, mac?))
}

async fn take_neighbour(handle: &Handle, wanted: &HostNeighbour) -> Result<usize, KernelError> {
    let Some(link) = links::find(handle, &wanted.link).await? else { return Ok(0) };
    let is_wanted = |message: &NeighbourMessage| {
        message.header.ifindex == link.index && read(message) == Some((wanted.ip, wanted.mac))
    };
    let mut taken = 0;
    for message in neighbours(handle).await?.into_iter().filter(is_wanted) {
        let deed = format!("have {} forget {}", wanted.link, wanted.ip);
        handle.neighbours().del(message).execute().await.map_err(refused(deed))?;
        taken += 1;
    }
    Ok(taken)
}

/// The tables of these families; none where the kernel has no nf_tables.
fn filters() -> io::Result<BTreeSet<FilterTable>> {
    let mut found = BTreeSet::new();
    for family in [FilterFamily::Internet, FilterFamily::Link] {
        let take = |attributes: &[u8]| {
            let name = attribute(attributes, NAME)?;
            let name = name.strip_suffix(&[0]).unwrap_or(name);
            Some(FilterTable { family, name: String::from_utf8_lossy(name).into_owned() })
        };
        match nftables::all(family.number(), GET_TABLE, Attributes::default(), take) {
            Ok(tables) => found.extend(tables),
            Err(error) if is_unknown(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

fn take_filter(table: &FilterTable) -> io::Result<usize> {
    let named = Attributes::default().text(NAME, &table.name);
    match nftables::change(table.family.number(), [(DELETE_TABLE, 0, named)]) {
        Ok(()) => Ok(1),
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(0),
        Err(error) => Err(error),
    }
}

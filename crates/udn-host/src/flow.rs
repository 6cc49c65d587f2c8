//! OpenFlow flows as values, and how `ovs-ofctl` writes them.
//!
//! Invariant: flows print in the order of the switch's decisions: by table, highest priority first.

use std::cmp::Reverse;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use udn_model::{Family, MacAddress, Subnet};

use crate::facts::PortNumber;

/// Marks every flow of ours.
// compat: pkg/node/bridgeconfig, DefaultOpenFlowCookie
pub const COOKIE: u64 = 0xdef_f105;
/// Marks the flows that the switch adds by itself: neighbours that it remembers.
pub(crate) const MEMORY_COOKIE: u64 = COOKIE << 32;
/// All marks of flows on the external bridge that are there because of us.
pub const OWN_COOKIES: [u64; 2] = [COOKIE, MEMORY_COOKIE];

/// The conntrack zone of the external bridge.
pub(crate) const ZONE: u16 = 64000;
/// The zone of the host's own connections to services.
// compat: pkg/node/bridgeconfig, HostMasqCTZone
const SERVICE_ZONE: u16 = 64001;
/// The port to which tunnels send.
const GENEVE: u16 = 6081;
/// How long the bridge remembers a neighbour, in seconds; every answer begins it anew.
const MEMORY: u16 = 300;
/// How many neighbours the bridge remembers.
const NEIGHBOURS: u16 = 10_000;

/// The tables of the external bridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// Where packets come in.
    Entry = 0,
    /// Where packets from outside go once their connection is known.
    Tracked = 1,
    /// Where packets of the host for services go.
    ToServices = 2,
    /// Where answers of services to the host go.
    FromServices = 3,
    /// The neighbours that the bridge remembers; the switch fills it by itself.
    Memory = 20,
    /// Where a remembered neighbour's answer is made from the question.
    Answer = 21,
}

/// A port that a packet comes from or goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BridgePort {
    /// The host itself.
    Local,
    Number(PortNumber),
}

/// One condition of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    From(BridgePort),
    SourceMac(MacAddress),
    DestinationMac(MacAddress),
    Packet(Packet),
    Source(Subnet),
    Destination(Subnet),
    /// The address that an ARP request asks for.
    ArpTarget(Ipv4Addr),
    /// The address that a neighbour solicitation asks for.
    NeighbourTarget(Ipv6Addr),
    Connection(Connection),
    ConnectionMark(u32),
    /// The memory had the neighbour that was asked for.
    Remembered,
}

/// What kind of packet it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Packet {
    Ip(Family),
    Geneve(Family),
    Arp,
    ArpRequest,
    ArpReply,
    NeighbourSolicitation,
    NeighbourAdvertisement,
}

/// How far a connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Connection {
    Established,
    Related,
}

/// One thing a flow does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    Output(BridgePort),
    /// As an ordinary switch would.
    Normal,
    /// To every port that is not quiet.
    Flood,
    /// Remembers the connection by a mark, and gives it another source address.
    Commit {
        mark: u32,
        source: Option<IpAddr>,
    },
    /// Finds the connection, undoes what was done to its addresses, and goes on in a table.
    Track(Table),
    /// Remembers the host's connection to a service, gives it another source address, and goes on
    /// in a table.
    CommitService {
        source: IpAddr,
        table: Table,
    },
    /// Finds the host's connection to a service, undoes what was done to its addresses, and goes on.
    TrackService(Table),
    /// Gives this packet another destination.
    DestinationMac(MacAddress),
    /// Remembers the neighbour that this ARP reply is from.
    Remember,
    /// Answers this ARP request, if the memory has the neighbour.
    AnswerFromMemory,
    /// Makes this ARP request its own answer, for whoever has this MAC, and sends it back.
    Answer(MacAddress),
    /// Gives this packet another source address, without conntrack.
    SourceAddress(Ipv6Addr),
}

/// One flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    pub table: Table,
    pub priority: u16,
    pub matches: Vec<Match>,
    /// Without any, packets are dropped.
    pub actions: Vec<Action>,
    /// What the flow is for, for people.
    pub purpose: &'static str,
}

/// The flows of a bridge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flows(Vec<Flow>);

impl Flows {
    pub fn new(mut flows: Vec<Flow>) -> Self {
        let order = |flow: &Flow| (flow.table, Reverse(flow.priority), flow.matches.clone());
        flows.sort_by_cached_key(order);
        Self(flows)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Flow> {
        self.0.iter()
    }
}

/// The file that `ovs-ofctl` reads.
impl fmt::Display for Flows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut purpose = "";
        for flow in &self.0 {
            if flow.purpose != purpose {
                purpose = flow.purpose;
                writeln!(f, "# {purpose}")?;
            }
            writeln!(f, "{flow}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (table, priority) = (self.table as u8, self.priority);
        write!(f, "cookie={COOKIE:#x},table={table},priority={priority}")?;
        self.matches.iter().try_for_each(|it| write!(f, ",{it}"))?;
        f.write_str(",actions=")?;
        for (position, action) in self.actions.iter().enumerate() {
            write!(f, "{}{action}", if position > 0 { "," } else { "" })?;
        }
        if self.actions.is_empty() { f.write_str("drop") } else { Ok(()) }
    }
}

impl fmt::Display for BridgePort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("LOCAL"),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From(port) => write!(f, "in_port={port}"),
            Self::SourceMac(mac) => write!(f, "dl_src={mac}"),
            Self::DestinationMac(mac) => write!(f, "dl_dst={mac}"),
            Self::Packet(packet) => packet.fmt(f),
            Self::Source(subnet) => write!(f, "{}_src={subnet}", address_word(*subnet)),
            Self::Destination(subnet) => write!(f, "{}_dst={subnet}", address_word(*subnet)),
            Self::ArpTarget(ip) => write!(f, "arp_tpa={ip}"),
            Self::NeighbourTarget(ip) => write!(f, "nd_target={ip}"),
            Self::Connection(Connection::Established) => f.write_str("ct_state=+trk+est"),
            Self::Connection(Connection::Related) => f.write_str("ct_state=+trk+rel"),
            Self::ConnectionMark(mark) => write!(f, "ct_mark={mark:#x}"),
            Self::Remembered => f.write_str("reg1=1"),
        }
    }
}

fn address_word(subnet: Subnet) -> &'static str {
    match subnet.family() {
        Family::V4 => "nw",
        Family::V6 => "ipv6",
    }
}

impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(Family::V4) => f.write_str("ip"),
            Self::Ip(Family::V6) => f.write_str("ipv6"),
            Self::Geneve(Family::V4) => write!(f, "udp,udp_dst={GENEVE}"),
            Self::Geneve(Family::V6) => write!(f, "udp6,udp_dst={GENEVE}"),
            Self::Arp => f.write_str("arp"),
            Self::ArpRequest => f.write_str("arp,arp_op=1"),
            Self::ArpReply => f.write_str("arp,arp_op=2"),
            Self::NeighbourSolicitation => f.write_str("icmp6,icmp_type=135"),
            Self::NeighbourAdvertisement => f.write_str("icmp6,icmp_type=136"),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output(BridgePort::Local) => f.write_str("LOCAL"),
            Self::Output(BridgePort::Number(number)) => write!(f, "output:{number}"),
            Self::Normal => f.write_str("NORMAL"),
            Self::Flood => f.write_str("FLOOD"),
            Self::Commit { mark, source } => {
                write!(f, "ct(commit,zone={ZONE},")?;
                source.iter().try_for_each(|ip| write!(f, "nat(src={ip}),"))?;
                write!(f, "exec(set_field:{mark:#x}->ct_mark))")
            }
            Self::Track(table) => write!(f, "ct(zone={ZONE},nat,table={})", *table as u8),
            Self::CommitService { source, table } => {
                let table = *table as u8;
                write!(f, "ct(commit,zone={SERVICE_ZONE},nat(src={source}),table={table})")
            }
            Self::TrackService(table) => {
                write!(f, "ct(zone={SERVICE_ZONE},nat,table={})", *table as u8)
            }
            Self::DestinationMac(mac) => write!(f, "set_field:{mac}->eth_dst"),
            Self::Remember => {
                let table = Table::Memory as u8;
                write!(f, "learn(table={table},hard_timeout={MEMORY},priority=10,")?;
                write!(f, "cookie={MEMORY_COOKIE:#x},limit={NEIGHBOURS},eth_type=0x806,")?;
                f.write_str("NXM_OF_ARP_OP[]=1,NXM_OF_ARP_TPA[]=NXM_OF_ARP_SPA[],")?;
                f.write_str("load:NXM_NX_ARP_SHA[]->NXM_OF_ETH_SRC[],load:1->NXM_NX_REG1[])")
            }
            Self::AnswerFromMemory => {
                let (memory, answer) = (Table::Memory as u8, Table::Answer as u8);
                write!(f, "resubmit(,{memory}),resubmit(,{answer})")
            }
            // The memory has put the neighbour's MAC where the sender's was.
            Self::Answer(mac) => write!(
                f,
                "set_field:2->arp_op,set_field:{mac}->eth_dst,\
                 move:NXM_NX_ARP_SHA[]->NXM_NX_ARP_THA[],move:NXM_OF_ETH_SRC[]->NXM_NX_ARP_SHA[],\
                 move:NXM_OF_ARP_SPA[]->NXM_NX_REG2[],move:NXM_OF_ARP_TPA[]->NXM_OF_ARP_SPA[],\
                 move:NXM_NX_REG2[]->NXM_OF_ARP_TPA[],IN_PORT"
            ),
            Self::SourceAddress(ip) => write!(f, "set_field:{ip}->ipv6_src"),
        }
    }
}

//! A node on a primary layer-2 network, the zone's own or another.
//!
//! Invariant: a node that is ready has its id, its chassis and its link.

use udn_model::{ChassisName, Node, NodeId};

use super::way_out::gateway;
use super::{Link, PrimaryLayer2, WayOut};
use crate::input::DrawingInput;
use crate::missing::Missing;

/// The zone's own node.
#[derive(Debug)]
pub(crate) struct OwnNode<'a> {
    pub(crate) link: Link,
    pub(crate) way_out: WayOut<'a>,
}

/// A node of another zone.
#[derive(Debug)]
pub(crate) struct OtherNode<'a> {
    pub(crate) node: &'a Node,
    pub(crate) chassis: &'a ChassisName,
    pub(crate) link: Link,
}

impl<'a> OwnNode<'a> {
    pub(crate) fn of(
        input: &DrawingInput<'a>,
        network: &PrimaryLayer2<'a>,
        node: &'a Node,
    ) -> Result<Self, Vec<Missing>> {
        match (id(input, node), chassis(node), gateway(node)) {
            (Ok(id), Ok(chassis), Ok(_)) => {
                let told = (node, id, chassis);
                let way_out = WayOut::of(input, &network.base, network.primary, told);
                let way_out = way_out.map_err(|missing| vec![missing])?;
                let link = Link::of(input, network, id).map_err(|missing| vec![missing])?;
                Ok(Self { link, way_out })
            }
            (id, chassis, gateway) => {
                let missing = [id.err(), chassis.err(), gateway.err()];
                Err(missing.into_iter().flatten().collect())
            }
        }
    }
}

impl<'a> OtherNode<'a> {
    pub(crate) fn of(
        input: &DrawingInput<'a>,
        network: &PrimaryLayer2<'a>,
        node: &'a Node,
    ) -> Result<Self, Vec<Missing>> {
        let is_upgraded = match node.uses_transit_router {
            true => Ok(()),
            false => Err(Missing::TransitRouter(node.name.clone())),
        };
        match (id(input, node), chassis(node), is_upgraded) {
            (Ok(id), Ok(chassis), Ok(())) => {
                let link = Link::of(input, network, id).map_err(|missing| vec![missing])?;
                Ok(Self { node, chassis, link })
            }
            (id, chassis, is_upgraded) => {
                let missing = [id.err(), chassis.err(), is_upgraded.err()];
                Err(missing.into_iter().flatten().collect())
            }
        }
    }
}

pub(super) fn id(input: &DrawingInput<'_>, node: &Node) -> Result<NodeId, Missing> {
    input.grants.nodes.get(&node.name).copied().ok_or_else(|| Missing::NodeId(node.name.clone()))
}

pub(super) fn chassis(node: &Node) -> Result<&ChassisName, Missing> {
    node.chassis.as_ref().ok_or_else(|| Missing::Chassis(node.name.clone()))
}

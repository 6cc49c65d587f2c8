//! Rules that choose a table of routes, on the host and in pods.
//!
//! Invariant: rules with our protocol and priority are ours, and no others are touched.

use std::collections::BTreeSet;

use futures_util::TryStreamExt;
use rtnetlink::packet_route::AddressFamily;
use rtnetlink::packet_route::route::RouteProtocol;
use rtnetlink::packet_route::rule::{RuleAction, RuleAttribute, RuleMessage};
use rtnetlink::{Handle, IpVersion};
use udn_host::routing::{RULE_PRIORITY, Rule, Selector};
use udn_model::Family;

use super::{KernelError, PROTOCOL, refused};

/// Adds what is missing and removes what is too much among rules for some tables; returns how much that was.
pub(super) async fn apply(
    handle: &Handle,
    wanted: &BTreeSet<Rule>,
    is_meant: impl Fn(u32) -> bool,
) -> Result<usize, KernelError> {
    let mut missing = wanted.clone();
    let mut changes = 0;
    for family in Family::BOTH {
        let standing = list(handle, family).await?;
        for (rule, message) in standing.into_iter().filter(|it| is_meant(table(&it.1))) {
            let is_wanted = rule.as_ref().is_some_and(|rule| missing.remove(rule));
            if !is_wanted {
                let deed = format!("remove a rule of {family}");
                handle.rule().del(message).execute().await.map_err(refused(deed))?;
                changes += 1;
            }
        }
    }
    for rule in missing {
        add(handle, rule).await?;
        changes += 1;
    }
    Ok(changes)
}

/// Our rules; one that does not read like a planned one is without a value.
pub(super) async fn list(
    handle: &Handle,
    family: Family,
) -> Result<Vec<(Option<Rule>, RuleMessage)>, KernelError> {
    let version = match family {
        Family::V4 => IpVersion::V4,
        Family::V6 => IpVersion::V6,
    };
    let messages: Vec<RuleMessage> = handle
        .rule()
        .get(version)
        .execute()
        .try_collect()
        .await
        .map_err(refused(format!("list the rules of {family}")))?;
    let ours = messages.into_iter().filter(is_ours);
    Ok(ours.map(|message| (read(family, &message), message)).collect())
}

fn is_ours(message: &RuleMessage) -> bool {
    let marks = [
        RuleAttribute::Protocol(RouteProtocol::from(PROTOCOL)),
        RuleAttribute::Priority(RULE_PRIORITY),
    ];
    marks.iter().all(|mark| message.attributes.contains(mark))
}

fn table(message: &RuleMessage) -> u32 {
    let wide = message.attributes.iter().find_map(|attribute| match attribute {
        RuleAttribute::Table(table) => Some(*table),
        _ => None,
    });
    wide.unwrap_or(message.header.table.into())
}

pub(super) fn read(family: Family, message: &RuleMessage) -> Option<Rule> {
    let mut selector = None;
    for attribute in &message.attributes {
        match attribute {
            RuleAttribute::FwMark(mark) => selector = Some(Selector::Mark(*mark)),
            RuleAttribute::Iifname(link) => selector = Some(Selector::From(link.clone())),
            RuleAttribute::Destination(ip) if message.header.dst_len == family.longest_prefix() => {
                selector = Some(Selector::To(*ip));
            }
            RuleAttribute::Source(ip) if message.header.src_len == family.longest_prefix() => {
                selector = Some(Selector::Source(*ip));
            }
            _ => {}
        }
    }
    Some(Rule { family, selector: selector?, table: table(message) })
}

async fn add(handle: &Handle, rule: Rule) -> Result<(), KernelError> {
    let request = handle.rule().add().table_id(rule.table).priority(RULE_PRIORITY);
    let mut request = request.action(RuleAction::ToTable);
    let message = request.message_mut();
    message.header.family = match rule.family {
        Family::V4 => AddressFamily::Inet,
        Family::V6 => AddressFamily::Inet6,
    };
    message.attributes.push(RuleAttribute::Protocol(RouteProtocol::from(PROTOCOL)));
    match &rule.selector {
        Selector::Mark(mark) => message.attributes.push(RuleAttribute::FwMark(*mark)),
        Selector::To(ip) => {
            message.header.dst_len = rule.family.longest_prefix();
            message.attributes.push(RuleAttribute::Destination(*ip));
        }
        Selector::From(link) => message.attributes.push(RuleAttribute::Iifname(link.clone())),
        Selector::Source(ip) => {
            message.header.src_len = rule.family.longest_prefix();
            message.attributes.push(RuleAttribute::Source(*ip));
        }
    }
    request.execute().await.map_err(refused(format!("add the {rule}")))
}

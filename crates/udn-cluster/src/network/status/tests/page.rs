//! The page for users has every word that a status may say, and no other.

use std::collections::BTreeSet;

use udn_model::Reason;

use super::super::draft::OURS;
use super::super::reasons::{ALL, RECOVERED};
use crate::agents::RESPONDING;

const PAGE: &str = include_str!("../../../../../../docs/status.md");

/// All reasons of findings.
fn findings() -> Vec<Reason> {
    let mut all = vec![Reason::InvalidSpec];
    while let Some(next) = all.last().and_then(|it| after(*it)) {
        all.push(next);
    }
    all
}

/// The next reason; one that is new must be put in line here.
fn after(reason: Reason) -> Option<Reason> {
    Some(match reason {
        Reason::InvalidSpec => Reason::InvalidConfig,
        Reason::InvalidConfig => Reason::InvalidAnnotation,
        Reason::InvalidAnnotation => Reason::NotSupported,
        Reason::NotSupported => Reason::NameConflict,
        Reason::NameConflict => Reason::SubnetOverlap,
        Reason::SubnetOverlap => Reason::FamilyMissing,
        Reason::FamilyMissing => Reason::NodeOverlap,
        Reason::NodeOverlap => Reason::AddressOverlap,
        Reason::AddressOverlap => Reason::VlanShared,
        Reason::VlanShared => Reason::NoAddressLeft,
        Reason::NoAddressLeft => Reason::OnlyOnRequest,
        Reason::OnlyOnRequest => Reason::NothingSelected,
        Reason::NothingSelected => Reason::NamespaceNotLabelled,
        Reason::NamespaceNotLabelled => Reason::NamespaceNotFound,
        Reason::NamespaceNotFound => Reason::PrimaryConflict,
        Reason::PrimaryConflict => Reason::ForeignDefinition,
        Reason::ForeignDefinition => Reason::DefinitionNotFound,
        Reason::DefinitionNotFound => Reason::NotScheduled,
        Reason::NotScheduled => Reason::PoolExhausted,
        Reason::PoolExhausted => Reason::AlreadyTaken,
        Reason::AlreadyTaken => Reason::Waiting,
        Reason::Waiting => Reason::RowConflict,
        Reason::RowConflict => Reason::FeatureOff,
        Reason::FeatureOff => Reason::FeatureKept,
        Reason::FeatureKept => Reason::DeviceNameTaken,
        Reason::DeviceNameTaken => Reason::OutOfRange,
        Reason::OutOfRange => Reason::FamilyMismatch,
        Reason::FamilyMismatch => Reason::AddressTaken,
        Reason::AddressTaken => Reason::MacTaken,
        Reason::MacTaken => Reason::ClaimNotFound,
        Reason::ClaimNotFound => Reason::ClaimMismatch,
        Reason::ClaimMismatch => Reason::ClaimHeld,
        Reason::ClaimHeld => Reason::Deprecated,
        Reason::Deprecated => Reason::RequestIgnored,
        Reason::RequestIgnored => return None,
    })
}

/// What the tables are about: their first columns.
fn rows() -> BTreeSet<&'static str> {
    let cells = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    cells.filter(|it| !it.starts_with("status.")).collect()
}

#[test]
fn every_reason_is_on_the_page_and_no_other() {
    let found = findings().into_iter().map(Reason::as_str);
    let own = ALL.into_iter().filter(|it| *it != RECOVERED);
    let known: BTreeSet<&str> = own.chain(found).collect();
    assert_eq!(rows(), known);
    for event in [RECOVERED, RESPONDING] {
        assert!(PAGE.contains(&format!("`{event}`")), "{event}");
    }
}

#[test]
fn every_condition_has_a_chapter() {
    for condition in OURS {
        assert!(PAGE.contains(&format!("\n## {condition}\n")), "{condition}");
    }
}

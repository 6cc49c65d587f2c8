//! Findings as people and programs see them.

use super::{Finding, Reason, Severity, Subject};
use crate::Manifest;

#[test]
fn a_path_is_shown_where_there_is_one() {
    let subject = Subject::Manifest(Manifest::Cudn("red".to_owned()));
    let finding = Finding::new(subject, Reason::InvalidSpec, "mtu is 0; write 576 to 65536");
    let bare = "ClusterUserDefinedNetwork red: InvalidSpec: mtu is 0; write 576 to 65536";
    assert_eq!(finding.to_string(), bare);
    let placed = finding.at("spec.network.layer2.mtu");
    let want = bare.replace(": mtu", ": spec.network.layer2.mtu: mtu");
    assert_eq!(placed.to_string(), want);
    assert_eq!(placed.path.as_deref(), Some("spec.network.layer2.mtu"));
}

#[test]
fn reasons_tell_how_bad_it_is() {
    let network = || Subject::Manifest(Manifest::Cudn("red".to_owned()));
    let severity = |reason| Finding::new(network(), reason, "").severity();
    assert_eq!(severity(Reason::AddressOverlap), Severity::Error);
    assert_eq!(severity(Reason::VlanShared), Severity::Warning);
    assert_eq!(Severity::Error.to_string(), "error");
}

#[test]
fn reasons_have_the_words_of_the_wire() {
    let words = [
        (Reason::InvalidSpec, "InvalidSpec"),
        (Reason::InvalidConfig, "InvalidConfig"),
        (Reason::InvalidAnnotation, "InvalidAnnotation"),
        (Reason::NotSupported, "NotSupported"),
        (Reason::FeatureOff, "FeatureOff"),
        (Reason::FeatureKept, "FeatureKept"),
        (Reason::NameConflict, "NameConflict"),
        (Reason::DeviceNameTaken, "DeviceNameTaken"),
        (Reason::SubnetOverlap, "SubnetOverlap"),
        (Reason::FamilyMissing, "FamilyMissing"),
        (Reason::NodeOverlap, "NodeOverlap"),
        (Reason::AddressOverlap, "AddressOverlap"),
        (Reason::VlanShared, "VlanShared"),
        (Reason::NoAddressLeft, "NoAddressLeft"),
        (Reason::OnlyOnRequest, "OnlyOnRequest"),
        (Reason::NothingSelected, "NothingSelected"),
        (Reason::NamespaceNotLabelled, "NamespaceNotLabelled"),
        (Reason::NamespaceNotFound, "NamespaceNotFound"),
        (Reason::PrimaryConflict, "PrimaryConflict"),
        (Reason::ForeignDefinition, "ForeignDefinition"),
        (Reason::DefinitionNotFound, "DefinitionNotFound"),
        (Reason::NotScheduled, "NotScheduled"),
        (Reason::PoolExhausted, "PoolExhausted"),
        (Reason::AlreadyTaken, "AlreadyTaken"),
        (Reason::OutOfRange, "OutOfRange"),
        (Reason::FamilyMismatch, "FamilyMismatch"),
        (Reason::AddressTaken, "AddressTaken"),
        (Reason::MacTaken, "MacTaken"),
        (Reason::ClaimNotFound, "ClaimNotFound"),
        (Reason::ClaimMismatch, "ClaimMismatch"),
        (Reason::ClaimHeld, "ClaimHeld"),
        (Reason::Deprecated, "Deprecated"),
        (Reason::RequestIgnored, "RequestIgnored"),
        (Reason::Waiting, "Waiting"),
        (Reason::RowConflict, "RowConflict"),
    ];
    for (reason, word) in words {
        assert_eq!(reason.as_str(), word);
        assert_eq!(reason.to_string(), word);
    }
}

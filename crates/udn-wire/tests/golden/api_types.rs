//! The Rust types of our CRDs agree with `deploy/crds`, field by field and both ways.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::fmt::Debug;

use compare::differences;
use sample::{largest, smaller};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use udn_wire::api;
use udn_wire::deploy::CRDS;

mod compare;
mod sample;

/// The schema of one part of a CRD.
fn schema(file: &str, part: &str) -> Value {
    let manifest = CRDS.iter().find(|it| it.path == format!("crds/{file}"));
    let text = manifest.expect("the CRD is there").text;
    let crd: Value = serde_saphyr::from_str(text).expect("the CRD can be read");
    let versions = crd["spec"]["versions"].as_array().expect("a list").len();
    assert_eq!(versions, 1, "{file} has one version");
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"][part];
    assert!(schema.is_object(), "{file} has a {part}");
    schema.clone()
}

/// Both directions: every field, its type, its words; and texts survive a round trip.
fn check<T: DeserializeOwned + Serialize + Debug>(file: &str, part: &str, allowed: &[&str]) {
    let schema = schema(file, part);
    assert_eq!(differences::<T>(part, &schema), allowed, "{file}");
    for sample in [vec![largest(&schema)], smaller(&schema)].concat() {
        let object: T = serde_json::from_value(sample.clone())
            .unwrap_or_else(|error| panic!("{file} {part}: {error}: {sample}"));
        assert_eq!(serde_json::to_value(&object).unwrap(), sample, "{file} {part}");
    }
}

const LOCALNET_ROLE: &str = "spec.network.localnet.role: Primary or Secondary for [\"Secondary\"]";

#[test]
fn networks_are_as_the_crds_have_them() {
    let (narrow, wide) =
        ("k8s.ovn.org_userdefinednetworks.yaml", "k8s.ovn.org_clusteruserdefinednetworks.yaml");
    // One type serves two fields, of which one takes fewer words.
    let topology = "spec.topology: Layer2 or Layer3 or Localnet for [\"Layer2\",\"Layer3\"]";
    check::<api::UserDefinedNetworkSpec>(narrow, "spec", &[topology]);
    check::<api::ClusterUserDefinedNetworkSpec>(wide, "spec", &[LOCALNET_ROLE]);
    check::<api::NetworkStatus>(wide, "status", &[]);
    check::<api::NetworkStatus>(narrow, "status", &[]);
}

#[test]
fn claims_reports_and_nads_are_as_the_crds_have_them() {
    let claims = "k8s.cni.cncf.io_ipamclaims.yaml";
    check::<api::ClaimSpec>(claims, "spec", &[]);
    check::<api::ClaimStatus>(claims, "status", &[]);
    check::<api::ReportStatus>("k8s.ovn.org_nodenetworkreports.yaml", "status", &[]);
    let nads = "k8s.cni.cncf.io_network-attachment-definitions.yaml";
    check::<api::NadSpec>(nads, "spec", &[]);
}

/// The test sees what it is there to see.
#[test]
fn every_kind_of_difference_is_told() {
    let file = "k8s.ovn.org_clusteruserdefinednetworks.yaml";
    let localnet = "/properties/network/properties/localnet/properties";
    let cases = [
        ("/subnets", None, "spec.network.localnet: the schema has no field subnets"),
        ("/extra", Some("{type: string}"), "spec.network.localnet: the type has no field extra"),
        ("/mtu/type", Some("string"), "spec.network.localnet.mtu: i32 for a string"),
        ("/mtu/format", Some("int64"), "spec.network.localnet.mtu: i32 for an integer of int64"),
        ("/vlan/type", Some("string"), "spec.network.localnet.vlan: a struct for a string"),
        (
            "/vlan/properties/mode/enum",
            Some("[Access, Trunk]"),
            "spec.network.localnet.vlan.mode: Access for [\"Access\",\"Trunk\"]",
        ),
        (
            "/subnets/items/type",
            Some("integer"),
            "spec.network.localnet.subnets[]: a string for an integer",
        ),
    ];
    for (place, value, want) in cases {
        let mut schema = schema(file, "spec");
        let (parent, key) = place.rsplit_once('/').unwrap();
        let parent = schema.pointer_mut(&format!("{localnet}{parent}")).unwrap();
        let fields = parent.as_object_mut().unwrap();
        match value {
            Some(text) => fields.insert(key.to_owned(), serde_saphyr::from_str(text).unwrap()),
            None => fields.remove(key),
        };
        let told = differences::<api::ClusterUserDefinedNetworkSpec>("spec", &schema);
        let told: Vec<&String> = told.iter().filter(|it| *it != LOCALNET_ROLE).collect();
        assert_eq!(told, [want]);
    }
}

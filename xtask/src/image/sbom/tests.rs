//! What is read of cargo's words, and what the list says.

use super::*;

fn some_crates() -> BTreeSet<Crate> {
    parse(
        "udn v0.0.0 (/somewhere)|Apache-2.0\nserde v1.0.1|MIT/Apache-2.0\nserde v1.0.1 (*)|MIT/Apache-2.0\n\nodd v1|\n",
    )
}

fn some_packages() -> Vec<Package> {
    let package = Package::parse("libstdc++6_1%3a14.2.0-19+b1_amd64.deb");
    vec![package.expect("it is a package")]
}

#[test]
fn a_crate_is_listed_once_with_its_licence() {
    let crates = some_crates();
    let told: Vec<_> =
        crates.iter().map(|it| format!("{} {} {}", it.name, it.version, it.license)).collect();
    assert_eq!(told, ["odd 1 NOASSERTION", "serde 1.0.1 MIT/Apache-2.0", "udn 0.0.0 Apache-2.0"]);
}

#[test]
fn every_package_has_an_identifier_of_its_own_that_the_image_contains() {
    let list = render("udn:1", "sha256:0", &some_packages(), &some_crates());
    let identifiers: BTreeSet<&str> = list["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .map(|it| it["SPDXID"].as_str().expect("an identifier"))
        .collect();
    assert_eq!(identifiers.len(), 5, "{identifiers:?}");
    assert!(identifiers.contains("SPDXRef-deb-libstdc--6"), "{identifiers:?}");
    let relations = list["relationships"].as_array().expect("relationships");
    let contained: BTreeSet<&str> = relations
        .iter()
        .filter(|it| it["relationshipType"] == "CONTAINS")
        .map(|it| it["relatedSpdxElement"].as_str().expect("an identifier"))
        .collect();
    assert_eq!(identifiers.difference(&contained).collect::<Vec<_>>(), [&"SPDXRef-image"]);
}

#[test]
fn licences_and_locators_are_in_the_words_of_their_standards() {
    let list = render("udn:1", "sha256:0", &some_packages(), &some_crates()).to_string();
    assert!(list.contains(r#""licenseDeclared":"MIT OR Apache-2.0""#), "{list}");
    assert!(list.contains("pkg:deb/debian/libstdc%2B%2B6@1:14.2.0-19%2Bb1?arch=amd64"), "{list}");
}

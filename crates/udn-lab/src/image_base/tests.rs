//! How the names of packages' files are read.

use super::*;

fn check(file: &str, want: Option<[&str; 3]>) {
    let want = want.map(|[name, version, architecture]| Package {
        name: name.to_owned(),
        version: version.to_owned(),
        architecture: architecture.to_owned(),
    });
    assert_eq!(Package::parse(file), want, "{file}");
}

#[test]
fn a_package_is_read_from_the_name_of_its_file() {
    check("dash_0.5.12-12_amd64.deb", Some(["dash", "0.5.12-12", "amd64"]));
    check("ethtool_1%3a6.14.2-1_amd64.deb", Some(["ethtool", "1:6.14.2-1", "amd64"]));
    check("debconf_1.5.91_all.deb", Some(["debconf", "1.5.91", "all"]));
}

#[test]
fn other_names_are_no_packages() {
    for file in ["partial", "lock", "dash_0.5.12-12.deb", "dash_0.5.12-12_amd64", "a_b_c_d.deb"] {
        check(file, None);
    }
}

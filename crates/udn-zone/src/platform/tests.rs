//! Which versions of OVN are too old.

use ovn::SimulatedDatabase;
use ovsdb::Datum;
use ovsdb::op::Operation;
use udn_blueprint::owners;
use udn_model::NodeName;

use super::outdated;

/// A northbound database of which northd tells a version.
pub(crate) fn database(version: Option<&str>) -> SimulatedDatabase {
    let mut database = SimulatedDatabase::new(owners::northbound(&NodeName::new("n1")));
    let options = Datum::map(version.map(|it| (super::VERSION, it)));
    let row = [("options".into(), options)].into_iter().collect();
    let table = "NB_Global".into();
    let insert = Operation::Insert { table, row, uuid_name: None, uuid: None };
    database.transact_and_tell(&[insert]).expect("it is taken");
    database
}

#[test]
fn versions_are_compared_by_year_and_month() {
    let check = |version, want| {
        let database = database(Some(version));
        assert_eq!(outdated(database.rows()), want, "{version}");
    };
    check("24.09.1-20.37.0-78.6", Some("24.09.1"));
    check("25.02.0-20.41.0-78.8", Some("25.02.0"));
    check("25.03.0-20.41.0-78.8", None);
    check("25.09.0", None);
    check("26.03.90", None);
    check("nonsense", None);
}

#[test]
fn an_ovn_that_has_not_told_its_version_is_not_judged() {
    assert_eq!(outdated(database(None).rows()), None);
    let empty = SimulatedDatabase::new(owners::northbound(&NodeName::new("n1")));
    assert_eq!(outdated(empty.rows()), None);
}

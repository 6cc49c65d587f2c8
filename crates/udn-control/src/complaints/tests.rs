//! When a cause is news.

use super::*;

#[test]
fn one_cause_is_said_once_until_it_is_over() {
    let (complaints, [pods, nodes]) = (Complaints::default(), [Kind::Pod, Kind::Node]);
    assert!(complaints.is_news(pods, "a certificate"));
    assert!(!complaints.is_news(pods, "a certificate"), "the same again");
    assert!(!complaints.is_news(nodes, "a certificate"), "another kind of the same server");
    complaints.is_over(pods);
    assert!(!complaints.is_news(pods, "a certificate"), "nodes still have it");
    complaints.is_over(pods);
    complaints.is_over(nodes);
    assert!(complaints.is_news(nodes, "a certificate"), "it was over in between");
}

#[test]
fn another_cause_is_news() {
    let complaints = Complaints::default();
    assert!(complaints.is_news(Kind::Pod, "a certificate"));
    assert!(complaints.is_news(Kind::Pod, "no answer"));
    assert!(complaints.is_news(Kind::Pod, "a certificate"), "it has changed twice");
}

//! Who is silent when, by a clock that tests turn.

use std::collections::BTreeMap;
use std::time::Duration;

use udn_cluster::{AgentNews, AgentState, Silence};
use udn_model::NodeName;

use super::{Judge, Record};

const HEARD: AgentState = AgentState::Heard;
const LET_GO: AgentState = AgentState::Silent(Silence::LetGo);
const DELETED: AgentState = AgentState::Silent(Silence::Deleted);
const OVERDUE: AgentState = AgentState::Silent(Silence::Overdue { seconds: 40 });

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn lease(renewed: i64) -> Record {
    Record { holder: "n".to_owned(), renewed: Some(renewed), duration: Some(at(40)) }
}

fn let_go(renewed: i64) -> Record {
    Record { holder: String::new(), ..lease(renewed) }
}

fn node(name: &str) -> NodeName {
    NodeName::new(name)
}

fn all(leases: &[(&str, Record)]) -> BTreeMap<NodeName, Record> {
    leases.iter().map(|(name, record)| (node(name), record.clone())).collect()
}

fn news(news: &[(&str, AgentState)]) -> AgentNews {
    news.iter().map(|(name, state)| (node(name), *state)).collect()
}

/// A judge that has heard a first list at second 0.
fn listed(leases: &[(&str, Record)]) -> Judge {
    let mut judge = Judge::default();
    assert_eq!(judge.listed(all(leases), at(0)), AgentNews::new(), "nothing can be known yet");
    judge
}

/// What a list at that second says, and the judgement after it.
#[track_caller]
fn check(judge: &mut Judge, leases: &[(&str, Record)], second: u64, want: &[(&str, AgentState)]) {
    let mut told = judge.listed(all(leases), at(second));
    told.append(&mut judge.judge(at(second)));
    assert_eq!(told, news(want));
}

#[test]
fn an_agent_is_overdue_once_its_time_has_passed_here() {
    let mut judge = listed(&[("n", lease(1))]);
    assert_eq!(judge.alarm(), Some(at(40)));
    assert_eq!(judge.saw(&node("n"), lease(2), at(10)), Some((node("n"), HEARD)));
    assert!(!judge.is_anybody_overdue(at(49)));
    check(&mut judge, &[("n", lease(2))], 49, &[]);
    assert!(judge.is_anybody_overdue(at(50)));
    check(&mut judge, &[("n", lease(2))], 50, &[("n", OVERDUE)]);
    check(&mut judge, &[("n", lease(2))], 500, &[]);
    assert_eq!(judge.alarm(), None, "nobody is left to judge");
    assert_eq!(judge.saw(&node("n"), lease(3), at(600)), Some((node("n"), HEARD)));
    assert_eq!(judge.alarm(), Some(at(640)));
}

#[test]
fn a_thousand_renewals_are_told_once() {
    let mut judge = listed(&[("n", lease(0))]);
    let told = (1..=1000).filter_map(|it: i64| {
        let now = at(u64::try_from(it).unwrap_or(0) * 10);
        assert!(!judge.is_anybody_overdue(now));
        judge.saw(&node("n"), lease(it), now)
    });
    assert_eq!(told.count(), 1);
}

#[test]
fn what_the_list_before_the_judgement_tells_counts() {
    let mut judge = listed(&[("n", lease(1))]);
    assert!(judge.is_anybody_overdue(at(60)), "the watch told nothing");
    check(&mut judge, &[("n", lease(2))], 60, &[("n", HEARD)]);
}

#[test]
fn clocks_of_nodes_may_say_what_they_want() {
    let mut judge = listed(&[("n", lease(1_000_000))]);
    for (second, renewed) in [(30, -5), (60, i64::MAX), (90, 7)] {
        judge.saw(&node("n"), lease(renewed), at(second));
        check(&mut judge, &[("n", lease(renewed))], second + 39, &[]);
    }
    check(&mut judge, &[("n", lease(7))], 130, &[("n", OVERDUE)]);
}

#[test]
fn a_change_that_is_no_renewal_keeps_nobody_alive() {
    let mut judge = listed(&[("n", lease(1))]);
    let edited = Record { holder: "somebody".to_owned(), ..lease(1) };
    assert_eq!(judge.saw(&node("n"), edited.clone(), at(30)), None);
    check(&mut judge, &[("n", edited)], 40, &[("n", OVERDUE)]);
}

#[test]
fn an_agent_that_lets_go_is_silent_at_once() {
    let mut judge = listed(&[("n", lease(1))]);
    assert_eq!(judge.saw(&node("n"), let_go(2), at(1)), Some((node("n"), LET_GO)));
    check(&mut judge, &[("n", let_go(2))], 100, &[]);
    assert_eq!(judge.saw(&node("n"), lease(3), at(101)), Some((node("n"), HEARD)));
    let told = Judge::default().listed(all(&[("n", let_go(1))]), at(0));
    assert_eq!(told, news(&[("n", LET_GO)]), "a new controller knows it too");
}

#[test]
fn a_lease_that_is_deleted_is_told_and_forgotten() {
    let mut judge = listed(&[("m", lease(1)), ("n", lease(1))]);
    assert_eq!(judge.gone(&node("n")), Some((node("n"), DELETED)));
    assert_eq!(judge.gone(&node("n")), None);
    check(&mut judge, &[], 1, &[("m", DELETED)]);
    assert!(judge.agents.is_empty());
    check(&mut judge, &[("n", lease(1))], 2, &[("n", HEARD)]);
}

#[test]
fn a_new_controller_says_nothing_for_as_long_as_an_agent_may_be_silent() {
    let mut judge = listed(&[("alive", lease(1)), ("dead", lease(1))]);
    check(&mut judge, &[("alive", lease(2)), ("dead", lease(1))], 39, &[("alive", HEARD)]);
    check(&mut judge, &[("alive", lease(2)), ("dead", lease(1))], 40, &[("dead", OVERDUE)]);
}

#[test]
fn nobody_is_silent_because_the_server_was() {
    let leases = [("m", lease(1)), ("n", lease(1))];
    let mut judge = listed(&leases);
    judge.cannot_hear();
    assert_eq!(judge.judge(at(300)), AgentNews::new(), "nothing is heard");
    check(&mut judge, &leases, 300, &[]);
    assert_eq!(judge.alarm(), Some(at(340)));
    judge.saw(&node("m"), lease(2), at(310));
    check(&mut judge, &[("m", lease(2)), ("n", lease(1))], 340, &[("n", OVERDUE)]);
}

#[test]
fn a_lease_says_itself_how_long_its_agent_may_be_silent() {
    let lasting = |seconds| Record { duration: seconds, ..lease(1) };
    for (said, meant) in [(None, 40), (Some(at(0)), 1), (Some(at(7)), 7), (Some(at(9999)), 3600)] {
        let judge = listed(&[("n", lasting(said))]);
        assert_eq!(judge.alarm(), Some(at(meant)), "{said:?}");
    }
}

use super::{Arrow, Graph, Place};

/// Draws arrows written as `a→b`, each on its own line, and tells the components as `a b: a→b b→a`.
fn check(arrows: &str, want: &[&str]) {
    let mut graph = Graph::default();
    for (index, arrow) in arrows.split(' ').enumerate() {
        let (from, to) = arrow.split_once('→').unwrap();
        let place = Place { path: "x.rs".into(), line: index + 1 };
        graph.add(Arrow { from: from.into(), to: to.into(), place });
    }
    let told: Vec<String> = graph
        .components()
        .iter()
        .map(|component| {
            let cycle: Vec<String> = component.cycle.iter().map(tell).collect();
            format!("{}: {}", component.modules.join(" "), cycle.join(" "))
        })
        .collect();
    assert_eq!(told, want, "{arrows}");
}

fn tell(arrow: &Arrow) -> String {
    format!("{}→{}@{}", arrow.from, arrow.to, arrow.place.line)
}

#[test]
fn layers_have_no_component() {
    check("a→b b→c a→c", &[]);
    check("a→b c→b", &[]);
}

#[test]
fn a_module_that_uses_itself_is_no_cycle() {
    check("a→a", &[]);
}

#[test]
fn a_cycle_is_told_arrow_by_arrow() {
    check("a→b b→a", &["a b: a→b@1 b→a@2"]);
    check("c→a a→b b→c", &["a b c: a→b@2 b→c@3 c→a@1"]);
}

#[test]
fn the_shortest_cycle_of_a_component_is_told() {
    check("a→b b→c c→d d→a d→c", &["a b c d: c→d@3 d→c@5"]);
}

#[test]
fn a_module_that_only_leads_to_a_cycle_or_away_is_outside() {
    check("top→a a→b b→a b→base", &["a b: a→b@2 b→a@3"]);
}

#[test]
fn two_cycles_that_share_no_way_back_are_two_components() {
    check("a→b b→a b→c c→d d→c", &["a b: a→b@1 b→a@2", "c d: c→d@4 d→c@5"]);
}

#[test]
fn an_arrow_keeps_its_first_place() {
    check("a→b b→a a→b", &["a b: a→b@1 b→a@2"]);
}

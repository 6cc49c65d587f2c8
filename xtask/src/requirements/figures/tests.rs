use super::{Figure, Figures, Goal, Standing, path, standings};
use crate::text_file::TextFile;

fn figure(line: &str) -> Figure {
    Figure::parse(line).unwrap().unwrap()
}

fn standing(lines: &[&str]) -> Standing {
    let figures = lines.iter().map(|line| figure(line)).collect();
    let figures = Figures { date: String::new(), cores: 2, rustc: String::new(), figures };
    let text = serde_json::to_string_pretty(&figures).unwrap();
    standings(&[TextFile::new(path("sandbox"), text)])["sandbox"]
}

#[test]
fn a_figure_has_a_name_a_value_a_unit_and_perhaps_a_goal() {
    let ready = figure("  figure: ready 5.5 s goal <= 15");
    let goal = Some(Goal::AtMost(15.0));
    assert_eq!(ready, Figure { name: "ready".into(), value: 5.5, unit: "s".into(), goal });
    assert_eq!(figure("figure: rate 900 pods/s").goal, None);
    assert_eq!(Figure::parse("ready in 5.5 s"), None);
}

#[test]
fn an_unreadable_figure_is_told() {
    for line in ["figure: ready", "figure: ready soon s", "figure: ready 5 s goal < 3"] {
        assert!(Figure::parse(line).unwrap().unwrap_err().contains("<name> <value> <unit>"));
    }
}

#[test]
fn every_goal_has_to_be_met_and_there_has_to_be_one() {
    assert_eq!(standing(&["figure: a 5 s goal <= 15", "figure: b 2 s"]), Standing::Met);
    assert_eq!(standing(&["figure: a 15 s goal <= 15"]), Standing::Met);
    assert_eq!(
        standing(&["figure: a 5 s goal <= 15", "figure: b 2 x goal >= 3"]),
        Standing::Missed
    );
    assert_eq!(standing(&["figure: a 5 s"]), Standing::Absent);
    assert_eq!(standing(&[]), Standing::Absent);
    let unreadable = TextFile::new(path("sandbox"), "{}");
    assert_eq!(standings(&[unreadable])["sandbox"], Standing::Absent);
}

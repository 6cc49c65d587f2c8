use super::*;

fn check(command: Command, text: &str, since: &str) {
    assert_eq!(Command::parse(text), Some(command), "{text}");
    assert_eq!(command.to_string(), text);
    assert_eq!(command.since().as_str(), since, "{text}");
}

#[test]
fn commands_came_one_after_the_other() {
    check(Command::Add, "ADD", "0.3.1");
    check(Command::Del, "DEL", "0.3.1");
    check(Command::Version, "VERSION", "0.3.1");
    check(Command::Check, "CHECK", "0.4.0");
    check(Command::Gc, "GC", "1.1.0");
    check(Command::Status, "STATUS", "1.1.0");
}

#[test]
fn other_words_are_no_commands() {
    for text in ["", "add", "ADD ", "UPDATE", "GARBAGE"] {
        assert_eq!(Command::parse(text), None, "{text}");
    }
}

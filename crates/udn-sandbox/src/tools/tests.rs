//! Scripts run what they were made of.

use std::process::Command;

use super::write_script;

#[test]
fn a_script_keeps_words_and_variables_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("below/script");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "echo \"$A|$1|$2\"", "it's"]).env("A", "a 'b' $c").env_remove("B");
    write_script(&path, &command).expect("it is written");
    let said = udn_lab::run::run(Command::new(path).args(["one two", "$HOME"]));
    assert_eq!(said.expect("it runs"), "a 'b' $c|one two|$HOME");
}

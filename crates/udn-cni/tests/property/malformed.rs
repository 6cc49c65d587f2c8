//! Input that nobody vouches for gives an error value: no panic, no unbounded text or memory.
//!
//! A stored corpus, then many mutations of it from stored seeds. The fuzz target runs the same
//! bodies. A file's name begins with what must become of it.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bodies::{read_answer, read_arguments, read_conf, read_request, read_result};
use mutations::Dice;

mod bodies;
mod mutations;

const MUTATIONS: u64 = 25_000;

/// What is read, with where it is stored; true for what is good.
struct Kind {
    folder: &'static str,
    read: fn(&[u8]) -> bool,
    seed: u64,
}

const REQUEST: Kind = Kind { folder: "request", read: read_request, seed: 1 };
const CONF: Kind = Kind { folder: "conf", read: read_conf, seed: 2 };
const ARGUMENTS: Kind = Kind { folder: "arguments", read: read_arguments, seed: 3 };
const RESULT: Kind = Kind { folder: "result", read: read_result, seed: 4 };
const ANSWER: Kind = Kind { folder: "answer", read: read_answer, seed: 5 };

impl Kind {
    /// Name and text of everything that is stored, in order.
    fn corpus(&self) -> Vec<(String, Vec<u8>)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(self.folder);
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        paths.into_iter().map(|path| (name(&path), std::fs::read(path).unwrap())).collect()
    }

    fn check_stored(&self) {
        for (name, text) in self.corpus() {
            let is_good = name.starts_with("good-");
            assert!(is_good || name.starts_with("bad-"), "{name} says nothing");
            assert_eq!((self.read)(&text), is_good, "{}/{name}", self.folder);
        }
    }

    /// Mutates everything in turn; the mutations must not all be harmful, nor all harmless.
    fn check_mutated(&self, finish: impl Fn(&mut Dice, Vec<u8>) -> Vec<u8>) {
        let corpus: Vec<Vec<u8>> = self.corpus().into_iter().map(|(_, text)| text).collect();
        let mut dice = Dice::new(self.seed);
        let mut accepted = 0;
        for number in 0..MUTATIONS as usize {
            let mutated = dice.mutate(&corpus[number % corpus.len()], &corpus);
            let text = finish(&mut dice, mutated);
            accepted += u64::from((self.read)(&text));
        }
        println!("drew: {MUTATIONS} inputs");
        assert!(accepted > MUTATIONS / 50, "only {accepted} were accepted");
        assert!(accepted < MUTATIONS * 9 / 10, "only {} were refused", MUTATIONS - accepted);
    }
}

#[test]
fn stored_inputs_end_as_their_names_say() {
    for kind in [REQUEST, CONF, ARGUMENTS, RESULT, ANSWER] {
        kind.check_stored();
    }
}

#[test]
fn mutated_requests_break_no_promise() {
    REQUEST.check_mutated(|_, text| text);
}

#[test]
fn requests_with_mutated_contents_break_no_promise() {
    let arguments = ARGUMENTS.corpus();
    let wrap = |dice: &mut Dice, conf: Vec<u8>| {
        let texts: Vec<Vec<u8>> = arguments.iter().map(|(_, text)| text.clone()).collect();
        let picked = dice.pick(&texts);
        let mutated = dice.mutate(picked, &texts);
        let arguments = String::from_utf8_lossy(&mutated).into_owned();
        let commands = ["ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION"];
        let environment = serde_json::json!({
            "CNI_COMMAND": dice.pick(&commands),
            "CNI_CONTAINERID": dice.pick(&["0a1b", "", "../x"]),
            "CNI_IFNAME": dice.pick(&["eth0", "net1", "", "abcdefghijklmnop"]),
            "CNI_NETNS": dice.pick(&["/run/netns/x", ""]),
            "CNI_ARGS": arguments,
        });
        let posted = serde_json::json!({"env": environment, "config": STANDARD.encode(conf)});
        posted.to_string().into_bytes()
    };
    Kind { read: read_request, seed: 6, ..CONF }.check_mutated(wrap);
}

#[test]
fn mutated_configurations_break_no_promise() {
    CONF.check_mutated(|_, text| text);
}

#[test]
fn mutated_arguments_break_no_promise() {
    ARGUMENTS.check_mutated(|_, text| text);
}

#[test]
fn mutated_results_break_no_promise() {
    RESULT.check_mutated(|_, text| text);
}

#[test]
fn mutated_answers_break_no_promise() {
    ANSWER.check_mutated(|_, text| text);
}

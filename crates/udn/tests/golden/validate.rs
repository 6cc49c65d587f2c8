//! `udn validate` as a newcomer meets it: mistakes at their lines, in words that say what to do.
//!
//! `tests/validate/bad` holds manifests with mistakes, `bad.txt` and `bad.json` what is said to
//! them; `UPDATE=1` writes those anew.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validate")
}

/// Runs the program in the folder of the cases, so that paths are short.
fn validate(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    command.arg("validate").args(arguments).current_dir(folder());
    command.output().expect("the program starts")
}

/// Runs the program with a text on its standard input.
fn validate_text(text: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    command.args(["validate", "-f", "-"]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    // A program that has seen enough does not read the rest.
    let _ = input.write_all(text.as_bytes());
    drop(input);
    child.wait_with_output().expect("the program ends")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal ended the program")
}

fn findings(output: &Output) -> Vec<Value> {
    let report: Value = serde_json::from_slice(&output.stdout).expect("well-formed JSON");
    report["findings"].as_array().expect("a list of findings").clone()
}

/// Compares with a file, or writes it anew.
fn check(name: &str, got: &str) {
    let path = folder().join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, got).expect("the expectation is written");
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(got == want, "{name} differs; UPDATE=1 writes it anew. Got:\n{got}");
}

#[test]
fn mistakes_read_as_sentences_at_their_lines() {
    let output = validate(&["-f", "bad"]);
    assert_eq!(code(&output), 1);
    check("bad.txt", &said(&output));
}

#[test]
fn programs_read_the_same_as_json() {
    let output = validate(&["-f", "bad", "-o", "json"]);
    assert_eq!(code(&output), 1);
    check("bad.json", &said(&output));
    for finding in findings(&output) {
        let fields = finding.as_object().expect("an object");
        for name in ["object", "path", "line", "column", "severity", "reason", "message", "source"]
        {
            assert!(fields.contains_key(name), "{name} is missing in {finding}");
        }
        assert!(finding["help"].is_string() || finding["source"] == "cluster", "{finding}");
    }
}

#[test]
fn updates_are_judged_against_the_former_version() {
    let output = validate(&["-f", "update/new.yaml", "--old", "update/old.yaml"]);
    assert_eq!(code(&output), 1);
    check("update.txt", &said(&output));
    let alone = findings(&validate(&["-f", "update/new.yaml", "-o", "json"]));
    assert!(alone.iter().all(|finding| finding["source"] == "cluster"), "{alone:#?}");
}

const SOUND: &str = "\
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: sound, namespace: red}
spec:
  topology: Layer2
  layer2: {role: Secondary, subnets: [10.10.0.0/16]}
";

#[test]
fn exit_codes_tell_clean_from_wrong_from_unusable() {
    assert_eq!(code(&validate_text(SOUND, &[])), 0);
    let wrong = SOUND.replace("10.10.0.0/16", "10.10.0.0/33");
    assert_eq!(code(&validate_text(&wrong, &[])), 1);
    let broken = format!("{wrong}---\na: [\n");
    assert_eq!(code(&validate_text(&broken, &[])), 2);
    for nothing in ["", "# nothing\n---\n", "just: text\n"] {
        assert_eq!(code(&validate_text(nothing, &[])), 2, "{nothing:?}");
    }
    assert_eq!(code(&validate(&["-f", "no-such-file.yaml"])), 2);
    assert_eq!(code(&validate(&["-f", "bad", "--old", "no-such-file.yaml"])), 2);
    assert_eq!(code(&validate(&["-f", "bad", "--against", "no-such-file"])), 2);
    assert_eq!(code(&validate(&[])), 2);
}

const IDLE: &str = "\
{apiVersion: v1, kind: Namespace, metadata: {name: other}}
---
apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata: {name: idle}
spec:
  namespaceSelector: {matchLabels: {team: nobody}}
  network: {topology: Layer2, layer2: {role: Secondary, subnets: [10.10.0.0/16]}}
";

#[test]
fn warnings_alone_are_no_failure() {
    let output = validate_text(IDLE, &["-o", "json"]);
    let severities: Vec<Value> =
        findings(&output).iter().map(|finding| finding["severity"].clone()).collect();
    assert_eq!((severities, code(&output)), (vec![json!("warning")], 0));
    assert!(said(&validate_text(IDLE, &[])).ends_with("1 warning in 1 of 2 objects\n"));
}

#[test]
fn other_kinds_are_counted_and_nothing_more() {
    let text =
        format!("{SOUND}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\n");
    let output = validate_text(&text, &[]);
    let want =
        "note: 1 object of other kinds was not checked: Deployment (1)\nno errors in 1 object\n";
    assert_eq!((said(&output).as_str(), code(&output)), (want, 0));
}

#[test]
fn one_bad_document_costs_no_other() {
    let wrong = SOUND.replace("Layer2", "Layer4");
    let output = validate_text(&format!("a: 'open\n---\n{wrong}"), &["-o", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("well-formed JSON");
    assert!(!findings(&output).is_empty());
    assert_eq!(report["unusable"][0]["line"], 1);
    assert_eq!(code(&output), 2);
}

#[test]
fn objects_that_name_no_namespace_go_where_the_flag_says() {
    let text = SOUND.replace(", namespace: red", "").replace("Layer2", "Layer4");
    let named = |arguments: &[&str]| {
        let arguments = [arguments, &["-o", "json"]].concat();
        findings(&validate_text(&text, &arguments))[0]["object"].clone()
    };
    assert_eq!(named(&[]), "UserDefinedNetwork default/sound");
    assert_eq!(named(&["-n", "blue"]), "UserDefinedNetwork blue/sound");
}

#[test]
fn settings_of_the_cluster_are_flags() {
    let text = SOUND.replace("Secondary", "Primary").replace("10.10.0.0/16", "10.128.0.0/16");
    let reasons = |arguments: &[&str]| {
        let output = validate_text(&text, &[arguments, &["-o", "json"]].concat());
        findings(&output).iter().map(|it| it["reason"].clone()).collect::<Vec<_>>()
    };
    assert!(reasons(&[]).contains(&json!("SubnetOverlap")));
    assert!(!reasons(&["--cluster-subnets", "10.244.0.0/16"]).contains(&json!("SubnetOverlap")));
    let services =
        reasons(&["--cluster-subnets", "10.244.0.0/16", "--service-cidrs", "10.128.0.0/20"]);
    assert!(services.contains(&json!("SubnetOverlap")));
    assert_eq!(code(&validate_text(&text, &["--cluster-subnets", "10.0.0.0/08"])), 2);
}

/// The line of a text that is refused, and that nothing but the program's exit was waited for.
fn refused(text: &str, want: &str) {
    let output = validate_text(text, &[]);
    let told = said(&output) + &String::from_utf8_lossy(&output.stderr);
    assert!(told.contains(want), "{}", told.chars().take(2000).collect::<String>());
    assert!(told.len() < 4000, "{} bytes were printed", told.len());
    assert_eq!(code(&output), 2);
}

#[test]
fn bombs_are_refused_with_a_clear_message() {
    refused("a: &a [*a]\n", "anchor `a` contains itself");
    refused("a: &a {b: *c}\nd: &c {e: *a}\n", "anchor that is not there");
    let laughs: String = (1..12)
        .map(|level| {
            format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 12].join(","))
        })
        .collect();
    refused(&format!("a0: &a0 [lol, lol, lol]\n{laughs}"), "excessive aliasing");
    refused(&"[".repeat(1_000_000), "nested deeper than 128 levels");
    refused(&format!("a: {}", "{a: ".repeat(100_000)), "nested deeper than 128 levels");
    refused(&"- ".repeat(1_000_000), "nested deeper than 128 levels");
    refused(&format!("a: [{}]", "1,".repeat(2_000_000)), "holds more than 1000000 values");
    refused(&"a".repeat(50_000_000), "is larger than 32 MiB; divide it into smaller files");
}

#[test]
fn a_large_file_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.yaml");
    let file = std::fs::File::create(&path).expect("a file");
    // A file of holes: reading it would take its whole size in memory.
    file.set_len(1 << 40).expect("a sparse file");
    let path = path.to_str().expect("a plain path");
    let output = validate(&["-f", path]);
    assert!(said(&output).contains("is larger than 32 MiB"), "{}", said(&output));
    assert_eq!(code(&output), 2);
}

#[test]
fn an_object_that_no_server_would_read_is_an_error() {
    let long = "x".repeat(4 << 20);
    let text = SOUND.replace("name: sound", &format!("name: sound, annotations: {{a: {long}}}"));
    let output = validate_text(&text, &["-o", "json"]);
    assert_eq!(findings(&output)[0]["message"], "Request entity too large: limit is 3145728");
    assert_eq!(code(&output), 1);
}

#[test]
fn long_lines_are_shown_in_part() {
    let long = "x".repeat(100_000);
    let text = format!(
        "{{\"apiVersion\": \"k8s.ovn.org/v1\", \"kind\": \"UserDefinedNetwork\", \"metadata\": {{\"name\": \
         \"a\", \"annotations\": {{\"a\": \"{long}\"}}}}, \"spec\": {{\"topology\": \"Layer5\"}}}}"
    );
    let output = validate_text(&text, &[]);
    let shown = said(&output);
    assert!(shown.contains("<stdin>:1:100138") && shown.contains("\"Layer5\""), "{shown}");
    assert!(shown.len() < 2000, "{} bytes were printed", shown.len());
}

#[test]
fn what_a_machine_got_wrong_a_thousand_times_is_shown_in_part() {
    let many: String = (0..1000).map(|number| format!("  x{number}: 1\n")).collect();
    let output = validate_text(&format!("{SOUND}{many}"), &[]);
    let shown = said(&output);
    assert_eq!(shown.matches("error: unknown field").count(), 200);
    assert!(shown.contains("note: 800 more errors in UserDefinedNetwork red/sound are not shown"));
    assert!(shown.ends_with("1000 errors in 1 object\n"), "{shown}");
}

#[test]
fn folders_are_read_in_the_order_of_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, name: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, SOUND.replace("sound", name).replace("Layer2", "Layer4"))
            .expect("written");
    };
    write("b.yaml", "second");
    write("a/z.json", "first");
    write("c.yml", "third");
    write("d.txt", "never");
    let path = folder.path().to_str().expect("a plain path");
    let output = validate(&["-f", path, "-o", "json"]);
    let mut names: Vec<String> =
        findings(&output).iter().map(|it| it["object"].to_string()).collect();
    names.dedup();
    let want = ["first", "second", "third"].map(|it| format!("\"UserDefinedNetwork red/{it}\""));
    assert_eq!(names, want);
}

#[test]
fn colours_are_for_terminals() {
    let output = validate(&["-f", "bad"]);
    assert!(!said(&output).contains('\u{1b}'));
}

#[test]
fn crds_and_policies_are_printed_as_one_stream() {
    let printed = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
        let output = command.arg("crds").args(arguments).output().expect("the program starts");
        assert!(output.status.success());
        said(&output)
    };
    let count = |text: &str, kind: &str| text.matches(&format!("\nkind: {kind}\n")).count();
    let all = printed(&[]);
    assert_eq!(count(&all, "CustomResourceDefinition"), 5);
    assert_eq!(count(&all, "ValidatingAdmissionPolicy"), 7);
    assert_eq!(count(&all, "ValidatingAdmissionPolicyBinding"), 7);
    assert_eq!(count(&printed(&["--only", "crds"]), "ValidatingAdmissionPolicy"), 0);
    assert_eq!(count(&printed(&["--only", "policies"]), "CustomResourceDefinition"), 0);
    assert!(printed(&["--only", "default-network"]).contains("name: default\n"));
}

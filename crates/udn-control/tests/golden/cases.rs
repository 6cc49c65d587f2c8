//! The golden cases: a world in, every stage out.
//!
//! A case is a folder of `cases/` with manifests (`*.yaml`) and what each stage makes of them. In those
//! that begin with `default-` the default network is ours to build.
//! `UPDATE=1 cargo xtask test --shelf golden` writes the expectations anew; then read the diff.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use ovn::SimulatedDatabase;
use serde_json::{Value, json};
use udn_blueprint::owners;
use udn_cluster::dry_run::{DryRun, Scope, dry_run};
use udn_cluster::{Reading, World, Write};
use udn_control::zone::ZoneDryRun;
use udn_model::{ClusterSettings, Findings};

/// What the stages made, by file name.
type Stages = BTreeMap<String, String>;

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let entries = fs::read_dir(folder).expect("the cases are there");
    let folders = entries.map(|entry| entry.expect("readable").path()).filter(|it| it.is_dir());
    let mut cases: Vec<PathBuf> = folders.collect();
    cases.sort();
    assert!(!cases.is_empty(), "there is no case");
    cases
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("values can be shown") + "\n"
}

fn told(findings: &Findings) -> String {
    findings.iter().map(|finding| format!("! {finding}\n")).collect()
}

/// The manifests of a case.
fn read(case: &Path) -> Reading {
    let entries = fs::read_dir(case).expect("the case can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|it| it == "yaml"));
    files.sort();
    let text = |path: &PathBuf| (path.display().to_string(), fs::read(path).expect("readable"));
    let texts: Vec<(String, Vec<u8>)> = files.iter().map(text).collect();
    World::read(texts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))
}

fn stages(case: &Path) -> Stages {
    let folder = case.file_name().expect("a case is a folder").to_string_lossy();
    let settings = ClusterSettings {
        builds_default_network: folder.starts_with("default-"),
        ..ClusterSettings::default()
    };
    let reading = read(case);
    let cluster = dry_run(reading.world, &settings, Scope::Manifests);
    check_settled(&cluster, &settings);
    let written: Vec<String> = cluster.writes.iter().map(Write::to_yaml).collect();
    let mut stages = Stages::from([
        ("intent".to_owned(), pretty(&json!(cluster.intent.value))),
        ("grants".to_owned(), pretty(&json!(cluster.grants))),
        ("written".to_owned(), written.join("---\n")),
    ]);
    if !cluster.findings.is_empty() || !reading.problems.is_empty() {
        let problems = reading.problems.iter().map(|it| format!("! {}\n", it.message));
        stages
            .insert("findings".to_owned(), problems.collect::<String>() + &told(&cluster.findings));
    }
    for node in cluster.intent.value.nodes.keys() {
        let zone = ZoneDryRun::new(&cluster.world, node, &settings);
        let (sheets, plans) = draw_and_plan(case, &zone, &settings);
        let written: Vec<String> = zone.writes().iter().map(Write::to_yaml).collect();
        if !written.is_empty() {
            stages.insert(format!("{node}.written"), written.join("---\n"));
        }
        stages.insert(format!("{node}.sheet"), sheets);
        stages.insert(format!("{node}.plan"), plans);
    }
    stages
}

/// What was written is found again: nothing is left to write, and every grant is the same.
fn check_settled(cluster: &DryRun, settings: &ClusterSettings) {
    assert!(cluster.is_quiet, "the controller comes to rest");
    let again = dry_run(cluster.world.clone(), settings, Scope::Manifests);
    assert_eq!(again.writes, [], "a second run writes nothing");
    assert_eq!(again.grants, cluster.grants, "a second run grants the same");
}

fn draw_and_plan(case: &Path, zone: &ZoneDryRun, settings: &ClusterSettings) -> (String, String) {
    let mut standing = SimulatedDatabase::new(owners::northbound_of(zone.node(), settings));
    let (mut drawn, mut plans) = (told(&zone.findings()), String::new());
    for (title, sheets) in zone.sheets() {
        sheets.iter().for_each(|sheet| drawn.push_str(&sheet.to_string()));
        let plan = standing.plan(sheets).expect("drawn rows can be compared");
        plans.push_str(&format!("# {title}\n{plan}"));
        standing.apply(&plan).expect("the database accepts what is drawn");
        let again = standing.plan(sheets).expect("drawn rows can be compared again");
        assert!(again.is_empty() && again.is_complete(), "{}: {again}", case.display());
    }
    drawn.push_str(&zone.southbound().to_string());
    (drawn, plans)
}

/// The expectations that are stored beside a case's manifests.
fn expectations(case: &Path) -> Stages {
    let entries = fs::read_dir(case).expect("the case can be read");
    let files = entries.map(|entry| entry.expect("readable").path());
    let stored = files.filter(|path| path.extension().is_none_or(|it| it != "yaml"));
    let name = |path: &Path| path.file_name().expect("files have names").to_string_lossy().into();
    stored.map(|path| (name(&path), fs::read_to_string(&path).expect("readable"))).collect()
}

fn bless(case: &Path, stages: &Stages) {
    for name in expectations(case).keys().filter(|name| !stages.contains_key(*name)) {
        fs::remove_file(case.join(name)).expect("an old expectation can be removed");
    }
    for (name, text) in stages {
        fs::write(case.join(name), text).expect("an expectation can be written");
    }
}

/// The first lines that differ, as a person wants to see them.
fn difference(name: &str, want: &str, got: &str) -> Option<String> {
    let mut lines = want.lines().zip(got.lines()).enumerate();
    let first = lines.find(|(_, (want, got))| want != got).map(|(number, _)| number);
    let shorter = want.lines().count().min(got.lines().count());
    let first = first.or_else(|| (want != got).then_some(shorter))?;
    let part = |text: &str| text.lines().skip(first).take(5).collect::<Vec<_>>().join("\n    ");
    Some(format!(
        "{name}, line {}:\n  want\n    {}\n  got\n    {}",
        first + 1,
        part(want),
        part(got)
    ))
}

#[test]
fn every_stage_is_as_expected() {
    let mut differences = Vec::new();
    for case in cases() {
        let got = stages(&case);
        if env::var_os("UPDATE").is_some() {
            bless(&case, &got);
            continue;
        }
        let want = expectations(&case);
        let names = want.keys().chain(got.keys()).collect::<std::collections::BTreeSet<_>>();
        for name in names {
            let text = |stages: &Stages| stages.get(name).cloned().unwrap_or_default();
            let shown = format!("{}/{name}", case.display());
            differences.extend(difference(&shown, &text(&want), &text(&got)));
        }
    }
    let help = "UPDATE=1 writes the expectations anew; then read the diff";
    assert!(differences.is_empty(), "{}\n{help}", differences.join("\n"));
}

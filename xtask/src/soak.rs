//! `cargo xtask soak`: runs every random test with fresh seeds until the time is up.
//!
//! Reads the random tests from the sources and runs the programs that `cargo xtask test` builds;
//! stores what fails below `<target>/udn/soak`. Invariant: everything a program draws comes from the
//! seed of its round, which is printed, so that a failure can be repeated.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

use self::child::End;
use self::drawn::Drawn;
use self::random::RandomProgram;
use crate::args::SoakRequest;
use crate::module_tree;
use crate::program::{Program, Programs, UNIT};
use crate::setup;
use crate::shelf::Shelf;
use crate::table::{Table, count, human};
use crate::test;
use crate::test::libtest::{Outcome, Reader, Tally};
use crate::test::machine::Machine;
use crate::text_file;
use crate::verdict::Verdict;
use crate::workspace::Workspace;

mod child;
mod drawn;
pub(crate) mod random;

/// How long a program may go on after the time is up.
const GRACE: Duration = Duration::from_secs(120);

/// One soak: what it runs and what came of it.
struct Soak<'a> {
    workspace: &'a Workspace,
    name: Option<&'a str>,
    programs: &'a Programs,
    until: Instant,
    seen: BTreeMap<Program, Seen>,
    failures: usize,
}

/// What came of one program.
#[derive(Default)]
struct Seen {
    rounds: usize,
    tests: usize,
    drawn: Drawn,
    failures: usize,
}

/// One program in one round.
struct Run<'a> {
    random: &'a RandomProgram,
    executable: &'a str,
    words: Vec<String>,
    seed: u64,
}

/// Runs `cargo xtask soak`.
pub(crate) fn run(workspace: &Workspace, request: &SoakRequest) -> Result<Verdict> {
    let machine = Machine::look(&workspace.root, setup::prepare(workspace)?);
    let (random, _) = random::find(&text_file::read_all(&workspace.root)?);
    println!("building the tests");
    let Some(programs) = test::build(workspace)? else {
        println!("\nthe tests do not compile; nothing was run");
        return Ok(Verdict::Fail);
    };
    let minutes = Duration::from_secs(request.minutes * 60);
    let (name, start) = (request.name.as_deref(), Instant::now());
    let (until, seen) = (start + minutes, BTreeMap::new());
    let mut soak = Soak { workspace, name, programs: &programs, until, seen, failures: 0 };
    let able = |random: &&RandomProgram| match machine.obstacle(random.shelf) {
        None => true,
        Some(reason) => {
            println!("left out {}: {reason}", random.program);
            false
        }
    };
    let random: Vec<&RandomProgram> = random.iter().filter(able).collect();
    let rounds = soak.rounds(&random)?;
    soak.print_summary(rounds, start.elapsed());
    let ran_something = soak.seen.values().any(|seen| seen.tests > 0);
    Ok(Verdict::from_good(soak.failures == 0 && ran_something))
}

impl Soak<'_> {
    /// Plays rounds until the time is up; returns how many were begun.
    fn rounds(&mut self, random: &[&RandomProgram]) -> Result<usize> {
        let mut rounds = 0;
        while Instant::now() < self.until {
            let (seed, before) = (fresh_seed(), self.seen.len());
            rounds += 1;
            println!("\nround {rounds}, seed {seed}");
            let mut ran = false;
            for random in random {
                for (executable, _) in self.executables(&random.program) {
                    let Some(words) = words(random, self.name) else { continue };
                    if Instant::now() >= self.until {
                        return Ok(rounds);
                    }
                    ran = true;
                    self.play(&Run { random, executable: &executable, words, seed })?;
                }
            }
            if !ran && before == 0 {
                println!("no random test here has such a name");
                return Ok(rounds);
            }
        }
        Ok(rounds)
    }

    fn executables(&self, program: &Program) -> Vec<(String, Program)> {
        self.programs.all().iter().filter(|(_, it)| it == program).cloned().collect()
    }

    fn play(&mut self, run: &Run<'_>) -> Result<()> {
        let (start, program) = (Instant::now(), &run.random.program);
        let mut reader = Reader::of(self.programs, program);
        let (mut printed, mut output) = (Drawn::default(), Vec::new());
        let command = command(self.workspace, run);
        let end = child::run(command, self.until + GRACE, |line| {
            reader.line(line);
            printed.line(line);
            output.push(line.to_owned());
        })?;
        let tally = reader.finish();
        if end == End::Passed && tally.total() == 0 {
            return Ok(()); // the name is not among its tests
        }
        let drawn = drawn(run.random, &tally, &printed);
        let seen = self.seen.entry(program.clone()).or_default();
        seen.rounds += 1;
        seen.tests += tally.passed;
        seen.drawn.merge(&drawn);
        let time = human(start.elapsed());
        match end {
            End::Passed => {
                println!(
                    "  {program}: {}, {} in {time}",
                    count(tally.passed, "test"),
                    drawn.text()
                );
            }
            End::OutOfTime => println!("  {program}: ended after {time}; the time was up"),
            End::Failed => {
                for test in failed(&tally, program) {
                    seen.failures += 1;
                    self.failures += 1;
                    let path = store(self.workspace, run, &test, &output)?;
                    print!("{}", failure(run, &test, &path.display().to_string()));
                }
            }
        }
        Ok(())
    }

    fn print_summary(&self, rounds: usize, time: Duration) {
        let mut table = Table::new(["program", "rounds", "tests", "failures", "drew"]);
        let mut drawn = Drawn::default();
        for (program, seen) in &self.seen {
            let numbers = [seen.rounds, seen.tests, seen.failures].map(|it| it.to_string());
            let [rounds, tests, failures] = numbers;
            table.row([program.to_string(), rounds, tests, failures, seen.drawn.text()]);
            drawn.merge(&seen.drawn);
        }
        println!("\n{}", table.render());
        let (rounds, failures) = (count(rounds, "round"), count(self.failures, "failure"));
        println!("{rounds}, {}, {failures} in {}", drawn.total(), human(time));
    }
}

/// A number that nobody chose.
fn fresh_seed() -> u64 {
    u64::from(RandomState::new().build_hasher().finish() as u32)
}

/// The words that pick the random tests of a program; `None` when none has the name.
fn words(random: &RandomProgram, name: Option<&str>) -> Option<Vec<String>> {
    let mut words = vec!["--nocapture".to_owned()];
    match (&random.only, name) {
        (None, None) => {}
        (None, Some(name)) => {
            // A test that draws by itself is not known from the sources; the program filters.
            words.push(name.to_owned());
        }
        (Some(only), name) => {
            let named = only.iter().filter(|test| name.is_none_or(|name| test.contains(name)));
            words.extend(named.cloned());
            words.push("--exact".to_owned());
            if words.len() == 2 {
                return None;
            }
        }
    }
    Some(words)
}

/// The program as cargo would run it, with the seed of the round.
fn command(workspace: &Workspace, run: &Run<'_>) -> Command {
    let owner = &run.random.program.owner;
    let folder = workspace.root.join(module_tree::folder(owner));
    let mut command = Command::new(run.executable);
    command.args(&run.words).current_dir(&folder);
    command.env("CARGO_MANIFEST_DIR", &folder).env("CARGO_PKG_NAME", owner);
    for variable in random::VARIABLES {
        command.env(variable, run.seed.to_string());
    }
    command
}

/// What a program drew: as its tests printed, and the inputs of property tests that passed.
fn drawn(random: &RandomProgram, tally: &Tally, printed: &Drawn) -> Drawn {
    let mut drawn = printed.clone();
    let tests = tally.tests.get(&random.program).into_iter().flatten();
    for (name, _) in tests.filter(|(_, outcome)| **outcome == Outcome::Passed) {
        if let Some(cases) = random.tests.get(name).and_then(|test| test.cases) {
            drawn.add(cases, "inputs");
        }
    }
    drawn
}

fn failed(tally: &Tally, program: &Program) -> Vec<String> {
    let tests = tally.tests.get(program).into_iter().flatten();
    let failed = tests.filter(|(_, outcome)| **outcome == Outcome::Failed);
    let names: Vec<String> = failed.map(|(name, _)| name.clone()).collect();
    if names.is_empty() { vec!["a test unknown".to_owned()] } else { names }
}

/// The command line that plays the failure again.
fn repeat(run: &Run<'_>, test: &str) -> String {
    let Program { owner, name } = &run.random.program;
    let target = if name == UNIT { "--lib --bins".to_owned() } else { format!("--test {name}") };
    let [first, second] = random::VARIABLES.map(|variable| format!("{variable}={}", run.seed));
    format!("{first} {second} cargo test -p {owner} {target} -- --exact {test} --nocapture")
}

/// What to tell of a failure.
fn failure(run: &Run<'_>, test: &str, stored: &str) -> String {
    let program = &run.random.program;
    let keep = match run.random.tests.get(test) {
        Some(random) if random.cases.is_some() => {
            let kept = match run.random.shelf {
                Shelf::Unit => {
                    format!("{}/proptest-regressions", module_tree::folder(&program.owner))
                }
                _ => format!("{}.regressions", random.path.trim_end_matches(".rs")),
            };
            format!("proptest added it to {kept}; commit that, and a case in words")
        }
        Some(random) => format!("add the seed to the stored ones of {}", random.path),
        None => "store the seed where the test has its own, and a case in words".to_owned(),
    };
    format!(
        "  {program}: FAILED {test}, seed {}\n    again:  {}\n    output: {stored}\n    keep:   {keep}\n",
        run.seed,
        repeat(run, test)
    )
}

/// Stores what is needed to look at a failure later.
fn store(workspace: &Workspace, run: &Run<'_>, test: &str, output: &[String]) -> Result<PathBuf> {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).context("reading the clock")?;
    let folder = workspace.record_folder().join("soak");
    let name = test.replace("::", "-").replace(' ', "-");
    let path = folder.join(format!("{}-{name}.txt", time.as_secs()));
    let head = format!("seed {}\n{}\n\n", run.seed, repeat(run, test));
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, head + &output.join("\n") + "\n"))
        .with_context(|| format!("writing {}", path.display()))?;
    Ok(path)
}

#[cfg(test)]
mod tests;

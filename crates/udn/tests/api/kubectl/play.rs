//! Plays a script against one server.
//!
//! Reads steps and a kubeconfig; returns what each step said, and its exit code.
//! Invariant: no command outlives the play.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use udn_lab::kubernetes::programs::Programs;

use super::script::{Act, Step};

/// How long a command that goes on may take to say what is expected of it.
const LIMIT: Duration = Duration::from_secs(60);

/// A command that goes on.
struct Going {
    child: Child,
    output: PathBuf,
}

impl Drop for Going {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Player<'a> {
    programs: Programs,
    kubeconfig: &'a Path,
    folder: TempDir,
    going: Option<Going>,
}

/// Plays all steps.
pub(crate) fn play(steps: &[Step], kubeconfig: &Path) -> Vec<String> {
    let programs = Programs::find().expect("kubectl is prepared");
    let folder = TempDir::new().expect("a folder");
    let mut player = Player { programs, kubeconfig, folder, going: None };
    steps.iter().map(|step| player.step(step)).collect()
}

impl Player<'_> {
    fn step(&mut self, step: &Step) -> String {
        match &step.act {
            Act::Run(words) => self.run(words, &step.input),
            Act::Start(words) => self.start(words),
            Act::Until(words) => self.until(words),
            Act::Stop(lines) => self.stop(*lines),
        }
    }

    /// kubectl with words; a word `NAME=value` before the others is for its environment.
    fn kubectl(&self, words: &[String]) -> Command {
        let mut kubectl = self.programs.command("kubectl");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        kubectl
            .current_dir(root)
            .env("KUBECONFIG", self.kubeconfig)
            .env("HOME", self.folder.path());
        kubectl.env_remove("KUBECTL_EXTERNAL_DIFF");
        let is_variable = |word: &&String| word.starts_with("KUBE_EDITOR=");
        let variables: Vec<&String> = words.iter().take_while(is_variable).collect();
        for variable in &variables {
            let (name, value) = variable.split_once('=').expect("it has a value");
            kubectl.env(name, value);
        }
        kubectl.args(&words[variables.len()..]);
        kubectl
    }

    fn run(&self, words: &[String], input: &str) -> String {
        let mut kubectl = self.kubectl(words);
        kubectl.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = kubectl.spawn().expect("kubectl starts");
        let mut stdin = child.stdin.take().expect("piped");
        // A command that reads nothing may end before this.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("kubectl ends");
        let out = String::from_utf8_lossy(&output.stdout);
        let err = String::from_utf8_lossy(&output.stderr);
        format!("{out}{err}exit {}", output.status.code().unwrap_or(-1))
    }

    /// How often it took differs, so that only its success counts.
    fn until(&self, words: &[String]) -> String {
        let start = Instant::now();
        loop {
            let said = self.run(words, "");
            if said.ends_with("exit 0") {
                return String::new();
            }
            if start.elapsed() > LIMIT {
                return said;
            }
            // waits: for what the server does in its own time
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn start(&mut self, words: &[String]) -> String {
        let output = self.folder.path().join("going");
        let file = File::create(&output).expect("a file");
        let mut kubectl = self.kubectl(words);
        kubectl.stdin(Stdio::null()).stderr(file.try_clone().expect("a file")).stdout(file);
        let child = kubectl.spawn().expect("kubectl starts");
        let is_watch = words.iter().any(|word| word == "-w");
        let going = Going { child, output };
        // What changes before the watch is there would be shown as part of its start.
        if is_watch {
            going.wait_for(1);
        }
        self.going = Some(going);
        String::new()
    }

    fn stop(&mut self, lines: usize) -> String {
        let going = self.going.take().expect("a command goes on");
        going.wait_for(lines);
        going.said()
    }
}

impl Going {
    fn said(&self) -> String {
        fs::read_to_string(&self.output).expect("readable")
    }

    fn wait_for(&self, lines: usize) {
        let start = Instant::now();
        while self.said().lines().count() < lines && start.elapsed() < LIMIT {
            // waits: for another process to write a line
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

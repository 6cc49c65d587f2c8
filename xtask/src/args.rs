//! The command line: what can be asked of `cargo xtask`, and the help that teaches it.
//!
//! Returns values only. Invariant: every command says what it needs and what it leaves behind.

use std::path::PathBuf;

use clap::{Args as Group, Parser, Subcommand, ValueEnum};

use crate::shelf::Shelf;

/// All automation of the workspace.
///
/// New here? `cargo xtask test` sets this machine up and runs every test it allows;
/// `cargo xtask ci` is what has to be green before a commit.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Get the real parts that tests and sandbox need: OVN, etcd, Kubernetes.
    ///
    /// Installs or builds each part once, below `$XDG_CACHE_HOME/udn` (`~/.cache/udn`), and leaves
    /// the host's own packages alone. A second run finds everything and says so in one line.
    /// A part that this machine cannot have is named with the reason; that is not a failure.
    #[command(verbatim_doc_comment)]
    Setup,

    /// Set up, then run every shelf of tests that this machine allows.
    ///
    /// Shelves run from quick to slow: unit, golden, peer, property, fault, api, ovn, node, vm.
    /// A test program is named after its shelf (all of `tests/ovn/` stands on ovn). A shelf that
    /// cannot run here is named with the reason. The outcome of every test is kept in
    /// `<target>/udn/ran.json` for `cargo xtask requirements`; a run that leaves something out
    /// (a filter, words after --, a variable such as ONLY) counts for no requirement.
    #[command(verbatim_doc_comment, after_help = TEST_EXAMPLES)]
    Test(TestRequest),

    /// Run every random test with fresh seeds until the time is up.
    ///
    /// `cargo xtask test` plays stored seeds, the same in every run; this looks for what they miss.
    /// Runs the whole property shelf and every test marked `soak: draws from UDN_SEED`, in rounds of
    /// one fresh seed each, with the programs that `cargo xtask test` builds. Ends at the first
    /// program after the time is up, and at the latest two minutes later. What fails is
    /// printed with the command that repeats it and stored in `<target>/udn/soak`; keep it as a
    /// stored seed (or proptest's `.regressions` beside the test) and a case in words.
    #[command(verbatim_doc_comment, after_help = SOAK_EXAMPLES)]
    Soak(SoakRequest),

    /// Everything that has to be green before a commit.
    ///
    /// In order: fmt, clippy, doc, setup, gen --check, tidy, deny, test, requirements --check.
    /// Stops at the first step that fails and ends with the time of each. `.ci/run` calls this.
    #[command(verbatim_doc_comment)]
    Ci,

    /// Build the binaries that are shipped, with symbols in a file beside them.
    ///
    /// Leaves `udn`, `udn.debug` and the CNI plugin `ovn-k8s-cni-overlay`, which needs no C library, in
    /// `<target>/dist`. The first two belong together: a backtrace of the binary has names and lines
    /// where the file lies beside it. Needs objcopy (binutils) and a static C library (libc6-dev).
    #[command(verbatim_doc_comment)]
    Dist,

    /// Build the image that clusters run, without a container engine.
    ///
    /// Builds the binaries as `cargo xtask dist` does and puts them over Debian's OVN and Open vSwitch,
    /// which are unpacked once and kept in the cache (only root can do that). Leaves in
    /// `<target>/image` an OCI layout (`layout`), the same as one file that `ctr images import` and
    /// `skopeo copy oci-archive:` take (`image.tar`), and what is in it (`sbom.spdx.json`). The same tree
    /// and packages give the same digest.
    #[command(verbatim_doc_comment)]
    Image(ImageRequest),

    /// Check the project's rules: arrows, purity, layout, proofs, dependencies.
    ///
    /// Lists every problem at once, with the file, the line and what to do. It does not build
    /// anything, so it is quick enough to run after every edit.
    #[command(verbatim_doc_comment)]
    Tidy,

    /// Show which requirements of docs/requirements.md are proven, and by which tests.
    ///
    /// A test proves a requirement by carrying `// proves: L-07, L-08` right above it. The mark
    /// counts if the test passed in the last complete run of its program (`cargo xtask test`), on a
    /// shelf of the demanded kind, with the real server of that shelf; otherwise the reason stands
    /// beside the test.
    #[command(verbatim_doc_comment, after_help = MARKS)]
    Requirements(RequirementsRequest),

    /// Write the generated files, or with --check tell which are out of date.
    ///
    /// Generated files are committed. Some generators read the OVN root: run
    /// `cargo xtask setup` first.
    #[command(verbatim_doc_comment)]
    Gen(GenRequest),

    /// Run a bench, or list the benches.
    ///
    /// A bench is a program `crates/*/benches/<name>.rs` with `harness = false`. It compares with
    /// a baseline in the same run and prints a table. Words after `--` go to the bench.
    /// With --record its lines `figure: <name> <value> <unit> [goal <=|>= <number>]` are kept in
    /// `docs/bench/<name>.json`, which is what a requirement on the bench shelf is proven by.
    #[command(verbatim_doc_comment)]
    Bench(BenchRequest),
}

const MARKS: &str = "\
Marks, each in a comment `// …` right above the test:
  proves: L-07, L-08                       the test shows both, wholly
  proves: T-12 half: the EgressIP rules    it shows the line but for this; never counted
  proves: X-17 with bench sandbox          only if docs/bench/sandbox.json meets its goals too

A mark may stand above a scene, an async function that generated tests play: it counts if the test
`…::real::<file>::<scene>` passed.";

const TEST_EXAMPLES: &str = "\
Examples:
  cargo xtask test                        everything that can run here
  cargo xtask test resume                 only tests whose name contains `resume`
  cargo xtask test --shelf unit           one shelf (may be repeated)
  cargo xtask test ping -- --nocapture    words after -- go to the test programs";

const SOAK_EXAMPLES: &str = "\
Examples:
  cargo xtask soak                        every random test, 15 minutes
  cargo xtask soak --minutes 30           longer
  cargo xtask soak differential           only random tests whose name contains `differential`";

#[derive(Debug, Group)]
pub(crate) struct SoakRequest {
    /// Run only random tests whose name contains this.
    pub(crate) name: Option<String>,

    /// How long.
    #[arg(long, default_value_t = 15)]
    pub(crate) minutes: u64,
}

#[derive(Debug, Group)]
pub(crate) struct TestRequest {
    /// Run only tests whose name contains this.
    pub(crate) filter: Option<String>,

    /// Run only this shelf; may be repeated.
    #[arg(long = "shelf", value_name = "SHELF")]
    pub(crate) shelves: Vec<Shelf>,

    /// Words for the test programs.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) passed_on: Vec<String>,
}

impl TestRequest {
    /// Every test of every shelf.
    pub(crate) fn everything() -> Self {
        Self { filter: None, shelves: Vec::new(), passed_on: Vec::new() }
    }

    /// Whether the request takes in the shelf.
    pub(crate) fn wants(&self, shelf: Shelf) -> bool {
        self.shelves.is_empty() || self.shelves.contains(&shelf)
    }
}

#[derive(Debug, Group)]
pub(crate) struct ImageRequest {
    /// Where to leave it, instead of `<target>/image`.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,

    /// Its name with the tag, as `deploy/manifests` has it.
    #[arg(long, value_name = "NAME", default_value = concat!("udn.local/udn:", env!("CARGO_PKG_VERSION")))]
    pub(crate) name: String,
}

#[derive(Debug, Group)]
pub(crate) struct RequirementsRequest {
    /// Show only what is not proven yet.
    #[arg(long)]
    pub(crate) unproven: bool,

    /// Fail unless the README's number is what the run of this very tree shows.
    #[arg(long, conflicts_with = "unproven")]
    pub(crate) check: bool,

    /// Write the README's number from the run of this very tree.
    #[arg(long, conflicts_with_all = ["unproven", "check"])]
    pub(crate) write: bool,

    /// How to print.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    pub(crate) output: Output,
}

impl RequirementsRequest {
    /// Compare the README's number.
    pub(crate) fn check() -> Self {
        Self { unproven: false, check: true, write: false, output: Output::Text }
    }
}

/// How a command prints its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Group)]
pub(crate) struct GenRequest {
    /// Write nothing; fail if a generated file is not what its generator would write.
    #[arg(long)]
    pub(crate) check: bool,

    /// Write instead what a real kube-apiserver says of its own kinds.
    #[arg(long)]
    pub(crate) schemas: bool,
}

#[derive(Debug, Group)]
pub(crate) struct BenchRequest {
    /// The bench to run; without it, the benches are listed.
    pub(crate) name: Option<String>,

    /// Keep the figures in docs/bench/NAME.json.
    #[arg(long, requires = "name")]
    pub(crate) record: bool,

    /// Words for the bench.
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) passed_on: Vec<String>,
}

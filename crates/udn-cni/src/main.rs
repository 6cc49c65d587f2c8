//! The binary `ovn-k8s-cni-overlay`, which container runtimes start for every interface of a pod.
//!
//! Reads the environment and stdin; prints a result, or an error with exit code 1.
//! Invariant: whatever is decided is decided in [`udn_cni::shim`].

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use udn_cni::http::Limits;
use udn_cni::shim::{self, Call, Outcome};

fn main() -> ExitCode {
    let outcome = shim::run(Call {
        program: &program(),
        variable: &|name| env::var_os(name),
        input: &mut io::stdin(),
        limits: Limits::default(),
    });
    match print(&outcome) {
        Ok(()) => ExitCode::from(outcome.exit_code),
        // A runtime that does not hear the result must not believe in it.
        Err(_) => ExitCode::FAILURE,
    }
}

/// The path by which the program was started; a shell that searched for it leaves it out.
fn program() -> PathBuf {
    let named = env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| env::current_exe().ok()).unwrap_or_default()
}

fn print(outcome: &Outcome) -> io::Result<()> {
    if !outcome.complaint.is_empty() {
        // Nobody may be listening there.
        let _ = writeln!(io::stderr(), "ovn-k8s-cni-overlay: {}", outcome.complaint);
    }
    if !outcome.printed.is_empty() {
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{}", outcome.printed)?;
        stdout.flush()?;
    }
    Ok(())
}

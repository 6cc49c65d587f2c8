//! One run of the plugin: asks the node's server, and tells its answer as CNI wants it told.
//!
//! Reads an environment and stdin; returns what to print and the exit code.
//! Invariant: a DEL succeeds, whatever else is true; what is left behind the server takes away.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io::Read;
use std::path::Path;

use crate::command::Command;
use crate::error::{CniError, Code};
use crate::http::{self, HttpError, Limits};
use crate::net_conf::NetConf;
use crate::quote::quote;
use crate::request::{self, MOST_REQUEST_BYTES, VARIABLES};
use crate::result::CniResult;
use crate::socket;
use crate::version::Version;

/// What a container runtime gives to a plugin.
pub struct Call<'a> {
    /// The path by which the plugin was started.
    pub program: &'a Path,
    /// The environment.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// The network configuration; not read for VERSION.
    pub input: &'a mut dyn Read,
    pub limits: Limits,
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Call");
        shown.field("program", &self.program).field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// What the runtime gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For stdout: a result or an error as JSON, or nothing.
    pub printed: String,
    /// For stderr, which runtimes put into their log.
    pub complaint: String,
    pub exit_code: u8,
}

/// Answers one call.
pub fn run(call: Call<'_>) -> Outcome {
    match command(&call) {
        Ok(Command::Version) => Outcome { printed: Version::answer(), ..Outcome::default() },
        Ok(Command::Del) => remove(call),
        Ok(command @ (Command::Add | Command::Check | Command::Gc | Command::Status)) => {
            ask(call, command)
        }
        Err(error) => refusal(&error, Version::NEWEST),
    }
}

fn command(call: &Call<'_>) -> Result<Command, CniError> {
    let refuse = |message| Err(CniError::new(Code::InvalidEnvironment, message));
    let Some(text) = (call.variable)("CNI_COMMAND").filter(|text| !text.is_empty()) else {
        let versions = Version::list();
        return refuse(format!(
            "CNI_COMMAND is missing: this is a CNI plugin ({versions}), which container runtimes \
             start"
        ));
    };
    let text = text.to_string_lossy();
    match Command::parse(&text) {
        Some(command) => Ok(command),
        None => refuse(format!("unsupported CNI command {}", quote(&text))),
    }
}

fn ask(call: Call<'_>, command: Command) -> Outcome {
    let mut conf = Vec::new();
    let answered = read(call.input, &mut conf)
        .and_then(|()| variables(call.variable))
        .and_then(|variables| exchange(&call, command, &variables, &conf));
    let version = NetConf::version_of(&conf);
    match (answered, command) {
        (Ok(Some(result)), Command::Add) => {
            Outcome { printed: result.to_json(version), ..Outcome::default() }
        }
        (Ok(None), Command::Add) => {
            let message = "the node's CNI server answered an ADD without a result";
            refusal(&CniError::new(Code::Internal, message), version)
        }
        (Ok(_), _) => Outcome::default(),
        (Err(error), _) => refusal(&error, version),
    }
}

/// Tells the server what can be told; a configuration that cannot be read is left out.
fn remove(call: Call<'_>) -> Outcome {
    let mut conf = Vec::new();
    if read(call.input, &mut conf).is_err() {
        conf.clear();
    }
    let text = |name| (call.variable)(name).map(|it| it.to_string_lossy().into_owned());
    let variables = VARIABLES.into_iter().filter_map(|it| Some((it.to_owned(), text(it)?)));
    let complaint = match exchange(&call, Command::Del, &variables.collect(), &conf) {
        Ok(_) => String::new(),
        Err(error) => format!(
            "DEL counts as done although the node's CNI server did not do it: {}",
            with_details(&error)
        ),
    };
    Outcome { complaint, ..Outcome::default() }
}

fn read(input: &mut dyn Read, conf: &mut Vec<u8>) -> Result<(), CniError> {
    let most = MOST_REQUEST_BYTES as u64;
    let read = input.take(most + 1).read_to_end(conf).map_err(|error| {
        CniError::new(Code::InputOutput, "cannot read the network configuration from stdin")
            .with_details(error.to_string())
    })?;
    if read as u64 > most {
        conf.clear();
        let message = format!("the network configuration is larger than {most} bytes");
        return Err(CniError::new(Code::Undecodable, message));
    }
    Ok(())
}

fn variables(
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<BTreeMap<String, String>, CniError> {
    let set = VARIABLES.into_iter().filter_map(|name| Some((name, variable(name)?)));
    set.map(|(name, value)| match value.into_string() {
        Ok(text) => Ok((name.to_owned(), text)),
        Err(_) => Err(CniError::new(Code::InvalidEnvironment, format!("{name} is no UTF-8"))),
    })
    .collect()
}

fn exchange(
    call: &Call<'_>,
    command: Command,
    variables: &BTreeMap<String, String>,
    conf: &[u8],
) -> Result<Option<CniResult>, CniError> {
    let body = request::encode(variables, conf)?;
    let socket = socket::find((call.variable)(socket::VARIABLE), call.program);
    let answered = http::post(&socket, "/", &body, call.limits);
    answered.map_err(|error| unreachable(&error, &socket, command))?.read()
}

fn unreachable(error: &HttpError, socket: &Path, command: Command) -> CniError {
    let server = format!("the node's CNI server at {}", socket.display());
    let mut reason = error.to_string();
    if let Some(source) = error.source() {
        reason = format!("{reason}: {source}");
    }
    if !error.code().passes() {
        return CniError::new(error.code(), format!("{server} answered nonsense: {reason}"));
    }
    // What STATUS asks is just this.
    let code = if command == Command::Status { Code::NotAvailable } else { error.code() };
    let remedy = "is `udn node` running on this node?";
    CniError::new(code, format!("no answer from {server} ({reason}); {remedy}"))
}

fn refusal(error: &CniError, version: Version) -> Outcome {
    Outcome { printed: error.to_json(version), complaint: with_details(error), exit_code: 1 }
}

fn with_details(error: &CniError) -> String {
    match error.details.as_str() {
        "" => error.message.clone(),
        details => format!("{}: {details}", error.message),
    }
}

#[cfg(test)]
mod tests;

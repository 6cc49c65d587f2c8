//! What the shim asks of the server: an environment and a network configuration.
//!
//! Reads the body of a POST, `{"env": {…}, "config": "<base64>"}`; returns a typed [`Request`], or
//! the error that the runtime is to be told. Invariant: whatever a [`Request`] of ADD, CHECK or GC
//! carries was checked; a DEL carries what could be read, and is refused only if it is no request.

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::arguments::Arguments;
use crate::attachment::{Attachment, ContainerId, InterfaceName};
use crate::command::Command;
use crate::error::{CniError, Code};
use crate::net_conf::NetConf;
use crate::quote::quote;
use crate::result::CniResult;

/// The most bytes that a request may have.
pub const MOST_REQUEST_BYTES: usize = 1024 * 1024;

/// The variables that the shim passes on.
pub const VARIABLES: [&str; 6] =
    ["CNI_COMMAND", "CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_ARGS", "CNI_PATH"];

/// What a runtime asks for, with all that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Make this interface.
    Add(PodInterface),
    /// Is this interface as its ADD left it?
    Check(PodInterface, CniResult),
    /// Take this interface away, if it is there.
    Del(Removal),
    /// Take everything away that is not among these.
    Gc { valid: Vec<Attachment>, conf: NetConf },
    /// Could a pod be added now?
    Status(NetConf),
    /// Which versions are spoken?
    Version,
}

/// An interface of a pod, as ADD and CHECK name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodInterface {
    pub attachment: Attachment,
    /// Where the pod's network namespace is to be found.
    pub netns: PathBuf,
    pub arguments: Arguments,
    /// `CNI_PATH`, where plugins lie.
    pub path: String,
    pub conf: NetConf,
}

/// What a DEL could say; a runtime may ask for it with everything else gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// `None` if that could not be read; then there is nothing that can be removed.
    pub attachment: Option<Attachment>,
    pub netns: Option<PathBuf>,
    pub arguments: Option<Arguments>,
    pub conf: NetConf,
}

impl Request {
    /// Reads the body of a POST.
    pub fn parse(body: &[u8]) -> Result<Self, CniError> {
        let posted = Posted::parse(body)?;
        let command = posted.command()?;
        match command {
            Command::Add => posted.interface(command).map(Self::Add),
            Command::Check => posted.check(),
            Command::Del => Ok(Self::Del(posted.removal())),
            Command::Gc => posted.collection(),
            Command::Status => posted.conf(command).map(Self::Status),
            Command::Version => Ok(Self::Version),
        }
    }

    pub fn command(&self) -> Command {
        match self {
            Self::Add(_) => Command::Add,
            Self::Check(..) => Command::Check,
            Self::Del(_) => Command::Del,
            Self::Gc { .. } => Command::Gc,
            Self::Status(_) => Command::Status,
            Self::Version => Command::Version,
        }
    }
}

/// The body for these variables and this configuration, or an error if it is too large.
pub fn encode(variables: &BTreeMap<String, String>, conf: &[u8]) -> Result<Vec<u8>, CniError> {
    let posted = Posted { environment: variables.clone(), conf: STANDARD.encode(conf) };
    let body = serde_json::to_vec(&posted).expect("texts are JSON");
    check_size(body.len())?;
    Ok(body)
}

fn check_size(bytes: usize) -> Result<(), CniError> {
    if bytes <= MOST_REQUEST_BYTES {
        return Ok(());
    }
    let message = format!(
        "the request has {bytes} bytes, the most is {MOST_REQUEST_BYTES}; \
         make the network configuration smaller"
    );
    Err(CniError::new(Code::Undecodable, message))
}

/// The body as it stands; keys that describe devices lie beside these and are not read.
// compat: go-controller/pkg/cni/types.go, Request
#[derive(Serialize, Deserialize)]
struct Posted {
    #[serde(rename = "env", default, deserialize_with = "or_null")]
    environment: BTreeMap<String, String>,
    #[serde(rename = "config", default, deserialize_with = "or_null")]
    conf: String,
}

impl Posted {
    fn parse(body: &[u8]) -> Result<Self, CniError> {
        check_size(body.len())?;
        let refuse = |details: String| {
            CniError::new(Code::Undecodable, "the request is not as a CNI shim posts it")
                .with_details(details)
        };
        // A list of the values alone would be taken for an object.
        if body.trim_ascii_start().first() != Some(&b'{') {
            return Err(refuse("it is no JSON object".to_owned()));
        }
        serde_json::from_slice(body).map_err(|error| refuse(error.to_string()))
    }

    /// A variable that says something.
    fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }

    fn required(&self, command: Command, name: &str) -> Result<&str, CniError> {
        self.variable(name).ok_or_else(|| {
            let message = format!("{name} is missing, and {command} needs it");
            CniError::new(Code::InvalidEnvironment, message)
        })
    }

    fn command(&self) -> Result<Command, CniError> {
        let refuse = |message| Err(CniError::new(Code::InvalidEnvironment, message));
        let Some(text) = self.variable("CNI_COMMAND") else {
            return refuse("CNI_COMMAND is missing".to_owned());
        };
        match Command::parse(text) {
            Some(command) => Ok(command),
            None => refuse(format!("unsupported CNI command {}", quote(text))),
        }
    }

    fn conf(&self, command: Command) -> Result<NetConf, CniError> {
        let conf = NetConf::parse(&self.decoded_conf()?)?;
        if conf.version < command.since() {
            let message = format!(
                "cniVersion {} has no {command}, which came with {}",
                conf.version,
                command.since()
            );
            return Err(CniError::new(Code::IncompatibleVersion, message));
        }
        Ok(conf)
    }

    fn decoded_conf(&self) -> Result<Vec<u8>, CniError> {
        STANDARD.decode(&self.conf).map_err(|error| {
            CniError::new(
                Code::Undecodable,
                "the network configuration of the request is no base64",
            )
            .with_details(error.to_string())
        })
    }

    fn interface(&self, command: Command) -> Result<PodInterface, CniError> {
        let container_id = self.required(command, "CNI_CONTAINERID")?;
        let netns = self.required(command, "CNI_NETNS")?;
        let interface = self.required(command, "CNI_IFNAME")?;
        let attachment = Attachment::parse(container_id, interface)?;
        let arguments = Arguments::parse(self.variable("CNI_ARGS").unwrap_or_default())?;
        let conf = self.conf(command)?;
        if let Some(device) = &conf.device_id {
            let message = format!(
                "deviceID {} cannot be given to pod {}/{}: SR-IOV is not built; \
                 use a network without k8s.v1.cni.cncf.io/resourceName",
                quote(device),
                arguments.namespace,
                arguments.pod
            );
            return Err(CniError::new(Code::UnsupportedField, message));
        }
        let path = self.variable("CNI_PATH").unwrap_or_default().to_owned();
        Ok(PodInterface { attachment, netns: netns.into(), arguments, path, conf })
    }

    fn check(&self) -> Result<Request, CniError> {
        let mut interface = self.interface(Command::Check)?;
        let Some(previous) = interface.conf.previous.take() else {
            let message = "the network configuration is wrong: CHECK needs prevResult";
            return Err(CniError::new(Code::InvalidConfig, message));
        };
        Ok(Request::Check(interface, previous))
    }

    fn removal(&self) -> Removal {
        let container_id = self.variable("CNI_CONTAINERID").map(ContainerId::parse);
        let interface = self.variable("CNI_IFNAME").map(InterfaceName::parse);
        let attachment = match (container_id, interface) {
            (Some(Ok(container_id)), Some(Ok(interface))) => {
                Some(Attachment { container_id, interface })
            }
            (_, _) => None,
        };
        let arguments = self.variable("CNI_ARGS").and_then(|text| Arguments::parse(text).ok());
        let netns = self.variable("CNI_NETNS").map(PathBuf::from);
        let conf = NetConf::parse_leniently(&self.decoded_conf().unwrap_or_default());
        Removal { attachment, netns, arguments, conf }
    }

    fn collection(&self) -> Result<Request, CniError> {
        let mut conf = self.conf(Command::Gc)?;
        let Some(valid) = conf.valid_attachments.take() else {
            let message = "the network configuration is wrong: GC needs cni.dev/valid-attachments";
            return Err(CniError::new(Code::InvalidConfig, message));
        };
        Ok(Request::Gc { valid, conf })
    }
}

/// Go writes a map or bytes that are not set as `null`.
fn or_null<'a, D, T>(from: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'a>,
    T: Deserialize<'a> + Default,
{
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

#[cfg(test)]
mod tests;

//! Keys of a network configuration, each with what it may be.
//!
//! Reads a JSON object; returns values, and keeps a mistake for each key that is wrong.
//! Invariant: a key that is absent, `null` or Go's zero value is no mistake unless it is required.

use serde_json::{Map, Value};

use super::NetAttachDef;
use crate::attachment::Attachment;
use crate::error::{CniError, Code};
use crate::quote::quote;
use crate::result::CniResult;
use crate::version::Version;

/// An object that is read, and what was wrong with it so far.
pub(super) struct Keys<'a> {
    object: &'a Map<String, Value>,
    pub(super) mistakes: Vec<CniError>,
}

impl<'a> Keys<'a> {
    pub(super) fn new(object: &'a Map<String, Value>) -> Self {
        Self { object, mistakes: Vec::new() }
    }

    /// The version, or the newest where it cannot be read.
    pub(super) fn version(&mut self) -> Version {
        let text = self.text("cniVersion");
        if let Some(version) = text.as_deref().and_then(Version::parse) {
            return version;
        }
        let spoken = Version::list();
        let message = match text {
            Some(text) => format!("cniVersion {} is not one of {spoken}", quote(&text)),
            // The specification reads a configuration without version as one of 0.1.0.
            None => format!("cniVersion is missing; set it to one of {spoken}"),
        };
        self.mistakes.push(CniError::new(Code::IncompatibleVersion, message));
        Version::NEWEST
    }

    /// The name, or an empty text where it cannot be read.
    pub(super) fn network_name(&mut self) -> String {
        let name = self.text("name").unwrap_or_default();
        let may_follow = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        if name.is_empty() {
            self.refuse("name is missing".to_owned());
        } else if !name.as_bytes()[0].is_ascii_alphanumeric() || !name.bytes().all(may_follow) {
            let quoted = quote(&name);
            let rule = "letters, digits, `_`, `.` and `-`, a letter or digit first";
            self.refuse(format!("name {quoted} has other characters than {rule}"));
        }
        name
    }

    pub(super) fn net_attach_def(&mut self) -> Option<NetAttachDef> {
        let text = self.text("netAttachDefName")?;
        let parsed = NetAttachDef::parse(&text);
        if parsed.is_none() {
            self.refuse(format!("netAttachDefName {} is no namespace/name", quote(&text)));
        }
        parsed
    }

    /// A device is asked for at the top, where Multus writes it, or as a capability.
    pub(super) fn device_id(&mut self) -> Option<String> {
        let device = self.text("deviceID");
        let capability = self.object.get("runtimeConfig").and_then(|it| it.get("deviceID"));
        device.or_else(|| Some(capability?.as_str()?.to_owned()).filter(|it| !it.is_empty()))
    }

    pub(super) fn previous(&mut self) -> Option<CniResult> {
        match CniResult::parse(self.present("prevResult")?) {
            Ok(result) => Some(result),
            Err(error) => {
                let message = "the network configuration is wrong: prevResult is no result";
                let mistake = CniError::new(Code::InvalidConfig, message);
                self.mistakes.push(mistake.with_details(error.to_string()));
                None
            }
        }
    }

    /// Here `null` means none: libcni writes an empty list so.
    pub(super) fn valid_attachments(&mut self) -> Option<Vec<Attachment>> {
        const KEY: &str = "cni.dev/valid-attachments";
        let entries = match self.object.get(KEY)? {
            Value::Null => return Some(Vec::new()),
            Value::Array(entries) => entries,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                self.refuse(format!("{KEY} is no list"));
                return None;
            }
        };
        let parsed: Result<Vec<_>, _> = entries.iter().map(valid_attachment).collect();
        parsed.map_err(|reason| self.refuse(format!("an entry of {KEY}: {reason}"))).ok()
    }

    /// `{}` and an empty type mean nothing; addresses come from the network, never from a plugin.
    pub(super) fn refuse_ipam(&mut self) {
        let Some(plugin) = self.object.get("ipam").and_then(|ipam| ipam.get("type")) else {
            return;
        };
        if plugin.is_null() || plugin == "" {
            return;
        }
        let quoted = quote(plugin.as_str().unwrap_or("?"));
        let message = format!(
            "ipam.type {quoted} is not supported: the network itself gives addresses; remove `ipam`"
        );
        self.mistakes.push(CniError::new(Code::UnsupportedField, message));
    }

    /// A text that says something.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        match self.present(key)? {
            Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            other => {
                self.refuse(format!("{key} {} is no text", quote(&other.to_string())));
                None
            }
        }
    }

    /// A whole number from 1 on; 0 says nothing.
    pub(super) fn number<T: TryFrom<u64>>(&mut self, key: &str, most: u64) -> Option<T> {
        let value = self.present(key)?;
        if value == 0 {
            return None;
        }
        let number = value.as_u64().filter(|number| *number <= most);
        let converted = number.and_then(|number| T::try_from(number).ok());
        if converted.is_none() {
            let quoted = quote(&value.to_string());
            self.refuse(format!("{key} {quoted} is no number from 1 to {most}"));
        }
        converted
    }

    fn present(&self, key: &str) -> Option<&'a Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    fn refuse(&mut self, reason: String) {
        let message = format!("the network configuration is wrong: {reason}");
        self.mistakes.push(CniError::new(Code::InvalidConfig, message));
    }
}

fn valid_attachment(entry: &Value) -> Result<Attachment, String> {
    let text = |key: &str| {
        let text = entry.get(key).and_then(Value::as_str);
        text.ok_or_else(|| format!("{} has no text {key}", quote(&entry.to_string())))
    };
    let attachment = Attachment::parse(text("containerID")?, text("ifname")?);
    attachment.map_err(|error| error.message)
}

//! `CNI_ARGS`: which pod a container runtime is talking about.
//!
//! Reads `KEY=value;KEY=value`; returns [`Arguments`], or an error that says which pair is wrong.
//! Invariant: a namespace or name that was accepted is one that Kubernetes could have given.

use crate::error::{CniError, Code};
use crate::quote::quote;

/// The longest values that Kubernetes gives.
const LONGEST_NAMESPACE: usize = 63;
const LONGEST_POD_NAME: usize = 253;

/// The pod, as kubelet told the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    pub namespace: String,
    pub pod: String,
    /// What the runtime calls the sandbox.
    pub infra_container_id: Option<String>,
    /// The pod's uid. For a pod from a file of kubelet's it is that of the file, not of the mirror
    /// pod in the API.
    pub uid: Option<String>,
}

impl Arguments {
    /// Reads the variable; a key that is not known is refused unless `IgnoreUnknown` is set.
    pub fn parse(text: &str) -> Result<Self, CniError> {
        let pairs = Pairs::parse(text)?;
        let namespace = required(pairs.namespace, "K8S_POD_NAMESPACE")?;
        let pod = required(pairs.pod, "K8S_POD_NAME")?;
        if !is_dns_name(&namespace, LONGEST_NAMESPACE) || namespace.contains('.') {
            return Err(invalid(format!(
                "K8S_POD_NAMESPACE={} names no namespace",
                quote(&namespace)
            )));
        }
        if !is_dns_name(&pod, LONGEST_POD_NAME) {
            return Err(invalid(format!("K8S_POD_NAME={} names no pod", quote(&pod))));
        }
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        let infra_container_id = filled(pairs.infra_container_id);
        Ok(Self { namespace, pod, infra_container_id, uid: filled(pairs.uid) })
    }
}

/// The pairs as they stand.
#[derive(Default)]
struct Pairs {
    namespace: Option<String>,
    pod: Option<String>,
    infra_container_id: Option<String>,
    uid: Option<String>,
    ignore_unknown: Option<String>,
    unknown: Option<String>,
}

impl Pairs {
    fn parse(text: &str) -> Result<Self, CniError> {
        let mut pairs = Self::default();
        for pair in text.split(';').filter(|_| !text.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                invalid(format!("{} is no pair of a key and a value", quote(pair)))
            })?;
            let Some(slot) = pairs.slot(key) else {
                pairs.unknown.get_or_insert_with(|| key.to_owned());
                continue;
            };
            // Multus says again what kubelet told it, `IgnoreUnknown` even in other words.
            let former = slot.replace(value.to_owned());
            let differs = former.is_some_and(|former| former != value);
            if differs && key != "IgnoreUnknown" {
                return Err(invalid(format!("{key} is there twice, with different values")));
            }
        }
        match &pairs.unknown {
            Some(key) if !pairs.ignores_unknown()? => Err(invalid(format!(
                "{} is not known; put IgnoreUnknown=1 beside it if that is meant",
                quote(key)
            ))),
            Some(_) | None => Ok(pairs),
        }
    }

    fn slot(&mut self, key: &str) -> Option<&mut Option<String>> {
        Some(match key {
            "K8S_POD_NAMESPACE" => &mut self.namespace,
            "K8S_POD_NAME" => &mut self.pod,
            "K8S_POD_INFRA_CONTAINER_ID" => &mut self.infra_container_id,
            "K8S_POD_UID" => &mut self.uid,
            "IgnoreUnknown" => &mut self.ignore_unknown,
            _ => return None,
        })
    }

    // compat: github.com/containernetworking/cni, pkg/types/args.go, UnmarshallableBool
    fn ignores_unknown(&self) -> Result<bool, CniError> {
        match self.ignore_unknown.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("1" | "true") => Ok(true),
            None | Some("0" | "false") => Ok(false),
            Some(other) => {
                Err(invalid(format!("IgnoreUnknown={} is neither 1 nor 0", quote(other))))
            }
        }
    }
}

fn required(value: Option<String>, key: &str) -> Result<String, CniError> {
    let value = value.filter(|value| !value.is_empty());
    value.ok_or_else(|| {
        invalid(format!("{key} is missing; the plugin serves pods that kubelet starts"))
    })
}

fn invalid(reason: String) -> CniError {
    CniError::new(Code::InvalidEnvironment, format!("CNI_ARGS: {reason}"))
}

/// Labels of lower-case letters, digits and `-`, which stand in neither end, with dots between.
fn is_dns_name(text: &str, longest: usize) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        let ends = [bytes.first(), bytes.last()];
        ends.iter().all(|end| end.is_some_and(|byte| is_plain(*byte)))
            && bytes.iter().all(|byte| is_plain(*byte) || *byte == b'-')
    };
    text.len() <= longest && text.split('.').all(is_label)
}

#[cfg(test)]
mod tests;

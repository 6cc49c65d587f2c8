//! What a pod asks for on one network, as far as the network and the cluster allow it.
//!
//! Reads the selections of a pod, and the annotation that names its claim; returns [`Asked`].
//! Invariant: what has no effect is told; what cannot be keeps the pod from its network, unless it
//! is there already.

use std::net::IpAddr;

use udn_model::settings::Deprecation;
use udn_model::{AddressRequest, Family, Finding, Findings, Network, ObjectName, Reason, Told};
use udn_wire::addresses::one_per_family;
use udn_wire::keys::{DEFAULT_SELECTION, PRIMARY_CLAIM, SELECTION};
use udn_wire::network_selection::{Requests, Selection, decode_default};
use udn_wire::refusal::{Unreadable, annotation_path};

use super::attachments::{PodRequest, Scene};

/// What is asked for.
pub(super) struct Asked {
    pub(super) request: AddressRequest,
    pub(super) claim: Option<ObjectName>,
    pub(super) gateways: Vec<IpAddr>,
    /// The annotation that says so.
    pub(super) said_in: &'static str,
}

/// Who asks where.
pub(super) struct Asking<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) pod_request: &'a PodRequest<'a>,
    pub(super) network: &'a Network,
    /// Whether the pod has its addresses already: nothing is refused or switched off any more.
    pub(super) is_settled: bool,
}

impl Default for Asked {
    fn default() -> Self {
        let (request, claim, gateways) = Default::default();
        Self { request, claim, gateways, said_in: SELECTION }
    }
}

/// What the pod asks for on its main network; `None` if that keeps it from the network.
pub(super) fn main(asking: &Asking<'_>) -> Told<Option<Asked>> {
    let mut findings = Findings::new();
    let asked = asking.on_main(&mut findings);
    asking.answer(asked, findings)
}

/// What the pod asks for at a NAD that it names.
pub(super) fn chosen(
    asking: &Asking<'_>,
    nad: &ObjectName,
    requests: Result<Requests, Unreadable>,
) -> Told<Option<Asked>> {
    let mut findings = Findings::new();
    let asked = asking.at(nad, requests, &mut findings);
    asking.answer(asked, findings)
}

impl Asking<'_> {
    fn answer(&self, asked: Result<Asked, Finding>, mut told: Findings) -> Told<Option<Asked>> {
        let asked = asked.map_err(|finding| told.push(finding)).ok();
        // It is too late for this to matter.
        if self.is_settled {
            told.clear();
        }
        Told::new(asked, told)
    }

    fn on_main(&self, findings: &mut Findings) -> Result<Asked, Finding> {
        let annotation = self.pod_request.pod.metadata.annotation(DEFAULT_SELECTION);
        let selection = decode_default(annotation, &self.pod_request.name.namespace);
        match selection.map_err(|unreadable| self.unreadable(&unreadable))? {
            Some(selection) => self.by_selection(selection, findings),
            None => self.by_claim_alone(findings),
        }
    }

    /// A pod that says what it asks for on its main network.
    fn by_selection(
        &self,
        selection: Selection,
        findings: &mut Findings,
    ) -> Result<Asked, Finding> {
        let Selection { nad, requests, .. } = selection;
        let default = &self.scene.settings.default_nad;
        let is_on = self.scene.settings.features.requested_addresses;
        // compat: pkg/util/multi_network.go, the NAD matters only to who reads addresses from it
        if is_on && nad != *default {
            let message = format!(
                "names NAD {nad}, but the main network of a pod is asked for by the name of \
                 NAD {default}; write that one"
            );
            return Err(self.finding(DEFAULT_SELECTION, Reason::InvalidAnnotation, message));
        }
        let requests = requests.map_err(|unreadable| self.unreadable(&unreadable))?;
        let mut request = requests.addresses;
        if !is_on && request != AddressRequest::default() {
            request = AddressRequest::default();
            let message = "ips and mac have no effect, because requested addresses are switched off \
                           in this cluster; remove them or ask an administrator to switch them on";
            findings.push(self.ignored(DEFAULT_SELECTION, message.to_owned()));
        }
        // compat: pkg/util/multi_network.go, of a request only the MAC counts on a layer-3 network
        if self.network.layer3().is_some() && !request.addresses.is_empty() {
            request.addresses.clear();
            let message = format!(
                "ips have no effect on network {}, where each node has subnets of its own; remove \
                 them or use a network of topology Layer2",
                self.network.name
            );
            findings.push(self.ignored(DEFAULT_SELECTION, message));
        }
        if let Some(older) = self.older_claim().filter(|_| requests.claim.is_none()) {
            let message = format!(
                "has no effect, because the pod has {DEFAULT_SELECTION}; write \
                 \"ipam-claim-reference\": \"{older}\" there"
            );
            findings.push(self.ignored(PRIMARY_CLAIM, message));
        }
        let claim = requests.claim.map(|it| ObjectName::new(&self.pod_request.name.namespace, &it));
        let claim = self.persistent(claim, DEFAULT_SELECTION, findings);
        Ok(Asked { request, claim, gateways: Vec::new(), said_in: DEFAULT_SELECTION })
    }

    /// A pod whose claim is named by the deprecated annotation, if at all.
    fn by_claim_alone(&self, findings: &mut Findings) -> Result<Asked, Finding> {
        let Some(name) = self.older_claim() else { return Ok(Asked::default()) };
        let instead =
            format!("write {DEFAULT_SELECTION} with \"ipam-claim-reference\": \"{name}\" instead");
        match self.scene.settings.claim_annotation {
            Deprecation::Ignore if !self.is_settled => {
                let message = format!("{PRIMARY_CLAIM} has no effect; {instead}");
                findings.push(self.ignored(PRIMARY_CLAIM, message));
                return Ok(Asked::default());
            }
            Deprecation::Refuse if !self.is_settled => {
                let message = format!("{PRIMARY_CLAIM} is no longer supported; {instead}");
                return Err(self.finding(PRIMARY_CLAIM, Reason::FeatureOff, message));
            }
            Deprecation::Warn | Deprecation::Refuse | Deprecation::Ignore => {
                let message = format!(
                    "{PRIMARY_CLAIM} is deprecated and will be removed in a future release; {instead}"
                );
                findings.push(self.finding(PRIMARY_CLAIM, Reason::Deprecated, message));
            }
        }
        let claim = Some(ObjectName::new(&self.pod_request.name.namespace, name));
        let claim = self.persistent(claim, PRIMARY_CLAIM, findings);
        Ok(Asked { claim, said_in: PRIMARY_CLAIM, ..Asked::default() })
    }

    /// What is asked for at a NAD.
    fn at(
        &self,
        nad: &ObjectName,
        requests: Result<Requests, Unreadable>,
        findings: &mut Findings,
    ) -> Result<Asked, Finding> {
        let requests = requests.map_err(|unreadable| self.unreadable(&unreadable))?;
        let Requests { addresses: request, claim, gateways } = requests;
        let (network, asks) = (self.network, !request.addresses.is_empty());
        if asks && !network.has_ipam() {
            let message = format!(
                "asks for addresses at {nad}, but network {} hands out none; remove ips there",
                network.name
            );
            return Err(self.finding(SELECTION, Reason::OutOfRange, message));
        }
        // compat: pkg/allocator/pod/pod_annotation.go, static requests are for layer-2 networks
        if asks && network.layer3().is_some() {
            let message = format!(
                "cannot allocate a static IP request at {nad}, because each node has subnets of its \
                 own in network {}; remove ips there or use a network of topology Layer2",
                network.name
            );
            return Err(self.finding(SELECTION, Reason::NotSupported, message));
        }
        if asks && !self.scene.settings.features.requested_addresses {
            let message = format!(
                "asks for addresses at {nad}, but requested addresses are switched off in \
                 this cluster; remove ips there or ask an administrator to switch them on"
            );
            return Err(self.finding(SELECTION, Reason::FeatureOff, message));
        }
        if let Err(problem) = one_per_family("default-route", &gateways, Family::of) {
            let message = format!("at {nad}: {problem}");
            return Err(self.finding(SELECTION, Reason::InvalidAnnotation, message));
        }
        let claim = claim.map(|name| ObjectName::new(&nad.namespace, &name));
        let claim = self.persistent(claim, SELECTION, findings);
        Ok(Asked { request, claim, gateways, said_in: SELECTION })
    }

    /// The claim that the deprecated annotation names.
    fn older_claim(&self) -> Option<&str> {
        self.pod_request.pod.metadata.annotation(PRIMARY_CLAIM).filter(|name| !name.is_empty())
    }

    /// The claim, if the network has addresses that outlive pods.
    fn persistent(
        &self,
        claim: Option<ObjectName>,
        key: &str,
        findings: &mut Findings,
    ) -> Option<ObjectName> {
        let (network, name) = (self.network, claim?);
        let why = if network.layer3().is_some() {
            "has no addresses that outlive pods, because each node has subnets of its own; remove \
             the reference"
        } else if self.is_settled {
            return Some(name);
        } else if !network.has_ipam() {
            "hands out no addresses; remove the reference"
        } else if !network.has_persistent_addresses {
            "has no persistent addresses; remove the reference or use a network that has them"
        } else if !self.scene.settings.features.persistent_addresses {
            "cannot keep addresses, because that is switched off in this cluster; ask an \
             administrator to switch it on"
        } else {
            return Some(name);
        };
        let message =
            format!("IPAMClaim {name} has no effect, because network {} {why}", network.name);
        findings.push(self.ignored(key, message));
        None
    }

    fn ignored(&self, key: &str, message: String) -> Finding {
        self.finding(key, Reason::RequestIgnored, message)
    }

    fn finding(&self, key: &str, reason: Reason, message: String) -> Finding {
        Finding::new(self.pod_request.subject(), reason, message).at(annotation_path(key))
    }

    fn unreadable(&self, unreadable: &Unreadable) -> Finding {
        unreadable.about(self.pod_request.subject())
    }
}

//! Sends what a candidate decides, and tells it what came of it.
//!
//! Invariant: a lease is only written over the version that the candidate decided on.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{Api, ObjectMeta, PostParams};
use tokio::time::{Instant, sleep_until, timeout};

use super::LeaseSettings;
use super::decide::{Candidate, Moment, Record, Step};

/// How many seconds a lease lasts that was given back: the least that a server takes.
const GIVEN_BACK: i32 = 1;

/// The reason where there is no answer.
const SILENCE: &str = "the server does not answer";

/// A candidate with its clock and its way to the server.
#[derive(Debug)]
pub(super) struct Post {
    leases: Api<Lease>,
    settings: LeaseSettings,
    start: Instant,
    candidate: Candidate,
    /// The lease as the server last showed it; nothing if there is none.
    lease: Option<Lease>,
    /// What could not be done last and why, so that it is told once.
    complaint: Option<(&'static str, String)>,
}

impl Post {
    pub(super) fn new(leases: Api<Lease>, settings: &LeaseSettings) -> Self {
        Self {
            leases,
            start: Instant::now(),
            candidate: Candidate::new(&settings.identity, settings.timing),
            settings: settings.clone(),
            lease: None,
            complaint: None,
        }
    }

    pub(super) fn step(&self) -> Step {
        self.candidate.step(self.now())
    }

    pub(super) fn is_leading(&self) -> bool {
        self.candidate.is_leading(self.now())
    }

    /// The version of the last write; 0 where a server does not count.
    pub(super) fn version(&self) -> u64 {
        let version = self.lease.as_ref().and_then(|it| it.metadata.resource_version.as_deref());
        version.and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    pub(super) async fn wait(&self, until: Moment) {
        sleep_until(self.start + until).await;
    }

    /// Does what was decided.
    pub(super) async fn act(&mut self, step: Step) {
        match step {
            Step::Look => self.look().await,
            Step::Acquire => {
                let now = Timestamp::now();
                self.candidate.acquires(now.as_microsecond());
                self.write(self.acquired(now)).await;
            }
            Step::Renew => self.write(self.renewed(Timestamp::now())).await,
            Step::Wait(_) | Step::Lost => {}
        }
    }

    /// Lets others have the lease, if it is still ours and the server answers.
    pub(super) async fn give_back(&mut self) {
        let mut lease = self.renewed(Timestamp::now());
        if let Some(spec) = &mut lease.spec {
            spec.holder_identity = Some(String::new());
            spec.lease_duration_seconds = Some(GIVEN_BACK);
        }
        let patience = self.settings.timing.request;
        let name = &self.settings.name;
        match timeout(patience, self.send(&lease)).await {
            Ok(Ok(_)) => tracing::info!(lease = name, "gave the lease back"),
            Ok(Err(error)) => {
                let reason = reason(&error);
                tracing::warn!(lease = name, reason, "could not give the lease back");
            }
            Err(_) => {
                tracing::warn!(lease = name, reason = SILENCE, "could not give the lease back");
            }
        }
    }

    async fn look(&mut self) {
        let asked = self.now();
        let request = self.leases.get_opt(&self.settings.name);
        match timeout(self.candidate.patience(asked), request).await {
            Ok(Ok(lease)) => {
                self.content("read");
                self.candidate.saw(lease.as_ref().map(record), asked, self.now());
                self.lease = lease;
            }
            Ok(Err(error)) => self.complain("read", reason(&error)),
            Err(_) => self.complain("read", SILENCE.to_owned()),
        }
    }

    async fn write(&mut self, lease: Lease) {
        let sent = self.now();
        let patience = self.candidate.patience(sent);
        match timeout(patience, self.send(&lease)).await {
            Ok(Ok(lease)) => {
                self.content("write");
                self.candidate.wrote(record(&lease), sent, self.now());
                self.lease = Some(lease);
            }
            // Somebody wrote it, made it or deleted it since.
            Ok(Err(kube::Error::Api(status))) if self.is_late(status.code) => {
                self.candidate.was_late();
            }
            Ok(Err(error)) => self.complain("write", reason(&error)),
            Err(_) => self.complain("write", SILENCE.to_owned()),
        }
    }

    /// Whether a refusal means that the lease is not as we saw it; without a namespace, a lease
    /// cannot be made either.
    fn is_late(&self, code: u16) -> bool {
        code == 409 || code == 404 && self.lease.is_some()
    }

    async fn send(&self, lease: &Lease) -> kube::Result<Lease> {
        let options = PostParams::default();
        match lease.metadata.resource_version {
            Some(_) => self.leases.replace(&self.settings.name, &options, lease).await,
            None => self.leases.create(&options, lease).await,
        }
    }

    /// The lease in our name, as a new term.
    fn acquired(&self, now: Timestamp) -> Lease {
        let mut lease = self.renewed(now);
        let spec = lease.spec.get_or_insert_default();
        let former = self.lease.as_ref().and_then(|it| it.spec.as_ref());
        let transitions = former.and_then(|it| it.lease_transitions);
        spec.acquire_time = Some(MicroTime(now));
        spec.lease_transitions = Some(transitions.map_or(0, |count| count.saturating_add(1)));
        lease
    }

    fn renewed(&self, now: Timestamp) -> Lease {
        let LeaseSettings { namespace, name, identity, timing } = &self.settings;
        let mut lease = self.lease.clone().unwrap_or_else(|| Lease {
            metadata: ObjectMeta {
                namespace: Some(namespace.clone()),
                name: Some(name.clone()),
                ..ObjectMeta::default()
            },
            spec: Some(LeaseSpec::default()),
        });
        let spec = lease.spec.get_or_insert_default();
        spec.holder_identity = Some(identity.clone());
        spec.lease_duration_seconds = i32::try_from(timing.duration.as_secs()).ok();
        spec.renew_time = Some(MicroTime(now));
        lease
    }

    fn now(&self) -> Moment {
        self.start.elapsed()
    }

    fn complain(&mut self, verb: &'static str, reason: String) {
        self.candidate.failed(self.now());
        let complaint = Some((verb, reason));
        if self.complaint != complaint {
            let (lease, namespace) = (&self.settings.name, &self.settings.namespace);
            let reason = complaint.as_ref().map(|(_, reason)| reason);
            tracing::warn!(lease, namespace, verb, reason, "cannot use the lease, trying again");
            self.complaint = complaint;
        }
    }

    fn content(&mut self, verb: &str) {
        if self.complaint.take_if(|(failed, _)| *failed == verb).is_some() {
            tracing::info!(lease = self.settings.name, verb, "can use the lease again");
        }
    }
}

/// Why a request failed, in the server's words where it has some.
fn reason(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}

/// What a lease says.
fn record(lease: &Lease) -> Record {
    let Some(spec) = &lease.spec else { return Record::default() };
    let micros = |time: &Option<MicroTime>| time.as_ref().map(|time| time.0.as_microsecond());
    let seconds = spec.lease_duration_seconds.and_then(|it| u64::try_from(it).ok());
    Record {
        holder: spec.holder_identity.clone().unwrap_or_default(),
        acquired: micros(&spec.acquire_time),
        renewed: micros(&spec.renew_time),
        duration: Duration::from_secs(seconds.unwrap_or_default()),
    }
}

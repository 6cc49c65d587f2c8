//! What one affair's turn finds about pods and claims of others: that they hold what it carries too.
//!
//! Reads the whole world, for who they are; returns [`Notice`]s.
//! Invariant: nobody is told who is not there.

use udn_model::{Finding, ObjectName, Subject};
use udn_wire::Target;
use udn_wire::kind::Kind;
use udn_wire::object::Metadata;

use super::claims;
use super::write::{Notice, NoticeKind};
use crate::affair::Affair;
use crate::world::World;

#[cfg(test)]
mod tests;

/// The findings about pods and claims that are not the affair's own.
pub fn about_others<'a>(
    affair: &Affair,
    findings: &'a [Finding],
) -> impl Iterator<Item = &'a Finding> {
    findings.iter().filter(move |it| match (&it.subject, affair) {
        (Subject::Pod(name), Affair::Pod(own)) | (Subject::Claim(name), Affair::Claim(own)) => {
            name != own
        }
        (Subject::Pod(_) | Subject::Claim(_), _) => true,
        (
            Subject::UserDefinedNetwork(_)
            | Subject::ClusterUserDefinedNetwork(_)
            | Subject::Definition(_)
            | Subject::Network(_)
            | Subject::Node(_)
            | Subject::Namespace(_),
            _,
        ) => false,
    })
}

/// What others are told of such findings.
pub fn notices_of_others(world: &World, findings: &[Finding]) -> Vec<Notice> {
    let tell = |finding: &Finding| {
        match &finding.subject {
            Subject::Pod(name) => {
                let message = format!("{:?}: {}", finding.reason, finding.message);
                let metadata = &world.pods.get(name)?.metadata;
                // compat: pkg/clustermanager/network_cluster_controller.go, recordPodErrorEvent
                Some(warning(Kind::Pod, name, metadata, ("ErrorAllocatingPod", message)))
            }
            Subject::Claim(name) => {
                let metadata = &world.claims.get(name)?.metadata;
                let words = (&*claims::reason(finding.reason), finding.message.clone());
                Some(warning(Kind::Claim, name, metadata, words))
            }
            Subject::UserDefinedNetwork(_)
            | Subject::ClusterUserDefinedNetwork(_)
            | Subject::Definition(_)
            | Subject::Network(_)
            | Subject::Node(_)
            | Subject::Namespace(_) => None,
        }
    };
    findings.iter().filter_map(tell).collect()
}

fn warning(
    kind: Kind,
    name: &ObjectName,
    metadata: &Metadata,
    (reason, message): (&str, String),
) -> Notice {
    let about = Target { kind, namespace: name.namespace.to_string(), name: name.name.to_string() };
    let (uid, reason) = (metadata.uid.clone(), reason.to_owned());
    Notice { about, uid, kind: NoticeKind::Warning, reason, message }
}

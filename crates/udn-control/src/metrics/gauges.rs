//! What is the case now, counted when somebody asks.
//!
//! Invariant: only work items that exist are counted, so nothing of what is gone remains.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use udn_cluster::WorkItem;
use udn_model::{Findings, Manifest};

use super::NetworkLabels;

/// The networks that exist.
#[derive(Debug, Clone, Default)]
pub(super) struct NetworkGauges(Arc<Mutex<BTreeMap<WorkItem, NetworkLabels>>>);

/// What work items are told, by reason.
#[derive(Debug, Clone, Default)]
pub(super) struct FindingGauges(Arc<Mutex<BTreeMap<WorkItem, BTreeMap<&'static str, u64>>>>);

impl NetworkGauges {
    pub(super) fn tell(&self, item: &WorkItem, labels: Option<NetworkLabels>) {
        let mut networks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match labels {
            Some(labels) => networks.insert(item.clone(), labels),
            None => networks.remove(item),
        };
    }

    /// How many there are of each sort, and the conditions of those that are the cluster's.
    fn counted(&self) -> Counted {
        let networks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counted = Counted::default();
        for (item, labels) in &*networks {
            let NetworkLabels { role, topology, conditions } = labels;
            match item {
                WorkItem::Network(Manifest::Udn(_)) => {
                    *counted.own.entry([("role", *role), ("topology", *topology)]).or_default() +=
                        1;
                }
                WorkItem::Network(Manifest::Cudn(name)) => {
                    let transport = transport(topology);
                    let sort = [("role", *role), ("topology", *topology), ("transport", transport)];
                    *counted.wide.entry(sort).or_default() += 1;
                    let conditions = conditions.iter().cloned();
                    counted
                        .conditions
                        .extend(conditions.map(|(kind, is)| (name.clone(), kind, is)));
                }
                WorkItem::HandWritten(_)
                | WorkItem::Node(_)
                | WorkItem::DefaultNad
                | WorkItem::Pod(_)
                | WorkItem::Claim(_) => {}
            }
        }
        counted
    }
}

#[derive(Debug, Default)]
struct Counted {
    own: BTreeMap<[(&'static str, &'static str); 2], u64>,
    wide: BTreeMap<[(&'static str, &'static str); 3], u64>,
    conditions: Vec<(String, String, &'static str)>,
}

/// compat: pkg/clustermanager/userdefinednetwork/controller_metrics.go, the label `transport`.
fn transport(topology: &str) -> &'static str {
    if topology == "Localnet" { "Localnet" } else { "Geneve" }
}

impl Collector for NetworkGauges {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let Counted { own, wide, conditions } = self.counted();
        let help = "UserDefinedNetworks that exist";
        let name = "user_defined_networks";
        let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (labels, count) in own {
            metric.encode_family(&labels)?.encode_gauge(&count)?;
        }
        let help = "ClusterUserDefinedNetworks that exist";
        let name = "cluster_user_defined_networks";
        let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (labels, count) in wide {
            metric.encode_family(&labels)?.encode_gauge(&count)?;
        }
        let help =
            "Conditions of ClusterUserDefinedNetworks: 1 where the condition has this status";
        let name = "cluster_user_defined_network_condition";
        let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        // compat: docs of the wire's metrics; both statuses are told, the one that holds is 1.
        for (name, condition, is) in conditions {
            for status in ["true", "false"] {
                let labels =
                    [("name", name.as_str()), ("condition", &condition), ("status", status)];
                let value = u32::from(is.eq_ignore_ascii_case(status));
                metric.encode_family(&labels)?.encode_gauge(&value)?;
            }
        }
        Ok(())
    }
}

impl FindingGauges {
    pub(super) fn tell(&self, item: &WorkItem, findings: &Findings) {
        let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
        for finding in findings {
            *counts.entry(finding.reason.as_str()).or_default() += 1;
        }
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match counts.is_empty() {
            true => found.remove(item),
            false => found.insert(item.clone(), counts),
        };
    }

    fn counted(&self) -> BTreeMap<&'static str, u64> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counted: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (reason, count) in found.values().flatten() {
            *counted.entry(*reason).or_default() += count;
        }
        counted
    }
}

impl Collector for FindingGauges {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let help = "What is wrong now, by reason";
        let mut metric = encoder.encode_descriptor("findings", help, None, MetricType::Gauge)?;
        for (reason, count) in self.counted() {
            metric.encode_family(&[("reason", reason)])?.encode_gauge(&count)?;
        }
        Ok(())
    }
}

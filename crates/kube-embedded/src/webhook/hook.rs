//! One webhook of a configuration.
//!
//! Reads `MutatingWebhookConfiguration` and `ValidatingWebhookConfiguration` objects; returns
//! their webhooks in the order they are called.
//! Invariant: what the server would have defaulted is defaulted here.

use std::sync::Arc;

use serde_json::Value;

/// A webhook that may be called.
#[derive(Debug, Clone)]
pub(super) struct Hook {
    configuration: Arc<Value>,
    index: usize,
}

/// Where a webhook is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// With the time limit among its parameters, as the server shows it in errors.
    pub(super) url: String,
    /// A service, which has an address only the cluster knows.
    pub(super) is_service: bool,
}

impl Hook {
    /// The webhooks of all configurations, by the names of the configurations.
    pub(super) fn all(configurations: &[Arc<Value>]) -> Vec<Self> {
        let mut sorted: Vec<&Arc<Value>> = configurations.iter().collect();
        sorted.sort_by(|one, other| name(one).cmp(name(other)));
        let hooks = sorted.into_iter().flat_map(|configuration| {
            let count = configuration["webhooks"].as_array().map_or(0, Vec::len);
            (0..count).map(|index| Self { configuration: Arc::clone(configuration), index })
        });
        hooks.collect()
    }

    pub(super) fn value(&self) -> &Value {
        &self.configuration["webhooks"][self.index]
    }

    pub(super) fn name(&self) -> &str {
        self.text("name")
    }

    /// Whether a failed call is passed over.
    pub(super) fn is_forgiving(&self) -> bool {
        self.text("failurePolicy") == "Ignore"
    }

    /// Whether it may be called although nothing is to change.
    pub(super) fn allows_dry_run(&self) -> bool {
        matches!(self.text("sideEffects"), "None" | "NoneOnDryRun")
    }

    /// Whether it wants to see what later webhooks changed.
    pub(super) fn is_reinvoked(&self) -> bool {
        self.text("reinvocationPolicy") == "IfNeeded"
    }

    pub(super) fn timeout_seconds(&self) -> u64 {
        self.value()["timeoutSeconds"].as_u64().unwrap_or(10).clamp(1, 30)
    }

    /// The authorities it is trusted by, in base 64 of PEM.
    pub(super) fn ca_bundle(&self) -> &str {
        self.value()["clientConfig"]["caBundle"].as_str().unwrap_or("")
    }

    pub(super) fn target(&self) -> Target {
        let config = &self.value()["clientConfig"];
        let (base, is_service) = match config["url"].as_str() {
            Some(url) => (url.to_owned(), false),
            None => (service_url(&config["service"]), true),
        };
        let joint = if base.contains('?') { '&' } else { '?' };
        Target { url: format!("{base}{joint}timeout={}s", self.timeout_seconds()), is_service }
    }

    fn text(&self, field: &str) -> &str {
        self.value()[field].as_str().unwrap_or("")
    }
}

fn service_url(service: &Value) -> String {
    let text = |field: &str| service[field].as_str().unwrap_or("");
    let port = service["port"].as_u64().unwrap_or(443);
    let path = text("path").trim_start_matches('/');
    format!("https://{}.{}.svc:{port}/{path}", text("name"), text("namespace"))
}

fn name(configuration: &Value) -> &str {
    configuration["metadata"]["name"].as_str().unwrap_or("")
}

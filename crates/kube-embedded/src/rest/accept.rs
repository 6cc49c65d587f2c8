//! In which form the client wants its answer.
//!
//! Reads the `Accept` header; returns the first form that is offered.
//! Invariant: protobuf and CBOR are never promised.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use serde_json::json;

use crate::refusal::Refusal;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) view: View,
    pub(crate) is_yaml: bool,
    /// Whether tables and metadata are of `v1beta1`.
    pub(crate) is_old: bool,
    /// Whether metadata is asked for as that of a list.
    pub(crate) is_list: bool,
}

/// What is shown of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Whole,
    Table,
    Partial,
    /// Aggregated discovery.
    Discovery,
}

/// Who answers: each offers other forms, and refuses in other words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    /// Discovery and other documents.
    Documents,
    /// Objects of built-in kinds, which the server's router sees first.
    BuiltIn,
    Custom,
}

const PLAIN: Accepted =
    Accepted { view: View::Whole, is_yaml: false, is_old: false, is_list: false };

const OFFERED: &str = "application/json, application/yaml";
const STREAMED: &str = "application/json;stream=watch";

/// Chooses a form, or says which there are.
pub(crate) fn choose(
    headers: &HeaderMap,
    offer: Offer,
    is_watch: bool,
) -> Result<Accepted, Refusal> {
    let header = text(headers);
    let media_types = header.split(',').map(|it| it.split(';').next().unwrap_or("").trim());
    let is_routed = |media: &str| {
        ["*/*", "application/json", "application/yaml"].contains(&media)
            || media == "application/vnd.kubernetes.protobuf"
    };
    let is_empty = header.trim().is_empty();
    if offer == Offer::BuiltIn && !is_empty && !media_types.into_iter().any(is_routed) {
        let more = if is_watch { format!(", {STREAMED}") } else { String::new() };
        let message = format!("406: Not Acceptable\n\nAvailable representations: {OFFERED}{more}");
        return Err(Refusal::new(406, "NotAcceptable", message).with_details(json!({})));
    }
    let found = clauses(header).find_map(|it| clause(it, offer));
    let found = if is_empty { Some(PLAIN) } else { found };
    found.filter(|it| !(is_watch && it.is_yaml)).ok_or_else(|| {
        let offered = if is_watch { STREAMED } else { OFFERED };
        not_acceptable(format!("only the following media types are accepted: {offered}"))
    })
}

/// Whether the client wants YAML, whatever is answered.
pub(crate) fn wants_yaml(headers: &HeaderMap) -> bool {
    let offers = [Offer::Custom, Offer::Documents];
    let mut forms = clauses(text(headers));
    let form = forms.find_map(|it| offers.into_iter().find_map(|offer| clause(it, offer)));
    form.is_some_and(|it| it.is_yaml)
}

pub(crate) fn not_acceptable(message: String) -> Refusal {
    Refusal::new(406, "NotAcceptable", message)
}

fn text(headers: &HeaderMap) -> &str {
    headers.get(ACCEPT).and_then(|it| it.to_str().ok()).unwrap_or("")
}

/// The clauses of a header, the most wanted first.
fn clauses(header: &str) -> impl Iterator<Item = &str> {
    let mut clauses: Vec<&str> =
        header.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
    clauses.sort_by(|one, other| quality(other).total_cmp(&quality(one)));
    clauses.into_iter()
}

fn quality(clause: &str) -> f64 {
    let parameters = clause.split(';').skip(1).filter_map(|it| it.trim().split_once('='));
    let mut given = parameters.filter(|(name, _)| *name == "q");
    given.next().and_then(|(_, value)| value.parse().ok()).unwrap_or(1.0)
}

fn clause(clause: &str, offer: Offer) -> Option<Accepted> {
    let mut parts = clause.split(';').map(str::trim);
    let is_yaml = match parts.next()? {
        "application/json" | "*/*" | "application/*" => false,
        "application/yaml" => true,
        _ => return None,
    };
    let mut accepted = Accepted { is_yaml, ..PLAIN };
    let (mut group, mut version) = ("", "");
    for (name, value) in parts.filter_map(|part| part.split_once('=')) {
        match (name.trim(), value.trim()) {
            ("as", "Table") => accepted.view = View::Table,
            ("as", "PartialObjectMetadata") => accepted.view = View::Partial,
            ("as", "PartialObjectMetadataList") => {
                accepted = Accepted { view: View::Partial, is_list: true, ..accepted };
            }
            ("as", "APIGroupDiscoveryList") => accepted.view = View::Discovery,
            ("as", _) => return None,
            ("g", value) => group = value,
            ("v", value) => version = value,
            ("stream", value) if value != "watch" => return None,
            _ => {}
        }
    }
    let is_offered = match accepted.view {
        View::Whole => true,
        View::Table | View::Partial => {
            let is_known = group == "meta.k8s.io" && ["v1", "v1beta1"].contains(&version);
            accepted.is_old = version == "v1beta1";
            is_known && offer != Offer::Documents
        }
        View::Discovery => {
            group == "apidiscovery.k8s.io" && version == "v2" && offer == Offer::Documents
        }
    };
    is_offered.then_some(accepted)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue};

    use super::{Offer, View, choose};

    fn check(header: &'static str, offer: Offer, want: Option<(View, bool)>) {
        let mut headers = HeaderMap::new();
        headers.insert("accept", HeaderValue::from_static(header));
        let found = choose(&headers, offer, false).ok().map(|it| (it.view, it.is_yaml));
        assert_eq!(found, want, "{header}");
    }

    #[test]
    fn the_first_offered_form_is_taken() {
        let check = |header, want| check(header, Offer::BuiltIn, want);
        check("application/json", Some((View::Whole, false)));
        check("", Some((View::Whole, false)));
        check("*/*", Some((View::Whole, false)));
        check("application/yaml", Some((View::Whole, true)));
        check("application/vnd.kubernetes.protobuf,application/json", Some((View::Whole, false)));
        check("application/vnd.kubernetes.protobuf", None);
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
        check(table, Some((View::Table, false)));
        check(
            "application/json;as=Table;v=v9;g=meta.k8s.io,application/json",
            Some((View::Whole, false)),
        );
        check("text/html", None);
        check("application/*", None);
        check("application/json;q=0.1,application/yaml;q=0.2", Some((View::Whole, true)));
    }

    #[test]
    fn custom_kinds_take_any_application() {
        check("application/*", Offer::Custom, Some((View::Whole, false)));
    }

    #[test]
    fn only_documents_are_aggregated() {
        let header = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        check(header, Offer::Documents, Some((View::Discovery, false)));
        check(header, Offer::BuiltIn, None);
    }
}

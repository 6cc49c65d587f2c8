//! Makes requests: valid ones, each rule broken alone, several at once, nonsense.
//!
//! Reads a seed; returns the same requests for the same seed.
//! Invariant: a request says in words how it was made, so that a difference can be found again.

use kube_schema::Operation;
use serde_json::{Value, json};

use super::breaches::{BREACHES, Breach, ODD_TEXTS, ROUTE_TARGETS, TEXT_PLACES};
use super::dice::Dice;
use super::edits::{Edit, make};
use super::templates::{Template, templates};
use super::updates::{STATUSES, UPDATES};

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// How it was made.
    pub(crate) story: String,
    pub(crate) verb: Verb,
    pub(crate) object: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Create,
    /// Replaces the standing object of that name.
    Update,
    UpdateStatus,
}

impl Verb {
    /// What is done to the standing object; without one, everything is a create.
    pub(crate) fn of(self, standing: Option<&Value>) -> Operation<'_> {
        match (self, standing) {
            (Self::Create, _) | (_, None) => Operation::Create,
            (Self::Update, Some(old)) => Operation::Update { old },
            (Self::UpdateStatus, Some(old)) => Operation::UpdateStatus { old },
        }
    }
}

/// All requests of a seed: `random` of them by chance, besides the tables.
pub(crate) fn requests(seed: u64, random: usize) -> Vec<Request> {
    let (templates, mut dice) = (templates(), Dice::new(seed));
    let mut requests = Vec::new();
    for template in &templates {
        requests.push(request("as it is", Verb::Create, template.object.clone()));
        requests.push(request("as it is", Verb::Update, template.object.clone()));
    }
    requests.extend(tables(&templates));
    for _ in 0..random {
        requests.push(chance(&templates, &mut dice));
    }
    requests
}

fn request(story: impl Into<String>, verb: Verb, mut object: Value) -> Request {
    if verb != Verb::Create {
        rename(&mut object);
    }
    Request { story: story.into(), verb, object }
}

/// The objects that stand before the first request.
pub(crate) fn standing() -> Vec<Value> {
    let mut objects: Vec<Value> = templates().into_iter().map(|it| it.object).collect();
    objects.iter_mut().for_each(rename);
    objects
}

/// Standing objects have names of their own, so that no create meets them.
fn rename(object: &mut Value) {
    if let Some(name) = object["metadata"]["name"].as_str() {
        object["metadata"]["name"] = format!("old-{name}").into();
    }
}

fn tables(templates: &[Template]) -> Vec<Request> {
    let breaches = BREACHES.iter().map(|breach| (Verb::Create, breach));
    let updates = UPDATES.iter().map(|update| (Verb::Update, update));
    let mut requests: Vec<Request> = breaches
        .chain(updates)
        .flat_map(|(verb, (name, edits))| {
            named(templates, name).map(move |it| request(story(edits), verb, edited(it, edits)))
        })
        .collect();
    for (name, place) in TEXT_PLACES {
        for text in ODD_TEXTS {
            requests.extend(with_text(templates, name, place, text));
        }
    }
    for target in ROUTE_TARGETS {
        requests.extend(with_text(templates, "evpn2", "evpn.macVRF.routeTarget", target));
        requests.extend(with_text(templates, "evpn2", "evpn.ipVRF.routeTarget", target));
    }
    for (name, status) in STATUSES {
        for template in named(templates, name) {
            let mut object = template.object.clone();
            make(&mut object, "", ("status", status));
            requests.push(request(format!("status {status}"), Verb::UpdateStatus, object));
        }
    }
    requests.extend(sizes());
    requests
}

fn named<'a>(templates: &'a [Template], name: &'a str) -> impl Iterator<Item = &'a Template> {
    templates.iter().filter(move |it| it.name == name)
}

fn with_text(templates: &[Template], name: &str, place: &'static str, text: &str) -> Vec<Request> {
    let text = Value::from(text);
    // One of the two kinds is enough: a test holds their schemas together.
    let template = named(templates, name).last().expect("the table names a template");
    let mut object = template.object.clone();
    let pointer = format!("{}/{}", template.root, place.replace('.', "/"));
    *object.pointer_mut(&pointer).expect("the table names a place") = text.clone();
    vec![request(format!("{place} = {text}"), Verb::Create, object)]
}

fn story(edits: &[Edit]) -> String {
    edits.iter().map(|(path, value)| format!("{path} = {value}")).collect::<Vec<_>>().join("; ")
}

fn edited(template: &Template, edits: &[Edit]) -> Value {
    let mut object = template.object.clone();
    for edit in edits {
        make(&mut object, template.root, *edit);
    }
    object
}

/// Lists at and beyond their bounds.
fn sizes() -> Vec<Request> {
    let layer3 = |count: usize, subnet: fn(usize) -> Value| {
        let subnets: Vec<Value> = (0..count).map(subnet).collect();
        let layer3 = json!({ "role": "Primary", "subnets": subnets });
        let spec = json!({ "topology": "Layer3", "layer3": layer3 });
        let object = json!({
            "apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork",
            "metadata": { "name": "many", "namespace": "ns" }, "spec": spec,
        });
        request(format!("{count} subnets"), Verb::Create, object)
    };
    let v4 = |i: usize| json!({ "cidr": format!("110.{}.{}.0/23", i / 128, i % 128 * 2) });
    let v6 = |i: usize| {
        let cidr = format!("2001:0db8:0000:{:04x}:0000:0000:0000:0000/63", i * 2);
        json!({ "cidr": cidr, "hostSubnet": 64 })
    };
    let same = |_| json!({ "cidr": "10.0.0.0/8" });
    vec![layer3(400, v4), layer3(401, v4), layer3(400, v6), layer3(30, same), layer3(400, same)]
}

/// A request by chance; about every second one is valid.
fn chance(templates: &[Template], dice: &mut Dice) -> Request {
    let template = dice.pick(templates);
    let verb = if dice.once_in(3) { Verb::Update } else { Verb::Create };
    let mut object = template.object.clone();
    let mut stories = vec![format!("{}", template.name)];
    let harmless = dice.below(3);
    for _ in 0..harmless {
        let edit = *dice.pick(HARMLESS);
        stories.push(story(&[edit]));
        make(&mut object, template.root, edit);
    }
    if !dice.once_in(2) {
        for _ in 0..=dice.below(3) {
            stories.push(disturb(&mut object, template, dice));
        }
    }
    request(stories.join("; "), verb, object)
}

/// Changes that leave a new object valid, wherever they fit.
#[rustfmt::skip]
const HARMLESS: &[Edit] = &[
    ("/metadata.labels", "-"), ("/metadata.labels.a", r#""b""#), ("/metadata.annotations", r#"{"x/y":"z z"}"#),
    ("/status", r#"{"conditions":[]}"#), ("layer2.mtu", "1500"), ("layer2.mtu", "-"), ("layer2.ipam", "-"), ("layer2.joinSubnets", "-"),
    ("layer2.reservedSubnets", "-"), ("layer3.mtu", "-"), ("layer3.joinSubnets", "-"), ("localnet.mtu", "-"), ("localnet.vlan", "-"),
    ("localnet.vlan.access.id", "4094"), ("localnet.vlan.access.id", "1"), ("localnet.excludeSubnets", "-"),
    ("localnet.physicalNetworkName", r#""Größe 1""#), ("evpn.macVRF.routeTarget", "-"), ("ipRequest", "-"), ("config", "-"),
    ("/spec.namespaceSelector", "{}"), ("/metadata.finalizers", r#"["a.b/c"]"#),
];

/// One wound: a known breach, an odd text or nonsense at any place.
fn disturb(object: &mut Value, template: &Template, dice: &mut Dice) -> String {
    let fitting: Vec<&Breach> =
        BREACHES.iter().filter(|(name, _)| *name == template.name).collect();
    if !fitting.is_empty() && dice.once_in(2) {
        let edits = dice.pick(&fitting).1;
        edits.iter().for_each(|edit| make(object, template.root, *edit));
        return story(edits);
    }
    let places = places(object);
    if places.is_empty() {
        return extend(object, "", dice);
    }
    let place = dice.pick(&places);
    match dice.below(4) {
        0 => remove(object, place),
        1 => extend(object, place, dice),
        _ => {
            let nonsense = nonsense(dice);
            let story = format!("{place} = {nonsense}");
            *object.pointer_mut(place).expect("the place was found in it") = nonsense;
            story
        }
    }
}

/// The pointers of all values except those that say what and whose the object is.
fn places(object: &Value) -> Vec<String> {
    let mut places = Vec::new();
    collect(object, String::new(), &mut places);
    let is_identity = |it: &String| {
        matches!(it.as_str(), "" | "/apiVersion" | "/kind" | "/metadata" | "/metadata/namespace")
            || it.starts_with("/metadata/name")
    };
    places.retain(|place| !is_identity(place));
    places
}

fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                collect(value, format!("{place}/{key}"), places);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect(value, format!("{place}/{index}"), places);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    places.push(place);
}

fn remove(object: &mut Value, place: &str) -> String {
    let (parent, last) = place.rsplit_once('/').expect("a pointer has a slash");
    match object.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.remove(&last.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) => {
            items.remove(last.parse().expect("an item has a number"));
        }
        _ => {}
    }
    format!("without {place}")
}

/// An unknown field, or an item twice.
fn extend(object: &mut Value, place: &str, dice: &mut Dice) -> String {
    match object.pointer_mut(place).expect("the place was found in it") {
        Value::Object(fields) => {
            fields.insert("surprise".to_owned(), nonsense(dice));
        }
        Value::Array(items) if !items.is_empty() => items.push(items[0].clone()),
        other => *other = json!([other.clone()]),
    }
    format!("more at {place}")
}

fn nonsense(dice: &mut Dice) -> Value {
    let long = "x".repeat(300);
    let choices = [
        Value::Null,
        json!(""),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(2147483648_i64),
        json!(true),
        json!([]),
        json!({}),
        json!("Primary"),
        json!("Secondary"),
        json!([1, 2]),
        json!({ "a": 1 }),
        json!(long),
        json!("é"),
        json!(64),
        json!("10.20.0.0/16"),
        json!(576),
        json!("Layer2"),
        json!(1.0),
        json!(9007199254740993_i64),
        json!(["a", null]),
    ];
    dice.pick(&choices).clone()
}

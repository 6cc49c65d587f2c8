//! What we say and what a real kube-apiserver says to the same requests.
//!
//! One definition with every keyword and every kind of rule; creates, updates and updates of the
//! status, judged by both sides: verdict, status, causes and stored object have to agree.

mod requests;

use kube_schema::{Catalog, CatalogError, Operation, Request, Verdict};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use udn_lab::seed;

use crate::rig::{Answer, Server, Verb};
use requests::{BROKEN_SCHEMAS, CREATES, POLICY_CREATES, POLICY_UPDATES, STATUS_UPDATES, UPDATES};

const WIDGETS: &str = include_str!("../server/widgets.yaml");
const WIDGETS_PATH: &str = "/apis/test.example.org/v1/namespaces/default/widgets";
const POLICIES: &str = include_str!("../server/policies.yaml");

fn documents(text: &str) -> Vec<Value> {
    let parts = text.split("\n---\n");
    parts.map(|part| serde_saphyr::from_str(part).expect("the file is YAML")).collect()
}

/// A widget that is fine, changed by a merge patch.
fn widget(name: &str, patch: &str) -> Value {
    let mut widget = json!({
        "apiVersion": "test.example.org/v1",
        "kind": "Widget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"size": 5},
    });
    merge(&mut widget, serde_json::from_str(patch).expect("the patch is JSON"));
    widget
}

fn merge(into: &mut Value, patch: Value) {
    match (into, patch) {
        (Value::Object(fields), Value::Object(patch)) => {
            for (name, value) in patch {
                match value {
                    Value::Null => drop(fields.remove(&name)),
                    value => merge(fields.entry(name).or_insert(Value::Null), value),
                }
            }
        }
        (into, patch) => *into = patch,
    }
}

/// A schema without everything that could refuse a value.
fn loosen(schema: &mut Value) {
    const STRICT: [&str; 21] = [
        "allOf",
        "anyOf",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "not",
        "oneOf",
        "pattern",
        "required",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
    ];
    let Value::Object(keywords) = schema else {
        return;
    };
    keywords.retain(|name, _| !STRICT.contains(&name.as_str()));
    keywords.remove("x-kubernetes-validations");
    if let Some(Value::Object(properties)) = keywords.get_mut("properties") {
        properties.values_mut().for_each(loosen);
    }
    for name in ["items", "additionalProperties"] {
        keywords.get_mut(name).into_iter().for_each(loosen);
    }
}

/// What both sides say, told apart from how they say it.
fn compare(what: &str, ours: &Verdict, theirs: &Answer) -> Vec<String> {
    let mut differences = Vec::new();
    let mut differ = |name: &str, ours: String, theirs: String| {
        if ours != theirs {
            differences.push(format!("{what}: {name}\n    ours   {ours}\n    theirs {theirs}"));
        }
    };
    match ours.status() {
        None if theirs.is_success() => {
            let (ours, theirs) = (stored(&ours.object), stored(&theirs.body));
            differ("object", ours.to_string(), theirs.to_string());
        }
        None => differ("verdict", "accepted".to_owned(), theirs.body.to_string()),
        Some(status) if theirs.is_success() => {
            differ("verdict", status.to_string(), "accepted".to_owned());
        }
        Some(status) => {
            for name in ["code", "reason", "status", "kind"] {
                differ(name, status[name].to_string(), theirs.body[name].to_string());
            }
            let causes = |status: &Value| {
                let causes = status["details"]["causes"].as_array().cloned().unwrap_or_default();
                let mut texts: Vec<String> = causes.iter().map(Value::to_string).collect();
                texts.sort();
                texts
            };
            differ(
                "causes",
                format!("{:#?}", causes(&status)),
                format!("{:#?}", causes(&theirs.body)),
            );
            for name in ["name", "group", "kind"] {
                let of = |status: &Value| status["details"][name].to_string();
                differ(name, of(&status), of(&theirs.body));
            }
            differ("message", ordered(&status, ours), ordered(&theirs.body, ours));
        }
    }
    differences
}

/// The message with its parts in our order: the server walks maps in any order.
fn ordered(status: &Value, ours: &Verdict) -> String {
    let mut message = status["message"].as_str().unwrap_or("").to_owned();
    let mut texts: Vec<String> = ours.errors.iter().map(ToString::to_string).collect();
    texts.extend(ours.strict.iter().map(|error| error.message.clone()));
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts.dedup();
    for (place, text) in texts.iter().enumerate() {
        message = message.replacen(text.as_str(), &format!("<{place}>"), 1);
    }
    let mut marks: Vec<&str> = message.split(['[', ']', ' ', ',']).collect();
    marks.sort_unstable();
    marks.join(" ")
}

/// An object without what only a server fills in.
fn stored(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in ["managedFields", "uid", "creationTimestamp", "resourceVersion", "generation"] {
            metadata.remove(name);
        }
    }
    // A number that was stored is printed in its shortest form.
    serde_json::from_str(&shortest(&object).to_string()).expect("it is JSON")
}

fn shortest(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_i64() => value.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(real) if real.fract() == 0.0 && real.abs() < 1e15 => Value::from(real as i64),
            real => Value::from(real),
        },
        Value::Array(items) => items.iter().map(shortest).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shortest(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

#[tokio::test]
async fn the_server_says_what_we_say() {
    let server = Server::start().await;
    let strict: Value = documents(WIDGETS).remove(0);
    let catalog = Catalog::read([strict.clone()]).expect("the definition is right");
    let mut loose = strict.clone();
    loosen(&mut loose["spec"]["versions"][0]["schema"]["openAPIV3Schema"]);
    server.define(&loose).await;
    let mut olds = Vec::new();
    for (place, (what, old, _)) in UPDATES.iter().chain(STATUS_UPDATES).enumerate() {
        let old = server.store(WIDGETS_PATH, &widget(&format!("old-{place}"), old)).await;
        olds.push(old.unwrap_or_else(|answer| panic!("{what}: {answer:?}")));
    }
    server.define(&strict).await;
    server.until_refused(WIDGETS_PATH, &widget("canary", r#"{"spec":{"choice":"z"}}"#)).await;

    let mut differences = Vec::new();
    for (what, patch) in CREATES {
        let object = widget("new", patch);
        let theirs = server.ask(Verb::Post, WIDGETS_PATH, &object).await;
        differences.extend(compare(what, &catalog.create(object), &theirs));
    }
    for text in ["x", "x many", "y many", "y few"].map(long_text) {
        let mut object = widget("new", "{}");
        object["spec"]["long"] = Value::from(text.as_str());
        let theirs = server.ask(Verb::Post, WIDGETS_PATH, &object).await;
        let what = format!("a long text that starts with {}", &text[..1]);
        differences.extend(compare(&what, &catalog.create(object), &theirs));
    }
    for (place, (what, _, patch)) in UPDATES.iter().chain(STATUS_UPDATES).enumerate() {
        let old = &olds[place];
        let mut object = old.clone();
        merge(&mut object, serde_json::from_str(patch).expect("the patch is JSON"));
        let is_status = place >= UPDATES.len();
        let suffix = if is_status { "/status" } else { "" };
        let path = format!("{WIDGETS_PATH}/old-{place}{suffix}");
        let theirs = server.ask(Verb::Put, &path, &object).await;
        let ours = match is_status {
            true => catalog.update_status(object, old),
            false => catalog.update(object, old),
        };
        differences.extend(compare(what, &ours, &theirs));
    }
    let total = CREATES.len() + UPDATES.len() + STATUS_UPDATES.len();
    assert!(differences.is_empty(), "{} of {total}\n{}", differences.len(), differences.join("\n"));
}

/// A text that rules of `long` spend their budget on.
fn long_text(kind: &str) -> String {
    let (first, count) = kind.split_once(' ').unwrap_or((kind, ""));
    let length = match count {
        "many" => 99_999,
        "few" => 1_000,
        _ => 0,
    };
    format!("{first}{}", "a".repeat(length))
}

/// The path of a resource of the server, and an object of its kind.
fn built_in(kind: &str, plural: &str, fields: &str) -> (String, Value) {
    let (api_version, path) = match kind {
        "Namespace" => ("v1", "/api/v1/namespaces".to_owned()),
        "Widget" => {
            let api_version = "test.example.org/v1";
            (api_version, format!("/apis/{api_version}/namespaces/default/{plural}"))
        }
        _ => ("v1", format!("/api/v1/namespaces/default/{plural}")),
    };
    let mut object = json!({"apiVersion": api_version, "kind": kind});
    merge(&mut object, serde_json::from_str(fields).expect("the object is JSON"));
    if kind != "Namespace" {
        object["metadata"]["namespace"] = Value::from("default");
    }
    (path, object)
}

/// Compares denials only: nobody here knows what the server fills into its own kinds.
fn compare_denials(what: &str, ours: &Verdict, theirs: &Answer) -> Vec<String> {
    match ours.is_accepted() && theirs.is_success() {
        true => Vec::new(),
        false => compare(what, ours, theirs),
    }
}

#[tokio::test]
async fn policies_deny_what_the_server_denies() {
    let server = Server::start().await;
    let widgets: Value = documents(WIDGETS).remove(0);
    let policies = documents(POLICIES);
    let manifests = policies.iter().cloned().chain([widgets.clone()]);
    let catalog = Catalog::read(manifests).expect("the manifests are right");
    server.define(&widgets).await;
    let (maps, _) = built_in("ConfigMap", "configmaps", "{}");
    let mut olds = Vec::new();
    for (place, (old, _)) in POLICY_UPDATES.iter().enumerate() {
        let fields = format!(r#"{{"metadata":{{"name":"old-{place}"}},"data":{old}}}"#);
        let (_, object) = built_in("ConfigMap", "configmaps", &fields);
        olds.push(server.store(&maps, &object).await.expect("it is stored"));
    }
    let registry = "/apis/admissionregistration.k8s.io/v1";
    for policy in &policies {
        let plural = match policy["kind"].as_str() {
            Some("ValidatingAdmissionPolicy") => "validatingadmissionpolicies",
            _ => "validatingadmissionpolicybindings",
        };
        let stored = server.store(&format!("{registry}/{plural}"), policy).await;
        stored.unwrap_or_else(|answer| panic!("{policy}: {answer:?}"));
    }
    for (kind, plural, fields) in [
        POLICY_CREATES[2],
        POLICY_CREATES[13],
        POLICY_CREATES[16],
        POLICY_CREATES[23],
        POLICY_CREATES[25],
    ] {
        let (path, object) = built_in(kind, plural, fields);
        server.until_denied(&path, &object).await;
    }

    let namespace = server.read("/api/v1/namespaces/default").await;
    let user = json!({"username": "udn-lab", "uid": "udn-lab",
        "groups": ["system:masters", "system:authenticated"]});
    let judge = |object: Value, operation| {
        let request = Request::new(object, operation).in_namespace(&namespace).by_user(&user);
        catalog.judge(request, &mut |_| {})
    };
    let mut differences = Vec::new();
    for (kind, plural, fields) in POLICY_CREATES {
        let (path, object) = built_in(kind, plural, fields);
        let theirs = server.ask(Verb::Post, &path, &object).await;
        let ours = judge(object, Operation::Create);
        differences.extend(compare_denials(&format!("{kind} {fields}"), &ours, &theirs));
    }
    for (place, (_, new)) in POLICY_UPDATES.iter().enumerate() {
        let mut object = olds[place].clone();
        object["data"] = serde_json::from_str(new).expect("the data is JSON");
        let theirs = server.ask(Verb::Put, &format!("{maps}/old-{place}"), &object).await;
        let ours = judge(object, Operation::Update { old: &olds[place] });
        differences.extend(compare_denials(
            &format!("{} to {new}", olds[place]["data"]),
            &ours,
            &theirs,
        ));
    }
    assert!(differences.is_empty(), "{}\n{}", differences.len(), differences.join("\n"));
}

#[tokio::test]
async fn definitions_are_refused_as_the_server_refuses_them() {
    let server = Server::start().await;
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let mut differences = Vec::new();
    for schema in BROKEN_SCHEMAS {
        let spec: Value = serde_json::from_str(schema).expect("the schema is JSON");
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.test.example.org"},
            "spec": {
                "group": "test.example.org",
                "scope": "Cluster",
                "names": {"kind": "Thing", "plural": "things"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {
                    "openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}],
            },
        });
        let ours = match Catalog::read([definition.clone()]) {
            Err(CatalogError::Refused { errors, .. }) => errors,
            other => panic!("{schema} is refused, not {other:?}"),
        };
        let theirs = server.ask(Verb::Post, path, &definition).await;
        let causes = theirs.body["details"]["causes"].as_array().cloned().unwrap_or_default();
        let mut theirs: Vec<String> = causes.iter().map(told_cause).collect();
        let mut ours: Vec<String> = ours.iter().map(|error| told_cause(&error.cause())).collect();
        ours.sort();
        theirs.sort();
        if ours != theirs {
            differences.push(format!("{schema}\n    ours   {ours:#?}\n    theirs {theirs:#?}"));
        }
    }
    assert!(differences.is_empty(), "{}\n{}", differences.len(), differences.join("\n"));
}

/// A cause of a refused definition, whose only schema the server moves to another place.
fn told_cause(cause: &Value) -> String {
    let text = |name: &str| cause[name].as_str().unwrap_or("");
    let told = format!("{}: {}", text("field"), text("message"));
    told.replace("spec.versions[0].schema.", "spec.validation.")
}

/// Seeds whose objects were once judged otherwise.
const FOUND: [u64; 1] = [1_011_789_452];

/// What the objects are drawn from, if not from proptest's own deterministic dice.
type Seed = Option<u64>;

/// The seed that is told; without one, the same in every run.
fn seeds() -> Vec<Seed> {
    match seed::told() {
        Some(seed) => vec![Some(seed)],
        None => [None].into_iter().chain(FOUND.map(Some)).collect(),
    }
}

/// Objects of a strategy.
fn samples(seed: Seed, strategy: impl Strategy<Value = Value>, count: usize) -> Vec<Value> {
    let mut runner = seed.map_or_else(TestRunner::deterministic, |seed| {
        let bytes = seed.to_le_bytes().repeat(4);
        let dice = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        TestRunner::new_with_rng(Config::default(), dice)
    });
    let mut sample = || strategy.new_tree(&mut runner).expect("it has values").current();
    (0..count).map(|_| sample()).collect()
}

// soak: draws from UDN_SEED
#[tokio::test]
async fn objects_that_nobody_wrote_are_judged_alike() {
    let server = Server::start().await;
    let strict: Value = documents(WIDGETS).remove(0);
    let mut loose = strict.clone();
    loosen(&mut loose["spec"]["versions"][0]["schema"]["openAPIV3Schema"]);
    server.define(&loose).await;
    let mut drawn = Vec::new();
    for seed in seeds() {
        drawn.push((seed, store_samples(&server, seed).await));
    }
    server.define(&strict).await;
    server.until_refused(WIDGETS_PATH, &widget("canary", r#"{"spec":{"choice":"z"}}"#)).await;

    let mut judged = Judged::default();
    for (seed, olds) in &drawn {
        judged.ask(&server, *seed, olds).await;
        let is_enough = judged.accepted * 5 > judged.total && olds.len() > 100;
        let (accepted, total) = (judged.accepted, judged.total);
        assert!(seed::told().is_some() || is_enough, "{accepted} of {total} were accepted");
    }
    #[allow(clippy::disallowed_macros, reason = "a soak counts what was drawn")]
    {
        println!("drew: {} inputs", judged.total);
    }
    let (differences, total) = (&judged.differences, judged.total);
    let told = differences.iter().take(10).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {total}\n{told}", differences.len());
}

/// Stores what a loose definition takes; returns it as it was stored.
async fn store_samples(server: &Server, seed: Seed) -> Vec<Value> {
    let mut olds = Vec::new();
    for (place, spec) in samples(seed, crate::strategies::spec(), 300).into_iter().enumerate() {
        let mut old = crate::strategies::widget(spec);
        let of_seed = seed.map_or_else(String::new, |seed| format!("-{seed}"));
        old["metadata"]["name"] = Value::from(format!("old{of_seed}-{place}"));
        olds.extend(server.store(WIDGETS_PATH, &old).await);
    }
    olds
}

/// What came of asking both sides.
#[derive(Default)]
struct Judged {
    differences: Vec<String>,
    accepted: usize,
    total: usize,
}

impl Judged {
    /// Asks for creates and for updates of `olds`.
    async fn ask(&mut self, server: &Server, seed: Seed, olds: &[Value]) {
        let catalog = &*crate::strategies::CATALOG;
        let specs = samples(seed, crate::strategies::spec(), 700);
        let creates = specs.iter().cloned().chain(samples(seed, crate::strategies::value(), 100));
        for spec in creates {
            let object = crate::strategies::widget(spec);
            let theirs = server.ask(Verb::Post, WIDGETS_PATH, &object).await;
            self.count(&object.to_string(), &catalog.create(object), &theirs);
        }
        for (old, spec) in olds.iter().zip(specs.iter().rev()) {
            let mut object = old.clone();
            merge(&mut object["spec"], spec.clone());
            let name = old["metadata"]["name"].as_str().expect("it has a name");
            let theirs = server.ask(Verb::Put, &format!("{WIDGETS_PATH}/{name}"), &object).await;
            let what = format!("{} to {}", old["spec"], object["spec"]);
            self.count(&what, &catalog.update(object, old), &theirs);
        }
    }

    fn count(&mut self, what: &str, ours: &Verdict, theirs: &Answer) {
        self.total += 1;
        self.accepted += usize::from(theirs.is_success());
        self.differences.extend(compare(what, ours, theirs));
    }
}

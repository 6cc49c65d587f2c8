//! Webhooks behind a real TLS server, and what is made of their answers.

use std::net::SocketAddr;
use std::sync::Mutex;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::post;
use bytes::Bytes;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::*;
use crate::auth::base64::{Alphabet, encode};
use crate::discovery::sample;
use crate::tls::{Authority, serve};

pub(super) fn configmaps() -> Kind {
    sample::built_in("", "ConfigMap")
}

pub(super) fn deployments() -> Kind {
    sample::built_in("apps", "Deployment")
}

pub(super) fn namespaces() -> Kind {
    sample::built_in("", "Namespace")
}

/// A server with webhooks, which remembers what it was sent.
struct Server {
    address: SocketAddr,
    authority: Authority,
    seen: Seen,
    _stop: oneshot::Sender<()>,
}

type Seen = Arc<Mutex<Vec<(String, Value)>>>;

impl Server {
    async fn start() -> Self {
        let authority = Authority::generate().expect("it is made");
        let tls = authority.server(&["hook.default.svc".to_owned()]).expect("it is signed");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let seen = Seen::default();
        let router = Router::new().route("/{mode}", post(answer)).with_state(Arc::clone(&seen));
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(serve(listener, tls, router, stopped));
        Self { address, authority, seen, _stop: stop }
    }

    fn hook(&self, mode: &str) -> Value {
        json!({
            "name": format!("{mode}.example.com"),
            "clientConfig": {
                "url": format!("https://{}/{mode}", self.address),
                "caBundle": encode(Alphabet::Standard, self.authority.pem().as_bytes()),
            },
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "rules": [{
                "operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"],
            }],
        })
    }

    fn webhooks(&self) -> Webhooks {
        let address = self.address;
        Webhooks::new(Arc::new(move |namespace, name, port| {
            ((namespace, name, port) == ("default", "hook", 443)).then_some(address)
        }))
    }

    fn modes(&self) -> Vec<String> {
        let seen = self.seen.lock().expect("nobody panicked");
        seen.iter().map(|(mode, _)| mode.clone()).collect()
    }
}

async fn answer(
    State(seen): State<Seen>,
    Path(mode): Path<String>,
    body: Bytes,
) -> Result<String, StatusCode> {
    let review: Value = serde_json::from_slice(&body).expect("a review is JSON");
    seen.lock().expect("nobody panicked").push((mode.clone(), review.clone()));
    let patch = |value: Value| json!(encode(Alphabet::Standard, value.to_string().as_bytes()));
    let mut response = json!({"uid": review["request"]["uid"], "allowed": true});
    match mode.as_str() {
        "broken" => return Err(StatusCode::INTERNAL_SERVER_ERROR),
        "slow" => std::future::pending::<()>().await,
        "deny" => {
            response["allowed"] = json!(false);
            response["status"] = json!({"message": "no way", "code": 403});
        }
        "warn" => response["warnings"] = json!(["careful"]),
        "patch" => {
            response["patchType"] = json!("JSONPatch");
            response["patch"] = patch(json!([{"op": "add", "path": "/data", "value": {"k": "v"}}]));
        }
        _ => {}
    }
    let (version, kind) = ("admission.k8s.io/v1", "AdmissionReview");
    Ok(json!({"apiVersion": version, "kind": kind, "response": response}).to_string())
}

fn configuration(name: &str, hooks: Vec<Value>) -> Arc<Value> {
    Arc::new(json!({"metadata": {"name": name}, "webhooks": hooks}))
}

struct Question {
    kind: Kind,
    user: User,
    object: Value,
    options: Value,
}

impl Question {
    fn new() -> Self {
        Self {
            kind: configmaps(),
            user: User::new("jane", ["dev"]),
            object: json!({"metadata": {"name": "x", "namespace": "default"}}),
            options: json!({"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}),
        }
    }

    fn review(&self) -> Review<'_> {
        Review {
            operation: "CREATE",
            kind: &self.kind,
            subresource: "",
            name: "x",
            namespace: "default",
            object: Some(&self.object),
            old_object: None,
            options: &self.options,
            is_dry_run: false,
            user: &self.user,
            namespace_object: None,
        }
    }
}

/// Asks one validating webhook.
async fn check(server: &Server, hook: Value, want: Result<&[&str], (u16, &str)>) {
    let question = Question::new();
    let configurations = [configuration("v", vec![hook])];
    let got = server.webhooks().validate(&configurations, question.review()).await;
    let got = got.map_err(|refusal| (refusal.code, refusal.message));
    let want = want.map(|all| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>());
    assert_eq!(got, want.map_err(|(code, message)| (code, message.to_owned())));
}

fn with(mut hook: Value, field: &str, value: Value) -> Value {
    hook[field] = value;
    hook
}

#[tokio::test]
async fn a_webhook_allows_warns_and_denies() {
    let server = Server::start().await;
    check(&server, server.hook("allow"), Ok(&[])).await;
    check(&server, server.hook("warn"), Ok(&["careful"])).await;
    let denied = "admission webhook \"deny.example.com\" denied the request: no way";
    check(&server, server.hook("deny"), Err((403, denied))).await;
}

#[tokio::test]
async fn a_webhook_sees_the_whole_request() {
    let server = Server::start().await;
    check(&server, server.hook("allow"), Ok(&[])).await;
    let mut review = server.seen.lock().expect("nobody panicked")[0].1.clone();
    let uid = review["request"]["uid"].take();
    assert_eq!(uid.as_str().map(str::len), Some(36));
    let kind = json!({"group": "", "version": "v1", "kind": "ConfigMap"});
    let resource = json!({"group": "", "version": "v1", "resource": "configmaps"});
    assert_eq!(
        review,
        json!({
            "kind": "AdmissionReview",
            "apiVersion": "admission.k8s.io/v1",
            "request": {
                "uid": null,
                "kind": kind,
                "resource": resource,
                "requestKind": kind,
                "requestResource": resource,
                "name": "x",
                "namespace": "default",
                "operation": "CREATE",
                "userInfo": {"username": "jane", "groups": ["dev"]},
                "object": {"metadata": {"name": "x", "namespace": "default"}},
                "oldObject": null,
                "dryRun": false,
                "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
            },
        })
    );
}

#[tokio::test]
async fn a_webhook_that_fails_refuses_or_is_ignored() {
    let server = Server::start().await;
    let url = |url: &str| {
        let mut hook = server.hook("x");
        hook["clientConfig"]["url"] = json!(url);
        hook
    };
    let untrusted = with(
        server.hook("x"),
        "clientConfig",
        json!({"url": format!("https://{}/x", server.address)}),
    );
    let service = |name: &str| {
        let bundle = server.hook("x")["clientConfig"]["caBundle"].clone();
        let service = json!({"namespace": "default", "name": name, "path": "/x"});
        with(server.hook("x"), "clientConfig", json!({"service": service, "caBundle": bundle}))
    };
    let address = server.address;
    for (hook, why) in [
        (
            server.hook("broken"),
            "an error on the server (\"unknown\") has prevented the request from succeeding".to_owned(),
        ),
        (
            url("https://127.0.0.1:1/x"),
            "Post \"https://127.0.0.1:1/x?timeout=10s\": dial tcp 127.0.0.1:1: connect: connection refused".to_owned(),
        ),
        (
            untrusted,
            format!("Post \"https://{address}/x?timeout=10s\": tls: failed to verify certificate: x509: certificate signed by unknown authority"),
        ),
        (
            service("nonesuch"),
            "Post \"https://nonesuch.default.svc:443/x?timeout=10s\": service \"nonesuch\" not found".to_owned(),
        ),
        (
            with(server.hook("slow"), "timeoutSeconds", json!(1)),
            format!("Post \"https://{address}/slow?timeout=1s\": context deadline exceeded"),
        ),
    ] {
        let name = hook["name"].as_str().expect("it has a name").to_owned();
        let message = format!(
            "Internal error occurred: failed calling webhook {name:?}: failed to call webhook: {why}"
        );
        check(&server, hook.clone(), Err((500, &message))).await;
        check(&server, with(hook, "failurePolicy", json!("Ignore")), Ok(&[])).await;
    }
    check(&server, service("hook"), Ok(&[])).await;
}

#[tokio::test]
async fn conditions_are_asked_before_the_webhook() {
    let server = Server::start().await;
    let when = |text: &str| {
        let conditions = json!([{"name": "c", "expression": text}]);
        with(server.hook("deny"), "matchConditions", conditions)
    };
    check(&server, when("request.operation == 'DELETE'"), Ok(&[])).await;
    let why = "configmaps \"x\" is forbidden: expression 'object.nope == 1' resulted in error: no such key: nope";
    check(&server, when("object.nope == 1"), Err((403, why))).await;
    let forgiving = with(when("object.nope == 1"), "failurePolicy", json!("Ignore"));
    check(&server, forgiving, Ok(&[])).await;
    assert_eq!(server.modes(), Vec::<String>::new());
}

#[tokio::test]
async fn a_dry_run_needs_a_webhook_without_side_effects() {
    let server = Server::start().await;
    let question = Question::new();
    let review = Review { is_dry_run: true, ..question.review() };
    for (effects, want) in [
        ("NoneOnDryRun", Ok(Vec::new())),
        ("Unknown", Err("admission webhook \"x.example.com\" does not support dry run".to_owned())),
    ] {
        let hook = with(server.hook("x"), "sideEffects", json!(effects));
        let got = server.webhooks().validate(&[configuration("v", vec![hook])], review).await;
        assert_eq!(got.map_err(|refusal| refusal.message), want);
    }
}

#[tokio::test]
async fn mutating_webhooks_are_asked_in_order_and_once_more_if_needed() {
    let server = Server::start().await;
    let question = Question::new();
    let again = |mode: &str| with(server.hook(mode), "reinvocationPolicy", json!("IfNeeded"));
    let configurations = [
        configuration("b", vec![server.hook("patch"), again("last")]),
        configuration("a", vec![again("first"), server.hook("once"), server.hook("warn")]),
    ];
    let got = server.webhooks().mutate(&configurations, question.review()).await;
    let (object, warnings) = got.expect("it is allowed");
    assert_eq!(object["data"], json!({"k": "v"}));
    assert_eq!(warnings, ["careful"]);
    assert_eq!(server.modes(), ["first", "once", "warn", "patch", "last", "first"]);
}

#[tokio::test]
async fn configurations_are_shown_to_nobody() {
    let server = Server::start().await;
    let group = "admissionregistration.k8s.io";
    let kind = sample::built_in(group, "ValidatingWebhookConfiguration");
    let question = Question { kind, ..Question::new() };
    let configurations = [configuration("v", vec![server.hook("deny")])];
    let webhooks = server.webhooks();
    assert_eq!(webhooks.validate(&configurations, question.review()).await, Ok(Vec::new()));
    let (object, _) = webhooks.mutate(&configurations, question.review()).await.expect("allowed");
    assert_eq!(object, question.object);
}

/// A kind with two versions, of which requests name the first.
fn two_versions() -> Kind {
    let version = |name: &str, storage: bool| {
        let schema = json!({"openAPIV3Schema": {"type": "object"}});
        json!({"name": name, "served": true, "storage": storage, "schema": schema})
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
            "scope": "Namespaced",
            "versions": [version("v1", true), version("v2", false)],
        },
    });
    sample::kinds_of(&definition).remove(0)
}

#[tokio::test]
async fn a_webhook_for_another_version_sees_that_version() {
    let server = Server::start().await;
    let object =
        json!({"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "x"}});
    let question = Question { kind: two_versions(), object, ..Question::new() };
    let mut hook = server.hook("patch");
    hook["rules"][0]["apiVersions"] = json!(["v2"]);
    let exact = with(hook.clone(), "matchPolicy", json!("Exact"));
    let webhooks = server.webhooks();
    let asked = webhooks.mutate(&[configuration("m", vec![exact])], question.review()).await;
    assert_eq!(asked.map(|(object, _)| object), Ok(question.object.clone()));
    let asked = webhooks.mutate(&[configuration("m", vec![hook])], question.review()).await;
    let (object, _) = asked.expect("it is allowed");
    assert_eq!(
        (&object["apiVersion"], &object["data"]["k"]),
        (&json!("example.org/v1"), &json!("v"))
    );
    let seen = server.seen.lock().expect("nobody panicked")[0].1["request"].clone();
    assert_eq!(seen["object"]["apiVersion"], "example.org/v2");
    for (field, version) in
        [("kind", "v2"), ("resource", "v2"), ("requestKind", "v1"), ("requestResource", "v1")]
    {
        assert_eq!(seen[field]["version"], version, "{field}");
    }
}

#[tokio::test]
async fn asking_may_move_between_threads() {
    fn is_send(_: &impl Send) {}
    let server = Server::start().await;
    let question = Question::new();
    let webhooks = server.webhooks();
    let configurations = [configuration("v", vec![server.hook("allow")])];
    is_send(&webhooks.mutate(&configurations, question.review()));
    let asked = webhooks.validate(&configurations, question.review());
    is_send(&asked);
    assert_eq!(asked.await, Ok(Vec::new()));
}

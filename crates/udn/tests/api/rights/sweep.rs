//! Every verb on every resource that a server has, with a real token of an account.
//!
//! Reads the server's discovery and the list of needs; returns what is let pass and what is refused.
//! Invariant: a request that is let pass changes nothing: it names nothing that is there, or is dry.

use std::collections::BTreeSet;

use futures_util::{StreamExt, stream};
use kube::Client;
use serde_json::{Value, json};

use super::server::{Call, OURS, Server, ask};
use crate::needs::{Asked, Need, resource};

/// How many requests are under way at a time.
const WIDTH: usize = 16;

/// The verbs of a resource; those of its subresources are told by discovery.
const VERBS: [&str; 8] =
    ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/// Where objects are asked for: beside all of them, and where no account of ours has more rights
/// than everywhere.
pub(crate) const NAMESPACES: [&str; 5] = ["", "plain", "kube-system", "kube-node-lease", OURS];

/// A name that nothing has.
const NOBODY: &str = "nobody";

/// A resource that the server has.
struct Served {
    /// Where its version begins.
    root: String,
    group: String,
    name: String,
    subresource: String,
    is_namespaced: bool,
    verbs: Vec<String>,
}

/// A request, and what it asks for in words.
struct Question {
    asked: Asked,
    call: Call,
    /// The resource and its group, as the server spells them when it refuses.
    spelled: (String, String),
}

/// What came of all questions.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) passed: BTreeSet<Asked>,
    pub(crate) refused: BTreeSet<Asked>,
}

/// Asks everything, with the token of a client.
pub(crate) fn sweep(server: &Server, client: &Client, needs: &[Need]) -> Outcome {
    let mut all = served(server);
    all.extend(missing(&all, needs));
    let questions: Vec<Question> = all.iter().flat_map(|it| it.questions(needs)).collect();
    let answers = stream::iter(questions).map(|question| async move {
        let answer = ask(client, &question.call).await;
        let Question { asked, spelled: (resource, group), .. } = question;
        let is_refused = answer.is_for_want_of_a_role(&asked.verb, &resource, &group);
        let is_judged = answer.code != 401 && answer.code != 429 && answer.code < 500;
        assert!(is_judged, "{asked:?}: {answer:?}");
        (asked, is_refused)
    });
    let answers = server.block_on(answers.buffer_unordered(WIDTH).collect::<Vec<_>>());
    let mut outcome = Outcome::default();
    for (asked, is_refused) in answers {
        let side = if is_refused { &mut outcome.refused } else { &mut outcome.passed };
        side.insert(asked);
    }
    outcome
}

/// Everything that discovery tells, in all versions.
fn served(server: &Server) -> Vec<Served> {
    let groups = server.as_admin(&Call::read("/apis")).object;
    let groups = groups["groups"].as_array().expect("a list").iter();
    let versions = groups.flat_map(|it| it["versions"].as_array().expect("a list"));
    let roots = versions.map(|it| format!("/apis/{}", text(&it["groupVersion"])));
    let roots = ["/api/v1".to_owned()].into_iter().chain(roots);
    roots.flat_map(|root| served_below(server, root)).collect()
}

fn served_below(server: &Server, root: String) -> Vec<Served> {
    let told = server.as_admin(&Call::read(&root)).object;
    let group = match root.split('/').collect::<Vec<_>>()[..] {
        ["", "apis", group, _] => group.to_owned(),
        _ => String::new(),
    };
    let resources = told["resources"].as_array().expect("a list").iter();
    let served = resources.map(|it| {
        let (name, subresource) =
            text(&it["name"]).split_once('/').unwrap_or((text(&it["name"]), ""));
        let verbs = it["verbs"].as_array().expect("a list").iter();
        let verbs = match subresource {
            "" => VERBS.map(str::to_owned).to_vec(),
            _ => verbs.map(|it| text(it).to_owned()).collect(),
        };
        Served {
            root: root.clone(),
            group: group.clone(),
            name: name.to_owned(),
            subresource: subresource.to_owned(),
            is_namespaced: it["namespaced"] == true,
            verbs,
        }
    });
    served.collect()
}

/// What an account needs and discovery does not tell: kinds that nobody has installed here, and
/// subresources that are no more than a word of roles.
fn missing(served: &[Served], needs: &[Need]) -> Vec<Served> {
    let wanted: BTreeSet<&str> = needs.iter().map(|it| it.resource.as_str()).collect();
    let is_served = |wanted: &str| served.iter().any(|it| it.word() == wanted);
    let missing = wanted.into_iter().filter(|it| !is_served(it)).map(|wanted| {
        let (whole, subresource) = wanted.split_once('/').unwrap_or((wanted, ""));
        let (name, group) = whole.split_once('.').expect("the core group is served");
        let parent = served.iter().find(|it| it.word() == whole);
        let verbs = match subresource {
            "" => &VERBS[..],
            _ => &["get", "create", "update", "patch", "delete"],
        };
        Served {
            root: format!("/apis/{group}/v1"),
            group: group.to_owned(),
            name: name.to_owned(),
            subresource: subresource.to_owned(),
            is_namespaced: parent.is_none_or(|it| it.is_namespaced),
            verbs: verbs.iter().map(|it| (*it).to_owned()).collect(),
        }
    });
    missing.collect()
}

impl Served {
    fn word(&self) -> String {
        resource(&self.name, &self.group, &self.subresource)
    }

    /// Every verb, in every place, for nobody and for those that a need names.
    fn questions(&self, needs: &[Need]) -> Vec<Question> {
        let named = needs.iter().filter(|it| it.resource == self.word());
        let named = named.filter_map(|it| it.name.as_deref());
        let names: BTreeSet<&str> = named.chain([NOBODY]).collect();
        let places = if self.is_namespaced { &NAMESPACES[..] } else { &[""] };
        let ask = |verb: &String, namespace: &str| -> Vec<Question> {
            let names = names.iter().filter_map(|name| self.question(verb, namespace, name));
            names.collect()
        };
        let verbs = self.verbs.iter();
        verbs.flat_map(|verb| places.iter().flat_map(move |it| ask(verb, it))).collect()
    }

    /// None where there is no such request: an object of a namespace has to be asked for there.
    fn question(&self, verb: &str, namespace: &str, name: &str) -> Option<Question> {
        let is_of_all = matches!(verb, "list" | "watch" | "deletecollection")
            || verb == "create" && self.subresource.is_empty();
        if self.is_namespaced && namespace.is_empty() && !matches!(verb, "list" | "watch") {
            return None;
        }
        let mut path = self.root.clone();
        if !namespace.is_empty() {
            path += &format!("/namespaces/{namespace}");
        }
        path += &format!("/{}", self.name);
        if !is_of_all {
            path += &format!("/{name}");
        }
        if !self.subresource.is_empty() {
            path += &format!("/{}", self.subresource);
        }
        let (method, query) = match verb {
            "get" | "list" => ("GET", ""),
            "watch" => ("GET", "?watch=true&timeoutSeconds=1"),
            "create" => ("POST", "?dryRun=All"),
            "update" => ("PUT", "?dryRun=All"),
            "patch" => ("PATCH", "?dryRun=All"),
            "delete" | "deletecollection" => ("DELETE", "?dryRun=All"),
            other => panic!("nobody knows the verb {other} of {}", self.word()),
        };
        let body = if method == "GET" || method == "DELETE" { Value::Null } else { json!({}) };
        let name = if is_of_all { "" } else { name };
        Some(Question {
            asked: Asked {
                resource: self.word(),
                verb: verb.to_owned(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            },
            call: Call::new(method, path + query, body),
            spelled: (resource(&self.name, "", &self.subresource), self.group.clone()),
        })
    }
}

/// What a server says of an account's rights in a namespace: of resources, and of plain paths.
pub(crate) fn rules(
    server: &Server,
    client: &Client,
    namespace: &str,
) -> (Rules, BTreeSet<String>) {
    let review = json!({ "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview", "spec": { "namespace": namespace } });
    let path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let answer = server.ask(client, &Call::new("POST", path, review));
    let status = &answer.object["status"];
    assert!(answer.is_done() && status["incomplete"] == false, "{answer:?}");
    let plain = status["nonResourceRules"].as_array().into_iter().flatten();
    let plain = plain.flat_map(|it| texts(&it["nonResourceURLs"])).map(str::to_owned);
    let resources = status["resourceRules"].as_array().expect("a list").iter();
    (resources.flat_map(words_of).collect(), plain.collect())
}

/// Resource, verb, and the only name that it is for, if any.
pub(crate) type Rules = BTreeSet<(String, String, Option<String>)>;

fn words_of(rule: &Value) -> Rules {
    let mut words = Rules::new();
    let names = texts(&rule["resourceNames"]);
    let names: Vec<Option<&str>> =
        if names.is_empty() { vec![None] } else { names.into_iter().map(Some).collect() };
    for group in texts(&rule["apiGroups"]) {
        for name in texts(&rule["resources"]) {
            let (name, sub) = name.split_once('/').unwrap_or((name, ""));
            let resource = resource(name, group, sub);
            let verbs = texts(&rule["verbs"]);
            let pairs = verbs.iter().flat_map(|verb| names.iter().map(move |name| (verb, name)));
            words.extend(pairs.map(|(verb, name)| {
                (resource.clone(), (*verb).to_owned(), name.map(str::to_owned))
            }));
        }
    }
    words
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("discovery tells texts")
}

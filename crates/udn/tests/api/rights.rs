//! Rights with real tokens: what our ServiceAccounts may do is what they were seen to need, and what a
//! node's agent may change is what is its own node's.
//!
//! Reads the list of needs, and the answers of a real kube-apiserver.
//! Invariant: a refusal counts only with the words of the role or policy that is meant to refuse.

use std::collections::BTreeSet;

use kube::Client;
use serde_json::json;

mod agent;
mod cases;
mod nobody;
mod server;
mod standing;
mod sweep;

use crate::needs::{Asked, Need};
use cases::{Case, Want};
use server::{Bearer, Call, Server};
use sweep::{NAMESPACES, Rules};

const CONTROLLER: &str = "udn-controller";
const AGENT: &str = "udn-node";

/// What everybody may ask of a server with our roles: about oneself, and which networks of the cluster
/// there are.
const EVERYBODY: [(&str, &[&str]); 4] = [
    ("selfsubjectaccessreviews.authorization.k8s.io", &["create"]),
    ("selfsubjectrulesreviews.authorization.k8s.io", &["create"]),
    ("selfsubjectreviews.authentication.k8s.io", &["create"]),
    ("clusteruserdefinednetworks.k8s.ovn.org", &["get", "list", "watch"]),
];

/// A token of an account, made for the pod of that name.
fn bearer<'a>(account: &'a str, pod: &'a str) -> Bearer<'a> {
    Bearer { account, bound: Some(("Pod", pod)) }
}

/// The needs of an account, those of everybody among them.
fn needs(account: Option<&str>) -> Vec<Need> {
    let of_everybody = EVERYBODY.iter().flat_map(|(resource, verbs)| {
        verbs.iter().map(|verb| Need {
            resource: (*resource).to_owned(),
            verb: (*verb).to_owned(),
            namespace: None,
            name: None,
            unseen: None,
        })
    });
    account.map(Need::of).unwrap_or_default().into_iter().chain(of_everybody).collect()
}

// proves: X-16
#[test]
fn every_account_may_do_what_it_was_seen_to_need_and_nothing_else() {
    let server = Server::turn();
    standing::make(&server);
    sweep_everything(&server, [bearer(CONTROLLER, "controller"), bearer(AGENT, "agent-n1")]);
}

fn sweep_everything(server: &Server, bearers: [Bearer<'_>; 2]) {
    standing::until_in_force(server);
    for bearer @ Bearer { account, .. } in bearers {
        let (client, needs) = (server.client(bearer), needs(Some(account)));
        let outcome = sweep::sweep(server, &client, &needs);
        let is_needed = |it: &&Asked| needs.iter().any(|need| need.covers(it));
        let more: Vec<_> = outcome.passed.iter().filter(|it| !is_needed(it)).collect();
        assert!(more.is_empty(), "{account} may do what it does not need: {more:#?}");
        let less: Vec<_> = outcome.refused.iter().filter(is_needed).collect();
        assert!(less.is_empty(), "{account} may not do what it needs: {less:#?}");
        let is_tried = |need: &&Need| outcome.passed.iter().any(|it| need.covers(it));
        let untried: Vec<_> = needs.iter().filter(|it| !is_tried(it)).collect();
        assert!(untried.is_empty(), "{account}: nothing was asked of {untried:#?}");
        let (passed, refused) = (outcome.passed.len(), outcome.refused.len());
        println!("{account}: {refused} requests refused, {passed} let pass");
        assert!(refused > 1000, "the sweep is hardly one: {refused} requests refused");
    }
}

/// Verbs that are no requests, such as `impersonate` and `bind`, and resources that no discovery tells.
#[test]
fn the_server_lists_no_other_rights_of_an_account_than_its_needs() {
    let server = Server::turn();
    standing::make(&server);
    compare_lists(&server, [bearer(CONTROLLER, "controller"), bearer(AGENT, "agent-n1")]);
}

fn compare_lists(server: &Server, bearers: [Bearer<'_>; 2]) {
    let bystander = server.client(Bearer { account: standing::BYSTANDER, bound: None });
    for bearer @ Bearer { account, .. } in bearers {
        let client = server.client(bearer);
        for namespace in NAMESPACES.into_iter().filter(|it| !it.is_empty()) {
            let (plain, plain_paths) = sweep::rules(server, &bystander, namespace);
            assert_eq!(plain, expected(None, namespace), "a bystander in {namespace}");
            let (rules, paths) = sweep::rules(server, &client, namespace);
            assert_eq!(rules, expected(Some(account), namespace), "{account} in {namespace}");
            assert_eq!(paths, plain_paths, "{account} may ask for other plain paths");
        }
    }
}

/// The rules that follow from needs, as a server lists them of a namespace.
fn expected(account: Option<&str>, namespace: &str) -> Rules {
    let needs = needs(account).into_iter();
    let here = needs.filter(|it| it.namespace.as_deref().is_none_or(|it| it == namespace));
    here.map(|it| (it.resource, it.verb, it.name)).collect()
}

// proves: X-16
#[test]
fn an_agent_writes_what_is_its_own_nodes_and_no_more() {
    let server = Server::turn();
    standing::make(&server);
    let [one, two] = ["agent-n1", "agent-n2"].map(|pod| server.client(bearer(AGENT, pod)));
    standing::until_in_force(&server);
    assert_eq!(nodes_of(&server, &one), ["n1"], "the token tells the node of its pod");
    let refused = agent::refused().into_iter().chain(nobody::may());
    play_in_vain(&server, &one, refused.collect());
    // The same requests are not refused for another reason: the other node's agent may send them.
    play(&server, &two, agent::allowed("n2", "there"));
    play(&server, &one, agent::allowed("n1", "here"));
}

#[test]
fn the_controller_reads_no_secret_and_makes_no_pod() {
    let server = Server::turn();
    standing::make(&server);
    let client = server.client(bearer(CONTROLLER, "controller"));
    play_in_vain(&server, &client, nobody::may());
}

// proves: X-16
#[test]
fn a_token_that_was_made_for_no_pod_of_a_node_writes_nothing() {
    let server = Server::turn();
    standing::make(&server);
    standing::until_in_force(&server);
    let [loose, roaming] = [None, Some(("Pod", "agent-nowhere"))]
        .map(|bound| server.client(Bearer { account: AGENT, bound }));
    for client in [loose, roaming] {
        assert_eq!(nodes_of(&server, &client), [""; 0], "the token tells no node");
        // It is let in, and roles let it pass: what refuses is that it speaks for no node.
        let nodes = server.ask(&client, &Call::read("/api/v1/nodes"));
        assert!(nodes.is_done(), "{nodes:?}");
        play_in_vain(&server, &client, agent::without_a_node());
    }
    let node = server.client(Bearer { account: AGENT, bound: Some(("Node", "n1")) });
    play(&server, &node, agent::allowed("n1", "here"));
}

#[test]
fn a_token_ends_with_the_pod_that_it_was_made_for() {
    let server = Server::turn();
    standing::make(&server);
    server.apply(&standing::pod_of_agent("agent-leaving", Some("n1")));
    let [used, unused] = [(); 2].map(|()| server.client(bearer(AGENT, "agent-leaving")));
    let look = Call::read("/api/v1/nodes/n1");
    assert!(server.ask(&used, &look).is_done());
    server.kubectl(
        &["delete", "pod", "-n", server::OURS, "agent-leaving", "--grace-period=0", "--force"],
        "",
    );
    for client in [unused, used] {
        // Servers remember for some seconds whom they have let in.
        server.until("the end of a token", |it| it.ask(&client, &look).code == 401);
    }
}

/// The nodes that a token speaks for, as policies see them.
fn nodes_of(server: &Server, client: &Client) -> Vec<String> {
    let review = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview" });
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let answer = server.ask(client, &Call::new("POST", path, review));
    let extra = &answer.object["status"]["userInfo"]["extra"];
    let names = extra["authentication.kubernetes.io/node-name"].as_array().into_iter().flatten();
    names.map(|it| it.as_str().expect("a name").to_owned()).collect()
}

/// Sends requests for good.
fn play(server: &Server, client: &Client, cases: Vec<Case>) {
    let wrong: BTreeSet<String> =
        cases.iter().filter_map(|case| case.judge(&server.ask(client, &case.call)).err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The same with requests that are all refused; nothing has changed then.
fn play_in_vain(server: &Server, client: &Client, cases: Vec<Case>) {
    assert!(cases.iter().all(|it| !matches!(it.want, Want::Done)));
    let before = standing::versions(server);
    println!("{} requests to refuse", cases.len());
    play(server, client, cases);
    assert_eq!(standing::versions(server), before, "what was refused has changed something");
}

/// The same of our own API server, whose tokens are made for nothing.
mod embedded {
    use super::*;

    const LOOSE: [Bearer<'_>; 2] =
        [Bearer { account: CONTROLLER, bound: None }, Bearer { account: AGENT, bound: None }];

    #[test]
    fn accounts_have_the_rights_that_a_real_server_gives_them() {
        let server = Server::ours();
        standing::make(&server);
        compare_lists(&server, LOOSE);
        sweep_everything(&server, LOOSE);
        let [controller, agent] = LOOSE.map(|it| server.client(it));
        play_in_vain(&server, &controller, nobody::may());
        play_in_vain(&server, &agent, nobody::may());
        play_in_vain(&server, &agent, agent::without_a_node());
    }
}

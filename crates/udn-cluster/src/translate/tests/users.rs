//! Claims, and who may use them.

use udn_model::{ClusterSettings, Reason};

use super::pods::{check, claim, main_request, pod_request};

const AT_MAIN: &str = "metadata.annotations[v1.multus-cni.io/default-network]: ";

fn user(name: &str, more: &str) -> String {
    pod_request(name, &main_request(r#","ipam-claim-reference":"c""#), more)
}

fn owned(kind: &str, name: &str, uid: &str) -> String {
    format!(
        ", ownerReferences: [{{apiVersion: v1, kind: {kind}, name: {name}, uid: {uid}, \
         controller: true}}]"
    )
}

fn machine(name: &str, uid: &str, owner: &str) -> String {
    format!(
        "{{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {{namespace: a, \
         name: {name}, uid: {uid}{owner}}}}}"
    )
}

fn claim_of(owner: &str) -> String {
    claim("a/c", "main", "").replace("'c'}", &format!("'c'{owner}}}"))
}

fn check_all(texts: &[String], want: &[&str]) {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    check(&texts, &ClusterSettings::default(), want);
}

#[test]
fn a_claim_is_found_in_the_namespace_of_its_nad() {
    let at = "metadata.annotations[k8s.v1.cni.cncf.io/networks]: ";
    let missing = format!(
        "pod b/p: ClaimNotFound: {at}IPAMClaim a/c does not exist; create it or correct the name"
    );
    let annotation = r#"k8s.v1.cni.cncf.io/networks: '[{"name":"flat","namespace":"a","ipam-claim-reference":"c"}]'"#;
    let pod = pod_request("b/p", annotation, "");
    check_all(&[pod.clone(), claim("b/c", "flat", "")], &["claim b/c on flat:", &missing]);
    check_all(
        &[pod, claim("a/c", "flat", "")],
        &["b/p on a/flat: claim a/c", "claim a/c on flat: b/p on a/flat"],
    );
}

#[test]
fn a_claim_is_for_one_network_and_one_link() {
    let told = |what: &str| format!("pod a/p: ClaimMismatch: {AT_MAIN}IPAMClaim a/c is for {what}");
    let network = told("network flat, not for network main; name a claim on that network");
    check_all(&[user("a/p", ""), claim("a/c", "flat", "")], &["claim a/c on flat:", &network]);
    let nowhere = told("network x, not for network main; name a claim on that network");
    check_all(&[user("a/p", ""), claim("a/c", "x", "")], &["claim a/c on x:", &nowhere]);
    let link = |name: &str| {
        claim("a/c", "main", "").replace("interface: ''", &format!("interface: {name}"))
    };
    let used = ["a/p on a/main: claim a/c", "claim a/c on main: a/p on a/main"];
    check_all(&[user("a/p", ""), link("ovn-udn1")], &used);
    let other = told(
        "interface net1, but the pod uses it for ovn-udn1; name another claim or leave the claim's \
         interface empty",
    );
    check_all(&[user("a/p", ""), link("net1")], &["claim a/c on main:", &other]);
}

#[test]
fn links_without_a_name_are_counted() {
    let at = "metadata.annotations[k8s.v1.cni.cncf.io/networks]: ";
    let annotation = |name: &str| {
        format!(
            r#"k8s.v1.cni.cncf.io/networks: '[{{"name":"bare"}},{{"name":"flat","ipam-claim-reference":"c"{name}}}]'"#
        )
    };
    let claimed = claim("a/c", "flat", "").replace("interface: ''", "interface: net2");
    let (bare, main) = ("a/p on a/bare:", "a/p on a/main:");
    check_all(
        &[pod_request("a/p", &annotation(""), ""), claimed.clone()],
        &[bare, "a/p on a/flat: claim a/c", main, "claim a/c on flat: a/p on a/flat"],
    );
    let other = format!(
        "pod a/p: ClaimMismatch: {at}IPAMClaim a/c is for interface net2, but the pod uses it for \
         x0; name another claim or leave the claim's interface empty"
    );
    check_all(
        &[pod_request("a/p", &annotation(r#","interface":"x0""#), ""), claimed],
        &[bare, main, "claim a/c on flat:", &other],
    );
}

#[test]
fn a_machines_claim_is_for_its_pods() {
    let vm = owned("VirtualMachine", "vm", "vm-uid");
    let launcher = |uid: &str| {
        let own = owned("VirtualMachineInstance", "vm", uid);
        format!(", labels: {{kubevirt.io: virt-launcher, kubevirt.io/domain: vm}}{own}")
    };
    let attached = "a/p on a/main: claim a/c machine a/vm";
    let used = "claim a/c on main: a/p on a/main machine a/vm";
    let instance = |owner: &str| machine("vm", "vmi-uid", owner);
    let pod = user("a/p", &launcher("vmi-uid"));
    // Launcher, machine and its maker, by uid.
    check_all(&[pod.clone(), claim_of(&vm), instance(&vm)], &[attached, used]);
    // The claim of the machine itself.
    let direct = claim_of(&owned("VirtualMachineInstance", "vm", "vmi-uid"));
    check_all(&[pod.clone(), direct], &[attached, used]);
    // The machine cannot be read, or is not the one that made the pod.
    check_all(&[pod.clone(), claim_of(&vm)], &[attached, used]);
    check_all(&[user("a/p", &launcher("old")), claim_of(&vm), instance("")], &[attached, used]);
    // A machine that somebody else made.
    let held = format!(
        "pod a/p: ClaimHeld: {AT_MAIN}IPAMClaim a/c belongs to VirtualMachine vm, of which the pod is \
         not; name a claim of its own"
    );
    let unused = "claim a/c on main: machine a/vm";
    let other = owned("VirtualMachine", "vm", "other");
    check_all(&[pod.clone(), claim_of(&vm), instance(&other)], &[unused, &held]);
    // Neither by uid nor by name.
    check_all(&[user("a/p", ""), claim_of(&vm)], &[unused, &held]);
    check_all(&[user("a/p", &owned("ReplicaSet", "vm", "x")), claim_of(&vm)], &[unused, &held]);
}

#[test]
fn a_migration_has_two_users_and_the_source_holds() {
    let vm = owned("VirtualMachine", "vm", "vm-uid");
    let launcher = |name: &str, created: &str| {
        let own = owned("VirtualMachineInstance", "vm", "vmi-uid");
        user(name, &format!(", creationTimestamp: '{created}'{own}"))
    };
    let texts = |claim: String| {
        let pods =
            [launcher("a/one", "2026-01-02T00:00:00Z"), launcher("a/two", "2026-01-01T00:00:00Z")];
        let [one, two] = pods;
        [one, two, claim, machine("vm", "vmi-uid", &vm)]
    };
    let attached = ["a/one on a/main: claim a/c", "a/two on a/main: claim a/c"];
    let [one, two] = attached;
    let older = "claim a/c on main: a/two on a/main a/one on a/main machine a/vm";
    check_all(&texts(claim_of(&vm)), &[one, two, older]);
    let status = "}, status: {ownerPod: {name: one}}}";
    let holder = claim_of(&vm).strip_suffix("}}").map(|it| format!("{it}{status}"));
    let named = "claim a/c on main: a/one on a/main a/two on a/main machine a/vm";
    check_all(&texts(holder.unwrap()), &[one, two, named]);
}

#[test]
fn a_claim_of_nobody_is_held_by_one_workload() {
    let pod = |name: &str, created: &str, owner: &str| {
        user(name, &format!(", creationTimestamp: '{created}'{owner}"))
    };
    let held = |by: &str, from: &str| {
        format!(
            "pod {from}: ClaimHeld: {AT_MAIN}IPAMClaim a/c is held by pod {by}; wait until that pod \
             is gone, or name another claim"
        )
    };
    let (old, new) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    let bare = |owner: &str| [pod("a/one", new, owner), pod("a/two", old, owner)].to_vec();
    let with = |mut texts: Vec<String>, more: &str| {
        texts.push(claim("a/c", "main", more));
        texts
    };
    let (one, two) = ("a/one on a/main: claim a/c", "a/two on a/main: claim a/c");
    // The oldest holds it, unless the status names another that lives.
    let want = [two, "claim a/c on main: a/two on a/main", &held("a/two", "a/one")];
    check_all(&with(bare(""), ""), &want);
    check_all(&with(bare(""), ", status: {ownerPod: {name: gone}}"), &want);
    let want = [one, "claim a/c on main: a/one on a/main", &held("a/one", "a/two")];
    check_all(&with(bare(""), ", status: {ownerPod: {name: one}}"), &want);
    // One that carries addresses goes before an older one that does not.
    let carried = r#"k8s.ovn.org/pod-networks: '{"a/main":{"mac_address":"0a:58:0a:00:00:09"}}'"#;
    let mut texts = bare("");
    texts[0] = texts[0].replace("annotations: {", &format!("annotations: {{{carried}, "));
    let want = [one, "claim a/c on main: a/one on a/main", &held("a/one", "a/two")];
    check_all(&with(texts, ""), &want);
    // Pods of one owner share it.
    let set = owned("StatefulSet", "s", "s-uid");
    let want = [one, two, "claim a/c on main: a/two on a/main a/one on a/main"];
    check_all(&with(bare(&set), ""), &want);
}

#[test]
fn a_pod_uses_a_claim_once() {
    let at = "metadata.annotations[k8s.v1.cni.cncf.io/networks]: ";
    let element = r#"{"name":"flat","ipam-claim-reference":"c"}"#;
    let pod =
        pod_request("a/p", &format!("k8s.v1.cni.cncf.io/networks: '[{element},{element}]'"), "");
    let twice = format!(
        "pod a/p: ClaimHeld: {at}the pod names IPAMClaim a/c more than once; name another one for \
         a/flat/1"
    );
    check_all(
        &[pod, claim("a/c", "flat", "")],
        &["a/p on a/flat: claim a/c", "a/p on a/main:", "claim a/c on flat: a/p on a/flat", &twice],
    );
}

#[test]
fn a_zone_leaves_claims_to_the_cluster_controller() {
    let pod = user("a/p", "").replace("nowhere-known", "n1");
    let (world, _) = super::pods::scene(&[super::NODES, &pod]);
    let told = super::cluster(&world, &ClusterSettings::default());
    assert!(told.findings.iter().any(|it| it.reason == Reason::ClaimNotFound));
    assert!(told.value.attachments.is_empty());
    let told = super::zone(&world, &ClusterSettings::default());
    assert_eq!(told.findings, []);
    assert_eq!(super::keys(&told.value, "main"), ["a/p on a/main"]);
}

#[test]
fn what_claims_say_is_read() {
    let with = |spec: &str, more: &str| {
        claim("a/c", "main", more).replace("interface: ''", &format!("interface: ''{spec}"))
    };
    let bad = "pod a/p: ClaimMismatch: metadata.annotations[v1.multus-cni.io/default-network]: \
               IPAMClaim a/c cannot be read; see what is told of it";
    let condition = |status: &str| {
        format!(
            ", status: {{ips: [], conditions: [{{type: IPsAllocated, status: '{status}', reason: \
             SubnetExhausted, message: none left, lastTransitionTime: '2026-01-01T00:00:00Z'}}]}}"
        )
    };
    let attached = "a/p on a/main: claim a/c";
    let used = |more: &str| format!("claim a/c on main: {more}");
    let check = |claim: String, want: &[&str]| check_all(&[user("a/p", ""), claim], want);
    check(
        with(", ipRequest: [10.0.0.9, 'fd00::9/64']", ""),
        &[attached, &used("wants 10.0.0.9 wants fd00::9/64 a/p on a/main")],
    );
    check(with("", &condition("False")), &[attached, &used("a/p on a/main failed: none left")]);
    check(with("", &condition("True")), &[attached, &used("a/p on a/main")]);
    let status = ", status: {ips: [10.0.0.9/16, 'fd00::9/64']}";
    let has = used("a/p on a/main has 10.0.0.9/16 has fd00::9/64");
    let wants = |it: &str| used(&format!("{it} a/p on a/main has 10.0.0.9/16 has fd00::9/64"));
    for (asked, wanted) in [
        ("x", has.clone()),
        ("10.0.0.8, fd00::9", wants("wants 10.0.0.8 wants fd00::9")),
        ("10.0.0.8", wants("wants 10.0.0.8")),
    ] {
        let ignored = format!(
            "IPAMClaim a/c: RequestIgnored: spec.ipRequest: asks for {asked}, but holds 10.0.0.9/16, \
             fd00::9/64 and keeps that until it is deleted; make another claim for other addresses"
        );
        let texts = asked.replace(", ", "', '");
        check(with(&format!(", ipRequest: ['{texts}']"), status), &[attached, &wanted, &ignored]);
    }
    check(with(", ipRequest: [10.0.0.9/24]", status), &[attached, &wants("wants 10.0.0.9/24")]);
    let mac = |mac: &str| {
        let annotation = format!("annotations: {{k8s.ovn.org/ipamclaim-mac: '{mac}'}}, name: 'c'");
        with("", status).replace("name: 'c'", &annotation)
    };
    check(mac("02:00:00:00:00:01"), &[attached, &format!("{has} has 02:00:00:00:00:01")]);
    let unreadable = "IPAMClaim a/c: InvalidAnnotation: \
        metadata.annotations[k8s.ovn.org/ipamclaim-mac]: \"x\" is not a MAC address such as \
        0a:58:0a:00:00:01; remove the annotation";
    check(mac("x"), &[attached, &has, unreadable]);
    let request = "IPAMClaim a/c: InvalidSpec: spec.ipRequest: \"x\" is not an address such as \
                   10.0.0.5 or 10.0.0.5/16";
    check(with(", ipRequest: [x]", ""), &[bad, request]);
    let told = check_lost(with("", ", status: {ips: [10.0.0.9]}"));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].contains("status.ips") && told[1].contains("gets no other addresses"));
}

/// What is told of a claim that cannot be read.
fn check_lost(claim: String) -> Vec<String> {
    let (world, nad_states) = super::pods::scene(&[&user("a/p", ""), &claim]);
    let told = super::super::pods(&world, &nad_states, &ClusterSettings::default());
    assert!(told.value.claims.is_empty() && told.value.attachments.is_empty());
    told.findings.iter().map(ToString::to_string).collect()
}

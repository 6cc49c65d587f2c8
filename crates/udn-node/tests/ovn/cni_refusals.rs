//! Requests that are refused, each with a reason.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use udn_cni::http::{Limits, post};
use udn_cni::{CniError, Code};

use crate::pods::{On, PodNumber};
use crate::runtime::{DEFAULT, FLAT, Runtime, Sandbox, send};

/// The variable that tells the caller that is not root where to ask.
const SOCKET: &str = "UDN_TEST_CNI_SOCKET";

fn check(refused: Result<Option<udn_cni::CniResult>, CniError>, code: Code, want: &str) {
    let error = refused.expect_err(want);
    assert_eq!(error.code, code, "{error}");
    assert!(error.message.contains(want), "no {want} in {error}");
}

fn with(sandbox: &Sandbox, key: &str, text: &str) -> BTreeMap<String, String> {
    let mut variables = sandbox.variables("ADD", "eth0");
    variables.insert(key.to_owned(), text.to_owned());
    variables
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_is_refused_at_once_and_leaves_nothing() {
    let runtime = Runtime::start().await;
    let before = runtime.traces();
    let pod = PodNumber(1);
    let sandbox = runtime.sandbox(pod);
    runtime.introduce(&[pod], &[On::Default, On::Red]);
    let own = runtime.node.namespace().path().display().to_string();
    let arguments = "IgnoreUnknown=1;K8S_POD_NAMESPACE=a;K8S_POD_NAME=pod1;K8S_POD_UID=other";
    for (key, text, code, want) in [
        ("CNI_ARGS", arguments, Code::UnknownContainer, "has the uid uid-1 and not other"),
        ("CNI_NETNS", "/etc/passwd", Code::InvalidNamespace, "is not a network namespace"),
        ("CNI_NETNS", "/proc/self/ns/uts", Code::InvalidNamespace, "could not enter"),
        ("CNI_NETNS", "/run/netns/nobody", Code::InvalidNamespace, "could not enter"),
        ("CNI_NETNS", &own, Code::InvalidNamespace, "is the network namespace of the host"),
        ("CNI_IFNAME", "an-interface-name", Code::InvalidEnvironment, "longer than 15 bytes"),
        ("CNI_IFNAME", "../eth0", Code::InvalidEnvironment, "interface name"),
    ] {
        check(runtime.send(with(&sandbox, key, text), DEFAULT).await, code, want);
    }
    let large = send(runtime.socket(), vec![b' '; 1024 * 1024 + 1]).await;
    check(large, Code::Undecodable, "may have 1048576 bytes");
    check(send(runtime.socket(), b"{".to_vec()).await, Code::Undecodable, "not as a CNI shim");
    assert_eq!(runtime.traces(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waited_in_vain_is_told_for_what() {
    let limit = |settings: &mut udn_node::cni::CniSettings| {
        settings.limits.request = Duration::from_secs(2);
    };
    let runtime = Runtime::start_with(limit).await;
    let before = runtime.traces();
    let pod = PodNumber(1);
    let sandbox = runtime.sandbox(pod);
    let add = || async { runtime.ask("ADD", &sandbox, ("eth0", DEFAULT)).await };
    check(add().await, Code::TryAgainLater, "pod a/pod1: waited 2 s for word of it");
    for (known, want) in [
        (pod.known(&[], &[]), "a port on the default network"),
        (pod.known(&[On::Default, On::Red], &[On::Red]), "\"default\""),
        (pod.known(&[On::Default, On::Red], &[On::Default]), "\"a/red\""),
        // Its port is not drawn.
        (pod.known(&[On::Default], &[On::Default]), "waited 2 s for OVN to wire its port a_pod1"),
    ] {
        runtime.pods.tell(&pod.name(), Some(known));
        check(add().await, Code::TryAgainLater, want);
    }
    let missing = runtime.ask("ADD", &sandbox, ("net1", FLAT)).await;
    check(missing, Code::TryAgainLater, "an attachment net1 through NAD a/flat");
    assert_eq!(runtime.traces(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_tells_why_no_pod_could_be_added() {
    let runtime = Runtime::start().await;
    let status = || async {
        let variables = [("CNI_COMMAND".to_owned(), "STATUS".to_owned())].into();
        runtime.send(variables, DEFAULT).await
    };
    status().await.expect("all is well");
    runtime.pods.set_synced(false);
    check(status().await, Code::NotAvailable, "has not heard of all networks");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_that_is_away_is_no_excuse_to_forget_a_pod() {
    let mut runtime = Runtime::start().await;
    let sandbox = runtime.sandbox(PodNumber(1));
    runtime.lose_switch().await;
    let limit = |settings: &mut udn_node::cni::CniSettings| {
        settings.limits.request = Duration::from_secs(1);
    };
    runtime.serve(limit);
    let variables = [("CNI_COMMAND".to_owned(), "STATUS".to_owned())].into();
    let status = runtime.send(variables, DEFAULT).await;
    check(status, Code::LimitedConnectivity, "the database of Open vSwitch is away");
    // Nothing is known of the sandbox, so nobody can say that nothing is left of it.
    let del = runtime.ask("DEL", &sandbox, ("eth0", DEFAULT)).await;
    check(del, Code::TryAgainLater, "the database of Open vSwitch is away");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_root_is_served() {
    let runtime = Runtime::start().await;
    let folder = runtime.socket().parent().expect("it lies in a folder").to_owned();
    let mode = |path: &PathBuf| fs::metadata(path).expect("it is there").permissions().mode();
    assert_eq!(mode(&folder) & 0o777, 0o700);
    assert_eq!(mode(&runtime.socket()) & 0o777, 0o600);
    // Whatever becomes of these: who asks is looked at too.
    let public = std::env::temp_dir().join(format!("udn-cni-{}", std::process::id()));
    fs::create_dir_all(&public).expect("a folder can be made");
    for (path, mode) in [(&public, 0o755), (&runtime.socket(), 0o666)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
    }
    let socket = public.join("cni.sock");
    fs::hard_link(runtime.socket(), &socket).expect("a socket can have two names");
    // Where it was built, nobody may not look.
    let program = public.join("asks");
    fs::copy(std::env::current_exe().expect("this very program"), &program).expect("it is copied");
    let mut nobody = Command::new(&program);
    nobody.args(["--exact", "cni_refusals::nobody_asks", "--nocapture"]);
    nobody.env(SOCKET, &socket).uid(65_534).gid(65_534).current_dir("/");
    let said = tokio::task::spawn_blocking(move || nobody.output()).await.expect("no panic");
    fs::remove_dir_all(&public).expect("it is ours");
    let said = String::from_utf8_lossy(&said.expect("it runs").stdout).into_owned();
    assert!(said.contains("Forbidden: only root may ask the CNI server"), "{said}");
    assert!(said.contains("65534"), "{said}");
}

/// Asks as whoever runs it; alone, it does nothing.
#[test]
fn nobody_asks() {
    let Some(socket) = std::env::var_os(SOCKET) else { return };
    let answer = post(&PathBuf::from(socket), "/", b"{}", Limits::default());
    let error = answer.expect("the server answers").read().expect_err("it refuses");
    println!("{:?}: {error}", error.code);
}

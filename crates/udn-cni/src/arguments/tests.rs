use super::*;

/// Namespace, pod, uid and sandbox, or the message.
fn check(text: &str, want: Result<[&str; 4], &str>) {
    let parsed = Arguments::parse(text);
    let parsed = parsed.as_ref().map(|it| {
        let [uid, sandbox] = [&it.uid, &it.infra_container_id];
        let [uid, sandbox] = [uid, sandbox].map(|it| it.as_deref().unwrap_or("-"));
        [&it.namespace, it.pod.as_str(), uid, sandbox]
    });
    let parsed = parsed.map_err(|error| {
        assert_eq!(error.code, Code::InvalidEnvironment);
        error.message.strip_prefix("CNI_ARGS: ").expect("it says where")
    });
    assert_eq!(parsed, want, "{text}");
}

#[test]
fn what_containerd_says_is_read() {
    check(
        "IgnoreUnknown=1;K8S_POD_NAMESPACE=a;K8S_POD_NAME=b-0;\
         K8S_POD_INFRA_CONTAINER_ID=0f;K8S_POD_UID=1-2",
        Ok(["a", "b-0", "1-2", "0f"]),
    );
}

#[test]
fn what_multus_says_twice_is_read_once() {
    let pod = "IgnoreUnknown=true;K8S_POD_NAMESPACE=a;K8S_POD_NAME=b;K8S_POD_UID=1-2";
    let again = "IgnoreUnknown=1;K8S_POD_NAMESPACE=a;K8S_POD_NAME=b;K8S_POD_UID=1-2";
    check(&format!("{pod};{again}"), Ok(["a", "b", "1-2", "-"]));
}

#[test]
fn uid_and_sandbox_may_be_missing_or_empty() {
    check("K8S_POD_NAMESPACE=a;K8S_POD_NAME=b", Ok(["a", "b", "-", "-"]));
    check("K8S_POD_NAMESPACE=a;K8S_POD_NAME=b;K8S_POD_UID=", Ok(["a", "b", "-", "-"]));
}

#[test]
fn namespace_and_pod_may_not() {
    let missing = |key| format!("{key} is missing; the plugin serves pods that kubelet starts");
    check("", Err(&missing("K8S_POD_NAMESPACE")));
    check("K8S_POD_NAME=b", Err(&missing("K8S_POD_NAMESPACE")));
    check("K8S_POD_NAMESPACE=;K8S_POD_NAME=b", Err(&missing("K8S_POD_NAMESPACE")));
    check("K8S_POD_NAMESPACE=a", Err(&missing("K8S_POD_NAME")));
    check("K8S_POD_NAMESPACE=a;K8S_POD_NAME=", Err(&missing("K8S_POD_NAME")));
}

#[test]
fn unknown_keys_are_refused_unless_told_otherwise() {
    let pod = "K8S_POD_NAMESPACE=a;K8S_POD_NAME=b;X=1";
    let unknown = "\"X\" is not known; put IgnoreUnknown=1 beside it if that is meant";
    check(pod, Err(unknown));
    for value in ["0", "false", "FALSE"] {
        check(&format!("{pod};IgnoreUnknown={value}"), Err(unknown));
    }
    for value in ["1", "true", "True"] {
        check(&format!("{pod};IgnoreUnknown={value}"), Ok(["a", "b", "-", "-"]));
    }
    check(&format!("{pod};IgnoreUnknown=2"), Err("IgnoreUnknown=\"2\" is neither 1 nor 0"));
}

#[test]
fn pairs_must_be_pairs() {
    let pod = "K8S_POD_NAMESPACE=a;K8S_POD_NAME=b";
    check(&format!("{pod};"), Err("\"\" is no pair of a key and a value"));
    check(&format!("{pod};X"), Err("\"X\" is no pair of a key and a value"));
    check(
        &format!("{pod};K8S_POD_NAME=c"),
        Err("K8S_POD_NAME is there twice, with different values"),
    );
    check(&format!("{pod};IgnoreUnknown=1;X=a=b"), Ok(["a", "b", "-", "-"]));
}

#[test]
fn names_must_be_such_as_kubernetes_gives() {
    let long = "x".repeat(63);
    check(&format!("K8S_POD_NAMESPACE={long};K8S_POD_NAME=b"), Ok([&long, "b", "-", "-"]));
    check("K8S_POD_NAMESPACE=a;K8S_POD_NAME=b.c-d.0", Ok(["a", "b.c-d.0", "-", "-"]));
    for namespace in ["A", "a.b", "a_b", "-a", "a-", "a/b", "../b", &"x".repeat(64)] {
        let text = format!("K8S_POD_NAMESPACE={namespace};K8S_POD_NAME=b");
        check(&text, Err(&format!("K8S_POD_NAMESPACE={namespace:?} names no namespace")));
    }
    for pod in ["B", "b..c", ".b", "b.", "b/c", "b c"] {
        let text = format!("K8S_POD_NAMESPACE=a;K8S_POD_NAME={pod}");
        check(&text, Err(&format!("K8S_POD_NAME={pod:?} names no pod")));
    }
    let longest = "x".repeat(253);
    check(&format!("K8S_POD_NAMESPACE=a;K8S_POD_NAME={longest}"), Ok(["a", &longest, "-", "-"]));
    assert!(Arguments::parse(&format!("K8S_POD_NAMESPACE=a;K8S_POD_NAME={longest}x")).is_err());
}

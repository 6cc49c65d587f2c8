//! What pods get from their accounts.

use serde_json::{Value, json};

use super::take_account;

fn check(mut pod: Value, account: &Value, mounts: usize, volumes: usize) {
    take_account(&mut pod, account, "abcde");
    let count = |value: &Value| value.as_array().map_or(0, Vec::len);
    assert_eq!(count(&pod["spec"]["containers"][0]["volumeMounts"]), mounts, "{pod}");
    assert_eq!(count(&pod["spec"]["volumes"]), volumes, "{pod}");
}

#[test]
fn a_token_is_mounted_unless_pod_or_account_refuse_it() {
    let pod = || json!({"spec": {"containers": [{"name": "a"}]}});
    let refusing = json!({"automountServiceAccountToken": false});
    check(pod(), &json!({}), 1, 1);
    check(pod(), &refusing, 0, 0);
    let mut asking = pod();
    asking["spec"]["automountServiceAccountToken"] = json!(true);
    check(asking, &refusing, 1, 1);
}

#[test]
fn a_mount_of_the_folder_stands() {
    let mount = json!({"name": "own", "mountPath": super::FOLDER});
    let pod = json!({"spec": {"containers": [{"name": "a", "volumeMounts": [mount]}]}});
    check(pod, &json!({}), 1, 0);
}

#[test]
fn a_volume_for_the_token_is_used_again() {
    let volume = json!({"name": "kube-api-access-x", "emptyDir": {}});
    let pod = json!({"spec": {"containers": [{"name": "a"}], "volumes": [volume]}});
    check(pod, &json!({}), 1, 1);
}

//! Kubeconfigs read back as they were meant.

use kube::config::Kubeconfig;

use super::*;

fn check(login: &Login<'_>, field: &str, want: &str) {
    let text = kubeconfig("https://127.0.0.1:6443", "PEM", login);
    let config = Kubeconfig::from_yaml(&text).expect("it is a kubeconfig");
    let config = serde_json::to_value(config).expect("it is JSON");
    assert_eq!(config["clusters"][0]["cluster"]["server"], "https://127.0.0.1:6443");
    assert_eq!(config["clusters"][0]["cluster"]["certificate-authority-data"], "UEVN");
    assert_eq!(config["current-context"], config["contexts"][0]["name"]);
    assert_eq!(config["users"][0]["user"][field], want);
}

#[test]
fn a_token_is_kept_whatever_it_holds() {
    for token in ["abc", "yes", "1e3", "a: b # c", "\"'"] {
        let text = kubeconfig("https://x", "PEM", &Login::Token(token));
        let config: Value = serde_saphyr::from_str(&text).expect("it is YAML");
        assert_eq!(config["users"][0]["user"]["token"], token);
    }
}

#[test]
fn a_certificate_lies_in_the_text() {
    let identity = Identity { certificate: "CERT".to_owned(), key: "KEY".to_owned() };
    check(&Login::Certificate(&identity), "client-certificate-data", "Q0VSVA==");
}

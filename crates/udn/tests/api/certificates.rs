//! A controller that is sent to a server whose certificate does not fit says so once.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::program::Program;

/// How often the controller fails in vain before its log is looked at.
const ATTEMPTS: usize = 20;

#[test]
fn a_certificate_that_does_not_fit_is_warned_of_once() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let [server, stranger] = folders.each_ref().map(|it| Program::start(it.path(), &[]));
    let (mut kubeconfig, other) = (server.kubeconfig(), stranger.kubeconfig());
    kubeconfig.clusters[0].cluster.as_mut().expect("a cluster").certificate_authority_data =
        other.clusters[0].cluster.as_ref().and_then(|it| it.certificate_authority_data.clone());
    let path = folders[0].path().join("misled");
    fs::write(&path, serde_json::to_vec(&kubeconfig).expect("JSON")).expect("written");

    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    command.args(["controller", "-v", "--no-leader-election", "--k8s-service-cidrs"]);
    command.args(["172.30.0.0/16", "--kubeconfig"]).arg(path).stderr(Stdio::piped());
    let mut controller = command.spawn().expect("it starts");
    let log = BufReader::new(controller.stderr.take().expect("piped"));
    let (mut said, mut repeated) = (Vec::new(), 0);
    for line in log.lines().map_while(Result::ok) {
        repeated += usize::from(line.contains("could not follow, as before"));
        said.push(line);
        if repeated == ATTEMPTS {
            break;
        }
    }
    controller.kill().expect("it runs");
    controller.wait().expect("it ends");
    assert_eq!(repeated, ATTEMPTS, "{said:#?}");
    let loud: Vec<&String> =
        said.iter().filter(|it| it.contains(" WARN ") || it.contains(" ERROR ")).collect();
    assert!(loud.len() == 1 && loud[0].contains("invalid peer certificate"), "{loud:#?}");
}

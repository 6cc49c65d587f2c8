use super::{HOSTS, check};
use crate::text_file::TextFile;

#[test]
fn every_host_is_found_with_its_line() {
    for (first, second) in HOSTS {
        let file =
            TextFile::new("docs/setup.md", format!("Get it\nfrom https://{first}{second}x.\n"));
        let problems = check(&[file]);
        assert_eq!(problems.len(), 1, "{first}{second}");
        assert!(problems[0].to_string().starts_with("docs/setup.md:2: names the registry host"));
    }
}

#[test]
fn lock_files_are_exempt() {
    let (first, second) = HOSTS[0];
    let text = format!("source = \"registry+https://{first}{second}-index\"\n");
    assert_eq!(check(&[TextFile::new("Cargo.lock", &*text)]), []);
    assert_eq!(check(&[TextFile::new("tools/kubernetes/go.sum", &*text)]), []);
}

#[test]
fn module_paths_and_file_names_are_no_hosts() {
    let text = "require k8s.io/kubernetes v1.35.4\ngolang.org/x/sys\nsrc/docs.rs holds docs\n";
    assert_eq!(check(&[TextFile::new("tools/kubernetes/go.mod", text)]), []);
}

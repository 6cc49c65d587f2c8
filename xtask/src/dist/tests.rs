//! What is built for shipping, and what the plugin may need.

use super::*;

#[test]
fn the_plugin_is_built_beside_the_program_and_whole_by_itself() {
    let [program, plugin] = builds().map(|words| words.join(" "));
    assert_eq!(program, "build --profile dist --package udn --bin udn");
    assert!(
        plugin.starts_with("rustc --profile dist --package udn-cni --bin ovn-k8s-cni-overlay --")
    );
    assert!(plugin.contains("target-feature=+crt-static"), "{plugin}");
    let folder = Path::new("/target/dist");
    for command in split(folder) {
        assert_eq!(command.get_current_dir(), Some(folder));
        assert!(command.get_args().all(|it| it != PLUGIN), "the plugin has no symbols to cut off");
    }
}

/// A program of one part, which is of this kind and holds this text.
fn program(kind: u32, text: &str) -> Vec<u8> {
    let mut content = vec![0; 64 + 56];
    content[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
    content[32] = 64;
    content[54] = 56;
    content[56] = 1;
    content[64..68].copy_from_slice(&kind.to_le_bytes());
    content[72] = 120;
    content[96] = u8::try_from(text.len()).unwrap();
    content.extend(text.bytes());
    content
}

fn check(content: &[u8], want: Option<Option<&str>>) {
    assert_eq!(elf::interpreter(content), want.map(|it| it.map(str::to_owned)));
}

#[test]
fn a_loader_is_told_from_none_and_from_what_is_no_program() {
    let loaded = program(3, "/lib64/ld.so\0");
    check(&loaded, Some(Some("/lib64/ld.so")));
    check(&program(1, "/lib64/ld.so\0"), Some(None));
    check(&loaded[..loaded.len() - 2], None);
    check(&loaded[..70], None);
    check(b"#!/bin/sh", None);
    check(b"", None);
}

#[test]
fn a_program_that_needs_a_loader_is_not_shipped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(PLUGIN);
    std::fs::write(&path, program(3, "/lib64/ld.so\0")).unwrap();
    let refusal = check_plugin(&path).unwrap_err().to_string();
    assert!(refusal.contains("needs /lib64/ld.so on every node"), "{refusal}");
    std::fs::write(&path, program(1, "")).unwrap();
    check_plugin(&path).unwrap();
    std::fs::write(&path, "nothing").unwrap();
    assert!(check_plugin(&path).is_err());
}

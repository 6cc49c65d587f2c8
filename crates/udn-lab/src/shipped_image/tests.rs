//! What a built image holds, over a base of two files.

use std::os::unix::fs::symlink;

use super::*;
use crate::janitor::Janitor;

/// A base that takes no package.
fn small_base(folder: &Path) -> ImageBase {
    let root = folder.join("root");
    fs::create_dir_all(root.join("usr/bin")).unwrap();
    fs::write(root.join("usr/bin/sh"), "a shell").unwrap();
    if !root.join("bin").exists() {
        symlink("usr/bin", root.join("bin")).unwrap();
    }
    let base = ImageBase::at(folder);
    run(&mut tar(&base.layer(), &root)).expect("it can be packed");
    gzip(&base.layer(), &base.compressed_layer(), "-9").expect("it can be compressed");
    base
}

fn build(folder: &Path, content: &str, into: &str) -> Built {
    let (udn, plugin) = (folder.join("udn"), folder.join("plugin"));
    fs::write(&udn, content).unwrap();
    fs::write(&plugin, "a plugin").unwrap();
    let base = small_base(&folder.join("base"));
    let image = ShippedImage {
        name: "udn.local/udn:1",
        udn: &udn,
        plugin: &plugin,
        compression: Compression::Fast,
    };
    image.build(&base, &folder.join(into)).expect("the image is built")
}

fn folder() -> (Janitor, PathBuf) {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let folder = janitor.folder().expect("a folder can be made");
    (janitor, folder)
}

#[test]
fn the_same_files_give_the_same_digest_and_archive() {
    let (_janitor, folder) = folder();
    let [one, other] = ["one", "other"].map(|into| build(&folder, "a program", into));
    assert_eq!(one.digest, other.digest);
    assert_eq!(fs::read(one.archive).unwrap(), fs::read(other.archive).unwrap());
    assert_ne!(one.digest, build(&folder, "another program", "third").digest);
}

#[test]
fn every_blob_lies_under_its_digest_and_every_digest_has_a_blob() {
    let (_janitor, folder) = folder();
    let built = build(&folder, "a program", "image");
    let blobs = built.layout.join("blobs/sha256");
    let mut names = Vec::new();
    for entry in fs::read_dir(&blobs).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(digest(&path).unwrap(), format!("sha256:{name}"));
        names.push(name);
    }
    assert_eq!(names.len(), 4, "two layers, a configuration, a manifest: {names:?}");
    let read = |digest: &str| {
        fs::read_to_string(blobs.join(digest.trim_start_matches("sha256:"))).unwrap()
    };
    let manifest = read(&built.digest);
    let named = names.iter().filter(|name| manifest.contains(*name)).count();
    assert_eq!(named, 3, "{manifest}");
    let index = fs::read_to_string(built.layout.join("index.json")).unwrap();
    assert!(index.contains(&built.digest), "{index}");
    assert!(index.contains(r#""io.containerd.image.name":"udn.local/udn:1""#), "{index}");
}

#[test]
fn the_upper_layer_holds_programs_that_can_be_run_and_no_time() {
    let (_janitor, folder) = folder();
    let built = build(&folder, "a program", "image");
    let manifest = built.digest.trim_start_matches("sha256:").to_owned();
    let text = fs::read_to_string(built.layout.join("blobs/sha256").join(manifest)).unwrap();
    let layer = text.rsplit("sha256:").next().and_then(|it| it.split('"').next()).unwrap();
    let layer = built.layout.join("blobs/sha256").join(layer);
    let list = run(Command::new("tar").args(["-tvzf"]).arg(layer).env("TZ", "UTC")).unwrap();
    assert!(list.lines().all(|line| line.contains("1970-01-01 00:00")), "{list}");
    for program in ["udn", "ovn-k8s-cni-overlay", "udn-start"] {
        let is_program = |line: &str| {
            line.starts_with("-rwxr-xr-x 0/0") && line.ends_with(&format!("./usr/bin/{program}"))
        };
        assert!(list.lines().any(is_program), "{program} is not in\n{list}");
    }
}

//! What an image's archive holds.

use super::*;
use crate::janitor::Janitor;

#[test]
fn an_archive_holds_the_files_and_says_their_digest() {
    let janitor = Janitor::hire().expect("a janitor can be hired");
    let folder = janitor.folder().expect("a folder can be made");
    let files = folder.join("files");
    fs::create_dir_all(files.join("bin")).unwrap();
    fs::write(files.join("bin/tool"), "a tool").unwrap();
    let target = folder.join("image.tar");
    let image = Image { name: "udn.local/tool:1", files: &files, entrypoint: &["/bin/tool", "x"] };
    image.pack_with(&["y"], &folder.join("draft"), &target).expect("the image is packed");

    let unpacked = folder.join("unpacked");
    fs::create_dir(&unpacked).unwrap();
    let mut tar = Command::new("tar");
    run(tar.arg("-xf").arg(&target).arg("-C").arg(&unpacked)).expect("it is an archive");
    let read = |name: &str| fs::read_to_string(unpacked.join(name)).unwrap();
    assert!(read("manifest.json").contains(r#""RepoTags":["udn.local/tool:1"]"#));
    assert!(read("config.json").contains(r#""Entrypoint":["/bin/tool","x"]"#));
    assert!(read("config.json").contains(r#""Cmd":["y"]"#));
    let layer = unpacked.join("layer.tar");
    let sum = run(Command::new("sha256sum").arg(&layer)).unwrap();
    let digest = sum.split_whitespace().next().unwrap();
    assert!(read("config.json").contains(&format!("sha256:{digest}")));
    let list = run(Command::new("tar").arg("-tf").arg(&layer)).unwrap();
    assert!(list.lines().any(|line| line == "./bin/tool"), "{list}");
}

//! What is put where runtimes look.

use std::os::unix::fs::MetadataExt;

use super::*;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn files(&self) -> PluginFiles {
        let binary = self.path("built");
        fs::write(&binary, "the plugin").unwrap();
        PluginFiles {
            configurations: Some(self.path("net.d")),
            version: Version::V1_0_0,
            binary: Some((self.path("bin"), binary)),
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn runtimes_find_configuration_and_binary() {
    let place = Place::new();
    place.files().install(Path::new(socket::DEFAULT)).unwrap();
    assert_eq!(names(&place.path("net.d")), [CONFIGURATION]);
    assert_eq!(names(&place.path("bin")), [CNI_TYPE]);
    let text = fs::read_to_string(place.path("net.d").join(CONFIGURATION)).unwrap();
    let conf: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(conf["type"], "ovn-k8s-cni-overlay");
    assert_eq!(conf["name"], "ovn-kubernetes");
    assert_eq!(conf["cniVersion"], "1.0.0");
    let mode = fs::metadata(place.path("bin").join(CNI_TYPE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn what_stands_is_not_written_again() {
    let place = Place::new();
    let files = place.files();
    files.install(Path::new(socket::DEFAULT)).unwrap();
    let binary = place.path("bin").join(CNI_TYPE);
    let before = fs::metadata(&binary).unwrap().ino();
    files.install(Path::new(socket::DEFAULT)).unwrap();
    assert_eq!(fs::metadata(&binary).unwrap().ino(), before);
    fs::write(place.path("built"), "a newer one").unwrap();
    files.install(Path::new(socket::DEFAULT)).unwrap();
    assert_eq!(fs::read_to_string(&binary).unwrap(), "a newer one");
}

#[test]
fn files_of_others_stay() {
    let place = Place::new();
    fs::create_dir_all(place.path("net.d")).unwrap();
    fs::write(place.path("net.d").join("00-multus.conf"), "theirs").unwrap();
    place.files().install(Path::new(socket::DEFAULT)).unwrap();
    assert_eq!(names(&place.path("net.d")), ["00-multus.conf", CONFIGURATION]);
}

#[test]
fn a_plugin_is_told_of_a_server_elsewhere() {
    let place = Place::new();
    let (files, link) = (place.files(), place.path("bin").join(socket::LINK));
    for server in ["/run/a/cni.sock", "/run/b/cni.sock"] {
        files.install(Path::new(server)).unwrap();
        assert_eq!(fs::read_link(&link).unwrap(), Path::new(server));
    }
    files.install(Path::new(socket::DEFAULT)).unwrap();
    assert!(fs::read_link(&link).is_err(), "the usual place needs no link");
}

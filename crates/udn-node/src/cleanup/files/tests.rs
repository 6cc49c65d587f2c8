//! Which files go and which stay, in a folder that stands for a host's root.

use std::os::unix::net::UnixListener;

use super::*;

struct Host {
    root: tempfile::TempDir,
}

impl Host {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path.trim_start_matches('/'))
    }

    fn write(&self, path: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    fn listen(&self, path: &str) -> UnixListener {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        UnixListener::bind(path).unwrap()
    }

    fn places(&self) -> Places {
        Places {
            root: self.root.path().to_owned(),
            configurations: "/etc/cni/net.d".into(),
            plugins: "/opt/cni/bin".into(),
            cni_socket: socket::DEFAULT.into(),
            state: "/var/lib/udn".into(),
        }
    }

    /// What goes, below the root.
    fn lines(&self) -> Vec<String> {
        let root = format!("{}/", self.root.path().display());
        let all = self.places().leftovers();
        all.iter().map(|it| it.to_string().replace(&root, "/")).collect()
    }

    fn clean(&self) {
        self.places().leftovers().iter().for_each(|it| it.take().unwrap());
    }
}

#[test]
fn files_of_ours_go_and_folders_with_files_of_others_stay() {
    let host = Host::new();
    for path in [
        "/etc/cni/net.d/10-ovn-kubernetes.conf",
        "/etc/cni/net.d/.10-ovn-kubernetes.conf.draft",
        "/etc/cni/net.d/50-bridge.conflist",
        "/opt/cni/bin/ovn-k8s-cni-overlay",
        "/opt/cni/bin/bridge",
        "/var/lib/udn/ovn/ovnsb_db.db",
        "/var/lib/udn/openvswitch/conf.db",
    ] {
        host.write(path);
    }
    drop(host.listen("/run/ovn-kubernetes/cni/ovn-cni-server.sock"));
    let want = [
        "file /etc/cni/net.d/10-ovn-kubernetes.conf",
        "file /etc/cni/net.d/.10-ovn-kubernetes.conf.draft",
        "file /opt/cni/bin/ovn-k8s-cni-overlay",
        "file /run/ovn-kubernetes/cni/ovn-cni-server.sock",
        "folder /var/lib/udn/ovn",
        "folder /var/lib/udn/openvswitch",
        "folder /run/ovn-kubernetes/cni",
        "folder /run/ovn-kubernetes",
        "folder /var/lib/udn",
    ];
    assert_eq!(host.lines(), want);
    host.clean();
    assert_eq!(host.lines(), <[&str; 0]>::default(), "a second run finds nothing");
    assert!(host.path("/etc/cni/net.d/50-bridge.conflist").exists());
    assert!(host.path("/opt/cni/bin/bridge").exists());
}

#[test]
fn a_folder_in_which_somebody_else_keeps_something_stays() {
    let host = Host::new();
    host.write("/var/lib/udn/ovn/ovnsb_db.db");
    host.write("/var/lib/udn/notes.txt");
    assert_eq!(host.lines(), ["folder /var/lib/udn/ovn"]);
}

#[test]
fn a_socket_that_answers_stays() {
    let host = Host::new();
    let listener = host.listen("/run/ovn/ovnnb_db.sock");
    assert_eq!(host.lines(), <[&str; 0]>::default());
    drop(listener);
    assert_eq!(host.lines(), ["file /run/ovn/ovnnb_db.sock", "folder /run/ovn"]);
}

#[test]
fn sockets_of_a_switch_go_only_if_it_was_ours() {
    let host = Host::new();
    drop(host.listen("/run/openvswitch/db.sock"));
    drop(host.listen("/run/openvswitch/ovs-ofctl.17.ctl"));
    let of_tool = "file /run/openvswitch/ovs-ofctl.17.ctl";
    assert_eq!(host.lines(), [of_tool], "the host's switch is stopped");
    host.write("/var/lib/udn/openvswitch/conf.db");
    host.write("/etc/openvswitch/conf.db");
    assert!(!host.places().has_own_switch(), "the host has one of its own");
    fs::remove_file(host.path("/etc/openvswitch/conf.db")).unwrap();
    assert!(
        host.lines().contains(&"file /run/openvswitch/db.sock".to_owned()),
        "{:?}",
        host.lines()
    );
}

#[test]
fn paths_of_the_host_are_found_below_its_root() {
    let check = |root: &str, path: &str, want: &str| {
        let places = Places { root: root.into(), ..Host::new().places() };
        assert_eq!(places.here(Path::new(path)), Path::new(want));
    };
    check("/", "/var/run/x", "/var/run/x");
    check("/host", "/var/run/x", "/host/run/x");
    check("/host", "/etc/cni/net.d", "/host/etc/cni/net.d");
}

#[test]
fn a_lock_tells_whether_the_switch_of_ours_runs() {
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc;

    let host = Host::new();
    assert!(!host.places().own_switch_runs(), "there is none");
    host.write("/var/lib/udn/openvswitch/.conf.db.~lock~");
    assert!(!host.places().own_switch_runs(), "nobody holds it");
    let path = host.path("/var/lib/udn/openvswitch/.conf.db.~lock~");
    let file = fs::File::options().write(true).open(path).unwrap();
    let kind = |kind: i32| libc::c_short::try_from(kind).unwrap();
    let lock = libc::flock {
        l_type: kind(libc::F_WRLCK),
        l_whence: kind(libc::SEEK_SET),
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    // A database's lock is its process's; this kind, a file's, is met in the same way and by one's own
    // process too.
    fcntl(&file, FcntlArg::F_OFD_SETLK(&lock)).unwrap();
    assert!(host.places().own_switch_runs(), "somebody holds it");
    drop(file);
    assert!(!host.places().own_switch_runs(), "it has ended");
}

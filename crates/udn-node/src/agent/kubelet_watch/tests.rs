//! Where a kubelet's group is found, and that one hears of it.

use std::time::Duration;

use super::*;

#[track_caller]
fn check(mounts: &str, want: Option<(&str, usize)>) {
    let want = want.map(|(root, above)| Hierarchy { root: root.into(), above });
    assert_eq!(Hierarchy::find(mounts), want);
}

const UNIFIED: &str =
    "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
const HYBRID: &str = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
    41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

#[test]
fn the_hierarchy_is_where_version_2_is_mounted() {
    check(UNIFIED, Some(("/sys/fs/cgroup", 0)));
    check(HYBRID, Some(("/sys/fs/cgroup/unified", 0)));
    check("32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", None);
    check("", None);
}

#[test]
fn the_hosts_hierarchy_counts_more_than_a_containers_own() {
    let own = UNIFIED.to_owned();
    let host = "77 23 0:28 /../../.. /run/host-cgroup ro - cgroup2 cgroup2 rw\n";
    check(&(own + host), Some(("/run/host-cgroup", 3)));
}

#[test]
fn a_part_of_the_hierarchy_is_none() {
    check("31 23 0:28 /kubepods/pod1 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n", None);
    check("31 23 0:28 /../other /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n", None);
}

#[test]
fn a_group_is_named_from_the_root_on() {
    let level = |path: &str| names(Path::new(path)).map(|it| it.len());
    assert_eq!(level("/system.slice/kubelet.service"), Some(2));
    assert_eq!(level("/kubelet"), Some(1));
    for wrong in ["/", "kubelet.service", "/a/../b", ""] {
        assert_eq!(level(wrong), None, "{wrong}");
    }
}

/// A watch over folders that stand for a hierarchy.
fn watch(root: &Path, group: &str) -> KubeletWatch {
    KubeletWatch {
        root: root.to_owned(),
        names: names(Path::new(group)).expect("a path"),
        control_groups: None,
        was_seen: false,
        news: News::begin().expect("the kernel has inotify"),
    }
}

async fn hear(watch: &KubeletWatch) {
    let heard = tokio::time::timeout(Duration::from_secs(20), watch.changed()).await;
    heard.expect("somebody tells").expect("it can be heard");
}

#[tokio::test]
async fn a_kubelet_that_comes_goes_and_comes_again_is_followed() {
    let root = tempfile::tempdir().expect("a folder");
    let mut watch = watch(root.path(), "/system.slice/kubelet.service");
    let slice = root.path().join("system.slice");
    let service = slice.join("kubelet.service");
    assert_eq!(watch.place().kubelet, Kubelet::NeverSeen);
    assert!(watch.place().remedy.contains("/system.slice/kubelet.service"));

    fs::create_dir(&slice).expect("a folder");
    hear(&watch).await;
    assert_eq!(watch.place().kubelet, Kubelet::NeverSeen);
    fs::create_dir(&service).expect("a folder");
    hear(&watch).await;
    let id = fs::metadata(&service).expect("it is there").ino();
    assert_eq!(watch.place().kubelet, Kubelet::In(KubeletGroup { level: 2, id }));

    fs::remove_dir(&service).expect("it goes");
    hear(&watch).await;
    assert_eq!(watch.place().kubelet, Kubelet::Away);
    // The group above may go too.
    fs::remove_dir(&slice).expect("it goes");
    hear(&watch).await;
    assert_eq!(watch.place().kubelet, Kubelet::Away);
    fs::create_dir_all(&service).expect("folders");
    hear(&watch).await;
    let id = fs::metadata(&service).expect("it is there").ino();
    assert_eq!(watch.place().kubelet, Kubelet::In(KubeletGroup { level: 2, id }));
}

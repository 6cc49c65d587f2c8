# The first program of a node: makes the node's own view of the machine, then stays to be its
# process 1. When it ends, the kernel ends everything else on the node, and its mounts go too.
#
#   $1  the node's folder: what must outlive a reboot lies in it
#   $2  the node's host name
#
# The root folder is the machine's, so that programs, sockets and test folders have the same paths
# on the node as outside; /etc, /opt and /var can be written without changing the machine's, /run
# is empty at first, and kubelet's and containerd's folders lie on a plain file system.

set -e
PATH="$PATH:/usr/sbin:/sbin:/usr/bin:/bin"
folder=$1
echo "$2" > /proc/sys/kernel/hostname

for top in etc opt var; do
    mkdir -p "$folder/disk/$top" "$folder/work/$top"
    mount -t overlay -o "lowerdir=/$top,upperdir=$folder/disk/$top,workdir=$folder/work/$top" \
        node "/$top"
done
mount -t tmpfs -o mode=755 node /run
mkdir /run/lock /run/netns

own() {
    mkdir -p "$folder/$1" "$2"
    mount --bind "$folder/$1" "$2"
}
own containerd /var/lib/containerd
own kubelet /var/lib/kubelet
own cni-conf /etc/cni/net.d
own cni-bin /opt/cni/bin
own logs /var/log

# /sys shows the links of the namespace in which it was mounted.
mkdir -p /run/cgroup
mount --rbind /sys/fs/cgroup /run/cgroup
mount -t sysfs node /sys
mount --rbind /run/cgroup /sys/fs/cgroup
umount -l /run/cgroup
rmdir /run/cgroup

# kubelet sets these for the whole machine; here each node has its own.
mkdir -p /run/sysctl
for parameter in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops \
    kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
    file="/run/sysctl/$(basename "$parameter")"
    cat "/proc/sys/$parameter" > "$file"
    mount --bind "$file" "/proc/sys/$parameter"
done

mount --make-rshared /
: > "$folder/booted"

# Whoever loses its parent becomes a child of ours, and waiting is what lets it go.
while :; do
    sleep 3600 &
    wait
done

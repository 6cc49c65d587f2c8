# Remembers what is owed, one line each, and removes all of it, newest first, once nobody holds
# the other end of standard input any more: that is, when the owner is done or dead.
#
#   program PID START    ends the group led by PID, if that is still the program begun at START
#   namespace NAME       ends what runs in the network namespace, then removes it
#   link NAME            removes the network link
#   mount PATH           unmounts
#   cgroup NAME          ends what runs in the control group, then removes it from all hierarchies
#   folder PATH          removes the folder and all in it, on its own file system only

trap '' HUP INT QUIT TERM TSTP PIPE
PATH="$PATH:/usr/sbin:/sbin:/usr/bin:/bin"

debts=
while read -r debt; do
    debts="$debt
$debts"
done

# A number is reused after its program is gone; the start time is not. A zombie is gone.
lives() {
    stat=
    { read -r stat < "/proc/$1/stat"; } 2> /dev/null || return 1
    set -- "$2" ${stat##*) }
    [ "$2" != Z ] && [ "${21}" = "$1" ]
}

end() {
    lives "$1" "$2" || return 0
    kill -9 "-$1" "$1" 2> /dev/null
    tries=0
    while lives "$1" "$2"; do
        tries=$((tries + 1))
        [ "$tries" -lt 1000 ] || return 1
        sleep 0.01
    done
}

# The programs of a group may take a moment to be gone, and only then can it be removed.
remove_cgroup() {
    tries=0
    while [ -d "$1" ]; do
        find "$1" -name cgroup.procs -exec cat {} + 2> /dev/null | while read -r pid; do
            kill -9 "$pid" 2> /dev/null
        done
        find "$1" -depth -type d -exec rmdir {} \; 2> /dev/null
        tries=$((tries + 1))
        [ "$tries" -lt 500 ] || return 1
        [ ! -d "$1" ] || sleep 0.01
    done
}

pay() {
    kind=${1%% *}
    thing=${1#* }
    case $kind in
        program)
            end ${thing% *} ${thing#* }
            ;;
        namespace)
            [ -e "/run/netns/$thing" ] || return 0
            for pid in $(ip netns pids "$thing"); do
                kill -9 "$pid" 2> /dev/null
            done
            ip netns delete "$thing"
            ;;
        link)
            [ ! -e "/sys/class/net/$thing" ] || ip link delete "$thing"
            ;;
        mount)
            ! mountpoint -q "$thing" || umount -l "$thing"
            ;;
        cgroup)
            case $thing in
                '' | .* | */*) return 1 ;;
            esac
            for top in /sys/fs/cgroup /sys/fs/cgroup/*; do
                remove_cgroup "$top/$thing" || return 1
            done
            ;;
        folder)
            rm -rf --one-file-system "$thing"
            ;;
    esac
}

failed=0
while [ -n "$debts" ]; do
    debt=${debts%%
*}
    debts=${debts#*
}
    pay "$debt" || {
        echo "udn-lab: could not remove: $debt" >&2
        failed=1
    }
done
exit "$failed"

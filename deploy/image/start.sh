#!/bin/sh
# Starts one program of a node in a container: the node's OVN, its switch, its agent.
#
# A program gets its databases made and converted first. It is not the container's first process,
# because the kernel lets that one ignore the signal to end; this script is, and hands it on.

set -eu

# Where everything is on the node. Other programs find the sockets here too.
export OVN_RUNDIR=/run/ovn OVN_DBDIR=/var/lib/ovn OVN_LOGDIR=/tmp
export OVS_RUNDIR=/run/openvswitch OVS_DBDIR=/var/lib/openvswitch OVS_LOGDIR=/tmp
northbound=unix:$OVN_RUNDIR/ovnnb_db.sock
southbound=unix:$OVN_RUNDIR/ovnsb_db.sock
switch=unix:$OVS_RUNDIR/db.sock
# The table of nftables that keeps the kernel from frames which the switch takes.
hidden=udn-uplink
# The container's log is all the log there is.
logs="-vconsole:info -vsyslog:off -vfile:off"

# Until a program is started, there is nothing to hand a signal to.
trap 'exit 0' TERM INT

say() { echo "udn-start: $*" >&2; }

# What is done once a program has ended.
afterwards=:

# Runs a program, and ends it when told to end.
serve() {
    "$@" &
    program=$!
    trap 'kill -TERM $program 2>/dev/null || true' TERM INT
    while kill -0 $program 2>/dev/null; do
        status=0
        wait $program || status=$?
    done
    $afterwards
    exit "$status"
}

# Makes a database, or brings it to the schema of this version.
prepare_database() {
    file=$1 schema=$2
    mkdir -p "${file%/*}"
    if [ ! -s "$file" ]; then
        rm -f "$file"
        ovsdb-tool create "$file" "$schema"
    elif [ "$(ovsdb-tool needs-conversion "$file" "$schema")" = yes ]; then
        say "converting $file, whose former content stays in $file.backup"
        cp "$file" "$file.backup"
        ovsdb-tool convert "$file" "$schema"
    fi
}

# Serves one of OVN's two databases.
ovn_database() {
    name=$1 schema=$2 socket=$3
    prepare_database "$OVN_DBDIR/$name.db" "/usr/share/ovn/$schema.ovsschema"
    mkdir -p "$OVN_RUNDIR"
    serve ovsdb-server $logs --unixctl="$OVN_RUNDIR/$name.ctl" --remote="punix:$socket" \
        "$OVN_DBDIR/$name.db"
}

# Whether a database server answers for the switch.
switch_answers() {
    timeout 5 ovsdb-client list-dbs "$switch" >/dev/null 2>&1
}

# Serves the switch where the host has none of its own.
openvswitch() {
    if switch_answers; then
        say "the host's own Open vSwitch answers on $OVS_RUNDIR/db.sock: standing by"
        while switch_answers; do
            sleep 10 & wait $!
        done
        say "the host's own Open vSwitch does not answer any more"
        exit 1
    fi
    prepare_database "$OVS_DBDIR/conf.db" /usr/share/openvswitch/vswitch.ovsschema
    mkdir -p "$OVS_RUNDIR"
    ovsdb-server $logs --unixctl="$OVS_RUNDIR/ovsdb-server.ctl" \
        --remote="punix:$OVS_RUNDIR/db.sock" "$OVS_DBDIR/conf.db" &
    database=$!
    trap 'kill -TERM $database 2>/dev/null || true' TERM INT
    until switch_answers; do
        kill -0 $database || exit 1
        sleep 1
    done
    ovs-vsctl --no-wait --db="$switch" init
    version=$(ovs-vswitchd --version | head -n 1)
    ovs-vsctl --no-wait --db="$switch" set Open_vSwitch . "ovs_version=${version##* }"
    # Asking makes a kernel load its module, if it has one.
    options= datapath=system
    if ! ovs-dpctl dump-dps >/dev/null 2>&1; then
        say "this kernel has no module openvswitch: only the userspace datapath"
        options=--disable-system datapath=netdev
    fi
    if [ -n "${UDN_UPLINK-}" ]; then
        external_bridge "$UDN_UPLINK" "$datapath" &
        # The userspace datapath stops the bridge, and nobody could reach the node to start this again.
        [ "$datapath" = system ] || afterwards="give_back $UDN_UPLINK"
    fi
    serve ovs-vswitchd $logs $options --unixctl="$OVS_RUNDIR/ovs-vswitchd.ctl" "$switch"
}

# Puts the node's uplink below the external bridge, and the node's addresses and routes on it: once, and again when
# the switch has begun anew.
external_bridge() {
    uplink=$1 datapath=$2 bridge=${UDN_EXTERNAL_BRIDGE:-br-ex} kept=$OVS_DBDIR/uplink
    mkdir -p "$kept"
    if [ -n "$(ip -o address show dev "$uplink" scope global)" ]; then
        ip -o address show dev "$uplink" scope global >"$kept/addresses"
        for family in 4 6; do
            ip -$family route show dev "$uplink" >"$kept/routes$family"
        done
        cat "/sys/class/net/$uplink/address" >"$kept/mac"
    fi
    ovs-vsctl --db="$switch" --may-exist add-br "$bridge" \
        -- set Bridge "$bridge" "datapath_type=$datapath" \
        "other_config:hwaddr=\"$(cat "$kept/mac")\"" \
        -- --may-exist add-port "$bridge" "$uplink"
    # The bridge answers for the addresses first, so that the node is never without them.
    settle_on "$bridge"
    ip address flush dev "$uplink" scope global
    # The userspace datapath takes copies of frames. The kernel must not answer them too, and refuse what is for pods.
    [ "$datapath" = system ] || nft -f - <<RULES
table netdev $hidden
delete table netdev $hidden
table netdev $hidden {
    chain taken { type filter hook ingress device "$uplink" priority 0; policy drop; }
}
RULES
    say "the node's addresses are on $bridge, and $uplink is below it"
}

# Puts addresses and routes back on the uplink.
give_back() {
    nft delete table netdev $hidden || true
    settle_on "$1"
    ip address flush dev "${UDN_EXTERNAL_BRIDGE:-br-ex}" scope global || true
    say "the node's addresses are on $1 again"
}

# Gives a link the addresses and routes that the uplink had.
settle_on() {
    link=$1 kept=$OVS_DBDIR/uplink
    [ -e "$kept/addresses" ] || return 0
    ip link set "$link" up
    while read -r _ _ family address _; do
        case $family in
        inet) ip address replace "$address" dev "$link" ;;
        inet6) ip address replace "$address" dev "$link" nodad ;;
        esac
    done <"$kept/addresses"
    for family in 4 6; do
        while read -r route; do
            case $route in
            # What the kernel makes of addresses.
            *" proto kernel "*) ;;
            # shellcheck disable=SC2086
            *) ip -$family route replace $route dev "$link" || say "no route: $route" ;;
            esac
        done <"$kept/routes$family"
    done
}

case ${1:-} in
northbound) ovn_database ovnnb_db ovn-nb "${northbound#unix:}" ;;
southbound) ovn_database ovnsb_db ovn-sb "${southbound#unix:}" ;;
northd)
    serve ovn-northd $logs --unixctl="$OVN_RUNDIR/ovn-northd.ctl" \
        --ovnnb-db="$northbound" --ovnsb-db="$southbound"
    ;;
controller)
    # ovn-controller must not meet a southbound database without its first row.
    ovn-sbctl --db="$southbound" init
    # The agent makes OVN's bridge, with the datapath of the external one; ovn-controller would not ask.
    ovs-vsctl --db="$switch" wait-until Bridge "${UDN_INTEGRATION_BRIDGE:-br-int}"
    serve ovn-controller $logs --unixctl="$OVN_RUNDIR/ovn-controller.ctl" "$switch"
    ;;
openvswitch) openvswitch ;;
node)
    shift
    # Parameters of the kernel's networks are written there, of the node and of its pods.
    mount -o remount,rw,bind /proc/sys
    # Flags are one text, so that controller and nodes cannot be told different ones.
    # shellcheck disable=SC2086
    exec udn node ${UDN_NETWORKS-} ${UDN_NODE-} "$@"
    ;;
cluster-controller)
    shift
    # shellcheck disable=SC2086
    exec udn controller ${UDN_NETWORKS-} "$@"
    ;;
plugin)
    # A plugin may be started at any moment, and is never half there.
    cp /usr/bin/ovn-k8s-cni-overlay "$2/.ovn-k8s-cni-overlay.draft"
    mv "$2/.ovn-k8s-cni-overlay.draft" "$2/ovn-k8s-cni-overlay"
    ;;
answers)
    # Whether a program of this node answers on its control socket.
    exec ovs-appctl --timeout=5 -t "$2" version
    ;;
*)
    say "use one of: northbound southbound northd controller openvswitch node cluster-controller plugin answers"
    exit 2
    ;;
esac

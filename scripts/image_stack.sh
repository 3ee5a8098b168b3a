#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: image_stack.sh NODE_FOLDER PEERS_FOLDER
#
# For image.sh, in namespaces with the interfaces: what docker/compose.yaml starts, each in the files of its image and
# with the rights it has there. The status is that of the BSS, which ends after 1000 good LLC frames.
set -eu
node=$1 peers=$2
for folder in "$node" "$peers"; do
    mount -t proc proc "$folder/proc"
done
mount --rbind /sys "$node/sys"

# rooted FOLDER USER CAPABILITIES COMMAND...: becomes it.
rooted()
{
    folder=$1 user=$2 rights=$3
    shift 3
    exec setpriv --bounding-set="$rights,+sys_chroot,+setuid,+setgid,+setpcap" chroot "$folder" \
        setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs --inh-caps=-all --ambient-caps=-all \
        --bounding-set="$rights" "$@"
}

rooted "$node" 0 -all,+net_raw,+net_admin gbflow serve /etc/gbflow/lab.lua --verbose &
pid=$!
rooted "$peers" 65534 -all env PYTHONDONTWRITEBYTECODE=1 PACKETS_PER_S=200 python3 /opt/peers/source.py &
source=$!
(rooted "$peers" 65534 -all env PYTHONDONTWRITEBYTECODE=1 PACKETS=1000 timeout 120 python3 /opt/peers/bss.py)
(rooted "$node" 0 -all gbflow show bvc)
kill "$source" "$pid"
wait "$pid"

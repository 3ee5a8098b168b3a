#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: unshare --mount --net scripts/image_compose.sh FOLDER COMPOSE_FILE
#
# For image.sh: brings a compose file up with the images that were built, does in it what its first lines say, and takes it
# down. Its bridges, and what podman keeps of networks, are in these namespaces. FOLDER has podman's configuration.
set -euo pipefail
work=$1 file=$2
export CONTAINERS_CONF=$work/containers.conf CONTAINERS_STORAGE_CONF=$work/storage.conf
ip link set lo up
umount -R /sys/fs/cgroup || true
mount -t tmpfs none /sys/fs/cgroup
for folder in /run/netns /run/crun /run/libpod /var/lib/cni; do
    mkdir -p "$folder"
    mount -t tmpfs none "$folder"
done

compose()
{
    "$work/venv/bin/podman-compose" -p gbf -f "$file" "$@"
}

# until_it_does SECONDS COMMAND...
until_it_does()
{
    local end=$((SECONDS + $1))
    until "${@:2}"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 1
    done
}

frames()
{
    podman logs gbf_bss_1 2>&1 |
        awk '/ in all$/ { all = $(NF - 2) } / [1-9][0-9]* bad;/ { bad = 1 } END { exit bad || all < 1000 }'
}

phone()
{
    podman exec gbf_bss_1 ping -c 1 -W 5 203.0.113.1
}

# What the containers said last is of use when a check has failed.
end()
{
    local name
    for name in $(podman ps --all --format '{{.Names}}'); do
        echo "$name:"
        podman logs --tail 5 "$name" 2>&1
    done
    compose down
}

trap end EXIT
compose up -d --no-build
case "$file" in
*-lab.yaml)
    until_it_does 60 phone
    podman exec gbf_bss_1 ping -c 3 203.0.113.1
    [ "$(podman exec gbf_bss_1 curl -s http://203.0.113.1/20k | wc -c)" -eq 20000 ]
    podman exec gbf_node_1 gbflow show subscribers
    ;;
*-pool.yaml)
    until_it_does 60 phone
    podman exec gbf_node1_1 gbflow offload --all --to 2 --now
    podman exec gbf_node1_1 gbflow drain
    podman exec gbf_node2_1 gbflow show subscribers
    phone
    ;;
*)
    until_it_does 60 frames
    podman exec gbf_gbflow_1 gbflow show bvc
    ;;
esac

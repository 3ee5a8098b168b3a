#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/image.sh [--base DIR]
#
# Builds the images of docker/Dockerfile with buildah, without a daemon, on a Debian made by mmdebstrap; plays the quick
# start in the image as its own user; runs the node, the BSS and the source of docker/compose.yaml in one network
# namespace, each in its image's files and with its rights there; brings gbflow lab up in the files of the image, with what it
# installs there. Then runs docker/compose.yaml, docker/compose-lab.yaml and docker/compose-pool.yaml as they are, with podman
# and podman-compose (of PyPI: Debian 12's does not read addresses), in namespaces of their own. Needs root and the network.
#   --base DIR   such a Debian from before
# Status: 0, 1 when a check failed, 2 usage, 77 when a tool is missing (1 if CI=true). The last line is "N passed, N failed,
# N skipped".

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source-path=SCRIPTDIR source=debian_base.sh
. "$root/scripts/debian_base.sh"
# shellcheck source-path=SCRIPTDIR source=checks.sh
. "$root/scripts/checks.sh"

base=
compose=podman-compose==1.6.0

# Images and containers of this run alone.
builder()
{
    buildah --root "$work/images" --runroot "$work/run" --storage-driver overlay "$@"
}

import_base()
{
    local container
    container=$(builder from scratch)
    builder copy --quiet "$container" "$base" / && builder commit --quiet "$container" gbflow-base &&
        builder rm "$container"
}

# image TARGET NAME
image()
{
    builder build --isolation chroot --build-arg BASE=localhost/gbflow-base --pull-never --layers --target "$1" -t "$2" \
        -f "$work/tree/docker/Dockerfile" "$work/tree"
}

is_unprivileged()
{
    local user
    user=$(builder inspect --type image --format '{{.OCIv1.Config.User}}' "$1")
    echo "user: $user"
    [ "$user" = 65534:65534 ]
}

quickstart()
{
    local container files
    container=$(builder from --pull-never gbflow)
    builder run --isolation chroot "$container" -- gbflow run /usr/share/doc/gbflow/examples/scenarios/quickstart.lua \
        --out /data/quickstart
    files=$(builder mount "$container")/data/quickstart
    outputs "$files" && [ "$(stat -c %u "$files/summary.json")" = 65534 ]
}

stack()
{
    local node peers
    node=$(builder mount "$(builder from --pull-never gbflow)")
    peers=$(builder mount "$(builder from --pull-never gbflow-peers)")
    unshare --mount --net --pid --fork --kill-child "$root/scripts/lab_links.sh" eth1 eth0 \
        "$root/scripts/image_stack.sh" "$node" "$peers"
}

# On a Debian that has only the package and its Python: the lab brings what it needs.
bare_lab()
{
    local folder
    folder=$(builder mount "$(builder from --pull-never gbflow)") && mkdir -p "$folder/dev/net" || return
    [ -e "$folder/dev/net/tun" ] || mknod "$folder/dev/net/tun" c 10 200 || return
    # shellcheck disable=SC2016
    unshare --mount "$root/scripts/in_root.sh" "$folder" sh -ec 'mount -t tmpfs none /run
        ! gbflow lab up
        gbflow lab up --bss osmo-pcu --phones --install
        gbflow lab shell phones ping -c 3 203.0.113.1
        [ "$(gbflow lab shell phones curl -s http://203.0.113.1/20k | wc -c)" -eq 20000 ]
        gbflow lab down
        [ -z "$(ip netns list)" ]'
}

# What podman and podman-compose read: no registry, and no controllers of cgroups, which a machine inside another lacks.
compose_files()
{
    printf '[storage]\ndriver = "overlay"\ngraphroot = "%s"\nrunroot = "%s"\n' "$work/images" "$work/run" >"$work/storage.conf" &&
        printf '[containers]\ncgroups = "disabled"\ndefault_ulimits = ["nofile=1024:4096", "nproc=1024:4096"]\n' >"$work/containers.conf" &&
        printf '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n' >>"$work/containers.conf" &&
        printf '[network]\nnetwork_config_dir = "%s"\n' "$work/networks" >>"$work/containers.conf" &&
        python3 -m venv "$work/venv" && "$work/venv/bin/pip" install --quiet --disable-pip-version-check "$compose"
}

# composed FILE
composed()
{
    unshare --mount --net "$root/scripts/image_compose.sh" "$work" "$work/tree/docker/$1"
}

# missing: the first tool that is not there.
missing()
{
    local tool
    for tool in buildah mmdebstrap podman; do
        command -v "$tool" >/dev/null || {
            printf '%s' "$tool"
            return
        }
    done
}

parse_options "base=directory" "$@"
[ "${#words[@]}" -eq 0 ] || usage_error "unknown argument '${words[0]}'"
if [ -n "$(missing)" ]; then
    say "skipped: $(missing) is missing; scripts/setup.sh --nightly brings it"
    say "0 passed, 0 failed, 1 skipped"
    [ "${CI-}" = true ] && exit 1
    exit 77
fi
[ "$(id -u)" -eq 0 ] || fail "it needs root: mounts and namespaces"
checks_begin
if [ -z "$base" ]; then
    say "making a Debian in a folder"
    base=$work/base
    base_make "$base"
fi
base_copy_tree "$work/tree"
check "the base is an image" import_base
check "the image builds" image gbflow gbflow
check "the image of the peers builds" image peers gbflow-peers
check "the image of the lab builds" image lab gbflow-lab
check "the image of the pool builds" image pool gbflow-pool
check "its user is nobody" is_unprivileged gbflow
check "the peers' user is nobody" is_unprivileged gbflow-peers
check "the quick start runs in it" quickstart
check "the stack's node, BSS and source run" stack
check "gbflow lab up --install on it: phones behind osmo-pcu ping and download" bare_lab
check "podman-compose is there" compose_files
check "compose.yaml runs, and its BSS has 1000 good frames" composed compose.yaml
check "compose-lab.yaml runs, and its phone pings and downloads" composed compose-lab.yaml
check "compose-pool.yaml runs, and its phones leave a node" composed compose-pool.yaml

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/image.sh [--base DIR]
#
# Builds the images of docker/Dockerfile with buildah, without a daemon, on a Debian made by debootstrap; plays the quick
# start in the image as its own user; runs the node, the BSS and the source of docker/compose.yaml in one network
# namespace, each in its image's files and with its rights there. Needs root and the network.
#   --base DIR   a Debian of debootstrap from before
# The last line is "N passed, N failed, N skipped".

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source-path=SCRIPTDIR source=debian_base.sh
. "$root/scripts/debian_base.sh"
# shellcheck source-path=SCRIPTDIR source=checks.sh
. "$root/scripts/checks.sh"

base=

parse()
{
    while [ $# -gt 0 ]; do
        case "$1" in
        --base)
            [ $# -gt 1 ] || usage_error "--base needs a directory"
            base=$2
            shift
            ;;
        -h | --help)
            print_help
            exit 0
            ;;
        *) usage_error "unknown argument '$1'" ;;
        esac
        shift
    done
}

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

parse "$@"
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
check "its user is nobody" is_unprivileged gbflow
check "the peers' user is nobody" is_unprivileged gbflow-peers
check "the quick start runs in it" quickstart
check "the stack's node, BSS and source run" stack

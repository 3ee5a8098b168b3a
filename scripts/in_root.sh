#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: unshare --mount [MORE]... scripts/in_root.sh DIR COMMAND...
#
# Runs a command in the system below DIR, with /proc, /sys and /dev/net there; the mounts end with the namespace. DIR is a
# mount, too: ip netns changes the propagation of "/".
set -eu
mount --rbind "$1" "$1"
mkdir -p "$1/dev/net"
[ ! -e /dev/net ] || mount --rbind /dev/net "$1/dev/net"
mount -t proc proc "$1/proc"
mount --rbind /sys "$1/sys"
exec env DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$@"

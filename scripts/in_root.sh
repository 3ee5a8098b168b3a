#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: unshare --mount [MORE]... scripts/in_root.sh DIR COMMAND...
#
# Runs a command in the system below DIR, with /proc, /sys, /dev/net and pseudo-terminals there; the mounts end with the
# namespace. DIR is a mount, too: ip netns changes the propagation of "/".
set -eu
mount --rbind "$1" "$1"
mkdir -p "$1/dev/net" "$1/dev/pts"
[ ! -e /dev/net ] || mount --rbind /dev/net "$1/dev/net"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$1/dev/pts"
mount -t proc proc "$1/proc"
mount --rbind /sys "$1/sys"
exec env DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$@"

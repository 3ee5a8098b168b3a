#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: unshare --mount [MORE]... scripts/in_root.sh DIR COMMAND...
#
# Runs a command in the system below DIR, with /proc and /sys there; the mounts end with the namespace.
set -eu
mount -t proc proc "$1/proc"
mount --rbind /sys "$1/sys"
exec env DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$@"

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: unshare --net [MORE]... scripts/lab_links.sh GN_INTERFACE GB_INTERFACE COMMAND...
#
# Makes the network interfaces of a node of the examples, runs a command, and ends what is left of it. The other ends have
# the kernel's addresses of the GGSN and the BSS.
set -eu
ip link set lo up
ip link add "$1" type veth peer name far-gn
ip link add "$2" type veth peer name far-gb
for interface in "$1" "$2" far-gn far-gb; do
    ip link set "$interface" up
done
ip address add 192.0.2.2/24 dev far-gn
ip address add 198.51.100.2/24 dev far-gb
shift 2
exec "$@"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/nic.sh [--card KIND]... [--walk DIR] [--program FILE] [--keep] [--verbose]
#
# gbflow on network cards that QEMU emulates: boots a virtual machine from Debian's kernel, without a disk, which reads this
# machine's files and has two cards for the node and two for `gbflow bench generate`, of each kind. The drivers are
# DPDK's. A line for each check: N-PDUs arrive in order and whole, the link goes down and up, the node ends and starts
# again, a card is unplugged.
#   --card KIND      vmxnet3, e1000e or virtio-net; may be repeated (all three)
#   --walk DIR       instead of the checks, the report of docs/benchmark-setup.md on these cards: table, JSON and page go to DIR
#   --program FILE   gbflow (build/gbflow)
#   --keep           keeps the folder of the machine's console
#   --verbose        prints each command in the machine, and its output
# It needs QEMU, busybox and a kernel (scripts/setup.sh --nightly) and 3 GiB of memory, not KVM; virtio-net also needs root.
# What is missing is skipped. Status: 0, 1 when a check failed, 2 usage. The last line is "N passed, N failed, N skipped".

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

help_if_asked "$@"
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/system/nic/nic.py" "$@"

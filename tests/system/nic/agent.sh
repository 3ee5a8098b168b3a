# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Runs in the virtual machine: each line of the virtio port is a command for sh; the answer is "STATUS OCTETS", then so many
# octets, what it wrote.
export HOME=/run PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd /run || exit
exec 3<>/dev/nic-port
echo "ready 0" >&3
while read -r line <&3; do
    sh -c "$line" </dev/null >/run/answer 2>&1 3>&-
    echo "$? $(stat -c %s /run/answer)" >&3
    cat /run/answer >&3
done

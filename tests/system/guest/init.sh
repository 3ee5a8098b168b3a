#!/bin/busybox sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# The first process of a guest: mounts the host's files, with changes in memory alone, and runs /command there. QEMU gets what
# it writes by the first virtio port and its exit status by the second; User-Mode Linux, whose command line has guest.status,
# by tty1 and by the file status in that folder.
export PATH=/bin:/usr/bin:/sbin:/usr/sbin
b=/bin/busybox

$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs dev /dev
while read -r module parameters; do
    # shellcheck disable=SC2086
    $b insmod "/modules/$module.ko" $parameters
done </modules/order
folder=
for word in $($b cat /proc/cmdline); do
    case "$word" in
    guest.status=*) folder=${word#*=} ;;
    esac
done

$b mkdir /lower /upper /new
if [ -n "$folder" ]; then
    $b mount -t hostfs -o ro hostfs /lower
    $b stty -F /dev/tty1 raw -echo
    output=/dev/tty1
else
    $b mount -t 9p -o trans=virtio,version=9p2000.L,msize=500000,cache=loose,ro host /lower
    until output=$($b ls /dev/vport*p1) && status=$($b ls /dev/vport*p2); do
        $b sleep 0.05
    done 2>/dev/null
fi
$b mount -t tmpfs tmpfs /upper
$b mkdir /upper/up /upper/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/upper/up,workdir=/upper/work overlay /new
$b mount -t tmpfs tmpfs /new/run
if [ -n "$folder" ]; then
    $b mkdir /new/run/status
    $b mount -t hostfs -o "$folder" hostfs /new/run/status
    status=/run/status/status
fi
for name in proc sys dev; do
    $b mount --move "/$name" "/new/$name"
done
$b mkdir -p /new/dev/shm /new/dev/pts
$b mount -t tmpfs tmpfs /new/dev/shm
$b mount -t devpts devpts /new/dev/pts
$b ip link set lo up
# Frames that come at once after a pause of this machine.
echo 100000 >/new/proc/sys/net/core/netdev_max_backlog
$b cp /command /bin/busybox /new/run/
exec $b switch_root /new /bin/sh -c "
sh /run/command </dev/null >$output 2>&1
echo \$? >$status
exec /run/busybox poweroff -f"

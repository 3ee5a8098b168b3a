#!/bin/busybox sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# The first process of the virtual machine: mounts the host's files read-only, gives the cards to vfio-pci, then runs the
# commands that arrive on the virtio port. The answer to a line is "STATUS OCTETS", then so many octets of output.
# Of the kernel's command line it reads nic.tree (a folder of the host) and nic.pages (huge pages of 2 MiB).
export PATH=/bin:/usr/bin:/sbin:/usr/sbin
b=/bin/busybox
new=/host

$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs dev /dev
while read -r module parameters; do
    # shellcheck disable=SC2086
    $b insmod "/modules/$module.ko" $parameters
done </modules/order

for word in $($b cat /proc/cmdline); do
    case "$word" in
    nic.tree=*) tree=${word#*=} ;;
    nic.pages=*) pages=${word#*=} ;;
    esac
done

$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288,cache=loose,ro host $new
$b mount --bind $new /below
for folder in tmp run root dev/shm; do
    [ "$folder" = dev/shm ] || $b mount -t tmpfs tmpfs "$new/$folder"
done
# The tree may be below a folder that is now empty.
if ! [ -d "$new$tree" ]; then
    $b mkdir -p "$new$tree"
    $b mount --bind "/below$tree" "$new$tree"
fi
$b mkdir -p /dev/hugepages /dev/shm
$b mount -t hugetlbfs hugetlbfs /dev/hugepages
$b mount -t tmpfs tmpfs /dev/shm
echo "$pages" >/proc/sys/vm/nr_hugepages
for device in /sys/bus/pci/devices/*; do
    read -r class <"$device/class"
    [ "$class" != 0x020000 ] || {
        echo vfio-pci >"$device/driver_override"
        # virtio_pci has taken the cards of virtio.
        [ ! -e "$device/driver" ] || echo "${device##*/}" >"$device/driver/unbind"
        echo "${device##*/}" >/sys/bus/pci/drivers_probe
    }
done
# The port is there as soon as its driver has found it; before that, opening it would make a file.
until $b ln -s /dev/vport*p1 /dev/nic-port && [ -c /dev/nic-port ]; do
    $b rm -f /dev/nic-port
    $b sleep 0.1
done
for folder in proc sys dev; do
    $b mount --move "/$folder" "$new/$folder"
done
$b ip link set lo up
$b cp /agent.sh "$new/run/agent.sh"
exec $b switch_root "$new" /bin/sh /run/agent.sh

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: package_inside.sh quickstart|files|page
#
# For package.sh, in a system with the package: the quick start as nobody; whether its files are right. page: in one without,
# the blocks of docs/packaging.md on its installation and its service, from install to purge, and what the page says of them.
set -eu
examples=/usr/share/doc/gbflow/examples

files()
{
    gbflow doctor
    gbflow check $examples/nodes/*.lua $examples/scenarios/*.lua /usr/share/gbflow/scenarios/*.lua
    # Some systems are made without manual pages.
    grep -qs path-exclude=/usr/share/man /etc/dpkg/dpkg.cfg.d/* || zcat /usr/share/man/man1/gbflow-doctor.1.gz | grep '^gbflow doctor'
}

# play NUMBER [PACKAGE]: the line of the block on installation, with the package's file.
play()
{
    line=$(sed -n "${1}p" /tmp/install.block | sed "s|gbflow_VERSION_amd64.deb|${2-}|")
    [ -n "$line" ] || exit 1
    echo "+ $line" >&2
    sh -ec "$line"
}

says()
{
    grep -F -e "$1" || {
        echo "the page says: $1" >&2
        exit 1
    }
}

page()
{
    cd /tmp
    play 1 old.deb </dev/null
    [ ! -e /run/gbflow ]
    dpkg-query -W -f '${Conffiles}' gbflow | says /etc/gbflow/first.lua
    sh -exc "$(cat service.block)" | says 1234
    echo '-- ours' >>/etc/gbflow/first.lua
    echo '-- ours' >>/etc/gbflow/lab.lua
    echo n | play 1 new.deb >upgrade.log 2>&1
    says 'first.lua (Y/I/N/O/D/Z)' <upgrade.log
    tail -n 1 /etc/gbflow/first.lua | says '-- ours'
    tail -n 1 /etc/gbflow/lab.lua | says '-- ours'
    play 2 | says gbflow
    play 3 | says 'replaced on disk'
    play 4
    play 5
    play 3 | says current
    play 6
    [ ! -e /usr/bin/gbflow ]
    tail -n 1 /etc/gbflow/first.lua | says '-- ours'
    kill -0 "$(cat lab.pid)"
    systemctl disable --now gbflow@lab
    apt purge gbflow
    [ ! -e /etc/gbflow/first.lua ]
    rm /etc/gbflow/lab.lua /etc/systemd/system/gbflow@lab.service.d/af-packet.conf
    rm -r /run/gbflow /var/lib/gbflow
    rmdir /etc/gbflow /etc/systemd/system/gbflow@lab.service.d
}

case "$1" in
quickstart)
    cd /tmp
    export HOME=/nonexistent
    exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all \
        gbflow run $examples/scenarios/quickstart.lua --out /tmp/quickstart
    ;;
files) files ;;
page) page ;;
esac

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: package_inside.sh quickstart|files|node
#
# For package.sh, in a system where the package is installed: the quick start as nobody, whether its files are right, and
# a live node as the service gbflow@ starts it, asked what it knows, then ended.
set -eu
examples=/usr/share/doc/gbflow/examples

# with CAPABILITIES COMMAND...: becomes it, as nobody, with these alone.
with()
{
    rights=$1
    shift
    exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps="$rights" --ambient-caps="$rights" \
        --bounding-set="$rights" "$@"
}

files()
{
    gbflow doctor
    gbflow check $examples/nodes/*.lua $examples/scenarios/*.lua /usr/share/gbflow/scenarios/*.lua
    # Some systems are made without manual pages.
    grep -qs path-exclude=/usr/share/man /etc/dpkg/dpkg.cfg.d/* || zcat /usr/share/man/man1/gbflow-doctor.1.gz | grep '^usage: gbflow doctor'
}

node()
{
    export RUNTIME_DIRECTORY=/run/gbflow-test
    install -d -o nobody -g nogroup -m 0750 $RUNTIME_DIRECTORY
    with -all,+net_raw,+net_admin gbflow serve $examples/nodes/live-lab.lua &
    pid=$!
    tries=0
    until (with -all gbflow show nse) | grep 198.51.100.2; do
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] || exit 1
        kill -0 $pid
        sleep 0.1
    done
    kill -TERM $pid
    wait $pid
    rm -r $RUNTIME_DIRECTORY
}

case "$1" in
quickstart)
    cd /tmp
    export HOME=/nonexistent
    with -all gbflow run $examples/scenarios/quickstart.lua --out /tmp/quickstart
    ;;
files) files ;;
node) node ;;
esac

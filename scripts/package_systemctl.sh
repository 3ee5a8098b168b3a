#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: systemctl daemon-reload | enable --now NODE | disable --now NODE | restart NODE | reload NODE
#
# For package.sh, where no systemd runs: the commands of gbflow@.service and its drop-ins, with their capabilities, as
# nobody. NODE is gbflow@NAME. A node is started when gbflow show has its answer.
set -eu
export RUNTIME_DIRECTORY=/run/gbflow

# value KEY: the last in the unit and the node's drop-ins.
value()
{
    cat /lib/systemd/system/gbflow@.service "/etc/systemd/system/gbflow@$name.service.d/"*.conf 2>/dev/null |
        sed -n "s/^$1=//p" | tail -n 1 | sed "s/%i/$name/g"
}

# as_service COMMAND...: becomes it.
as_service()
{
    rights=-all$(value AmbientCapabilities | tr '[:upper:]' '[:lower:]' | sed 's/ *cap_/,+/g')
    exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps="$rights" --ambient-caps="$rights" \
        --bounding-set="$rights" "$@"
}

start()
{
    install -d -o nobody -g nogroup -m 0750 $RUNTIME_DIRECTORY /var/lib/gbflow
    # shellcheck disable=SC2046
    (as_service $(value ExecStartPre))
    # shellcheck disable=SC2046
    (as_service $(value ExecStart)) >"/tmp/$name.log" 2>&1 &
    echo $! >"/tmp/$name.pid"
    until gbflow show node >/dev/null 2>&1; do
        kill -0 "$(cat "/tmp/$name.pid")" || {
            cat "/tmp/$name.log" >&2
            exit 1
        }
        sleep 0.1
    done
}

stop()
{
    kill -TERM "$(cat "/tmp/$name.pid")"
    while kill -0 "$(cat "/tmp/$name.pid")" 2>/dev/null; do sleep 0.1; done
}

for last in "$@"; do name=${last#gbflow@}; done
case "$1" in
daemon-reload) ;;
enable) start ;;
disable) stop ;;
restart)
    stop
    start
    ;;
reload)
    # shellcheck disable=SC2046
    as_service $(value ExecReload)
    ;;
esac

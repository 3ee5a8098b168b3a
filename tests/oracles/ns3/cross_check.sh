#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: cross_check.sh PLAY_CELL ENVIRONMENT [ARGUMENT]...
#
# Runs cross_check.py with ns-3 3.44 or newer, which it puts into a Python environment of its own when it is not there
# yet (600 MB, some minutes). Status as cross_check.py; 77, with a reason, when it cannot be had, which is 1 where CI=true.
# ns-3's loader takes any folder "build" above it for ns-3's own; an environment below one goes to a temporary folder instead.
set -eu
program=$(realpath "$1") environment=$(realpath -m "$2") here=$(realpath "$(dirname "$0")")
shift 2

# unavailable REASON
unavailable()
{
    echo "skipped: $1"
    [ "${CI:-}" = true ] && exit 1
    exit 77
}

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
case "$environment/" in
*/build/*) environment=$temporary/ns3 ;;
esac
if [ ! -e "$environment/complete" ]; then
    python3 -m venv "$environment" || unavailable "no Python environment can be made (package python3-venv)"
    "$environment/bin/pip" install --quiet --disable-pip-version-check 'ns3>=3.44' ||
        unavailable "ns-3 cannot be installed from the Python package index"
    touch "$environment/complete"
fi
# ns-3's loader looks for its libraries below the working folder first, and takes what it finds there.
mkdir "$temporary/empty"
cd "$temporary/empty"
"$environment/bin/python" "$here/cross_check.py" "$program" "$@"

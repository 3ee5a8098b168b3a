#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/site.sh [--out DIR] [--no-links] [--serve [PORT]]
#
# Builds the site from docs/ and the pages of the root into out/site, and follows every link and anchor of it. The site needs no
# server: open out/site/index.html. MkDocs, Material and LinkChecker come from PyPI into out/site-environment, once.
#   --out DIR       folder of the site (out/site)
#   --no-links      build only; a wrong link in a page fails all the same
#   --serve [PORT]  build again at each change of a page, on 127.0.0.1 (8000)

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

environment=$root/out/site-environment
config=$root/scripts/site/mkdocs.yml
out=$root/out/site
is_checked=true
port=
server=
address=
export NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1

parse()
{
    while [ $# -gt 0 ]; do
        case "$1" in
        --out)
            [ $# -gt 1 ] || usage_error "--out needs a folder"
            mkdir -p "$2" || exit 1
            out=$(cd "$2" && pwd)
            shift
            ;;
        --no-links) is_checked=false ;;
        --serve)
            port=8000
            case "${2-}" in
            "" | -*) ;;
            *)
                if ! [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] || [ "$2" -gt 65535 ]; then usage_error "--serve: '$2' is no port, 1 to 65535"; fi
                port=$2
                shift
                ;;
            esac
            ;;
        -h | --help)
            print_help
            exit 0
            ;;
        *) usage_error "unknown argument '$1'" ;;
        esac
        shift
    done
}

# What was installed is known by the lists of packages that it was installed from.
install()
{
    local list=$root/scripts/site/requirements.txt alone=$root/scripts/site/alone.txt
    cat "$list" "$alone" | cmp -s - "$environment/installed.txt" && return
    heading "packages of the site from PyPI"
    python3 -m venv "$environment" || fail "no Python environment can be made (Debian package python3-venv)"
    pip --requirement "$list"
    pip --no-deps --requirement "$alone"
    cat "$list" "$alone" >"$environment/installed.txt"
}

pip()
{
    "$environment/bin/pip" install --quiet --disable-pip-version-check "$@" ||
        fail "PyPI's packages of ${!#} cannot be installed: no network?"
}

# The site on loopback: as root LinkChecker becomes nobody, who cannot read every folder. Sets address.
serve()
{
    local log=$out.server.txt
    "$environment/bin/python" -u -m http.server --bind 127.0.0.1 --directory "$out" 0 >"$log" 2>&1 &
    server=$!
    trap 'kill "$server" 2>/dev/null; rm -f "$out.server.txt"' EXIT
    for _ in $(seq 100); do
        address=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$log" | head -n 1)
        [ "$address" = http://127.0.0.1: ] || return 0
        sleep 0.1
    done
    fail "no server of the site: $(tail -n 1 "$log")"
}

parse "$@"
cd "$root"
install
if [ -n "$port" ]; then
    exec "$environment/bin/mkdocs" serve --config-file "$config" --dev-addr "127.0.0.1:$port"
fi
heading "pages"
# --quiet would take the warnings from --strict.
"$environment/bin/mkdocs" build --strict --config-file "$config" --site-dir "$out" >"$out.pages.txt" 2>&1 ||
    { grep -v '^INFO' "$out.pages.txt"; fail "the pages have mistakes"; }
say "$(find "$out" -name '*.html' | wc -l) pages"
if $is_checked; then
    heading "links"
    serve
    "$environment/bin/linkchecker" --config "$root/scripts/site/links.ini" --no-status --no-warnings "$address/index.html" >"$out.links.txt" 2>&1 ||
        { cat "$out.links.txt"; fail "a link leads nowhere"; }
    grep "links in" "$out.links.txt"
fi
say "$out/index.html"

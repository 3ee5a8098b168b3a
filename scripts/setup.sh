#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# usage: scripts/setup.sh [--program | --reports | --build | --test | --nightly]
#
# Installs the Debian packages that are missing, as root or through sudo; does nothing where all are there.
#   --program what building the program needs
#   --reports what the page of a run needs
#   --build   both, what comparisons over seeds need, and what building the tests and benchmarks needs (the default)
#   --test    that, and what the tests and the lint need
#   --nightly that, and what only scripts/test.sh --nightly needs: a virtual machine for scripts/nic.sh, whose kernel is not
#             installed (scripts/nic.sh fetches it); debootstrap for scripts/distribution.sh; what makes and runs
#             containers for scripts/image.sh; a cross compiler and qemu-user for scripts/arm64.sh; and Slurm, whose daemons a test starts itself

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# clang_version: of the system's package clang; the sanitizers' runtime has it in its name.
clang_version()
{
    case "$(. /etc/os-release && printf '%s' "${VERSION_CODENAME-}")" in
    trixie) echo 19 ;;
    noble) echo 18 ;;
    *) echo 14 ;;
    esac
}

# User-Mode Linux, a kernel that runs as a program, where the system has it: of the network that this machine's kernel lacks.
uml_package()
{
    [ "$(. /etc/os-release && printf '%s' "${VERSION_CODENAME-}")" = noble ] || [ "$(uname -m)" != x86_64 ] || echo user-mode-linux
}

program_packages=(gcc libc-ares-dev libc6-dev libcapstone-dev libdpdk-dev libedit-dev libipsec-mb-dev libjansson-dev liblua5.4-dev libmicrohttpd-dev libmnl-dev libngtcp2-dev
    libpcap-dev meson nettle-dev ninja-build pkg-config python3 zlib1g-dev)
# Intel's library of ciphers is for its processors.
[ "$(uname -m)" = x86_64 ] || mapfile -t program_packages < <(printf '%s\n' "${program_packages[@]}" | grep -vx libipsec-mb-dev)
# munkres: otherwise apt takes scipy for what matplotlib needs, and with it Boost, OpenBLAS and g++, 400 MB.
report_packages=(libjs-dygraphs python3-matplotlib python3-munkres)
build_packages=("${program_packages[@]}" "${report_packages[@]}" build-essential git libcmocka-dev python3-scipy python3-venv)
test_packages=(busybox-static ccache chromium chromium-driver clang clang-format clang-tidy curl debhelper dpdk-dev fish fonts-liberation graphviz iproute2 iputils-ping less "libclang-rt-$(clang_version)-dev" libosmocore-dev liblwip-dev libspandsp-dev lintian llvm
    lua-busted lua-check lua5.4 mmdebstrap osmo-ggsn osmo-hlr osmo-pcu osmo-sgsn poppler-utils prometheus python3-cryptography python3-pandas python3-pil python3-scapy python3-selenium python3-setuptools python3-wheel python3-yaml shellcheck tcptrace tmux tshark valgrind weasyprint yamllint zsh)
test_packages+=(charon-systemd libstrongswan-standard-plugins strongswan-swanctl)
mapfile -t -O "${#test_packages[@]}" test_packages < <(uml_package)
# dpdk-telemetry.py is in dpdk-dev of Debian 12, and there later.
[ "$(. /etc/os-release && printf '%s' "${VERSION_CODENAME-}")" = bookworm ] || test_packages+=(dpdk)
nightly_packages=(buildah crun debootstrap gcc-aarch64-linux-gnu munge podman qemu-system-x86 qemu-user-static slurm-wlm)

# The package that should make a pkg-config module usable: a package may be there and still not work,
# because a file of it, or of one it depends on, was taken away.
modules=(libdpdk:libdpdk-dev lua5.4:liblua5.4-dev libpcap:libpcap-dev jansson:libjansson-dev libcares:libc-ares-dev libedit:libedit-dev libngtcp2:libngtcp2-dev
    libmicrohttpd:libmicrohttpd-dev libmnl:libmnl-dev capstone:libcapstone-dev nettle:nettle-dev cmocka:libcmocka-dev zlib:zlib1g-dev)

apt_options=(-y --no-install-recommends -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold)
log=

# Prints those of the named packages that are not fully installed.
missing_of()
{
    local there
    there=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
        sed -n 's/ installed$//p' || true)
    printf '%s\n' "$@" | grep -vxF -f <(printf '%s\n' "$there") || true
}

# Prints DPDK's libraries and drivers that were taken away under the package that depends on them.
missing_of_dpdk()
{
    local parts
    mapfile -t parts < <(depends_of libdpdk-dev | grep '^librte-')
    [ "${#parts[@]}" -eq 0 ] || missing_of "${parts[@]}"
}

# Prints those of the named packages that dpkg believes in and pkg-config cannot use.
broken_of()
{
    local pair
    for pair in "${modules[@]}"; do
        [[ " $* " = *" ${pair#*:} "* ]] || continue
        pkg-config --exists "${pair%%:*}" 2>/dev/null || printf '%s\n' "${pair#*:}"
    done
}

# The names of what the named packages depend on; of alternatives the first.
depends_of()
{
    dpkg-query -W -f '${Depends}\n' "$@" 2>/dev/null | tr ',' '\n' | sed 's/^ *\([a-z0-9.+-]*\).*/\1/' || true
}

# as_root COMMAND...: without a terminal sudo must not wait for a password that nobody can type.
as_root()
{
    local path=$PATH:/usr/local/sbin:/usr/sbin:/sbin
    local environment=(env "PATH=$path" DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 LC_ALL=C)
    if [ "$(id -u)" -eq 0 ]; then
        "${environment[@]}" "$@"
    elif [ -t 2 ]; then
        sudo "${environment[@]}" "$@"
    else
        sudo -n "${environment[@]}" "$@"
    fi
}

require_root()
{
    [ "$(id -u)" -eq 0 ] && return
    command -v sudo >/dev/null ||
        fail "missing: $*. Neither root nor sudo here; as root run: apt-get install --no-install-recommends $*"
    [ -t 2 ] || sudo -n true 2>/dev/null ||
        fail "missing: $*. sudo wants a password and there is no terminal; as root run: apt-get install --no-install-recommends $*"
}

logged()
{
    as_root "$@" </dev/null >>"$log" 2>&1
}

update_lists()
{
    say "refreshing the package lists"
    logged apt-get update || say "refreshing failed, going on with the lists that are there"
}

# apt ARGUMENT...: once more after a failure, with new lists and after mending half-installed packages.
apt()
{
    logged apt-get "${apt_options[@]}" "$@" && return
    say "apt-get failed, trying once more"
    mend
    logged apt-get update || true
    logged apt-get "${apt_options[@]}" "$@" && return
    tail -n 20 "$log" >&2
    fail "apt-get $* failed; its last lines are above"
}

mend()
{
    logged dpkg --configure -a --force-confdef --force-confold || true
    logged apt-get "${apt_options[@]}" --fix-broken install || true
}

# The service that Debian starts with a package, for all addresses; tests start daemons of their own in network namespaces.
declare -A daemons=(
    [charon-systemd]=strongswan.service
)

# services PACKAGE...: of these packages, where systemd runs.
services()
{
    local package
    command -v systemctl >/dev/null || return 0
    for package in "${!daemons[@]}"; do
        [[ " $* " != *" $package "* ]] || printf '%s\n' "${daemons[$package]}"
    done
}

# without_daemon PACKAGE...: installs them, and starts none of their daemons.
without_daemon()
{
    local service masked
    mapfile -t masked < <(services "$@")
    for service in "${masked[@]}"; do logged systemctl mask "$service" || true; done
    apt install "$@"
    for service in "${masked[@]}"; do
        logged systemctl unmask "$service" || true
        logged systemctl disable "$service" || true
    done
}

install_missing()
{
    local missing
    mapfile -t missing < <(missing_of "$@" && if [[ " $* " = *" libdpdk-dev "* ]]; then missing_of_dpdk; fi)
    if [ "${#missing[@]}" -eq 0 ]; then
        say "already there: $*"
        return
    fi
    require_root "${missing[@]}"
    update_lists
    if [ -n "$(dpkg --audit 2>/dev/null)" ]; then
        say "mending half-installed packages"
        mend
    fi
    say "installing: ${missing[*]}"
    without_daemon "${missing[@]}"
    mapfile -t missing < <(missing_of "$@")
    [ "${#missing[@]}" -eq 0 ] || fail "still missing after the installation: ${missing[*]}"
}

reinstall_broken()
{
    local broken
    mapfile -t broken < <(broken_of "$@")
    [ "${#broken[@]}" -gt 0 ] || return 0
    require_root "${broken[@]}"
    update_lists
    mapfile -t broken < <(printf '%s\n' "${broken[@]}" && depends_of "${broken[@]}" | grep -e '-dev$' | sort -u)
    say "installing again, incomplete: ${broken[*]}"
    apt install --reinstall "${broken[@]}"
    mapfile -t broken < <(broken_of "$@")
    [ "${#broken[@]}" -eq 0 ] ||
        fail "pkg-config still does not find what ${broken[*]} should bring; see: pkg-config --print-errors --exists libdpdk"
}

main()
{
    local wanted=("${build_packages[@]}")
    case "${1:---build}" in
    --program) wanted=("${program_packages[@]}") ;;
    --reports) wanted=("${report_packages[@]}") ;;
    --build) ;;
    --test) wanted+=("${test_packages[@]}") ;;
    --nightly) wanted+=("${test_packages[@]}" "${nightly_packages[@]}") ;;
    -h | --help)
        print_help
        return
        ;;
    *) usage_error "unknown argument '$1'" ;;
    esac
    command -v dpkg-query >/dev/null ||
        fail "this is no Debian system; install what these packages hold: ${wanted[*]}"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    install_missing "${wanted[@]}"
    reinstall_broken "${wanted[@]}"
}

main "$@"

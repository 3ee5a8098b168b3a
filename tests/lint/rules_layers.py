# SPDX-License-Identifier: BSD-3-Clause
"""Who may include whom, and where the libraries' headers may stand (STYLE 14, 15, 17, 18)."""
import re

from text import blank_c, blank_lua
from tree import Finding

BELOW_WORKER = ("dataplane/base", "dataplane/wire", "dataplane/crypto", "dataplane/queue", "dataplane/aqm",
                "dataplane/context")
WORKER = ("dataplane/worker", "dataplane/ports", "dataplane/memory")

# What a folder may include besides itself. Folders that are not named here (tests) may include anything.
MAY_INCLUDE = {
    "dataplane/base": (),
    "dataplane/wire": ("dataplane/base",),
    "dataplane/crypto": ("dataplane/base",),
    "dataplane/queue": ("dataplane/base", "dataplane/aqm"),
    "dataplane/aqm": ("dataplane/base",),
    "dataplane/context": BELOW_WORKER,
    "dataplane/worker": BELOW_WORKER + WORKER,
    "dataplane/ports": BELOW_WORKER + WORKER,
    "dataplane/memory": BELOW_WORKER + WORKER,
    "bss": ("dataplane/base", "dataplane/wire"),
    "analyze": ("dataplane/base", "dataplane/wire"),
    "sim": BELOW_WORKER + WORKER + ("bss",),
    "control": BELOW_WORKER + WORKER + ("analyze", "bss", "sim", "lua"),
    "bench": BELOW_WORKER + WORKER + ("analyze", "bss", "sim", "control"),
}

RTE_FOLDERS = WORKER + ("dataplane/shard", "sim", "control", "bench")
LUA_FILES = re.compile(r"control/(lua_\w+\.[ch]|config_\w+\.c)$|tests/control/")
CLOCK_FILE = "control/clock.c"
CLOCK_C = re.compile(r"\b(clock_gettime|gettimeofday|timespec_get|time|clock|ftime|_?_?rdtscp?|rte_rdtsc\w*|"
                     r"rte_get_timer_cycles|rte_get_tsc_cycles)\s*\(|std::chrono")
CLOCK_LUA = re.compile(r"\bos\s*\.\s*(time|clock|date)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(source):
    for number, line in enumerate(source.lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def within(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def folder_of(path):
    """The layer that a file or a test of it belongs to; None for what is no layer."""
    parts = path.split("/")
    folder = "/".join(parts[:2]) if parts[0] == "dataplane" else parts[0]
    return folder if len(parts) > 1 else None


def layers(tree):
    for source in tree.of("c"):
        folder = folder_of(source.path)
        if source.path.startswith("dataplane/") and folder not in MAY_INCLUDE:
            yield Finding(source.path, 1, f"{folder} is no layer that this lint knows")
        if folder not in MAY_INCLUDE:
            continue
        for number, quote, path in includes(source):
            if quote == '"' and "/" in path and not within(path, MAY_INCLUDE[folder] + (folder,)):
                yield Finding(source.path, number, f"{folder} must not include {path}")


def include_paths(tree):
    for source in tree.of("c"):
        for number, quote, path in includes(source):
            if quote == '"' and ("/" not in path or "../" in path or path.startswith("./")):
                yield Finding(source.path, number, f"include by path from the root, not {path}")


def dpdk_headers(tree):
    for source in tree.of("c"):
        if within(source.path.removeprefix("tests/"), RTE_FOLDERS):
            continue
        for number, _, path in includes(source):
            if path.rsplit("/", 1)[-1].startswith("rte_"):
                yield Finding(source.path, number, f"{path} outside of worker, ports, memory, sim, control and bench")


def lua_headers(tree):
    for source in tree.of("c"):
        for number, _, path in includes(source):
            if path.rsplit("/", 1)[-1] in ("lua.h", "lauxlib.h", "lualib.h", "lua.hpp") and \
                    not LUA_FILES.match(source.path):
                yield Finding(source.path, number, f"{path} outside of the Lua binding files")


def ipsec_mb_header(tree):
    places = [(source.path, number) for source in tree.of("c") for number, _, path in includes(source)
              if path.rsplit("/", 1)[-1] in ("intel-ipsec-mb.h", "ipsec-mb.h")]
    for path, number in places:
        if path != places[0][0]:
            yield Finding(path, number, f"only one file includes intel-ipsec-mb.h, and {places[0][0]} does")


def clock_reads(tree):
    for source in tree.of("c", "lua"):
        if source.path == CLOCK_FILE:
            continue
        pattern, blanked = (CLOCK_C, blank_c) if source.language == "c" else (CLOCK_LUA, blank_lua)
        for number, line in enumerate(blanked(source.text).splitlines(), 1):
            match = pattern.search(line)
            if match:
                yield Finding(source.path, number, f"reads a clock ({match.group(0)}), which only {CLOCK_FILE} does")

# SPDX-License-Identifier: BSD-3-Clause
"""Which file may include which, and where the libraries' headers may stand (STYLE 14, 15, 17, 18)."""
import posixpath
import re

from tree import Finding

# The floor of each folder; files of a folder include others of lower floors only. Tests have none and may include anything.
FLOORS = {
    "dataplane/base": 1, "dataplane/ports": 1, "lua": 1, "bench/account": 1,
    "dataplane/wire": 2, "bench/statistics": 2, "dataplane/crypto": 2, "dataplane/aqm": 2, "dataplane/queue": 2, "dataplane/memory": 2,
    "control/base": 2,
    "dataplane/sched": 3, "dataplane/pacing": 3, "dataplane/abm": 3, "dataplane/esp": 3, "dataplane/compression": 3, "control/log": 3, "control/lua": 3, "capture": 3, "bss": 3, "app/doctor": 3, "app/console": 3,
    "dataplane/context": 4, "analyze": 4, "control/esp_config": 4,
    "app/analyze": 5, "dataplane/worker": 5, "control/config": 5,
    "sim": 6, "control/core": 6, "dataplane/esp_guard": 6,
    "control/sessions": 7,
    "control/report": 8, "control/links": 8, "bench/throughput": 8, "app/virtual": 8,
    "control/show": 9, "control/esp": 9, "bench/esp": 9, "app/run": 9, "app/replay": 9, "app/aqm": 9, "bench/micro": 9, "bench/fitness": 9,
    "control/live": 10, "app/esp": 10, "app/emulate": 10, "app/sweep": 10,
    "bench/live": 11, "app": 11,
}

# Folders that include less than their floor lets them: what they are about needs no more.
ONLY = {
    "dataplane/sched": ("dataplane/base", "dataplane/aqm", "dataplane/queue"),
    "dataplane/abm": ("dataplane/base", "dataplane/wire"),
    "dataplane/compression": ("dataplane/base", "dataplane/wire"),
    "bss": ("dataplane/base", "dataplane/wire"),
    "capture": ("dataplane/base", "dataplane/wire"),
    "analyze": ("dataplane/base", "dataplane/wire", "dataplane/compression", "capture"),
}

# Folders that know nothing of the control plane, its lowest floors included.
BELOW_CONTROL = ("dataplane", "capture", "bss", "sim", "analyze")

# Folders that DPDK's headers may be included in, and their tests.
RTE_FOLDERS = ("dataplane/worker", "dataplane/ports", "dataplane/memory", "dataplane/esp", "dataplane/esp_guard", "dataplane/shard", "sim", "app", "bench",
               "control/base", "control/core", "control/esp", "control/links", "control/sessions", "control/report", "control/show", "control/live")
RTE_TESTS = ("tests/oracles/cipher", "tests/fuzz", "tests/system/live")
LUA_FILES = re.compile(r"(control|app)/\w+/lua_\w+\.[ch]$|tests/unit/control/|tests/fuzz/(config|lua_wire|set)_fuzz\.c$")
CLOCK_FILE = "control/base/clock.c"
CLOCK_SHIFT = "tests/system/faults/clock.c"  # that it is preloaded in front of libc is its purpose
CLOCK_C = re.compile(r"\b(clock_gettime|gettimeofday|timespec_get|time|clock|ftime|_?_?rdtscp?|rte_rdtsc\w*|"
                     r"rte_get_timer_cycles|rte_get_tsc_cycles)\s*\(|std::chrono")
CLOCK_LUA = re.compile(r"\bos\s*\.\s*(time|clock|date)\b")
ENDS = re.compile(r"\b(_?exit|_Exit|quick_exit|abort|rte_panic|rte_exit)\s*\(")
# None of these ends a running node. report.c, reader.c, xfrm.c: the end of a process of their own, which they have forked. totals.c: figures
# of a run or a replay. lua_guard.c: a configuration is read without a guard, at the start; a reload has one. lua_budget.c: a text
# that does not end, at the start alone (lua_budget_spare()).
ENDS_AT_START = ("control/base/report.c", "control/report/totals.c", "control/config/lua_budget.c", "control/config/reader.c", "control/esp/xfrm.c",
    "control/lua/lua_guard.c", "control/lua/lua_host.c")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# A directive that INCLUDE does not read: of a macro, behind a comment, over two lines.
ODD_INCLUDE = re.compile(r'^\s*(?:/\*.*?\*/\s*)*#\s*include\b(?!\s*[<"][^>"]+[>"])|^\s*(?:/\*.*?\*/\s*)+#\s*include\b')
# Files of C that are included and compiled nowhere by themselves.
TABLES = (".def", ".inc")


# Headers of the parts of something, by the words of their first comment.
PARTS_FILES = re.compile(r"\b(\w+?)_?\*\.c files only\b")
PARTS_FOLDER = "files of this folder alone"
# Parts that are measured one by one, and by whom.
PARTS_MEASURED = {"dataplane/worker/gb_tx.h": ("bench/micro", "bench/throughput")}


def includes(source):
    for number, line in enumerate(source.lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def within(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def folder_of(path):
    """The folder with a floor that a file lies in: the longest one named above; None for files that have none."""
    parts = path.split("/")[:-1]
    folders = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((folder for folder in folders if folder in FLOORS), None)


def has_floors(path):
    """Whether the folder of a file must have a floor: all but the root and tests."""
    return not path.startswith("tests/") and "/" in path


def sources_of(tree):
    """What the rules for include lines read: C, and the tables that C includes."""
    return [source for source in tree.sources if source.language == "c" or source.path.endswith(TABLES)]


def layers(tree):
    for source in sources_of(tree):
        folder = folder_of(source.path)
        if has_floors(source.path) and folder != source.path.rsplit("/", 1)[0]:
            yield Finding(source.path, 1, f"{source.path.rsplit('/', 1)[0]} has no floor in tests/lint/rules_layers.py")
        if folder:
            yield from upward(source, folder)


def may_include(folder, other):
    if FLOORS.get(other, 99) >= FLOORS[folder] or other not in ONLY.get(folder, (other,)):
        return False
    return not (within(folder, BELOW_CONTROL) and within(other, ("control",)))


def is_fragment(folder, path):
    """Whether a file is included for its rows: a table has those of folders of any floor. The packet path has none of control."""
    return path.endswith(".def") and not (within(folder, BELOW_CONTROL) and within(path, ("control",)))


def upward(source, folder):
    for number, quote, path in includes(source):
        if is_fragment(folder, path):
            continue
        other = folder_of(path)
        is_ours = quote == '"' and "/" in path or other is not None
        if is_ours and other != folder and not may_include(folder, other):
            yield Finding(source.path, number, f"{folder} must not include {path}")


def include_paths(tree):
    for source in sources_of(tree):
        for number, quote, path in includes(source):
            is_ours = quote == '"' or folder_of(path) is not None
            if is_ours and (quote == "<" or "/" not in path or path != posixpath.normpath(path) or path.startswith("../")):
                yield Finding(source.path, number, f"include by path from the root in quotes, not {path}")
        for number, line in enumerate(source.lines, 1):
            if ODD_INCLUDE.match(line):
                yield Finding(source.path, number, "include a file by its name, on a line of its own")


def parts_of(source):
    """What the names of files begin with that a header is for: "" any of its folder; None: it is for all files."""
    head = re.search(r"/\*(.*?)\*/", source.text.partition("\n")[2], re.DOTALL)
    words = " ".join(re.sub(r"^\s*\*", "", line).strip() for line in head.group(1).split("\n")) if head else ""
    match = PARTS_FILES.search(words)
    return (match.group(1) or "") if match else "" if PARTS_FOLDER in words else None


def is_part(path, header, stem):
    folder, _, name = path.rpartition("/")
    home = header.rpartition("/")[0]
    if folder == home:
        return stem == "" or re.match(re.escape(stem) + r"[_.]", name) is not None
    return within(path, ("tests/unit/" + home, *PARTS_MEASURED.get(header, ())))


def parts_headers(tree):
    stems = {source.path: parts_of(source) for source in tree.of("c") if source.path.endswith(".h")}
    for source in tree.of("c"):
        for number, _, path in includes(source):
            if stems.get(path) is not None and not is_part(source.path, path, stems[path]):
                whom = f"{stems[path]}*" if stems[path] else "the files"
                yield Finding(source.path, number, f"{path} is for {whom} of its folder and their tests")


def dpdk_headers(tree):
    for source in tree.of("c"):
        if within(source.path.removeprefix("tests/unit/"), RTE_FOLDERS) or within(source.path, RTE_TESTS):
            continue
        for number, _, path in includes(source):
            if path.rsplit("/", 1)[-1].startswith("rte_"):
                yield Finding(source.path, number, f"{path} in a folder that links without DPDK")


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


def ends(tree):
    """No file of control ends the program once the node runs."""
    for source in tree.of("c"):
        if not source.path.startswith("control/") or source.path in ENDS_AT_START:
            continue
        for number, line in enumerate(source.blanked.splitlines(), 1):
            match = ENDS.search(line)
            if match:
                yield Finding(source.path, number, f"ends the program ({match.group(0)}): refuse and count instead")


def clock_reads(tree):
    for source in tree.of("c", "lua"):
        if source.path in (CLOCK_FILE, CLOCK_SHIFT):
            continue
        pattern = CLOCK_C if source.language == "c" else CLOCK_LUA
        for match in pattern.finditer(source.blanked):
            number = source.blanked.count("\n", 0, match.start()) + 1
            yield Finding(source.path, number, f"reads a clock ({match.group(0)}), which only {CLOCK_FILE} does")

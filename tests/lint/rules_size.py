# SPDX-License-Identifier: BSD-3-Clause
"""How long and how wide things may be, and how they are named (STYLE 2-4, 13)."""
import ast
import re
from collections import defaultdict
from statistics import median

from functions import functions_of
from tree import Finding

FUNCTION_LINES = 60
MEDIAN_LINES = 15
PARAMS = 5
SOURCE_LINES = 600
HEADER_LINES = 450
SPDX = "SPDX-License-Identifier: BSD-3-Clause"

# Names that others prescribe: the C runtime, Lua's loader, libFuzzer.
FOREIGN_NAMES = re.compile(r"main$|luaopen_\w+$|LLVMFuzzer\w+$|(m|c|re)alloc$")


def function_lines(tree):
    for source in tree.of("py"):
        try:
            ast.parse(source.text)
        except SyntaxError as fault:
            yield Finding(source.path, fault.lineno or 1, f"is no Python: {fault.msg}")
    for source in tree.of("c", "lua", "py"):
        for function in functions_of(source):
            if function.lines > FUNCTION_LINES:
                yield Finding(source.path, function.line,
                              f"{function.name} has {function.lines} lines, at most {FUNCTION_LINES}")


def function_params(tree):
    for source in tree.of("c", "lua", "py"):
        for function in functions_of(source):
            count = len(function.counted_params)
            if count > PARAMS:
                yield Finding(source.path, function.line,
                              f"{function.name} has {count} parameters besides now, at most {PARAMS}")


def function_median(tree):
    """The median by language, of the product and of its tests apart, so that neither hides the other."""
    for language in ("c", "lua", "py"):
        for part, is_test in (("product", False), ("tests", True)):
            lines = [function.lines for source in tree.of(language)
                     if source.path.startswith("tests/") == is_test for function in functions_of(source)]
            if not lines:
                continue
            print(f"{language} {part}: {len(lines)} functions, median {median(lines):g}, longest {max(lines)}")
            if median(lines) > MEDIAN_LINES:
                yield Finding(part, 0, f"median {language} function has {median(lines):g} lines, at most {MEDIAN_LINES}")


def file_lines(tree):
    for source in tree.of("c", "lua", "py", "sh"):
        limit = HEADER_LINES if source.path.endswith((".h", ".hpp")) else SOURCE_LINES
        if len(source.lines) > limit:
            yield Finding(source.path, len(source.lines), f"{len(source.lines)} lines, at most {limit}")


def function_prefix(tree):
    """pick.c of sched/ defines pick_*() or its folder's sched_*(); bssgp_unitdata.c may also use its parent noun, bssgp_*(). A module
    of several nouns (ipv4.c: ipv4, udp, icmp) may use each that no other module of its folder uses. The functions of a header without
    a .c file (msg.h) may stand in one .c file of its folder."""
    homes, unfit = defaultdict(set), []
    modules = {source.path[:-2] for source in tree.of("c") if source.path.endswith(".c")}
    for source in tree.of("c"):
        if source.path.endswith((".c", ".h")):
            for function in visible_functions(source):
                for noun in nouns_of(function.name) if source.path.rpartition(".")[0] in modules else ():
                    homes[source.path.rpartition("/")[0], noun].add(source.path.rpartition(".")[0])
                if not function.name.startswith(prefixes_of(source)) and function.name != source.stem:
                    unfit.append((source.path, function.line, function.name))
    for path, line, name in unfit:
        if not any(homes[path.rpartition("/")[0], noun] == {path.rpartition(".")[0]} for noun in nouns_of(name)):
            yield Finding(path, line, f"{name} begins with neither its file's nor its folder's noun, nor with one that is this file's alone")


def nouns_of(name):
    words = name.split("_")
    return ["_".join(words[:count]) for count in range(1, len(words))]


def prefixes_of(source):
    words = source.stem.split("_")
    return tuple([folder + "_" for folder in source.path.split("/")[:-1]] + ["_".join(words[:count]) + "_" for count in range(1, len(words) + 1)])


def visible_functions(source):
    """The functions that other files may call."""
    for function in functions_of(source):
        if (function.public or source.path.endswith(".h")) and not FOREIGN_NAMES.match(function.name):
            yield function


def spdx(tree):
    for source in tree.sources:
        if not source.language and source.name not in ("meson.build", "meson_options.txt", "Dockerfile") \
                and not source.name.endswith(".def"):
            continue
        index = 1 if source.text.startswith("#!") else 0
        if SPDX not in (source.lines + ["", ""])[index]:
            yield Finding(source.path, index + 1, f"must be: {SPDX}")

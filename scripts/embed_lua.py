#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turns Lua files into one C file and its header, so that the program carries its own control plane.

usage: embed_lua.py OUT.c OUT.h RUN FOLDER/FILE.lua...

RUN: control/lua/lua_run.c as a program; -: none, the C file then has no bytecode.
"""

import pathlib
import subprocess
import sys

HEADER = """\
/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated from lua/: the Lua modules, by the name that `require` takes. */
#ifndef LUA_EMBEDDED_H
#define LUA_EMBEDDED_H

#include <stddef.h>

struct lua_embedded_module {
    const char *name; /* "base.units" for lua/base/units.lua */
    const char *text; /* source, also NUL-terminated */
    size_t octets;    /* of text, without the NUL */
    const char *code; /* its bytecode, code_octets long, for the Lua of the build; NULL: none */
    size_t code_octets;
};

extern const struct lua_embedded_module lua_embedded_modules[];
extern const size_t lua_embedded_count;

#endif
"""

ESCAPES = {0x22: '\\"', 0x5C: "\\\\", 0x0A: "\\n", 0x09: "\\t"}


CODE_STEP = 64  # octets of bytecode on a line


def literal(line):
    """One line of octets as a C string literal; octal escapes have three digits,
    so they never run into what follows."""
    octets = (ESCAPES.get(o) or (chr(o) if 0x20 <= o < 0x7F and o != 0x3F else f"\\{o:03o}") for o in line)
    return '    "' + "".join(octets) + '"'


def name(path):
    """What `require` calls it: base.units for lua/base/units.lua."""
    return f"{path.parent.name}.{path.stem}"


def module(path):
    lines = path.read_bytes().splitlines(keepends=True) or [b""]
    body = "\n".join(literal(line) for line in lines)
    return f"static const char text_{path.parent.name}_{path.stem}[] =\n{body};\n"


def bytecode(run, path):
    place, program = f"@lua/{path.parent.name}/{path.name}", pathlib.Path(__file__).with_name("lua_build.lua")
    code = subprocess.run([run, program, "code", path, place], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          check=True).stdout
    body = "\n".join(literal(code[at:at + CODE_STEP]) for at in range(0, len(code), CODE_STEP))
    return f"static const char code_{path.parent.name}_{path.stem}[] =\n{body};\n"


def row(path, has_code):
    text, code = (f"{kind}_{path.parent.name}_{path.stem}" for kind in ("text", "code"))
    rest = f"{code}, sizeof({code}) - 1" if has_code else "NULL, 0"
    return f'    {{"{name(path)}", {text}, sizeof({text}) - 1, {rest}}},'


def source(paths, header_name, run):
    parts = ["/* SPDX-License-Identifier: BSD-3-Clause */", f'#include "lua/{header_name}"', ""]
    parts += [module(path) for path in paths]
    parts += [bytecode(run, path) for path in paths if run != "-"]
    parts += ["const struct lua_embedded_module lua_embedded_modules[] = {"]
    parts += [row(path, run != "-") for path in paths]
    parts += ["};", "",
              "const size_t lua_embedded_count = sizeof(lua_embedded_modules) / sizeof(lua_embedded_modules[0]);", ""]
    return "\n".join(parts)


def main(argv):
    if len(argv) < 5:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    out_c, out_h = pathlib.Path(argv[1]), pathlib.Path(argv[2])
    paths = [pathlib.Path(name) for name in argv[4:]]
    for path in paths:
        if path.suffix != ".lua" or not path.stem.isidentifier() or not path.parent.name.isidentifier():
            print(f"embed_lua.py: {path}: a module's file is called FOLDER/NAME.lua", file=sys.stderr)
            return 2
    out_c.write_text(source(paths, out_h.name, argv[3]))
    out_h.write_text(HEADER)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

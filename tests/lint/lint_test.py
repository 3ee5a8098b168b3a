#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The lint must find what it looks for: each row plants one violation in a tree of its own."""
import contextlib
import io
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import capability_rows
import claim_rows
import docker_rows
import lint
import message_rows
import prose
import rules_folders
import rules_instants
import rules_prose
import site_rows
import step_picture
import workflow_rows
from calls import Calls
from functions import functions_of
from tree import Source, Tree

C = "/* SPDX-License-Identifier: BSD-3-Clause */\n"
LUA = "-- SPDX-License-Identifier: BSD-3-Clause\n"
PY = "# SPDX-License-Identifier: BSD-3-Clause\n"
SH = "#!/bin/sh\n# SPDX-License-Identifier: BSD-3-Clause\n"


def c_function(name, lines, params="void"):
    """A function of so many lines, signature and braces included."""
    return f"int {name}({params})\n{{\n" + "    ;\n" * (lines - 4) + "    return 0;\n}\n"


def lua_function(lines, params=""):
    return f"local function f({params})\n" + "   g()\n" * (lines - 2) + "end\nreturn f\n"


def include(path):
    return C + f'#include "{path}"\n'


# What a header's first comment says of the files that it is for.
FOLDER = "/* State of a BSS, for the files of this\n   folder alone. */\n"
FILES = "/*\n * Congestion. Of use to the\n * tcp_*.c files only.\n */\n"

# Heads in which nothing may be found.
HEADED = {
    "dataplane/queue/burst_size.h": C + "#ifndef A\n#define A\n\n// Sizes of bursts; x.c and\n// `burst_size.h` have them.\n#include <x.h>\n",
    "dataplane/queue/burst_size.c": include("dataplane/queue/burst_size.h") + "/* For the files of this folder alone. */\n",
    "dataplane/queue/sizes.c": C + "/* The size of a burst. */\n",
    "dataplane/queue/gn_rx.c": C + "\n/* Receives on the network. */\n",
    "dataplane/queue/bucket.def": C + "/* Rows of buckets. */\nROW(a)\n",
    "app/main.c": C + "/* Where the program begins. */\n",
    "sim/tcp_cwnd.h": C + FILES,
    "lua/burst.lua": "#!/usr/bin/lua\n" + LUA + "-- Bursts.\nreturn {}\n",
    "scripts/burst.py": PY + '"""Bursts.\n\nusage: burst.py FILE   of burst.py\n       burst.py FILE\n"""\n',
    "config/a.lua": LUA + "return {}\n",
    "tests/a.c": C,
}

WALK, END_OF_WALK = "<!-- walk: files -->\n| Step | Function | File |\n| --- | --- | --- |\n", "<!-- end of walk -->\n"
# What walks lead through: a_run() -> b_run(); c_run() is called by nothing.
WALKED = {
    "bss/a.c": C + "void a_run(void)\n{\n    b_run();\n}\n", "bss/b.c": C + "void b_run(void)\n{\n}\n", "bss/c.c": C + "void c_run(void)\n{\n}\n",
    "lua/z.lua": LUA + "local y = require \"y\"\nlocal z = {}\nfunction z.run()\n  y.go()\n  self:step()\nend\nfunction z.stop()\nend\n"
                       "function z:step()\nend\nreturn z\n",
    "lua/y.lua": LUA + "local y = {}\nfunction y.go()\nend\nreturn y\n",
}
WALKS = [
    "| a | `a_run()` | `bss/a.c` |\n| b | `b_run()` | `bss/b.c` |\n",
    "| a | `a_run()`, `b_run()` | `bss/a.c`, `bss/b.c` |\n| over a ring | `c_run()` | `bss/c.c` |\n",
    "| a | `a_run()` | `bss/a.c` |\n| in Lua | `z.run()` | `lua/z.lua` |\n| b | `y.go()`, `z:step()` | `lua/y.lua`, `lua/z.lua` |\n",
]

DROPS = C + '/* Reasons of a drop. */\nDROP_FRAME(AA, "aa")\nDROP_NPDU(BB, "bb")\nDROP_HANDLED(CC, "cc")\n'
# Nothing here may be found by any rule: each line is something that a careless pattern would trip over.
CLEAN = {
    "dataplane/queue/bucket.c": C + '#include "dataplane/base/bytes.h"\n#include <string.h>\n\n'
                                + c_function("bucket_longest", 60, "int a, int b, int c, int d, int e, int64_t now")
                                + "\n" + c_function("bucket_init", 5) + "\n" + c_function("bucket_fini", 6)
                                + "\n/* time(NULL) and clock() in a comment */\n"
                                + 'static const char *text = "time(";\nint bucket_time;\n',
    "dataplane/wire/bssgp.c": C + c_function("bssgp_ack", 5),
    "control/base/clock.c": C + "int64_t clock_now(void)\n{\n    return clock_gettime();\n}\n",
    "control/lua/lua_host.c": C + "#include <lua.h>\n\nint luaopen_x(void *state)\n{\n"
                              "    return !state;\n}\n",
    "tests/unit/dataplane/worker/worker_test.c": C + "#include <rte_eal.h>\n" + '#include "control/base/clock.h"\n\n'
                                            + c_function("main", 5),
    "dataplane/base/drop.def": DROPS,
    "dataplane/worker/step.c": C + "/* Steps. Exits: DROP_AA, DROP_BB, DROP_CC. */\nint step = DROP_CC + DROP_BB + DROP_AA + DROP_NONE;\n",
    "dataplane/worker/few.c": C + "int few = DROP_AA;\n",
    "lua/a.lua": LUA + lua_function(60, "a, b, c, d, e, now"),
    "lua/b.lua": LUA + "local M = {}\nfunction M.f(x)\n    if x then\n        return os\n    end\n"
                       "    -- os.time()\nend\nfunction M.g()\nend\nreturn M\n",
    "docs/c.md": "`x.c`, NAME.c, lua/KIND/schema.lua, bss/*.c, audit.c of the tests, bucket.c, `bucket_init()`, M.f(), dpdk-devbind.py, a.b.c\n",
    "scripts/a.py": PY + "def f(a, b, c, d, e, now):\n    return a\n",
    "scripts/a.sh": SH + "echo hello\n",
    "docker/Dockerfile": docker_rows.DOCKERFILE,
    **message_rows.CLEAN,
    **claim_rows.CLEAN,
    "docker/compose.yaml": docker_rows.COMPOSE,
    ".github/workflows/gate.yml": workflow_rows.WORKFLOW,
    ".github/ISSUE_TEMPLATE/bug.yml": workflow_rows.FORM,
    ".yamllint": "extends: default\nrules: {document-start: disable, line-length: {max: 140}, braces: {max-spaces-inside: 1}}\n",
    "scripts/try.sh": workflow_rows.SCRIPT,
    "dataplane/sched/tree.h": C + "/* The tree, for the files of this folder alone. */\n",
    "dataplane/sched/sched.c": include("dataplane/sched/tree.h"),
    "dataplane/sched/sched_share.h": include("dataplane/sched/tree.h"),
    "tests/unit/dataplane/sched/audit.c": include("dataplane/sched/tree.h"),
    "bss/model.h": C + FOLDER,
    "bss/radio.c": include("bss/model.h"),
    "sim/tcp_cwnd.h": C + FILES,
    "sim/tcp.c": include("sim/tcp_cwnd.h"),
    "dataplane/worker/gb_tx.h": C + "/* Functions for the gb_*.c files only. */\n",
    "bench/micro/a.cc": include("dataplane/worker/gb_tx.h"),
    "README.md": "[a](docs/a.md#what-b-is), [c](http://example.org), `bucket_init()`, M.g(), lua/a.lua, bucket.c, scripts/, "
                 "build/gbflow, NAME.c, docs/*.md.\n\n    " + 70 * "x" + "\n\n" + 80 * "x" + "\n",
    "docs/decisions/a.md": "| drop | `bucket_longest()`, `bssgp_ack()` | `dataplane/queue/bucket.c`, `dataplane/wire/bssgp.c` |\n| f | `M.f()` | `lua/b.lua` |\n",
    "docs/decisions/README.md": "[a](a.md)\n",
    "docs/glossary.md": "| Word | Means |\n| --- | --- |\n| tap | x |\n| walk | x |\n\n| Word | Means |\n| --- | --- |\n"
                        "| away | x |\n| far | x |\n",
    "docs/a.md": "# A\n## What `b` is\nsee http://example.org/workshop and build/workers/root, ~/w" "ork/x\n",
    "docs/b.md": "# What this is\n\nThe user is `nobody`. What is that? There are none.\n\n    It goes on here\n\n"
                 "```\nwide open\n```\n[x](http://example.org/goes-on/anew) It is no more than 3. <!-- nobody -->\n",
    "control/core/strings.c": C + 'static const char *field = "strangers"; /* of gi_stranger; it goes */ int on;\n',
    "tests/unit/dataplane/worker/prose.c": C + "/* What nobody reads goes on. */\n",
}



class Given:
    """Sources of CLEAN, as a tree has them."""

    def of(self, *languages):
        sources = (Source(path, text) for path, text in CLEAN.items())
        return [source for source in sources if source.language in languages]


GRAPH = rules_folders.graph_of(Given())
PICTURE = rules_folders.page_with(rules_folders.BEGIN + rules_folders.END, GRAPH)
CLEAN |= {rules_folders.PAGE: PICTURE, rules_folders.DRAWING: rules_folders.drawing_of(GRAPH)}

# rule, path, text
PLANTED = [
    ("function-lines", "control/core/a.c", C + c_function("a_long", 61)),
    ("function-lines", "control/core/a.h", C + "static inline " + c_function("a_long", 61)),
    ("function-lines", "lua/z.lua", LUA + lua_function(61)),
    ("function-lines", "scripts/z.py", PY + "def f():\n" + "    f()\n" * 60),
    ("function-params", "control/core/a.c", C + c_function("a_wide", 5, "int a, int b, int c, int d, int e, int f")),
    ("function-params", "control/core/a.c",
     C + c_function("a_wide", 5, "int a, int b,\n    int c, int d,\n    int (*e)(int, int), const uint8_t f[4]")),
    ("function-params", "lua/z.lua", LUA + lua_function(3, "a, b, c, d, e, f")),
    ("function-params", "scripts/z.py", PY + "def f(a, b, c, *d, e, **f):\n    pass\n"),
    ("function-median", "dataplane/queue/a.c", C + "\n".join(c_function(f"a_{i}", 16) for i in range(9))),
    ("function-median", "tests/a.c", C + "\n".join(c_function(f"a_{i}", 16) for i in range(9))),
    ("function-median", "lua/z.lua", LUA + "\n".join(lua_function(16) for i in range(9))),
    ("function-prefix", "control/core/a.c", C + c_function("other_init", 5)),
    ("function-prefix", "control/core/a.c", C + c_function("ab", 5)),
    ("function-prefix", "control/core/a.h", C + "static inline " + c_function("other_init", 5)),
    ("file-lines", "control/core/a.c", C + "\n" * 600),
    ("file-lines", "control/core/a.h", C + "\n" * 450),
    ("file-lines", "lua/z.lua", LUA + "\n" * 600),
    ("file-lines", "scripts/z.sh", SH + "\n" * 599),
    ("modules", "control/core/a.c", C + c_function("b_get", 5)),
    ("spdx", "control/core/a.c", "\n" + C),
    ("spdx", "lua/z.lua", "return {}\n"),
    ("spdx", "scripts/z", "#!/bin/sh\necho\n" + PY),
    ("spdx", "bss/meson.build", "# build\n"),
    ("spdx", "control/core/a.def", "ROW(a)\n"),
    ("layers", "dataplane/base/a.c", include("dataplane/wire/llc.h")),
    ("layers", "dataplane/wire/a.c", include("dataplane/queue/bucket.h")),
    ("layers", "dataplane/crypto/a.c", include("dataplane/wire/llc.h")),
    ("layers", "dataplane/aqm/a.c", include("dataplane/queue/bucket.h")),
    ("layers", "dataplane/queue/a.c", include("dataplane/wire/llc.h")),
    ("layers", "dataplane/queue/a.c", include("dataplane/aqm/aqm.h")),
    ("layers", "dataplane/sched/a.c", include("dataplane/wire/llc.h")),
    ("layers", "dataplane/queue/a.h", include("dataplane/context/ms.h")),
    ("layers", "dataplane/context/a.c", include("dataplane/worker/worker.h")),
    ("layers", "dataplane/worker/a.c", include("control/base/clock.h")),
    ("layers", "dataplane/ports/a.c", include("bss/bss.h")),
    ("layers", "bss/a.c", include("dataplane/queue/bucket.h")),
    ("layers", "sim/a.c", include("control/base/clock.h")),
    ("layers", "capture/a.c", include("control/base/clock.h")),
    ("layers", "capture/a.c", include("sim/loop.h")),
    ("layers", "dataplane/worker/a.c", include("sim/loop.h")),
    ("layers", "bench/micro/a.cc", include("tests/data/vectors/vectors.h")),
    ("layers", "control/core/a.c", include("tests/data/vectors/vectors.h")),
    ("layers", "dataplane/new/a.c", C),
    ("layers", "new/a.c", C),
    ("layers", "dataplane/wire/a.def", include("dataplane/worker/worker.h")),
    ("layers", "dataplane/wire/a.c", C + "#include <dataplane/worker/worker.h>\n"),
    ("folders", "ARCHITECTURE.md", "without a picture\n"),
    ("folders", "ARCHITECTURE.md", PICTURE.replace("dataplane/base", "dataplane/wire", 1)),
    ("folders", "docs/folders.svg", "<svg></svg>\n"),
    ("include-paths", "control/core/a.c", include("clock.h")),
    ("include-paths", "control/core/a.c", include("../control/base/clock.h")),
    ("include-paths", "control/core/a.c", include("control/./base/clock.h")),
    ("include-paths", "control/core/a.c", include("control//base/clock.h")),
    ("include-paths", "control/core/a.c", C + "#include <control/base/clock.h>\n"),
    ("include-paths", "control/core/a.c", C + "#include CLOCK\n"),
    ("include-paths", "control/core/a.c", C + "#include \\\n    \"control/base/clock.h\"\n"),
    ("include-paths", "control/core/a.c", C + '/* see */ #include "control/base/clock.h"\n'),
    ("heads", "dataplane/context/a.c", C + "#include <stdio.h>\n/* a */\n"),
    ("heads", "dataplane/context/a.c", C + "/* --- the first part of a --- */\n"),
    ("heads", "dataplane/context/alarm.h", C + "/*\n * Bells. */\n"),
    ("heads", "dataplane/context/alarm.h", C + "#ifndef A\n#define A\n// Alarms; alarm.h\n// has them all.\n"),
    ("heads", "dataplane/context/alarm.def", C + "ROW(a)\n"),
    ("heads", "dataplane/context/alarm.h", C + "/* Alarms. */\nint a;\n/* Bells. For the alarm_*.c\n * files only. */\n"),
    ("heads", "lua/alarm.lua", LUA + "return {}\n"),
    ("heads", "scripts/alarm.py", PY + "# An alarm.\n"),
    ("heads", "scripts/alarm.py", PY + '"""An alarm, as alarm.py has it."""\n'),
    ("heads", "scripts/alarm.sh", SH + "echo\n"),
    ("exits", "dataplane/worker/a.c", C + "/* A. Exits: DROP_AA, DROP_CC. */\nint a = DROP_AA + DROP_BB;\n"),
    ("exits", "dataplane/worker/a.c", C + "/* A. Exits: DROP_BB, DROP_AA. */\nint a = DROP_AA + DROP_BB;\n"),
    ("exits", "dataplane/worker/a.c", C + "int a = DROP_AA + DROP_BB + DROP_CC;\n"),
    ("walks", "ARCHITECTURE.md", WALK + "| a | `a_run()` | `bss/a.c` |\n| b | `c_run()` | `bss/c.c` |\n" + END_OF_WALK),
    ("walks", "ARCHITECTURE.md", WALK + "| a | `a_run()` | `bss/c.c` |\n" + END_OF_WALK),
    ("walks", "ARCHITECTURE.md", WALK + "| a | `a_run()`, `gone_run()` | `bss/a.c` |\n" + END_OF_WALK),
    ("walks", "ARCHITECTURE.md", WALK + "| a | `z.run()` | `lua/z.lua` |\n| b | `z.stop()` | `lua/z.lua` |\n" + END_OF_WALK),
    ("walks", "ARCHITECTURE.md", WALK + "| a | `a_run()` | `bss/a.c` |\n"),
    ("walks", "ARCHITECTURE.md", WALK + "| a | `a_run()` | `bss/a.c` | more |\n" + END_OF_WALK),
    ("heads", "dataplane/context/alarm.h", C + "/* Alarms. */\nint a;\n/* Bells. For these files only: a. */\n"),
    ("function-lines", "scripts/alarm.py", PY + "def (\n"),
    ("names", "docs/z.md", "The counter of `gone.c`.\n"),
    ("names", "docs/z.md", "See bss/gone.c\n"),
    ("names", "docs/z.md", "Classes share (`audit.c`).\n"),
    ("names", "docs/z.md", "Then `gone_count()` runs.\n"),
    ("names", "docs/z.md", "```gdb\nbreak gone_count if now > 0\n```\n"),
    ("names", "bss/z.c", C + "/* Z, as gone.h has it. */\n"),
    ("names", "bss/z.c", C + "/* Z, until gone_count(). */\n"),
    ("names", "lua/z.lua", LUA + "-- Z of lua/gone.lua\n"),
    ("names", "scripts/z.py", PY + '"""Z of lua/gone.lua"""\n'),
    ("names", "tests/z.sh", SH + "x # see gone.sh\n"),
    ("parts-headers", "dataplane/context/a.c", include("dataplane/sched/tree.h")),
    ("parts-headers", "bench/micro/a.cc", include("dataplane/sched/tree.h")),
    ("parts-headers", "tests/unit/dataplane/context/a.c", include("dataplane/sched/tree.h")),
    ("parts-headers", "app/emulate/a.c", include("bss/model.h")),
    ("parts-headers", "sim/host.c", include("sim/tcp_cwnd.h")),
    ("dpdk-headers", "dataplane/context/a.c", C + "#include <rte_mbuf.h>\n"),
    ("dpdk-headers", "bss/a.h", C + "#  include <rte_ring.h>\n"),
    ("dpdk-headers", "tests/unit/dataplane/wire/a.c", C + "#include <rte_eal.h>\n"),
    ("dpdk-headers", "control/lua/a.c", C + "#include <rte_eal.h>\n"),
    ("dpdk-headers", "control/config/a.c", C + "#include <rte_mbuf.h>\n"),
    ("lua-headers", "app/main.c", C + "#include <lua.h>\n"),
    ("lua-headers", "dataplane/worker/lua_a.c", C + "#include <lauxlib.h>\n"),
    ("ipsec-mb-header", "tests/b.c", C + "#include <intel-ipsec-mb.h>\n"),
    ("ends", "control/core/a.c", C + c_function("a_b", 5).replace("    ;", "    exit(1);")),
    ("ends", "control/live/a.c", C + c_function("a_b", 5).replace("    ;", "    rte_panic(\"x\");")),
    ("clock-reads", "control/core/a.c", C + c_function("a_b", 5).replace("    ;", "    clock_gettime(0, &t);")),
    ("clock-reads", "dataplane/worker/a.c", C + "int64_t t = rte_rdtsc();\n"),
    ("clock-reads", "sim/a.h", C + "#define NOW time (NULL)\n"),
    ("clock-reads", "bench/a.cc", C + "auto t = std::chrono::steady_clock::now();\n"),
    ("clock-reads", "lua/z.lua", LUA + "return os.time()\n"),
    ("clang-format", "control/core/a.c", C + "int  a;\n"),
    ("luacheck", "lua/z.lua", LUA + "x = 1\n"),
    ("luacheck", "lua/z.lua", LUA + "return {\n"),
    ("shellcheck", "scripts/z.sh", SH + "echo $1\n"),
    ("words", "docs/z.md", "in /" + "work/main\n"),
    ("words", "docs/z.md", "dir=/" + "root\n"),
    ("words", "control/core/a.c", C + '"/' + 'tmp/gbf/x"\n'),
    ("words", "scripts/z.sh", SH + "get https://deb." + "debian.org/debian\n"),
    ("owed", "docs/z.md", 20 * "Rates are those of the cell.\n\n"),
    ("prose", "README.md", "Flow control is wide\nopen.\n"),
    ("prose", "docs/z.md", "| a | frames that nobody sent |\n"),
    ("prose", "NEWS.md", "A node begins anew.\n"),
    ("prose", "control/core/a.def", C + "/* What a core has. */\n"),
    ("prose", "docs/z.md", "It is full. What follows is dropped.\n"),
    ("prose", "docs/z.md", "* Who has a quantum left sends.\n"),
    ("prose", "control/core/a.c", C + "/* The node goes\n * on. */\n"),
    ("prose", "control/core/a.h", C + "/* What a core has. */\n"),
    ("prose", "app/a.c", C + 'static const char *help = "a search ends after so "\n                          "long (60)\\n";\n'),
    ("prose", "lua/z.lua", LUA + "-- It comes\n-- to an end.\nreturn {}\n"),
    ("prose", "lua/z.lua", LUA + 'return "CPU 9 is none that may be used"\n'),
    ("pages", "docs/z.md", "[z](gone.md)\n"),
    ("pages", "docs/z.md", "# Z\n[z](#y)\n"),
    ("pages", "docs/z.md", '[z](gone.md "Title")\n'),
    ("pages", "docs/z.md", "see [z]\n\n[z]: gone.md\n"),
    ("pages", "docs/z.md", "[a](a.md#b)\n"),
    ("pages", "ARCHITECTURE.md", "| drop | `drop_count()` | `bss/a.c` |\n"),
    ("pages", "ARCHITECTURE.md", "| drop | `drop_count()`, `drop_gone()` | `bss/drop.c` |\n"),
    ("pages", "ARCHITECTURE.md", "`struct gone`\n"),
    ("pages", "README.md", "`docs/gone.md`\n"),
    ("pages", "README.md", "docs/gone/\n"),
    ("pages", "README.md", "    " + 71 * "x" + "\n"),
    ("pages", "README.md", "```\n" + 71 * "x" + "\n```\n"),
    ("pages", "docs/decisions/README.md", "gone.c\n"),
    ("pages", "docs/decisions/z.md", "# Z\n"),
    ("pages", "ARCHITECTURE.md", "gone_call()\n"),
    ("pages", "docs/first-change.md", "`gone_count()`\n"),
    ("pages", "docs/glossary.md", "MSG_GONE\n"),
    ("pages", "docs/glossary.md", "| Word | Means |\n| --- | --- |\n| pass | x |\n| park | x |\n"),
    ("pages", "docs/glossary.md", "| Word | Means |\n| --- | --- |\n| park | x |\n| park | y |\n"),
    ("sentences", "docs/z.md", "# Z\n\nOne two.\n\n" + "word " * 29 + "end.\n"),
    ("sentences", "docs/decisions/z.md", "A `code span` has one\nword, a number 4.7 one more, " + "and " * 4 + "no more.\n"),
    ("sizes", "docs/z.md", "It is bounded by a ring of 4096 messages.\n"),
    ("sizes", "docs/z.md", "A tap, 1024 records.\n"),
    ("sizes", "docs/decisions/libraries.md", "| Lua | Lines |\n| --- | --- |\n| lines (`long.lua`) | 100 |\n"),
    ("sizes", "docs/decisions/libraries.md", "| C | Lines |\n| lines (`lo*.lua`, `z.c`) | 180 |\n"),
    *docker_rows.rows(),
    *workflow_rows.rows(),
    *site_rows.rows(),
    *capability_rows.rows(),
    *message_rows.rows(),
    *claim_rows.rows(),
]

# What stands already in the tree of a row whose violation needs company.
COMPANY = {
    "exits": {"dataplane/base/drop.def": DROPS},
    "function-prefix": {"control/core/other_noun.c": C, "control/core/third.c": C + c_function("other_free", 5)},
    "messages": message_rows.CLEAN,
    "capabilities": capability_rows.CLEAN,
    "missing": claim_rows.COMPANY,
    "measured": claim_rows.COMPANY,
    "nav": site_rows.CLEAN,
    "pages": {"docs/a.md": "# A\n", "bss/a.c": C + "int a(void)\n{\n    drop_count();\n}\n", "bss/drop.c": C + "int drop_count(void)\n{\n}\n"},
    "walks": WALKED,
    "sizes": {"lua/long.lua": LUA + "\n" * 119, "control/core/z.c": C + "#define MESSAGES 4096 /* slots */\n",
              "README.md": "A ring of 4095 messages.\n", "docs/decisions/z.md": "| C | Lines |\n| x (`long.lua`) | 3 |\n"},
    "names": {"bss/z.c": C, "lua/z.lua": LUA, "tests/unit/audit.c": C},
    "ipsec-mb-header": {"dataplane/crypto/a.c": C + "#include <intel-ipsec-mb.h>\n"},
    "parts-headers": {path: text for path, text in CLEAN.items() if path.endswith((".h", ".hpp"))},
}


@contextlib.contextmanager
def planted(files):
    root = tempfile.mkdtemp()
    try:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        yield Tree(root)
    finally:
        shutil.rmtree(root)


def run_rule(rule, tree):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        status = lint.check(rule, tree)
    return status, output.getvalue()


def files_of(rule, path, text):
    """A row's files: that with the text, and its company; a folder with as many files as the row has in place of a text."""
    if isinstance(text, int):
        return {f"{path}/{index}.c": C for index in range(text)}
    return {**COMPANY.get(rule, {}), path: text}


class Planted(unittest.TestCase):
    def test_each_violation_is_found(self):
        for rule, path, text in PLANTED:
            with self.subTest(rule=rule, path=path), planted(files_of(rule, path, text)) as tree:
                status, output = run_rule(rule, tree)
                if status == lint.EXIT_SKIP:
                    self.skipTest(output.strip())
                self.assertEqual(status, 1, output)
                place = path.split("/")[0] if rule in ("function-median", "modules") else path
                self.assertIn("tests:" if place == "tests" else "product:" if place != path else place + ":", output)
                self.assertIn(f"[{rule}]", output)

    def test_each_rule_has_a_row(self):
        self.assertEqual({rule for rule, _, _ in PLANTED}, set(lint.RULES))

    def test_each_rule_is_a_test_of_meson(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "meson.build"), encoding="utf-8") as file:
            groups = re.search(r"lint_rules = {(.*?)}", file.read(), re.DOTALL).group(1)
        listed = [rule for group in re.findall(r"\[(.*?)\]", groups, re.DOTALL) for rule in re.findall(r"'([^']+)'", group)]
        self.assertEqual(sorted(listed), sorted(lint.RULES))

    def test_nothing_is_found_in_a_clean_tree(self):
        with planted(CLEAN) as tree:
            for rule in set(lint.RULES) - {"clang-format", "luacheck", "heads"}:
                with self.subTest(rule=rule):
                    status, output = run_rule(rule, tree)
                    self.assertIn(status, (0, lint.EXIT_SKIP), output)


class Navigation(unittest.TestCase):
    def test_nothing_is_found_in_a_sound_one(self):
        with planted(site_rows.CLEAN) as tree:
            self.assertEqual(run_rule("nav", tree), (0, ""))


class Heads(unittest.TestCase):
    def test_nothing_is_found_in_good_ones(self):
        with planted(HEADED) as tree:
            status, output = run_rule("heads", tree)
            self.assertEqual(status, 0, output)


class Walks(unittest.TestCase):
    def test_that_hold(self):
        for rows in WALKS:
            with self.subTest(rows=rows), planted(WALKED | {"ARCHITECTURE.md": WALK + rows + END_OF_WALK}) as tree:
                status, output = run_rule("walks", tree)
                self.assertEqual(status, 0, output)


    def test_the_picture_has_the_stages_and_rows_of_tables(self):
        step = "void a_now(void)\n{\n}\n\nstatic const row rows[] = {\n    {a_now, b_next_ns},\n};\n\nint worker_step(void)\n{\n    b_run();\n    rows[0]();\n}\n"
        files = {"dataplane/a.c": C + step, "dataplane/b.c": C + "int b_next_ns(void)\n{\n}\nvoid b_run(void)\n{\n}\n",
                 "dataplane/b.h": C + "/* Runs b\n * at once; and more. */\nvoid b_run(void);\n"}
        with planted(files) as tree:
            drawing = step_picture.drawing_of(Calls(tree))
            for text in ("b_run()</text>", "Runs b at once</text>", "a_now()</text>", "nearest of b_next_ns()"):
                self.assertIn(text, drawing)
            self.assertLess(drawing.index("b_run()"), drawing.index("a_now()"))
            self.assertIn("docs/worker-step.svg:1: is not what", run_rule("walks", tree)[1])


HOME = {"bss/a.c": C + c_function("a_get", 5)}
# Files, what `modules` says of them (! nothing).
FIGURES = [
    (HOME | {"bss/a.h": C + "int a_get(void);\n"}, "!"),
    ({"bss/bvcs.c": C + c_function("bvc_get", 5) + c_function("bss_bvcs_new", 5) + "static " + c_function("put", 5)}, "!"),
    ({"app/main.c": C + c_function("main", 5) + c_function("command_x", 5)}, "!"),
    ({"bss/bvcs.c": C + c_function("bv_get", 5)}, "bear their file's noun: 0.0, at least"),
    ({"bss/bvcs.c": C + c_function("bvcsget", 5)}, "(bss/bvcs.c: bvcsget())"),
    (HOME | {"bss/b.h": C + "struct a *a_get(void);\n"}, "beside their .c file: 0.0, at least"),
    (HOME | {"bss/b.h": C + "static inline int b(void)\n{\n    return a_get();\n}\n"}, "!"),
    ({f"bss/{name}.c": C + "static " + c_function("put", 5) for name in "abcdefghi"}, "!"),
    ({f"bss/{name}.c": C + "static " + c_function("put", 5) for name in "abcdefghij"}, "put the file's noun before it"),
    ({"lua/a.lua": LUA + "function a.of()\nend\nfunction a.row_of()\nend\n"}, "or a verb (find) (lua/a.lua: of())"),
    ({"bss/a.py": PY + "class A:\n    def known(self):\n        return 1\n"}, "(bss/a.py: known())"),
    ({"bss/a.py": PY + "def known_values():\n    return of\n", "tests/a.py": PY + "def of():\n    return 1\n"}, "!"),
    ({f"lua/{index}.lua": LUA + "".join(f"local function take{name}()\nend\n" for name in range(27))
      for index in range(10)}, "Python in 10 files or more: 27, at most 26"),
    ({f"lua/{index}.lua": LUA + "".join(f"local function take{name}()\nend\n" for name in range(27))
      for index in range(9)} | {f"scripts/{index}.py": PY + "def main():\n    take0()\n" for index in range(10)}, "!"),
    ({"lua/a.lua": LUA + "if run.now - a.heard_ns > 5 then run.now = 1 end\n"}, "end an instant's name in _at, a span's in _ns (lua/a.lua:2: a.heard_ns)"),
    ({"bss/a.py": PY + "if time.monotonic() > due_s:\n    pass\n"}, "(bss/a.py:2: due_s)"),
    ({"bss/a.c": C + "int a = now < b->due_ns;\n" * 257}, "in _at_ns, a span's in _ns (bss/a.c:2: b->due_ns;"),
    ({f"lua/{index}.lua": LUA for index in range(100)}, "of fewer than 60 lines: 100.0, at most"),
    ({f"lua/{index}.lua": LUA + "\n" * 59 for index in range(100)} | {"config/a.lua": LUA}, "!"),
    ({f"bss/{index}.{end}": C + "\n" * 30 for index in range(100) for end in "ch"} | {"dataplane/aqm/a.c": C}, "at most one"),
    ({"bss/a_parts.h": C}, "(bss/a_parts.h)"),
    ({f"bss/{index}.h": C for index in range(18)}, "headers that at most one other file includes: 18, at most 17"),
    ({"scripts/a.py": PY + f"# {'x' * 119}\n"}, "(scripts/a.py:2)"),
    ({"scripts/a.py": PY + f"# {'x' * 118}\n", "tests/a.py": PY + f"# {'x' * 119}\n"}, "!"),
]


class Figures(unittest.TestCase):
    def test_a_bad_one_names_what_makes_it_bad(self):
        for files, words in FIGURES:
            with self.subTest(words=words, files=sorted(files)[:2]), planted(files) as tree:
                status, output = run_rule("modules", tree)
                self.assertEqual(status, int(words != "!"), output)
                self.assertIn(words.strip("!"), output)


# A language, a line, the places in it whose name hides an instant or a span.
INSTANTS = [
    ("c", "if (now - a->b_ns > c_ns)", ["a->b_ns"]),
    ("c", "if (now - a->b_at_ns > c_ns && at_ns <= now)", []),
    ("c", "wait(a_ns - now); wait(list[i].b_ns - w->now);", ["a_ns", "list[i].b_ns"]),
    ("c", "if (w->now >= a_ns || b_ns > now)", ["a_ns", "b_ns"]),
    ("c", "x_ns = moment_max(a_ns, now); y_ns = moment_min(now, b_ns);", ["a_ns", "b_ns"]),
    ("c", "x_at_ns = moment_add(a_ns, b_ns);", ["a_ns"]),
    ("c", "x = now + a_ns; y = now + b_at_ns;", ["b_at_ns"]),
    ("c", "if (a_at_ns <= now - b_ns || c < v->now.count || a(b_at_ns) < now)", []),
    ("c", "x_ns = end_at_ns + a_ns - now; y = now - a_ns * 2; z = now < MOMENT_NEVER;", []),
    ("c", '/* now - a_ns */ log("now - a_ns");', []),
    ("lua", "if run.now - a.b_ns >= c_ns then a.at = now + b_at end", ["a.b_ns", "b_at"]),
    ("lua", "if a.b_at <= now and now - at < c_ns then wait(run:now() - b) end", []),
    ("py", "left = self.end_s - time.monotonic()", ["self.end_s"]),
    ("py", "if now_s >= self.due_at_s and time.monotonic() < end_at and now < end():", []),
]


class Instants(unittest.TestCase):
    def test_names_are_judged_by_their_use(self):
        heads = {"c": C, "lua": LUA, "py": PY}
        for language, line, places in INSTANTS:
            with self.subTest(line=line), planted({f"bss/a.{language}": heads[language] + line + "\n"}) as tree:
                self.assertEqual(rules_instants.misnamed_instants(language, tree),
                                 [f"bss/a.{language}:2: {place}" for place in places])

    def test_those_of_tests_are_left_out(self):
        with planted({"tests/a.c": C + "int a = now < b_ns;\n"}) as tree:
            self.assertEqual(rules_instants.misnamed_instants("c", tree), [])


RATCHET = rules_prose.BASELINE
TOLD = "/* Nobody reads it. */\n"


class Prose(unittest.TestCase):
    def test_a_folder_may_have_as_many_as_it_had(self):
        for tells, status in ((1, 0), (2, 0), (3, 1)):
            files = {"control/core/a.c": C + TOLD, "control/core/b.c": C + TOLD * (tells - 1), RATCHET: "# had\ncontrol/core 2\n"}
            with self.subTest(tells=tells), planted(files) as tree:
                self.assertEqual(run_rule("prose", tree)[0], status)

    def test_a_line_is_named(self):
        with planted({"docs/z.md": "One.\n\nIt begins\nanew.\n"}) as tree:
            self.assertIn("docs/z.md:4: 'anew':", run_rule("prose", tree)[1])

    def test_the_ratchet_only_goes_down(self):
        with planted({"control/core/a.c": C + TOLD, "app/b.c": C + TOLD * 2, RATCHET: "app 1\nbss 4\ncontrol/core 3\n"}) as tree:
            with contextlib.redirect_stdout(io.StringIO()):
                rules_prose.main(tree.root)
                self.assertEqual(rules_prose.allowed_in(tree.root), {"app": 1, "control/core": 1})
                rules_prose.main(tree.root, is_reset=True)
            self.assertEqual(rules_prose.allowed_in(tree.root), {"app": 2, "control/core": 1})


# A page, the words of each of its sentences and their lines.
SENTENCES = [
    ("# A head\n\nOne two terminal. Four `a b c` five e.g. six\nseven [eight nine](x.md#y).\n", [(3, 3), (8, 3)]),
    ("1. First of all. Second.\n2. Third\n- fourth fifth\n  sixth\n* seventh\n", [(3, 1), (1, 1), (1, 2), (3, 3), (1, 5)]),
    ("One\n\n    no code\n\n```\nno. No.\n```\n| no | no. |\nIs 4.7.3 it? (It is!) **Yes.** On\n", [(1, 1), (3, 9), (2, 9), (1, 9), (1, 9)]),
    ("One.\n<!-- begin measured: x -->\nNo no.\n<!-- end measured, sha256 0 -->\nTwo three\n"
     "<!-- fields: a -->\nno\n<!-- end of fields -->\nFour\n", [(1, 1), (2, 5), (1, 9)]),
]


class Sentences(unittest.TestCase):
    def test_are_measured(self):
        for text, expected in SENTENCES:
            with self.subTest(text=text):
                self.assertEqual([(found.words, found.line) for found in prose.page_of(text).sentences], expected)

    def test_a_listed_page_may_be_long_and_has_to_leave_when_it_is_short(self):
        for text, status in (("word " * 30 + ".\n", 0), ("Two words.\n", 1)):
            with self.subTest(status=status), planted({"docs/z.md": text, prose.LONG_PAGES: "# long\ndocs/z.md\n"}) as tree:
                self.assertEqual(run_rule("sentences", tree)[0], status)


class MissingTool(unittest.TestCase):
    def test_is_a_skip_here_and_a_failure_in_ci(self):
        for environment, expected in (({}, lint.EXIT_SKIP), ({"CI": "true"}, 1)):
            with planted(CLEAN) as tree, mock.patch("shutil.which", return_value=None), \
                    mock.patch.dict(os.environ, environment):
                if not environment:
                    os.environ.pop("CI", None)
                for rule in ("clang-format", "luacheck", "shellcheck"):
                    with self.subTest(rule=rule, expected=expected):
                        status, output = run_rule(rule, tree)
                        self.assertEqual(status, expected)
                        self.assertIn("is not installed", output)


class Since(unittest.TestCase):
    def test_tools_look_at_what_differs(self):
        wrong = C + "int  a;\n"
        with planted({"old.c": wrong, "app/edited.c": C}) as tree:
            for words in (["init", "-q"], ["add", "."],
                          ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "app: begin"]):
                subprocess.run(["git", "-C", tree.root, *words], check=True)
            for path in ("app/edited.c", "added.c"):
                with open(os.path.join(tree.root, path), "w", encoding="utf-8") as file:
                    file.write(wrong)
            status, output = run_rule("clang-format", Tree(tree.root, "HEAD"))
            if status == lint.EXIT_SKIP:
                self.skipTest(output.strip())
            self.assertEqual({line.split(":")[0] for line in output.splitlines()}, {"added.c", "app/edited.c"})
            with self.assertRaises(ValueError):
                run_rule("clang-format", Tree(tree.root, "no-such-commit"))


# path, text, (name, lines, parameters) of each function in order
FUNCTIONS = [
    ("a.c", "static const struct x *\na_b(struct x *x, int64_t now)\n{\n}\n", [("a_b", 4, 2)]),
    ("a.c", "struct s {\n    int a;\n};\nint t[] = {\n    1,\n};\n", []),
    ("a.c", "#define X(a) \\\n    a\nvoid f(void)\n{\n    if (x) {\n    }\n}\n", [("f", 5, 0)]),
    ("a.c", "int f(int (*g)(int, int), char c[2][3], ...)\n{\n}\n", [("f", 3, 3)]),
    ("a.c", "int f(void)\n{\n/*\n}\n*/\n    g('\\'', \"}\");\n}\n", [("f", 7, 0)]),
    ("a.c", "TEST(a_b)\n{\n}\nTEST_WITH(c_d, set_up,\n          tear_down)\n{\n}\n", [("a_b", 3, 0), ("c_d", 4, 0)]),
    ("a.lua", "local function f(a, ...)\n  for i = 1, 2 do\n    if a then g() end\n  end\nend\n", [("f", 5, 2)]),
    ("a.lua", "local s = 'end' -- end\nfunction M:f()\n  repeat x() until y\n  return [[ end\nend ]]\nend\n",
     [("M:f", 5, 0)]),
    ("a.lua", 'describe("a", function()\n  it("b", function()\n    x()\n  end)\nend)\n', [("(anonymous)", 3, 0)]),
    ("a.py", "class A:\n    def f(self, a, *, b):\n        pass\n", [("f", 2, 2)]),
]


class Functions(unittest.TestCase):
    def test_are_measured(self):
        for path, text, expected in FUNCTIONS:
            with self.subTest(text=text):
                found = functions_of(Source(path, text))
                self.assertEqual([(f.name, f.lines, len(f.params)) for f in found], expected)


if __name__ == "__main__":
    unittest.main()

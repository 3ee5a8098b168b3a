# SPDX-License-Identifier: BSD-3-Clause
"""Rows of lint_test.py for what pages claim: features that are missing, figures that were measured."""
C = "/* SPDX-License-Identifier: BSD-3-Clause */\n"
LUA = "-- SPDX-License-Identifier: BSD-3-Clause\n"

SCHEMA = LUA + """local fields = { group("pacing", "x", { { name = "clamp" }, { name = "hold" }, { name = "huge_pages" } }),
  { name = "drop_duplicates", type = "boolean" }, number("flow_queues", 2, 64) }
return fields
"""
MAIN = C + """static const struct row commands[] = {
    {"run", "play", command_run},
    {"reproduce", "play more", command_reproduce},
};
static const char *usage = "usage: gbflow reproduce NAME [--seeds N] [--set PATH]\\n";
"""
COMPANY = {"lua/node/schema_queues.lua": SCHEMA, "app/main.c": MAIN, "bench/micro/sched_bench.cc": C, "scripts/soak.py": "# SPDX-License-Identifier: BSD-3-Clause\nOPTION = \"--seconds\"\n"}

# Sentences that were in docs/papers/fair-sgsn-queues.md and docs/decisions/start-tags.md when the program had what they miss.
MISSING = [
    "The model meets the last two goals, and short delays with them, with a window clamp and pacing of ACKs in the SGSN. gbflow\n"
    "does not have these.\n",
    "* It is late.\n* No window clamp, no pacing of ACKs, no search for duplicates of queued segments. The lifetime runs while R is 0.\n",
    "**Not here.** TCP headers are not read: no window clamp, no pacing of ACKs. Only one reads them.\n",
    "ACK pacing is not implemented.\n",
    "gbflow works without `flow_queues`.\n",
    "There are no flow\nqueues.\n",
    "The node does not yet support flow queues.\n",
    "| paths | `gbflow reproduce` is missing |\n",
    "Flow queues are in no release yet.\n",
]
PRESENT = """# Queues

The cases of this page have no window clamp, no held ACKs and no search for duplicates of queued segments. Without flow queues an
N-PDU waits. If there are no flow queues, it waits. It needs no huge pages. With `clamp = false` windows stay. The scheduler has no timer.

| no flow queues | 3 |

    no flow queues here

It reads no ACK; flow queues are there.
"""

FIRST = "Measured on 2026-11-25 at commit 0123abc by `gbflow reproduce own`:\n"
BLOCK = "<!-- begin measured: {} -->\n{}| a |\n<!-- end measured -->\n"
FAULTY = [
    BLOCK.format("gbflow reproduce own --seeds 2", "| b |\n"),
    BLOCK.format("gbflow reproduce own --seeds 2", FIRST.replace("0123abc", "0123abc-dirty")),
    BLOCK.format("gbflow reproduce own --seeds 2", FIRST.replace("2026-11-25", "yesterday")),
    BLOCK.format("gbflow reproduce own --seeds 2", FIRST.replace("0123abc", "unknown")),
    BLOCK.format("gbflow reproduce own --seed 2", FIRST),
    BLOCK.format("gbflow redo own", FIRST),
    BLOCK.format("scripts/gone.py", FIRST),
    BLOCK.format("scripts/soak.py --minutes 3", FIRST),
    BLOCK.format("build/bench/micro/gone_bench", FIRST),
    BLOCK.format("", FIRST),
    BLOCK.format("gbflow run x", FIRST).replace("<!-- end measured -->\n", ""),
    BLOCK.format("gbflow run x", FIRST) * 2 + "<!-- end measured -->\n",
]
SOUND = (BLOCK.format("gbflow reproduce own --seeds 2", FIRST)
         + BLOCK.format("X=1 python3 scripts/soak.py --seconds 3 # alone", FIRST.replace("0123abc", "0123abc and 4567def, on two busy CPUs,"))
         + BLOCK.format("meson test -C build --suite interop", FIRST.replace("on 2026-11-25 at", "before 2026-11-25, recorded in").replace(" by", ", by"))
         + BLOCK.format("build/bench/micro/sched_bench --benchmark_filter='a b --no'", FIRST)
         + BLOCK.format("build/gbflow run a.lua --set 'x={ y = \"--z\" }'", FIRST))

CLEAN = {**COMPANY, "docs/claims.md": PRESENT + SOUND}


def rows():
    return [*(("missing", "docs/z.md", text) for text in MISSING), *(("measured", "docs/z.md", text) for text in FAULTY)]

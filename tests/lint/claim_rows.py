# SPDX-License-Identifier: BSD-3-Clause
"""Rows of lint_test.py for what pages claim: features that are missing, figures that were measured."""
import hashlib

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
COMPANY = {"lua/node/schema_queues.lua": SCHEMA, "app/main.c": MAIN, "bench/micro/sched_bench.c": C + "/* --filter */\n", "scripts/soak.py": "# SPDX-License-Identifier: BSD-3-Clause\nOPTION = \"--seconds\"\n"}

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
END = "<!-- end measured -->\n"


def block(command, first):
    body = first + "| a |\n"
    return f"<!-- begin measured: {command} -->\n{body}{END[:-5]}, sha256 {hashlib.sha256(body.encode()).hexdigest()[:8]} -->\n"


FAULTY = [
    block("gbflow reproduce own --seeds 2", "| b |\n"),
    block("gbflow reproduce own --seeds 2", FIRST.replace("0123abc", "0123abc-dirty")),
    block("gbflow reproduce own --seeds 2", FIRST.replace("2026-11-25", "yesterday")),
    block("gbflow reproduce own --seeds 2", FIRST.replace("0123abc", "unknown")),
    block("gbflow reproduce own --seed 2", FIRST),
    block("gbflow redo own", FIRST),
    block("scripts/gone.py", FIRST),
    block("scripts/soak.py --minutes 3", FIRST),
    block("scripts/soak.py --seconds 3", FIRST),
    block("build/bench/micro/gone_bench", FIRST),
    block("", FIRST),
    block("gbflow run x", FIRST).partition("<!-- end")[0],
    block("gbflow run x", FIRST) * 2 + END,
    block("gbflow reproduce own --seeds 2", FIRST).replace("| a |", "| b |"),
    block("gbflow reproduce own --seeds 2", FIRST).partition("<!-- end")[0] + END,
]
SOUND = (block("gbflow reproduce own --seeds 2", FIRST)
         + block("X=1 python3 scripts/soak.py --seconds 3 # alone", FIRST.replace("0123abc", "0123abc and 4567def, on two busy CPUs,"))
         + block("meson test -C build --suite interop", FIRST.replace("on 2026-11-25 at", "before 2026-11-25, recorded in").replace(" by", ", by"))
         + block("build/bench/micro/sched_bench --filter 'a b --no'", FIRST).partition("<!-- end")[0] + END
         + block("build/gbflow run a.lua --set 'x={ y = \"--z\" }'", FIRST))

CLEAN = {**COMPANY, "docs/claims.md": PRESENT + SOUND}


def rows():
    return [*(("missing", "docs/z.md", text) for text in MISSING), *(("measured", "docs/z.md", text) for text in FAULTY)]

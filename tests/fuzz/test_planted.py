#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Faults planted in the program's sources, one at a time: the harness of each row finds it from its first inputs.

usage: test_planted.py SOURCE_DIR BUILD_DIR [HARNESS]...    a build directory configured with clang
       test_planted.py --fits SOURCE_DIR                    whether each fault stands in the source; builds nothing

A row compiles one file once more and links its harness with it.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import seed

RUNS = 5000  # executions in which a fault is to be found
FOUND = re.compile(r"broken: |Sanitizer|defect in the Lua control plane|\.lua:\d+: |timeout")
# Harness, file, a piece of its text, and the text in its place.
ROWS = (
    ("phones_machine", "lua/gmm/proof.lua", "if phone.vectors_of ~= phone.imsi then phone.vectors = nil end", ""),
    ("phones_machine", "lua/gmm/identities.lua", "if phone.known then change_hands(self, run, phone) end", ""),
    ("phones_machine", "lua/gmm/phones.lua", "phone.key and not ciphered and not (REJECTS[kind] or", "false and (true or"),
    ("phones_machine", "lua/sm/contexts.lua", 'run:emit({ op = "phone_pdp_del",', 'run:log("info", "%s", {'),
    ("neighbours", "control/links/neighbour.c", " || has_mapped(&packet)", ""),
    ("neighbours", "control/links/neighbour.c", "entry->state == NEIGHBOUR_STATIC || ", ""),
    ("telemetry", "control/live/capture.c", "(most - digit) / 10", "UINT64_MAX"),
    ("telemetry", "control/show/telemetry.c", "page->index >= page->first", "page->index > page->first"),
    ("aqm_script", "control/config/lua_aqm_script.c", "if (script->failure[0])", "if (false)"),
    ("aqm_script", "lua/node/aqm.lua", 'fail({ "default" }, "is out of the range from min to max")', ""),
    ("gn_machine", "lua/gn/peer_requests.lua", "if session and not is_from_ggsn(session, way) then", "if false then"),
    ("gb_machine", "lua/gb/bvc.lua", "if not ms or ms.cell ~= bvc then", "if not ms then"),
    ("abm_link", "dataplane/abm/link.c", "l->owes &= (uint8_t) ~(LINK_OWES_SABM | LINK_OWES_DISC);", ""),
    ("abm_link", "dataplane/abm/link_send.c", "l->queue.head && !l->midway &&", "l->queue.head &&"),
    ("sndcp_xid", "dataplane/wire/sndcp_xid.c", " || bytes[at - 1] > len - at)", ")"),
    ("sndcp_xid", "dataplane/wire/sndcp_xid.c", "i % 2 ? in->values[i] : in->values[i] << 4", "i % 2 ? in->values[i] << 4 : in->values[i]"),
    ("v42bis", "dataplane/compression/v42bis.c", "    if (length > (size_t)(r->out_end - r->out))\n        return V42BIS_NO_ROOM;\n    uint8_t *first", "    uint8_t *first"),
    ("v42bis", "dataplane/compression/v42bis_encode.c", "    undo(v, steps, count);\n", ""),
    ("llc_machine", "lua/llc/unnumbered.lua", "octets = least })", "octets = least // 20 })"),
    ("vj", "dataplane/compression/vj.c", "if (memcmp(header + at, packet + at, 4) != 0)", "if (octets == 0)"),
    ("esp", "dataplane/esp/esp.c", "    if (packet.octets < offset + ESP_HEAD_OCTETS)\n        return DROP_ESP_MALFORMED;\n", ""),
    ("xfrm", "control/esp/xfrm_read.c", "octets >= head_octets + bits / BITS", "octets >= head_octets"),
    ("vj", "dataplane/compression/vj.c", "oldest->octets = 0;", ""),
    ("worker", "dataplane/worker/fate.c", "    struct pdp *pdp = own_pdp(w, n_pdu);\n    w->stats", "    struct pdp *pdp = &w->context.pdps[n_pdu->pdp];\n    w->stats"),
    ("worker", "dataplane/worker/fate.c", "    if (n_pdu->pdp >= w->context.limits.pdps)\n        return NULL;\n", ""),
    ("worker", "dataplane/worker/gb_compression.c", "    if (!w->compression.of_ms || !w->compression.of_ms[pdp->ms])\n        return DROP_SNDCP_NO_ENTITY;\n", ""),
    ("vj", "dataplane/compression/vj.c", "left < 3 && rest->at[0] == 0", "left < 1 && rest->at[0] == 0"),
    ("vj", "dataplane/compression/vj.c", "(other[TCP_FLAGS_AT] ^ tcp[TCP_FLAGS_AT]) & ~(TCP_PSH | TCP_URG)", "0U"),
)


def planted(source, name, old, new):
    """The file's text with the fault."""
    with open(os.path.join(source, name), encoding="utf-8") as file:
        text = file.read()
    if old not in text:
        raise SystemExit(f"{name} has no '{old}': change the row in test_planted.py")
    return text.replace(old, new)


def embedded(source, build, name, old, new):
    """The C source with all Lua modules, one of which has the fault."""
    sys.path.insert(0, os.path.join(source, "scripts"))
    import embed_lua
    path = os.path.join(build, "lua", "lua_embedded.c")
    with open(path, encoding="utf-8") as file:
        text = file.read()

    def module(octets):
        return "\n".join(embed_lua.literal(line) for line in octets.encode().splitlines(keepends=True))
    with open(os.path.join(source, name), encoding="utf-8") as file:
        before = module(file.read())
    if before not in text:
        raise SystemExit(f"{path} does not have {name}: build it")
    code = "code_{}_{}".format(*os.path.splitext(name)[0].split(os.sep)[-2:])
    if f"{code}, sizeof({code}) - 1" in text:  # the program would load the bytecode, which does not have the fault
        text = text.replace(f"{code}, sizeof({code}) - 1", f"{code}, 0")
    return path, text.replace(before, module(planted(source, name, old, new)))


def units_of(entry):
    """The sources of an object, by the path with which a unity build includes each: one, without a path, elsewhere."""
    path = os.path.join(entry["directory"], entry["file"])
    if not path.endswith("-unity0.c"):
        return {os.path.realpath(path): None}
    with open(path, encoding="utf-8") as file:
        return {os.path.realpath(name): name for name in re.findall(r"#include<(.*)>", file.read())}


def command_for(build, harness, path):
    """How an object of this file is compiled: the harness's own, else a library's."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file) if os.path.realpath(path) in units_of(entry)]
    own = [entry for entry in entries if f"tests/fuzz/{harness}_fuzz.p/" in entry["output"]]
    fuzz = [entry for entry in entries if "tests/fuzz/libfuzz_" in entry["output"]]
    return (own or fuzz or entries)[0]


def compile_one(build, entry, path, output):
    words, out = shlex.split(entry["command"]), []
    skip = 0
    for word in words:
        if skip or word in ("-MQ", "-MF", "-o"):
            skip = 0 if skip else 1
        elif word != "-MD" and word != entry["file"]:
            out.append(word)
    at = out.index("-c") if "-c" in out else len(out)
    # what a fault leaves unused is no error
    subprocess.run([*out[:at], "-Wno-error", "-c", path, "-o", output], cwd=build, check=True, capture_output=True)


def link(build, harness, entry, new_object, output):
    target = f"tests/fuzz/{harness}_fuzz"
    lines = subprocess.run(["ninja", "-C", build, "-t", "commands", target], check=True, capture_output=True, text=True).stdout
    words = shlex.split(lines.strip().splitlines()[-1])
    words[words.index(target)] = output
    if entry["output"] in words:
        words[words.index(entry["output"])] = new_object
    else:
        words.insert(words.index(output) + 1, new_object)  # in front of the library that has the other
    subprocess.run(words, cwd=build, check=True, capture_output=True)


def find(program, corpus, folder):
    """What the harness says; None: it found nothing."""
    done = subprocess.run([program, f"-runs={RUNS}", "-seed=1", "-max_len=1000", "-len_control=0", "-entropic=0", "-timeout=60",
                           "-detect_leaks=0", "-artifact_prefix=" + folder + os.sep, corpus], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", check=False)
    said = [line for line in done.stderr.splitlines() if FOUND.search(line)]
    return said[0] if done.returncode != 0 and said else None


def play(source, build, corpus, row):
    harness, name, old, new = row
    with tempfile.TemporaryDirectory() as folder:
        if name.endswith(".lua"):
            path, text = embedded(source, build, name, old, new)
        else:
            path, text = os.path.join(source, name), planted(source, name, old, new)
        copy, new_object, program = (os.path.join(folder, end) for end in ("planted.c", "planted.o", "planted"))
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text)
        entry = command_for(build, harness, path)
        units = units_of(entry)
        if units[os.path.realpath(path)]:
            units[os.path.realpath(path)], copy = copy, os.path.join(folder, "unit.c")
            with open(copy, "w", encoding="utf-8") as file:
                file.writelines(f'#include "{unit or real}"\n' for real, unit in units.items())
        compile_one(build, entry, copy, new_object)
        link(build, harness, entry, new_object, program)
        said = find(program, os.path.join(corpus, harness), folder)
    print(f"{harness:15} {name:34} {'found: ' + said[:90] if said else 'NOT FOUND'}", flush=True)
    return said is not None


def fits(source):
    for _, name, old, new in ROWS:
        planted(source, name, old, new)
    print(f"{len(ROWS)} faults fit the source")
    return 0


def main(source, build, *names):
    source, build = os.path.abspath(source), os.path.abspath(build)
    rows = [row for row in ROWS if not names or row[0] in names]
    with tempfile.TemporaryDirectory() as corpus:
        seed.main(source, corpus)
        found = [play(source, build, corpus, row) for row in rows]
    print(f"{sum(found)} of {len(found)} planted faults found")
    return 0 if found and all(found) else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    sys.exit(fits(sys.argv[2]) if sys.argv[1] == "--fits" else main(*sys.argv[1:]))

# SPDX-License-Identifier: BSD-3-Clause
"""A waterfall: the way of one N-PDU through a run, from packet.json of `gbflow run --packet`: where it waited,
its LLC-PDUs, their radio blocks."""

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from gbflow_report import bars, page
from gbflow_report.bars import Part, Row
from gbflow_results import Failure, files

FILE, SCHEMA = "packet.json", "gbflow-packet/1"
LINK, AHEAD, BUFFER, GOOD, BAD, ORDER = "#0072B2", "#8a8f98", "#56B4E9", "#009E73", "#D55E00", "#cfd4da"
# What the first N-PDU of the mobile waits for in the SGSN.
WAITS = {"mobile": ("bucket of the mobile", "#CC79A7"), "cell": ("bucket of the cell", "#E69F00"),
         "link": ("bucket of the link", "#A6761D"),
         "turn": ("turn of others", "#7A9A01"), "stopped": ("mobile suspended or lost", "#666666")}
COLOURS = (("links", LINK), ("behind N-PDUs of the same mobile", AHEAD), *WAITS.values(), ("queue of the BSS", BUFFER),
           ("radio block", GOOD),
           ("radio block with errors, repeated", BAD), ("waits for a repetition, or to arrive in sequence", ORDER))
ABOUT = ("Time runs to the right, in seconds of the run; pointing at a part shows its times. The mobile's queue waits "
         "for what its colour says, and the N-PDU with it. gbflow run SCENARIO --packet=MOBILE:N draws another N-PDU: "
         "N counts those delivered to the mobile, which are the rows of delay_s in series.csv.")


def read(path: pathlib.Path) -> Mapping[str, Any] | None:
    """None: the run recorded no packet."""
    return files.read_report(path, SCHEMA, "waits", "segments", "blocks") if path.is_file() else None


def took(from_s: float, to_s: float) -> str:
    return f"{to_s - from_s:.3f} s"


def part(name: str, from_s: float, to_s: float, colour: str) -> Part:
    return Part(from_s, to_s, colour, f"{name}: {from_s:.3f} to {to_s:.3f} s, {took(from_s, to_s)}")


def waits_between(packet: Mapping[str, Any], from_s: float, to_s: float) -> list[Part]:
    """What the queue waited for, clipped."""
    found = [(row["for"], max(from_s, row["from_s"]), min(to_s, row["to_s"])) for row in packet["waits"]]
    return [part(WAITS[name][0], begin_s, end_s, WAITS[name][1]) for name, begin_s, end_s in found if begin_s < end_s]


def whole_rows(packet: Mapping[str, Any]) -> list[Row]:
    """From server to mobile; in the SGSN first behind others, then at the head of its queue."""
    first, last = packet["segments"][0], packet["segments"][-1]
    server_s, ggsn_s, sgsn_s, head_s = (packet[key] for key in ("server_s", "ggsn_s", "sgsn_s", "head_s"))
    steps = [("server to GGSN", server_s, ggsn_s, [part("Internet", server_s, ggsn_s, LINK)]),
             ("GGSN to SGSN", ggsn_s, sgsn_s, [part("Gn", ggsn_s, sgsn_s, LINK)]),
             ("SGSN, behind others of its mobile", sgsn_s, head_s,
              [part("behind others of its mobile", sgsn_s, head_s, AHEAD)]),
             ("SGSN, first of its mobile", head_s, first["sgsn_s"], waits_between(packet, head_s, first["sgsn_s"])),
             (f"{page.plural(len(packet['segments']), 'LLC-PDU')}, first to last", first["sgsn_s"], last["sgsn_s"],
              waits_between(packet, first["sgsn_s"], last["sgsn_s"])),
             ("Gb, of the last", last["sgsn_s"], last["bss_s"], [part("Gb", last["sgsn_s"], last["bss_s"], LINK)]),
             ("BSS and air, of the last", last["bss_s"], packet["delivered_s"], parts_of(packet, last)[1:])]
    return [Row(name, took(from_s, to_s), parts=parts) for name, from_s, to_s, parts in steps if to_s > from_s]


def blocks_of(packet: Mapping[str, Any], segment: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    first, last = segment["first_block"], segment["last_block"]
    return [] if first is None else [block for block in packet["blocks"] if first <= block["number"] <= last]


def parts_of(packet: Mapping[str, Any], segment: Mapping[str, Any]) -> list[Part]:
    """Of an LLC-PDU: link, queue, blocks over the time that it takes until it has arrived."""
    blocks = blocks_of(packet, segment)
    begins_s = blocks[0]["from_s"] if blocks else segment["mobile_s"]
    parts = [part("Gb", segment["sgsn_s"], segment["bss_s"], LINK),
             part("queue of the BSS", segment["bss_s"], begins_s, BUFFER)]
    if begins_s < segment["mobile_s"]:
        parts.append(part("on the air, until all blocks are there in sequence", begins_s, segment["mobile_s"], ORDER))
    seen: set[int] = set()
    for block in blocks:
        again = ", repeated" if block["number"] in seen else ""
        seen.add(block["number"])
        name = f"block {block['number']}{again}{', with errors' if block['is_bad'] else ''}"
        parts.append(part(name, block["from_s"], block["to_s"], BAD if block["is_bad"] else GOOD))
    return parts


def segment_rows(packet: Mapping[str, Any]) -> list[Row]:
    rows = []
    for number, segment in enumerate(packet["segments"], 1):
        blocks = blocks_of(packet, segment)
        bad = sum(block["is_bad"] for block in blocks)
        words = (f"{page.plural(len(blocks), 'block')}{f', {bad} bad' if bad else ''}, "
                 f"{took(segment['sgsn_s'], segment['mobile_s'])}")
        rows.append(Row(f"LLC-PDU {number}", words, parts=parts_of(packet, segment),
                        of=f"{segment['llc_octets']} octets"))
    return rows


def sentence(packet: Mapping[str, Any]) -> str:
    """Where the time went; the parts add up."""
    first = packet["segments"][0]
    parts = [("to the SGSN", packet["server_s"], packet["sgsn_s"]),
             ("behind others of its mobile", packet["sgsn_s"], packet["head_s"]),
             ("first of its mobile", packet["head_s"], first["sgsn_s"]),
             ("from its first LLC-PDU on Gb to the mobile", first["sgsn_s"], packet["delivered_s"])]
    why = " It has the p95 of the delays of this mobile, whose p95 is the largest." if packet.get("is_default") else ""
    return (f"N-PDU {packet['number']} that was delivered to {packet['mobile']} (class {packet['class']}, "
            f"{packet['octets']} octets) took {took(packet['server_s'], packet['delivered_s'])}: "
            + ", ".join(f"{took(from_s, to_s)} {name}" for name, from_s, to_s in parts) + f".{why}")


def scale(rows: Sequence[Row]) -> bars.Scale:
    ends = [end for row in rows for one in row.parts for end in (one.low, one.high)]
    return bars.Scale(min(ends), max(ends))


def html_of(path: pathlib.Path) -> str:
    """Nothing for a run without packet.json."""
    packet = read(path)
    if not packet:
        return ""
    try:
        whole, segments = whole_rows(packet), segment_rows(packet)
        used = {one.colour for row in (*whole, *segments) for one in row.parts}
        legend = bars.colours_html([row for row in COLOURS if row[1] in used])
        return page.section_html(
            "One packet's way", f"<style>{bars.STYLE}</style>\n<p>{page.escape(sentence(packet))}</p>\n", legend,
            "<h3>From the server to the mobile</h3>\n", bars.rows_html(whole, scale(whole), " s"),
            "<h3>Its LLC-PDUs on Gb, in the BSS and on the air</h3>\n", bars.rows_html(segments, scale(segments), " s"),
            f'<p class="soft">{page.escape(ABOUT)}</p>\n')
    except (KeyError, TypeError, IndexError) as error:
        raise Failure(f"{path}: the way of a packet without {error}") from error

# SPDX-License-Identifier: BSD-3-Clause
"""docs/folders.svg: a row of boxes for each floor, the highest on top; a box has the folder, its purpose and what it includes. As wide as
a browser's window of 1280 px; the least font is 13 px.
"""
import textwrap
from xml.sax.saxutils import escape

PURPOSES = {
    "analyze": "TCP in captures of Gi: losses, rates, round trips",
    "app": "gbflow: the subcommands, in files command_*.c",
    "app/analyze": "gbflow analyze: captures in, analysis.json out",
    "app/aqm": "gbflow aqm: curves of AQM schemes",
    "app/console": "gbflow console: lines for a running process, completed and carried out",
    "app/doctor": "gbflow doctor: what the machine offers",
    "app/emulate": "gbflow emulate: the live emulated BSS",
    "app/replay": "gbflow replay: captures of Gn in virtual time",
    "app/run": "gbflow run: scenarios in virtual time, summaries",
    "app/sweep": "gbflow sweep: studies for the report program",
    "app/virtual": "the far side of Gb for run and replay",
    "bench/account": "instructions and cache lines, counted by stepping",
    "bench/fitness": "gbflow-fitness: is the machine fit to measure?",
    "bench/live": "a live node fed from memory",
    "bench/micro": "programs that measure one part each",
    "bench/statistics": "search of NDR and PDR, medians, the loss log",
    "bench/throughput": "gbflow bench: fixtures, generator, comparison",
    "bss": "the emulated BSS: NS, BSSGP, cells, radio",
    "capture": "captures read and written",
    "control/base": "clock, options, output, wake-ups, DPDK's start",
    "control/config": "a configuration's text to structs",
    "control/core": "signalling, orders to workers",
    "control/esp_config": "the key of ESP in a node's configuration",
    "control/links": "next hops and neighbours on the ports of a live node",
    "app/esp": "ESP in commands: gbflow esp, findings, checks",
    "bench/esp": "ESP in gbflow bench: its other ends, its price",
    "control/esp": "ESP of a live node: associations, rules, an IKE daemon",
    "control/live": "a node on real devices: loop, reload, tables",
    "control/log": "log lines, state of the service",
    "control/lua": "the Lua host, and what Lua sees of C",
    "control/report": "what reports say of a node",
    "control/sessions": "mobiles and PDP contexts; the node",
    "control/show": "gbflow show: tables by a socket, metrics",
    "dataplane/abm": "LLC acknowledged mode",
    "dataplane/compression": "compression of headers and data, as SNDCP has it",
    "dataplane/aqm": "AQM schemes, a file each",
    "dataplane/base": "N-PDUs, drop reasons, TEIDs, random numbers",
    "dataplane/context": "cells, mobiles, PDP contexts of a worker",
    "dataplane/crypto": "GEA3 and GEA4 by KASUMI; AES-GCM",
    "dataplane/esp_guard": "ESP on a worker's ports: fragments, IKE, faults",
    "dataplane/esp": "ESP on the ports, by IPsec-mb or rte_ipsec",
    "dataplane/memory": "pools of packet buffers",
    "dataplane/pacing": "TCP windows lowered",
    "dataplane/ports": "network cards, rings and virtual ports",
    "dataplane/queue": "buckets, turns, flow queues, timing wheel",
    "dataplane/sched": "which LLC-PDU leaves next",
    "dataplane/wire": "codecs of GTP, LLC, SNDCP, BSSGP, NS, IP, TCP",
    "dataplane/worker": "worker_step(): frames in, LLC-PDUs out",
    "lua": "the control plane in Lua, built into the program",
    "lua/base": "state machines, timers, records, units",
    "lua/bss": "keys of an emulated BSS",
    "lua/esp": "keys of ESP, and of its file of associations",
    "lua/gb": "NS, BSSGP, cells, mobiles, paging, drain law",
    "lua/gmm": "attach, routeing areas, authentication",
    "lua/gn": "GTP-C: paths, peers, sessions",
    "lua/gsup": "the link to the HLR",
    "lua/llc": "LLC unnumbered commands, XID",
    "lua/mobile": "the book of mobiles: slot, TLLI, IMSI",
    "lua/node": "keys of a node, checks, differences",
    "lua/phone": "phones of the emulated BSS",
    "lua/scenario": "keys of a scenario",
    "lua/schema": "configurations checked by schemas",
    "lua/sm": "PDP contexts of phones",
    "lua/sms": "short messages of phones",
    "lua/study": "keys of a study",
    "lua/wire": "codecs that only the control plane needs",
    "sim": "virtual time: links, GGSN, mobiles, TCP, traffic",
}
COLOURS = {"app": "#dbe9ff", "bench": "#eeeeee", "control": "#dff3df", "dataplane": "#ffeccc", "lua": "#f3e3f7"}
OTHER = "#ffffff"

WIDTH, MARGIN, LABEL = 1280, 12, 52
ROOM = WIDTH - 2 * MARGIN - LABEL
ACROSS, GAP, PAD = 5, 10, 9
NAME_PX, TEXT_PX, LINE = 15, 13, 17
# The letters of wide sans-serif fonts (DejaVu Sans, Verdana) take 0.62 of their size on average.
LETTER = TEXT_PX * 0.62
HEAD = 56


def width_in(row):
    """Of the boxes of a row: together they fill it."""
    return (ROOM - (len(row) - 1) * GAP) // len(row)


def lines_of(folder, others, width):
    """What a box says below its name: (class, text)."""
    letters = int((width - 2 * PAD) / LETTER)
    says = [("p", line) for line in textwrap.wrap(PURPOSES.get(folder, ""), letters)]
    return says + [("i", line) for line in textwrap.wrap("> " + ", ".join(others), letters, break_long_words=False, break_on_hyphens=False) if others]


def rows_of(folders):
    """As even as they can be, at most ACROSS in a row."""
    count = -(-len(folders) // ACROSS)
    each = -(-len(folders) // count)
    return [folders[at:at + each] for at in range(0, len(folders), each)]


def text(left, top, kind, words):
    return f'<text x="{left}" y="{top}" class="{kind}">{escape(words)}</text>'


def box(folder, says, left, top, size):
    parts = [f'<rect x="{left}" y="{top}" width="{size[0]}" height="{size[1]}" rx="5" fill="{COLOURS.get(folder.split("/")[0], OTHER)}"/>',
             text(left + PAD, top + PAD + NAME_PX - 2, "n", folder)]
    return parts + [text(left + PAD, top + PAD + NAME_PX + number * LINE, kind, words) for number, (kind, words) in enumerate(says, 1)]


def band(label, folders, reduced, top):
    """The boxes of a floor in rows, its label beside them; and where it ends."""
    parts = [text(MARGIN, top + NAME_PX + PAD, "n", label)]
    for row in rows_of(folders):
        width = width_in(row)
        says = {folder: lines_of(folder, reduced[folder], width) for folder in row}
        height = 2 * PAD + NAME_PX + LINE * max(map(len, says.values()))
        for place, folder in enumerate(row):
            parts += box(folder, says[folder], MARGIN + LABEL + place * (width + GAP), top, (width, height))
        top += height + GAP
    return [*parts, f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{top - 1}" y2="{top - 1}"/>'], top + GAP


def document_of(size, parts):
    """The file with these parts on a white ground."""
    style = (f"text {{ font-family: 'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif; font-size: {TEXT_PX}px; fill: #1d232a }} "
             f".t {{ font-size: 18px; font-weight: bold }} .n {{ font-size: {NAME_PX}px; font-weight: bold }} .i {{ fill: #47525d }} "
             "rect { stroke: #8a949e } line { stroke: #c8ced4 }")
    box = f'width="{size[0]}" height="{size[1]}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {box} viewBox="0 0 {size[0]} {size[1]}">', f"<style>{style}</style>",
                      f'<rect {box} fill="#ffffff" style="stroke: none"/>', *parts, "</svg>"]) + "\n"


def svg_of(bands, reduced):
    """bands: (label, folders) from the top down."""
    parts, top = [text(MARGIN, 22, "t", "Folders of gbflow by floor"),
                  text(MARGIN, 44, "p", 'A box: the folder, its purpose, and behind ">" what it includes or requires (without what that includes in turn).')], HEAD
    for label, folders in bands:
        drawn, top = band(label, folders, reduced, top)
        parts += drawn
    return document_of((WIDTH, top), parts)

# SPDX-License-Identifier: BSD-3-Clause
"""The page of an analysis (gbflow analyze): what the capture shows in a few sentences, its plots (figures.py), then
its tables."""

import pathlib

from gbflow_report import charts, draw, figures, output, page
from gbflow_report.analyze_plots import NAMES, WAYS, Data
from gbflow_report.page import Table
from gbflow_results import Failure, files
from gbflow_results.files import number, pick

# --- tables and the page ---

SCHEMA = "gbflow-analysis/1"
# What the paper's tables I, II and III say of all its GPRS networks together.
PAPER_1 = {"sack": 0.5549, "timestamp": 0.0948, "mss_low": 0.2512, "mss_high": 0.2252, "window_low": 0.5590,
           "window_medium": 0.2554, "window_high": 0.1856}
PAPER_2 = {"internet": 0.0015, "access": 0.0122}
PAPER_3 = {"mss_low": 20048.52, "mss_high": 24936.86, "sack": 25425.25, "no_sack": 23136.50, "timestamp": 25342.24,
           "no_timestamp": 24049.16, "window_low": 22542.80, "window_medium": 25723.40, "window_high": 24383.82,
           "overall": 24233.09}
TERMS = [
    ("paper", "P. Benko, G. Malicsko, A. Veres, A Large-scale, Passive Analysis of End-to-End TCP Performance over "
     "GPRS, INFOCOM 2004; its figures are those of all its GPRS networks"),
    ("monitor", "where the capture was taken; the Internet is in front of it, the access (SGSN, BSS, radio) behind it"),
    ("background", "a packet of the same mobile shortly before the SYN"),
    ("channel rate", "what a mobile gets while its queue behind the monitor does not run empty"),
    ("throughput, goodput",
     "IP octets, and TCP payload without repetitions, over the time from the first data's ACK to the last's"),
]


def percent2(share: float | None) -> str:
    return page.fixed(share, 2, 100.0)


def loss_table(data: Data) -> Table:
    loss = data["loss"]
    table = Table("Packets with data on their way to mobiles, by where they were lost (table II).",
                  ["side", "lost (%)", "the paper (%)", "lost packets", "of packets that could be lost"])
    for name, label in (("internet", "Internet, in front of the monitor"), ("access", "access, behind the monitor")):
        table.rows.append([label, percent2(loss[name]), percent2(PAPER_2[name]), page.count(loss[f"{name}_lost"]),
                           page.count(loss[f"{name}_of"])])
    return table


def events_table(data: Data) -> Table:
    loss = data["loss"]
    names = [("data_packets", "data packets seen"), ("retransmitted", "seen again"),
             ("spurious", "of these for nothing"), ("reordered", "reordered in front of the monitor"),
             ("missed_by_capture", "acknowledged, but not in the capture")]
    return Table("What sequence numbers and ACKs tell.", ["packets", "count"],
                 [[label, page.count(loss[name])] for name, label in names])


def table_1(data: Data) -> Table:
    table = Table(f"Options, of {page.count(data['table_1']['connections'])} connections opened by mobiles (table I).",
                  ["option", "share (%)", "the paper (%)"])
    table.rows += [[NAMES[name], page.percent(data["table_1"][name]), page.percent(share)]
                   for name, share in PAPER_1.items()]
    return table


def table_3(data: Data) -> Table:
    table = Table("Goodput of single connections by option (table III).",
                  ["option", "goodput (bit/s)", "deviation", "samples", "the paper (bit/s)"])
    for name, paper_bps in PAPER_3.items():
        row = data["table_3"][name]
        table.rows.append([NAMES[name], page.count(row["mean"]), page.count(row["deviation"]), page.count(row["count"]),
                           page.count(paper_bps)])
    return table


def llc_table(data: Data) -> Table:
    names = [("i_frames", "I frames"), ("repeated", "of these, seen before"),
             ("needless", "of these, confirmed before"), ("late", "first seen after their successors"),
             ("confirmed", "confirmed"), ("taken_back", "taken back unconfirmed"),
             ("missed_by_capture", "confirmed, but not in the capture")]
    table = Table("LLC in acknowledged mode at Gb.", ["frames", *(label for _, label in WAYS)])
    table.rows += [[label, *(page.count(data["llc"][way][name]) for way, _ in WAYS)] for name, label in names]
    table.rows.append(["octets of I frames", *(page.count(data["llc"][way]["octets"]) for way, _ in WAYS)])
    table.rows.append(["of these, repeated (%)", *(octets_again(data["llc"][way]) for way, _ in WAYS)])
    return table


def octets_again(way: Data) -> str:
    return percent2(way["repeated_octets"] / way["octets"] if way["octets"] else None)


def llc_sentences(data: Data) -> str:
    """What acknowledged LLC did, in words; empty: nothing in acknowledged mode passed."""
    llc = data.get("llc")
    if not llc or not llc["links"]:
        return ""
    down, wait_s = llc["downlink"], pick(llc, "downlink", "confirm_s", "p50")
    found = [f"{page.count(down['repeated'])} of {page.count(down['i_frames'])} LLC frames to mobiles were repetitions "
             f"({percent2(down['repeated_share'])} %)"] if down["i_frames"] else []
    if down["needless"]:
        found.append(f"{page.count(down['needless'])} of these repeated a frame that the mobile had confirmed")
    if wait_s is not None:
        found.append(f"of {page.count(pick(down, 'confirm_s', 'count'))} confirmed frames to mobiles half waited "
                     f"{page.seconds(wait_s)} s or less for it")
    if llc["no_room"]:
        found.append(f"{page.count(llc['no_room'])} frames were ignored, as the table of links was full; --set links=N "
                     "makes it larger")
    return "".join(f"<p>{text[0].upper()}{text[1:]}.</p>\n" for text in found)


KINDS = (("all", "all"), ("rfc1144", "headers of TCP, RFC 1144"), ("v42bis", "data, V.42bis"))


def has_n_pdus(data: Data) -> bool:
    return any(pick(data, "llc", "compression", way, "npdus") for way, _ in WAYS)


def compression_row(label: str, row: Data, of_octets: float | None) -> list[str]:
    counts = ("npdus", "shorter", "octets_before", "octets_after", "octets_saved")
    return [label, *(page.count(row[name]) for name in counts), percent2(row["saved_share"]), page.count(of_octets)]


def compression_table(data: Data) -> Table:
    table = Table("Compression of SNDCP at Gb: what it saved, and what it would have saved of plain N-PDUs.",
                  ["N-PDUs", "count", "shorter", "octets before", "octets after", "octets saved",
                   "of the octets of LLC (%)", "of octets without compression"])
    for way, direction in WAYS:
        found = data["llc"]["compression"][way]
        saved = found["octets_before"] - found["octets_after"]
        of_octets = number(found, "saved_of_octets")
        share = {"octets_saved": saved, "saved_share": saved / of_octets if of_octets else None}
        for words, kinds in (("", {**found, "all": {**found, **share}}), (", would be", found["would_be"])):
            table.rows += [compression_row(f"{direction}: {label}{words}", kinds[kind], of_octets)
                           for kind, label in KINDS if kinds[kind]["npdus"]]
    return table


def unknown_entities(data: Data) -> str:
    """In words; empty: all entities are known."""
    ways = [(direction, data["llc"]["compression"][way]) for way, direction in WAYS]
    found = [f"{direction}: {page.count(row['npdus_lost']['no_entity'])} compressed N-PDUs, "
             f"{page.count(row['octets_unknown'])} octets" for direction, row in ways if row["npdus_lost"]["no_entity"]]
    return ("<p>Entities of some mobiles are unknown: the capture lacks their XID, or began after it. Their N-PDUs are "
            "not "
            f"in the table, and what they saved is unknown ({'; '.join(found)}).</p>\n") if found else ""


LOST = [
    ("frames_not_read", {"ciphered": "ciphered UI frames", "cut": "frames that are cut",
                         "damaged": "frames with a wrong FCS", "malformed": "frames without a header of SNDCP"}),
    ("npdus_lost", {"incomplete": "without all segments", "no_entity": "whose entity is not known",
                    "tossed": "tossed after a loss", "header": "with a wrong header", "data": "with wrong data",
                    "checksum": "with a wrong checksum of TCP", "no_room": "without room in the tables"}),
]


def n_pdus_table(data: Data) -> Table:
    table = Table("N-PDUs at Gb, and what could not be read.", ["N-PDUs", *(label for _, label in WAYS)])
    ways = [data["llc"]["compression"][way] for way, _ in WAYS]
    table.rows.append(["read", *(page.count(way["npdus"]) for way in ways)])
    table.rows.append(["of these, compressed", *(page.count(way["compressed"]) for way in ways)])
    for part, labels in LOST:
        table.rows += [[label, *(page.count(way[part][name]) for way in ways)] for name, label in labels.items()
                       if any(way[part][name] for way in ways)]
    return table


def rtt_table(data: Data) -> Table:
    names = [("internet", "Internet side"), ("access", "access side"), ("access_peak", "access side, peak hours"),
             ("access_off_peak", "access side, off-peak"), ("access_loaded", "access side under load")]
    table = Table("Round-trip times.", ["side", "samples", "p5 (s)", "p50 (s)", "p95 (s)", "max (s)"])
    for name, label in names:
        spread = pick(data, "rtt_s", name)
        if spread:
            table.rows.append([label, page.count(spread["count"]),
                               *(page.seconds(spread[part]) for part in ("p5", "p50", "p95", "max"))])
    return table


def mobiles_table(data: Data) -> Table:
    table = Table("Mobiles.", ["address", "connections", "octets down", "channel rate, median (kbit/s)", "periods",
                               "lost, access (%)", "of packets seen", "lost, Internet (%)", "of packets sent"])
    busiest = sorted(data["mobiles"].items(),
                     key=lambda item: (-item[1]["downlink_octets"], draw.natural(item[0])))[:100]
    for address, row in busiest:
        table.rows.append([address, page.count(row["connections"]), page.count(row["downlink_octets"]),
                           page.kbps(number(row, "channel_rate_bps", "median")),
                           page.count(number(row, "channel_rate_bps", "count")),
                           percent2(number(row, "loss", "access")), page.count(number(row, "loss", "access_of")),
                           percent2(number(row, "loss", "internet")), page.count(number(row, "loss", "internet_of"))])
    if len(data["mobiles"]) > len(busiest):
        table.caption = f"The {len(busiest)} mobiles of {page.count(len(data['mobiles']))} with the most octets."
    return table


def capture_table(data: Data) -> Table:
    names = [("frames", "frames"), ("tcp", "TCP packets of mobiles"), ("other_packets", "other packets of mobiles"),
             ("cut_short", "cut short by the snap length"), ("unassigned", "with no mobile on either side"),
             ("no_length", "without a length in the IP header"),
             ("other_frames", "no IP"), ("malformed", "malformed"), ("headless", "TCP or UDP without its header"),
             ("clock_steps", "steps of the clock"), ("no_room", "without room in the tables")]
    counts = [(label, data["capture"][name]) for name, label in names]
    counts += [("of Gb", pick(data, "llc", "ns_packets")),
               ("of Gb, cut in front of the end of LLC's header", pick(data, "llc", "cut"))]
    return Table("What the capture holds.", ["packets", "count"],
                 [[label, page.count(count)] for label, count in counts if count])


def thresholds_table(data: Data) -> Table:
    return Table("Thresholds of this analysis.", ["name", "value"],
                 [[name, f"{value:g}"] for name, value in data["thresholds"].items()])


def cards(data: Data) -> list[tuple[str, str]]:
    rate, access, loss = data["channel_rate_bps"], pick(data, "rtt_s", "access"), data["loss"]
    found = [("captured", f"{data['capture']['duration_s']:.0f} s"), ("mobiles", page.count(len(data["mobiles"]))),
             ("TCP connections", page.count(data["connections"]))]
    if rate:
        found.append((f"channel rate, median of {numbered(rate['count'], 'period')}",
                      f"{page.kbps(rate['p50'])} kbit/s"))
    if access:
        found.append((f"access round trip, median of {numbered(access['count'], 'set-up')}",
                      f"{page.seconds(access['p50'])} s"))
    found += [(f"lost in the {label}, of {numbered(loss[f'{side}_of'], 'packet')}", f"{percent2(loss[side])} %")
              for side, label in (("access", "access"), ("internet", "Internet")) if loss[side] is not None]
    return [(name, value) for name, value in found if value]


def numbered(count: float, noun: str) -> str:
    return f"{page.count(count)} {noun}{'' if count == 1 else 's'}"


def waited(setup: Data, access: Data | None) -> str:
    of = (f"; for an answer from the mobile alone half of {numbered(access['count'], 'set-up')} took "
          f"{access['p50']:.2g} s or longer") if access else ""
    who = f"half of {page.count(setup['count'])} connections" if setup["count"] > 1 else "1 connection"
    wait = f"{setup['p50']:.2g} s{' or longer' if setup['count'] > 1 else ''}"
    return f"Before the first octet of a connection could flow, {who} had to wait {wait}{of}."


def told(data: Data) -> list[str]:
    """At most four sentences for a reader who knows neither TCP nor GPRS; what the capture does not tell has none."""
    setup, rate, loss = pick(data, "setup_s", "all"), data["channel_rate_bps"], data["loss"]
    found = [f"In {data['capture']['duration_s']:.0f} s {page.plural(len(data['mobiles']), 'mobile')} had "
             f"{page.plural(data['connections'], 'TCP connection')}."] \
        if data["connections"] else []
    if setup:
        found.append(waited(setup, pick(data, "rtt_s", "access")))
    if rate:
        found.append(f"While a mobile's queue had packets, its channel carried {rate['p50'] / 1000:.3g} kbit/s or "
                     f"less in half of {numbered(rate['count'], 'period')}.")
    if loss["access"] is not None and loss["internet"] is not None:
        found.append(f"Of {page.count(loss['access_of'])} packets with data to mobiles that passed the monitor "
                     f"{page.count(loss['access_lost'])} were lost behind it (SGSN, BSS, radio), "
                     f"of {page.count(loss['internet_of'])} on their way to it {page.count(loss['internet_lost'])} "
                     "(Internet).")
    return found


def story_html(data: Data) -> str:
    return page.section_html("In short", *(f"<p>{page.escape(sentence)}</p>\n" for sentence in told(data)))


def html_of(data: Data, library: charts.Library | None = None) -> str:
    plots, missing = figures.made(figures.ANALYSIS, data)
    left_out = f'<p class="soft">no data for {page.escape(", ".join(missing))}</p>\n' if missing else ""
    broken = "" if data["capture"]["is_complete"] else (
        f'<p class="soft">The capture breaks off: {page.escape(data["capture"]["error"])}. What came before was '
        'read.</p>\n')
    said = llc_sentences(data)
    tables = ([loss_table, events_table, rtt_table, table_1, table_3, mobiles_table] if data["connections"] or not said
              else [])
    llc = [page.section_html("LLC", said, page.table_html(llc_table(data)))] if said else []
    if has_n_pdus(data):
        llc.append(page.section_html("SNDCP", unknown_entities(data), page.table_html(compression_table(data)),
                                     page.table_html(n_pdus_table(data))))
    title = "LLC at Gb" if said and not data["connections"] else "TCP over GPRS"
    head = (f'<header>\n<h1>{title}, seen from the monitor</h1>\n<p class="soft">Passive analysis of '
            f"{page.count(data['capture']['frames'])} frames.</p>\n{broken}{page.cards_html(cards(data))}</header>\n")
    return page.page_html(f"{title} - gbflow", len(plots), [("Analysis by", output.origin())], head, story_html(data),
                          page.section_html("Plots", *charts.figures_html(plots, library), left_out),
                          *llc, page.section_html("Tables", *(page.table_html(make(data)) for make in tables)),
                          page.section_html("Capture and thresholds", page.table_html(capture_table(data)),
                                            page.folded_html("Thresholds, each with its value",
                                                             page.table_html(thresholds_table(data)))),
                          page.section_html("Words", page.terms_html(TERMS)), charts.scripts_html(library))


def write(folder: pathlib.Path, is_static: bool = False) -> pathlib.Path:
    """folder/analysis.json to folder/report.html; returns its path. A static page has SVG and no script."""
    source, target = folder / "analysis.json", folder / "report.html"
    data = files.read_report(source, SCHEMA)
    try:
        output.write_whole(target, html_of(data, None if is_static else charts.library()))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failure(f"{source}: a field is missing or of another kind: {error}") from error
    return target

# SPDX-License-Identifier: BSD-3-Clause
"""report.html of an analysis: analysis.json of gbflow analyze, drawn."""

import pathlib
from collections.abc import Callable

from gbflow_report import analyze_data_plots, analyze_plots, charts, draw, output, page
from gbflow_report.analyze_data_plots import NAMES
from gbflow_report.analyze_plots import Data
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_results import Failure, files
from gbflow_results.files import number, pick

SCHEMA = "gbflow-analysis/1"
PLOTS: list[tuple[str, Callable[[Data], Plot | None]]] = [
    ("set-up", analyze_plots.tree), ("set-up delay", analyze_plots.setup), ("round-trip times", analyze_plots.rtt), ("round-trip times of data", analyze_plots.rtt_loaded),
    *analyze_data_plots.PLOTS]

# What the paper's tables I, II and III say of all its GPRS networks together.
PAPER_1 = {"sack": 0.5549, "timestamp": 0.0948, "mss_low": 0.2512, "mss_high": 0.2252, "window_low": 0.5590,
           "window_medium": 0.2554, "window_high": 0.1856}
PAPER_2 = {"internet": 0.0015, "access": 0.0122}
PAPER_3 = {"mss_low": 20048.52, "mss_high": 24936.86, "sack": 25425.25, "no_sack": 23136.50, "timestamp": 25342.24,
           "no_timestamp": 24049.16, "window_low": 22542.80, "window_medium": 25723.40, "window_high": 24383.82,
           "overall": 24233.09}
TERMS = [
    ("paper", "P. Benko, G. Malicsko, A. Veres, A Large-scale, Passive Analysis of End-to-End TCP Performance over GPRS, INFOCOM "
              "2004; its figures are those of all its GPRS networks"),
    ("monitor", "where the capture was taken; the Internet is in front of it, the access (SGSN, BSS, radio) behind it"),
    ("background", "a packet of the same mobile shortly before the SYN"),
    ("channel rate", "what a mobile gets while its queue behind the monitor does not run empty"),
    ("throughput, goodput", "IP octets, and TCP payload without repetitions, over the time from the first data's ACK to the last's"),
]


def read(path: pathlib.Path) -> Data:
    data = files.read_json(path)
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise Failure(f"{path}: schema is not {SCHEMA}")
    return data


def percent2(share: float | None) -> str:
    return page.fixed(share, 2, 100.0)


def loss_table(data: Data) -> Table:
    loss = data["loss"]
    table = Table("Packets with data on their way to mobiles, by where they were lost (table II).",
                  ["side", "lost (%)", "the paper (%)", "lost packets"])
    for name, label in (("internet", "Internet, in front of the monitor"), ("access", "access, behind the monitor")):
        table.rows.append([label, percent2(loss[name]), percent2(PAPER_2[name]), page.count(loss[f"{name}_lost"])])
    return table


def events_table(data: Data) -> Table:
    loss = data["loss"]
    names = [("data_packets", "data packets seen"), ("retransmitted", "seen again"), ("spurious", "of these for nothing"),
             ("reordered", "reordered in front of the monitor"), ("missed_by_capture", "acknowledged, but not in the capture")]
    return Table("What sequence numbers and ACKs tell.", ["packets", "count"], [[label, page.count(loss[name])] for name, label in names])


def table_1(data: Data) -> Table:
    table = Table(f"Options of {page.count(data['table_1']['connections'])} connections opened by mobiles (table I).",
                  ["option", "share (%)", "the paper (%)"])
    table.rows += [[NAMES[name], page.percent(data["table_1"][name]), page.percent(share)] for name, share in PAPER_1.items()]
    return table


def table_3(data: Data) -> Table:
    table = Table("Goodput of single connections by option (table III).",
                  ["option", "goodput (bit/s)", "deviation", "samples", "the paper (bit/s)"])
    for name, paper_bps in PAPER_3.items():
        row = data["table_3"][name]
        table.rows.append([NAMES[name], page.count(row["mean"]), page.count(row["deviation"]), page.count(row["count"]),
                           page.count(paper_bps)])
    return table


def rtt_table(data: Data) -> Table:
    names = [("internet", "Internet side"), ("access", "access side"), ("access_peak", "access side, peak hours"),
             ("access_off_peak", "access side, off-peak"), ("access_loaded", "access side under load")]
    table = Table("Round-trip times.", ["side", "samples", "p5 (s)", "p50", "p95", "max"])
    for name, label in names:
        spread = pick(data, "rtt_s", name)
        if spread:
            table.rows.append([label, page.count(spread["count"]), *(page.seconds(spread[part]) for part in ("p5", "p50", "p95", "max"))])
    return table


def mobiles_table(data: Data) -> Table:
    table = Table("Mobiles.", ["address", "connections", "octets down", "channel rate, median (kbit/s)", "periods", "lost, access (%)",
                               "lost, Internet (%)"])
    busiest = sorted(data["mobiles"].items(), key=lambda item: (-item[1]["downlink_octets"], draw.natural(item[0])))[:100]
    for address, row in busiest:
        table.rows.append([address, page.count(row["connections"]), page.count(row["downlink_octets"]),
                           page.kbps(number(row, "channel_rate_bps", "median")), page.count(number(row, "channel_rate_bps", "count")),
                           percent2(number(row, "loss", "access")), percent2(number(row, "loss", "internet"))])
    if len(data["mobiles"]) > len(busiest):
        table.caption = f"The {len(busiest)} mobiles of {page.count(len(data['mobiles']))} with the most octets."
    return table


def capture_table(data: Data) -> Table:
    names = [("frames", "frames"), ("tcp", "TCP packets of mobiles"), ("other_packets", "other packets of mobiles"),
             ("cut_short", "cut short by the snap length"), ("unassigned", "with no mobile on either side"),
             ("other_frames", "no IP"), ("malformed", "malformed"), ("headless", "TCP without its header"),
             ("clock_steps", "steps of the clock"), ("no_room", "without room in the tables")]
    return Table("What the capture holds.", ["packets", "count"],
                 [[label, page.count(data["capture"][name])] for name, label in names if data["capture"][name]])


def thresholds_table(data: Data) -> Table:
    return Table("Thresholds of this analysis.", ["name", "value"], [[name, f"{value:g}"] for name, value in data["thresholds"].items()])


def cards(data: Data) -> list[tuple[str, str]]:
    rate, access = data["channel_rate_bps"], pick(data, "rtt_s", "access", "p50")
    found = [("captured", f"{data['capture']['duration_s']:.0f} s"), ("mobiles", page.count(len(data["mobiles"]))),
             ("TCP connections", page.count(data["connections"])),
             ("channel rate, median", f"{page.kbps(rate['p50'])} kbit/s" if rate else ""),
             ("access round trip, median", f"{page.seconds(access)} s" if access is not None else ""),
             ("lost in the access", f"{percent2(data['loss']['access'])} %" if data["loss"]["access"] is not None else ""),
             ("lost in the Internet", f"{percent2(data['loss']['internet'])} %" if data["loss"]["internet"] is not None else "")]
    return [(name, value) for name, value in found if value]


def html_of(data: Data, library: charts.Library | None = None) -> str:
    made = [(name, draw_one(data)) for name, draw_one in PLOTS]
    plots = [plot for _, plot in made if plot]
    missing = [name for name, plot in made if not plot]
    left_out = f'<p class="soft">no data for {page.escape(", ".join(missing))}</p>\n' if missing else ""
    broken = "" if data["capture"]["is_complete"] else (
        f'<p class="soft">The capture breaks off: {page.escape(data["capture"]["error"])}. What came before was read.</p>\n')
    head = (f'<header>\n<h1>TCP over GPRS, seen from the monitor</h1>\n<p class="soft">Passive analysis of '
            f"{page.count(data['capture']['frames'])} frames.</p>\n{broken}{page.cards_html(cards(data))}</header>\n")
    tables = [loss_table, events_table, rtt_table, table_1, table_3, mobiles_table]
    return page.page_html("TCP over GPRS - gbflow", len(plots), head,
                          page.section_html("Plots", *charts.figures_html(plots, library), left_out),
                          page.section_html("Tables", *(page.table_html(make(data)) for make in tables)),
                          page.section_html("Capture and thresholds", page.table_html(capture_table(data)),
                                            page.table_html(thresholds_table(data))),
                          page.section_html("Words", page.terms_html(TERMS)), charts.scripts_html(library))


def write(folder: pathlib.Path, is_static: bool = False) -> pathlib.Path:
    """folder/analysis.json to folder/report.html; returns its path. A static page has SVG and no script."""
    source, target = folder / "analysis.json", folder / "report.html"
    data = read(source)
    try:
        output.write_whole(target, html_of(data, None if is_static else charts.library()))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failure(f"{source}: a field is missing or of another kind: {error}") from error
    return target

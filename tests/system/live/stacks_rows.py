# SPDX-License-Identifier: BSD-3-Clause
"""The figures of stacks.py, of a run between kernels and of its twin in virtual time alike, and their table."""
import collections
import math
import socket
import statistics

from stacks_plan import SCHEMES, TCP, WEB  # whose lab names the folder of gbflow_report

from gbflow_report import page_times

PRIORITY = ("streaming", "thp1")
ALL = (*PRIORITY, *TCP)
# Title, key, digits, classes.
COLUMNS = (("delay p95 s", "delay_p95_s", 2, TCP), ("streaming, thp1", "delay_p95_s", 2, PRIORITY), ("round trip s", "rtt_s", 2, TCP),
           ("page p50 s", "page_p50_s", 0, WEB), ("page p95 s", "page_p95_s", 0, WEB), ("first object p95 s", "first_p95_s", 1, WEB),
           ("ping p95 s", "ping_p95_s", 2, TCP), ("pings lost", "pings_lost", 2, TCP), ("worst user", "worst_user", 2, TCP),
           ("dropped", "dropped", 2, TCP), ("again on the air", "repeated", 3, TCP))
KEYS = ["time", "congestion control", "queues"]
HEAD = [*KEYS, "total kbit/s", *(title for title, _, _, _ in COLUMNS)]
PING_LEAST_S = 30  # pings sent later before the end of a run do not count: their answers may be on the way


def rank(values, share):
    """Quantile by nearest rank, as of gbflow run; None without values."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else None


def page_time(pages, key, plan, quantile):
    """Of pages begun after the warm-up; one that has no time takes longer than its age."""
    times = page_times.aged({"warmup_s": plan.warmup_s, "duration_s": plan.seconds}, pages, key)
    return page_times.quantile(page_times.kaplan_meier(times), quantile)


def worst_of(rates):
    mean = sum(rates) / len(rates) if rates else 0
    return min(rates) / mean if mean else None


def ratio(part, whole):
    return part / whole if whole else None


def page_figures(pages, plan):
    return {"page_p50_s": page_time(pages, "time_s", plan, 0.5), "page_p95_s": page_time(pages, "time_s", plan, 0.95),
            "first_p95_s": page_time(pages, "first_s", plan, 0.95), "pages": len(pages),
            "pages_whole": sum(page["time_s"] is not None for page in pages)}


def ping_figures(mobiles, plan):
    """Of pings sent after the warm-up."""
    until_s = plan.seconds - min(PING_LEAST_S, plan.seconds / 4)
    rtts = [rtt_s for mobile in mobiles for sent_s, rtt_s in mobile.get("pings", ()) if plan.warmup_s <= sent_s < until_s]
    return {"ping_p95_s": rank([rtt_s for rtt_s in rtts if rtt_s is not None], 0.95), "pings_lost": ratio(rtts.count(None), len(rtts))}


def live_row(plan, seen):
    """seen: what stacks.Run has of a run."""
    classes = {}
    for qclass in ALL:
        users = plan.of_class(qclass)
        mobiles = [seen.mobiles[user.name] for user in users if user.name in seen.mobiles]
        pages = [page for mobile in mobiles for page in mobile["pages"]]
        rtt_octets_s, rtt_octets = (sum(of.get(socket.inet_aton(user.address), 0) for user in users)
                                    for of in (seen.edges.rtt_octets_s, seen.edges.rtt_octets))
        octets = [mobile["octets_warm"] for mobile in mobiles] or [seen.air.datagrams[user.address] for user in users]
        rates = [8 * count / (plan.seconds - plan.warmup_s) for count in octets]
        classes[qclass] = {
            "delay_p95_s": rank(seen.air.delays[qclass], 0.95), "rtt_s": ratio(rtt_octets_s, rtt_octets),
            "goodput_bps": sum(rates), "users_bps": rates, "worst_user": worst_of(rates),
            "npdu_out": seen.sent[qclass], "drops": seen.drops[qclass],
            "dropped": ratio(sum(seen.drops[qclass].values()), seen.sent[qclass]),
            "repeated": ratio(seen.air.repeated[qclass], seen.air.octets[qclass]),
            **page_figures(pages, plan), **ping_figures(mobiles, plan)}
    return classes


def virtual_row(plan, summary):
    classes = {}
    for qclass in ALL:
        users = {user.name for user in plan.of_class(qclass)}
        row = summary["classes"][qclass]
        pages = [page for page in summary["pages"] if page["mobile"] in users]
        drops = {reason: count for reason, count in row["drops"].items() if count}
        tcp = [one for one in summary["tcp"] if one["mobile"] in users]
        classes[qclass] = {
            "delay_p95_s": row["delay_s"]["p95"], "rtt_s": row["rtt_s"]["avg"],
            "goodput_bps": row["goodput_bps"]["total"],
            "users_bps": [one["goodput_bps"] for one in summary["mobiles"] if one["mobile"] in users],
            "worst_user": row["fairness"]["worst_user"], "npdu_out": row["npdu_out"], "drops": drops,
            "dropped": ratio(sum(drops.values()), row["npdu_out"]),
            "repeated": ratio(sum(one["repeated_octets"] for one in tcp), sum(one["octets"] for one in tcp)),
            **page_figures(pages, plan), "ping_p95_s": row["ping_rtt_s"]["p95"], "pings_lost": row["pings_lost"]}
    return classes


def cell_of(classes, key, digits, names):
    values = [classes[name][key] for name in names]
    if all(value is None for value in values):
        return "–"
    return " / ".join("–" if value is None else f"{value:.{digits}f}" for value in values)


def spread(values, digits):
    """Median (least..most); None, a time that no run is long enough to tell, is more than all others."""
    known = [math.inf if value is None else value for value in values]
    middle, least, most = ("–" if value == math.inf else f"{value:.{digits}f}" for value in (statistics.median(known), min(known), max(known)))
    return f"{middle} ({least}..{most})"


def total_kbps(classes):
    return sum(classes[name]["goodput_bps"] for name in TCP) / 1000


def line_of(row):
    """A run's row of the table, from its JSON."""
    classes = row["classes"]
    cells = [cell_of(classes, key, digits, names) for _, key, digits, names in COLUMNS]
    return line(row["time"], row["congestion_control"], row["queues"], f"{total_kbps(classes):.0f}", *cells)


def line(*cells):
    return "| " + " | ".join(cells) + " |"


def head(titles=None):
    titles = titles or HEAD
    return line(*titles) + "\n|" + " --- |" * len(titles)


def figures_of(row):
    """{(title, digits): value} of a run."""
    classes = row["classes"]
    figures = {("total kbit/s", 0): total_kbps(classes)}
    for title, key, digits, names in COLUMNS:
        if names != PRIORITY:
            figures |= {(f"{title}, {name}", digits): classes[name][key] for name in names}
    return figures


def summary(rows):
    """The table of several seeds, a line for each figure: runs of wall time before those of virtual time, by congestion control and
    queues."""
    runs = collections.defaultdict(list)
    for row in rows:
        runs[row["time"] == "virtual", row["congestion_control"], list(SCHEMES).index(row["queues"])].append(row)
    cases = [of_case for _, of_case in sorted(runs.items())]
    yield head(["median (least..most)", *(f"{case[0]['time']}, {case[0]['congestion_control']}, {case[0]['queues']}" for case in cases)])
    yield line("runs", *(str(len(case)) for case in cases))
    columns = [[figures_of(row) for row in case] for case in cases]
    for figure in columns[0][0]:
        yield line(figure[0], *(spread([figures[figure] for figures in column], figure[1]) for column in columns))

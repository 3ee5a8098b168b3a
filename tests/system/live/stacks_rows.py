# SPDX-License-Identifier: BSD-3-Clause
"""The figures of stacks.py, of a run between kernels and of its twin in virtual time alike, and their table."""
import collections
import math
import statistics

from stacks_plan import SCHEMES, TCP, WEB  # whose lab names the folder of gbflow_report

from gbflow_report import page_times

PRIORITY = ("streaming", "thp1")
# Title, key, digits, classes.
COLUMNS = (("delay p95 s", "delay_p95_s", 2, TCP), ("streaming, thp1", "delay_p95_s", 2, PRIORITY), ("held p95 s", "held_p95_s", 2, TCP),
           ("page p95 s", "page_p95_s", 0, WEB), ("first object p95 s", "first_p95_s", 1, WEB), ("worst user", "worst_user", 2, TCP),
           ("dropped", "dropped", 2, TCP), ("again on the air", "repeated", 3, TCP))
KEYS = ["time", "congestion control", "queues"]
HEAD = [*KEYS, "total kbit/s", *(title for title, _, _, _ in COLUMNS)]
# Of several seeds: title, digits; figures_of() has the values.
SUMMARY = (("total kbit/s", 0), *((f"delay p95 s, {name}", 2) for name in TCP), *((f"page p95 s, {name}", 0) for name in WEB),
           ("worst user of all classes", 2), ("dropped", 2))


def rank(values, share):
    """Quantile by nearest rank, as of gbflow run; None without values."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else None


def page_p95(pages, key, plan):
    """Of pages begun after the warm-up; one that has no time takes longer than its age."""
    times = page_times.aged({"warmup_s": plan.warmup_s, "duration_s": plan.seconds}, pages, key)
    return page_times.quantile(page_times.kaplan_meier(times), 0.95)


def worst_of(rates):
    mean = sum(rates) / len(rates) if rates else 0
    return min(rates) / mean if mean else None


def ratio(part, whole):
    return part / whole if whole else None


def held_of(report, qclass):
    """Of a summary or a live node's report, with one worker."""
    workers = report.get("pacing") or []
    found = workers[0]["hold"].get(qclass) if workers else None
    return found["p95_s"] if found else None


def live_row(plan, seen):
    """seen: what stacks.Run has of a run."""
    classes = {}
    for qclass in (*PRIORITY, *TCP):
        users = plan.of_class(qclass)
        mobiles = [seen.mobiles[user.name] for user in users if user.name in seen.mobiles]
        pages = [page for mobile in mobiles for page in mobile["pages"]]
        octets = [mobile["octets_warm"] for mobile in mobiles] or [seen.air.datagrams[user.address] for user in users]
        rates = [8 * count / (plan.seconds - plan.warmup_s) for count in octets]
        classes[qclass] = {
            "delay_p95_s": rank(seen.air.delays[qclass], 0.95), "held_p95_s": held_of(seen.report, qclass),
            "goodput_bps": sum(rates), "users_bps": rates, "worst_user": worst_of(rates),
            "npdu_out": seen.sent[qclass], "drops": seen.drops[qclass],
            "dropped": ratio(sum(seen.drops[qclass].values()), seen.sent[qclass]),
            "repeated": ratio(seen.air.repeated[qclass], seen.air.octets[qclass]),
            "page_p95_s": page_p95(pages, "time_s", plan),
            "first_p95_s": page_p95(pages, "first_s", plan), "pages": len(pages),
            "pages_whole": sum(page["time_s"] is not None for page in pages)}
    return classes


def virtual_row(plan, summary):
    classes = {}
    for qclass in (*PRIORITY, *TCP):
        users = {user.name for user in plan.of_class(qclass)}
        row = summary["classes"][qclass]
        pages = [page for page in summary["pages"] if page["mobile"] in users]
        drops = {reason: count for reason, count in row["drops"].items() if count}
        tcp = [one for one in summary["tcp"] if one["mobile"] in users]
        classes[qclass] = {
            "delay_p95_s": row["delay_s"]["p95"], "held_p95_s": held_of(summary, qclass),
            "goodput_bps": row["goodput_bps"]["total"],
            "users_bps": [one["goodput_bps"] for one in summary["mobiles"] if one["mobile"] in users],
            "worst_user": row["fairness"]["worst_user"], "npdu_out": row["npdu_out"], "drops": drops,
            "dropped": ratio(sum(drops.values()), row["npdu_out"]),
            "repeated": ratio(sum(one["repeated_octets"] for one in tcp), sum(one["octets"] for one in tcp)),
            "page_p95_s": page_p95(pages, "time_s", plan),
            "first_p95_s": page_p95(pages, "first_s", plan), "pages": len(pages),
            "pages_whole": sum(page["time_s"] is not None for page in pages)}
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
    """A run's figures of SUMMARY."""
    classes = row["classes"]
    drops, sent = (sum(values) for values in zip(*((sum(classes[name]["drops"].values()), classes[name]["npdu_out"]) for name in TCP)))
    return [total_kbps(classes), *(classes[name]["delay_p95_s"] for name in TCP), *(classes[name]["page_p95_s"] for name in WEB),
            min(classes[name]["worst_user"] for name in TCP), ratio(drops, sent)]


def summary(rows):
    """The table of several seeds: runs of wall time before those of virtual time, by congestion control and queues."""
    runs = collections.defaultdict(list)
    for row in rows:
        runs[row["time"] == "virtual", row["congestion_control"], list(SCHEMES).index(row["queues"])].append(row)
    yield head([*KEYS, "runs", *(title for title, _ in SUMMARY)])
    for _, of_case in sorted(runs.items()):
        columns = zip(*map(figures_of, of_case))
        cells = [spread(values, digits) for values, (_, digits) in zip(columns, SUMMARY)]
        yield line(of_case[0]["time"], of_case[0]["congestion_control"], of_case[0]["queues"], str(len(of_case)), *cells)

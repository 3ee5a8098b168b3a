# SPDX-License-Identifier: BSD-3-Clause
"""What a study says in at most four sentences, for a reader who knows no statistics: what matters, the largest
difference from a baseline, and what to doubt. sweep_story.py has the tests behind them.
"""

import math
from collections.abc import Sequence
from statistics import mean

from gbflow_report import page, page_times, sweep_story
from gbflow_report.sweep_results import Results
from gbflow_report.sweep_story import Shares, Step


OUTSIDE = 0.5  # share of the delay from which on the page says that it lay outside of the SGSN


def looked_at(results: Results) -> str:
    """ "2 figures looked at (delay p95 of class thp2, ...)" """
    names = sweep_story.headlines(results)
    words = sweep_story.short([sweep_story.name_of(name) for name in names])
    return f"{page.plural(len(names), 'figure')} looked at ({words})"


def where_it_waits(results: Results) -> str:
    """A sentence where most of the delay lay outside of the SGSN, of the class with the longest; "" where the study
    varies bss_target, or its figures do not tell."""
    settings = [text for axis in results.study.axes for of_label in axis.settings.values() for text in of_label]
    found = []
    for name in results.figures:
        owner, _, last = name.rpartition(".delay_s.")
        if owner.startswith("classes.") and last == "mean":
            pairs = [(delay, sojourn) for of_point in results.values.values()
                     for seed, delay in of_point.get(name, {}).items()
                     if (sojourn := of_point.get(f"{owner}.sojourn_s.mean", {}).get(seed)) is not None]
            if pairs:
                found.append((mean(delay for delay, _ in pairs), mean(inside for _, inside in pairs), owner,
                              len(pairs)))
    delay, inside, owner, runs = max(found, default=(0.0, 0.0, "", 0))
    if delay <= 0 or 1 - inside / delay < OUTSIDE or any("bss_target" in text for text in settings):
        return ""
    share = 100 * (1 - inside / delay)
    return (f" {share:.0f} % of the delay of class {owner.partition('.')[2]} ({delay - inside:.3g} of "
            f"{delay:.3g} s, mean of {page.plural(runs, 'run')}) lay outside of the SGSN, in the BSS and on the path, "
            "out of reach of the SGSN's queues; flow_control.bss_target bounds the wait in the BSS.")


def matters(results: Results, found: Sequence[Shares]) -> str:
    """Of the figure that varies most, the axis that does it."""
    cut = sweep_story.cut_names(results)
    found = sweep_story.shared(results, found)
    if not found and cut:
        return f"Not every run reaches {sweep_story.short(cut)}: too many pages were unfinished at its end."
    if not found:
        return f"All runs give the same {looked_at(results)}."
    if not sweep_story.is_any_more(found):
        return (f"None of the {looked_at(results)} differs by more than chance, with "
                f"{page.plural(results.study.seeds, 'seed')}.{where_it_waits(results)}")
    names = list(found[0].labels)
    more = [one for one in found if one.freedom <= 0
            or one.is_more(one.points, math.prod(one.labels.values()) - 1)] or list(found)
    best = more[0]
    figure = sweep_story.capital(sweep_story.name_of(best.figure))
    if len(names) > 1 and best.combined > best.axes[best.strongest]:
        return f"{figure} depends on combinations of {sweep_story.listed(names)}, more than on one of them alone."
    ends = sweep_story.ends_of(results, best.figure, best.strongest).removeprefix(", ")
    if len(names) == 1:
        return f"{figure} depends on {best.strongest}: its mean goes {ends}."
    return f"{figure} depends most on {best.strongest}: its mean goes {ends}."


def largest(results: Results, steps: Sequence[Step]) -> list[str]:
    """The largest difference that chance does not explain, and how many there are."""
    judged = [step for step in steps if not step.is_equal and step.row["p"] is not None]
    if not judged or results.study.seeds == 1:
        return []
    base = sweep_story.base_of(results)
    sure = [step for step in judged if step.is_sure]
    if not sure:
        return [f"None of {page.plural(len(judged), 'difference')} looked at from {base} is larger than chance may "
                f"make it with {page.plural(results.study.seeds, 'run')} of each point."]
    most = max(sure, key=lambda step: (step.is_from_zero, step.is_unreached, abs(step.percent)))
    figure = sweep_story.name_of(most.row["figure"])
    if most.is_unreached:
        change = f"makes {figure} {sweep_story.change_text(most)}"
    elif most.is_from_zero:
        change = f"changes {figure} {sweep_story.change_text(most)}"
    else:
        change = f"{'lowers' if most.percent < 0 else 'raises'} {figure} by {abs(most.percent):.3g} %"
    beside = f"{most.beside}, " if most.where else ""
    kind = "A" if most.is_unreached else "The largest"
    return [f"{kind} difference beyond chance: {beside}{most.axis} {most.label} {change}, compared with {most.axis} "
            f"{results.study.baseline[most.axis]}.",
            f"{len(sure)} of {page.plural(len(judged), 'difference')} from {base} {'is' if len(sure) == 1 else 'are'} "
            "beyond chance."]


def doubt(results: Results) -> list[str]:
    if results.study.seeds == 1:
        return ["Each point has one run, so what chance did cannot be told from what the axes do: use more seeds."]
    settled = [value for of_point in results.settled_s.values() for value in of_point.values()]
    late = [value for value in settled if value is not None and value > results.warmup_s]
    never = settled.count(None)
    of_runs = f"of {page.plural(len(settled), 'run')} the queues"
    if never:
        return [f"In {never} {of_runs} never settled, so longer runs may say something else."]
    return [f"In {len(late)} {of_runs} settled after the warm-up, the last at {max(late):.0f} s: a longer "
            "warm-up leaves that out."] if late else []


def unfinished(results: Results) -> list[str]:
    """Of the headline with the most pages that were."""
    pages = {figure: [one.pages for point in results.values for one in results.times(point, figure).values()]
             for figure in sweep_story.headlines(results)}
    count, total, figure = max(((sum(map(page_times.unfinished, runs)), sum(map(len, runs)), figure)
                                for figure, runs in pages.items()), default=(0, 0, ""))
    if count == 0:
        return []
    owner = sweep_story.name_of(figure).partition(" of ")[2]
    return [f"{count} of {page.plural(total, 'page')}{' of ' if owner else ''}{owner} were unfinished at the end of "
            "their run: they take longer than their age, by an unknown time."]


def told(results: Results, found: Sequence[Shares], steps: Sequence[Step]) -> list[str]:
    """The count of differences gives way to that of unfinished pages."""
    cut = unfinished(results)
    return [matters(results, found), *largest(results, steps)[:1 if cut else None], *cut, *doubt(results)]

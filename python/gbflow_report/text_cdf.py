# SPDX-License-Identifier: BSD-3-Clause
"""The distribution of delays as text, for a terminal without a browser: 12 lines, a letter for each mobile."""

import pathlib
from collections.abc import Mapping, Sequence

import numpy

from gbflow_results import Failure, files

ROWS = 10  # a tenth of the packets each
COLUMNS = 60
LETTERS = "abcdefgh"
STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def delays(path: pathlib.Path, since_s: float = 0.0) -> dict[str, numpy.ndarray]:
    """Of each mobile the delays of its packets in seconds, sorted; those with most packets, in the order of the file.
    Packets that arrived before since_s, in the warm-up, do not count, as in the table."""
    of_mobile: dict[str, list[numpy.ndarray]] = {}
    for of, curve in files.read_series(path).curves_of("delay_s").items():
        of_mobile.setdefault(of.rpartition(" ")[0] or of, []).append(curve.since(since_s).value)
    found = {name: numpy.sort(numpy.concatenate(parts))
             for name, parts in of_mobile.items() if any(len(one) for one in parts)}
    most = sorted(found, key=lambda name: -len(found[name]))[:len(LETTERS)]
    return {name: found[name] for name in found if name in most}


def reach(values: Sequence[numpy.ndarray]) -> float:
    """The end of the axis: a round number that 99 % of each mobile's packets reach."""
    longest = max(float(numpy.quantile(of_one, 0.99)) for of_one in values)
    if longest <= 0:
        return 1.0
    scale = 10.0 ** numpy.floor(numpy.log10(longest))
    return float(scale * next(step for step in STEPS if step * scale >= longest * (1 - 1e-9)))


def rows(of_mobile: Mapping[str, numpy.ndarray], end: float) -> list[str]:
    """A row for each tenth, 100 % first: the letter of a mobile where its curve passes; * where several do;
    > beyond the axis."""
    canvas = [[" "] * (COLUMNS + 1) for _ in range(ROWS)]
    for letter, values in zip(LETTERS, of_mobile.values()):
        for row in range(ROWS):
            share = (ROWS - row) / ROWS
            # A row's point is the smallest delay that this share of the packets does not exceed.
            delay = values[max(int(numpy.ceil(share * len(values))) - 1, 0)]
            column = round(float(delay) / end * COLUMNS)
            if column > COLUMNS:
                canvas[row][COLUMNS] = ">"
            else:
                canvas[row][column] = letter if canvas[row][column] == " " else "*"
    return [f"{100 - 100 * row // ROWS:4} % |{''.join(cells).rstrip()}" for row, cells in enumerate(canvas)]


def axis(end: float) -> str:
    labels = [f"{end * part / 4:g}" for part in range(5)]
    line = [" "] * (COLUMNS + 12)
    for part, label in enumerate(labels):
        at = part * COLUMNS // 4
        line[at:at + len(label)] = label
    return "       " + "".join(line).rstrip() + " s"


def after(warmup_s: float) -> str:
    return f" after the warm-up of {warmup_s:g} s" if warmup_s else ""


def text(of_mobile: Mapping[str, numpy.ndarray], warmup_s: float = 0.0) -> str:
    names = ", ".join(f"{letter} {name}" for letter, name in zip(LETTERS, of_mobile))
    end = reach(list(of_mobile.values()))
    return "\n".join([f"Share of the packets{after(warmup_s)} that take at most this long: {names}",
                      *rows(of_mobile, end), axis(end)])


def write(folder: pathlib.Path) -> int:
    warmup_s = files.number(files.read_summary(folder / "summary.json"), "warmup_s") or 0.0
    of_mobile = delays(folder / "series.csv", warmup_s)
    if not of_mobile:
        raise Failure(f"{folder / 'series.csv'}: no delay: no packet was delivered{after(warmup_s)}")
    print(text(of_mobile, warmup_s))
    return 0

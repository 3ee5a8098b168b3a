# SPDX-License-Identifier: BSD-3-Clause
"""Plays the gallery and writes its pages. scripts/gallery.sh says how to call it.

It calls `gbflow sweep`, as a reader does, and judges the rows that this writes: so the files need no second list of
their runs, and what a page says is what its command gives. `gbflow reproduce` has cases of its own and compares with
papers, which a question has not.
"""

import argparse
import pathlib
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import gallery_data
import matplotlib
from gallery_data import Data, Question
from gallery_questions import QUESTIONS

from gbflow_report import draw, measured, output, page
from gbflow_results import Failure, files

FILES, PAGES = pathlib.Path("config/gallery"), pathlib.Path("docs/gallery")
COMMAND = "scripts/gallery.sh"
CHECKED_SEEDS = 2
SVG_OCTETS = 40000
CARD_PX = 640  # plots in the index; their smallest text has 9 px then, test draw_test
NOTE = f"<!-- Made by {COMMAND} from scripts/gallery_questions.py and config/gallery; change these. -->\n"


@dataclass(frozen=True)
class Played:
    question: Question
    data: Data
    source: str  # what a block begins with


def words_of(folder: pathlib.Path) -> str:
    """Day, commit, runs, their virtual time and seeds of a sweep."""
    runs = sorted(path for path in (folder / "runs/points").iterdir() if (path / "finished.json").exists())
    summaries = [files.read_summary(path / "summary.json") for path in runs]
    commits = {files.read_json(path / "provenance.json")["commit"] for path in runs}
    times = {summary["duration_s"] for summary in summaries}
    source = measured.Source("", COMMAND, " and ".join(sorted(commits)),
                             measured.date.fromtimestamp(max(path.stat().st_mtime for path in runs)).isoformat(),
                             len(runs), max(summary["seed"] for summary in summaries),
                             " to ".join(f"{value:g}" for value in sorted(times)))
    return measured.words_of(source)


def play(question: Question, given: argparse.Namespace) -> Played:
    folder = given.out / question.name
    words = [given.gbflow, "sweep", FILES / f"{question.name}.lua", "--out", folder, "--no-report", "--no-parquet"]
    words += ["--seeds", str(given.seeds)] if given.seeds else []
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode:
        raise Failure(f"{question.name}: {result.stderr.strip().splitlines()[-1]}")
    return Played(question, gallery_data.read(folder / "results.csv"), words_of(folder))


def unmet(played: Played) -> int:
    """Prints the claims. How many are not met."""
    claims = played.question.claims(played.data)
    for claim in claims:
        values = " ".join(f"{value:.3g}" for value in claim.values)
        print(f"{'ok  ' if claim.is_met else 'FAIL'} {played.question.name}: {claim.words}: {values}; {claim.low:g} to "
              f"{claim.high:g}")
    return sum(not claim.is_met for claim in claims)


# --- pages ---

def block(body: str) -> str:
    return f"<!-- begin measured: {COMMAND} -->\n{body}<!-- end measured, sha256 {measured.digest_of(body)} -->\n"


def page_of(played: Played) -> str:
    one = played.question
    path = FILES / f"{one.name}.lua"
    answer = "\n".join(one.answer(played.data))
    changes = "".join(f"* `--set '{setting}'`: {words}{'' if words.endswith('?') else '.'}\n"
                      for setting, words in one.changes)
    return (f"{NOTE}\n# {one.words}\n\n![{one.caption}]({one.name}.svg)\n\n"
            + block(f"{played.source}{one.statistic.words}\n\n{answer}\n")
            + f"\n## The file\n\n[{path}](../../{path}) has the scenario and, under `study`, the "
            f"axes:\n\n```lua\n{path.read_text(encoding='utf-8')}```\n\n" f"## Run it\n\n    gbflow run {path} --out "
            f"out/{one.name}\n    gbflow sweep {path} --out out/{one.name}-sweep\n\n" "`run` plays the scenario once. "
            "`sweep` plays all points of the axes with ten seeds, and `report.html` in its folder has tables and "
            "plots.\n\n" "## Turn this key\n\nCopy the file, change the key in it and play it again, or try the key "
            f"with `gbflow run` first:\n\n{changes}\n" "[All questions](index.md)\n")


def card(played: Played) -> str:
    one = played.question
    return (f"### [{one.words}]({one.name}.md)\n\n[<img src=\"{one.name}.svg\" alt=\"{one.caption}\" "
            f"width=\"{CARD_PX}\">]({one.name}.md)\n\n{one.answer(played.data)[0]}\n")


def index_of(all_played: Sequence[Played], old: str) -> str:
    """The page with new cards; what stands before and behind them is written by hand."""
    body = (max(played.source.split("\n")[0] for played in all_played)
            + f"\n{page.plural(len(all_played), 'question')}; brackets hold the 95 % interval of a mean over the "
            "seeds, or the range of a median.\n\n")
    body += "\n".join(map(card, all_played))
    lines = old.splitlines(keepends=True)
    place, = measured.places_in("docs/gallery/index.md", lines)
    return "".join([*lines[:place.first], block(body), *lines[place.last + 1:]])


def svg(played: Played) -> str:
    """Letters stay letters, and a hundredth of a point is fine enough: the file is a third of what it would be."""
    figure = played.question.plot(played.data)
    with matplotlib.rc_context({"svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans"]}):
        text = draw.svg(figure, played.question.name, played.question.caption)
    for pattern, short in ((r"(\.\d\d)\d+", r"\1"), (r'<g id="[^"]*">', "<g>"), (r" ?\n *", "\n")):
        text = re.sub(pattern, short, text)
    return text + "\n"


def write(all_played: Sequence[Played]) -> None:
    if any("-dirty" in played.source for played in all_played):
        raise Failure("the program has changes that are in no commit, which a page could not name; commit, build and "
                      "play again")
    for played in all_played:
        name = played.question.name
        text = svg(played)
        if len(text) > SVG_OCTETS:
            raise Failure(f"{name}.svg has {len(text)} octets, more than {SVG_OCTETS}; draw fewer points")
        output.write_whole(PAGES / f"{name}.svg", text)
        output.write_whole(PAGES / f"{name}.md", page_of(played))
    index = PAGES / "index.md"
    output.write_whole(index, index_of(all_played, index.read_text(encoding="utf-8")))


# --- the command ---

def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=COMMAND)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seeds", type=output.at_least_one, metavar="N")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/gallery"), metavar="DIR")
    parser.add_argument("--gbflow", type=pathlib.Path, default=pathlib.Path("build/gbflow"), metavar="FILE")
    given = parser.parse_args()
    unknown = set(given.names) - {one.name for one in QUESTIONS}
    if unknown:
        parser.error(f"{' '.join(sorted(unknown))}: no such question; there are "
                     f"{' '.join(one.name for one in QUESTIONS)}")
    if given.names and not given.check:
        parser.error("NAME goes with --check only: the page of all questions has those of one program")
    given.seeds = given.seeds or (CHECKED_SEEDS if given.check else None)
    return given


def main() -> int:
    given = arguments()
    all_played = [play(one, given) for one in QUESTIONS if not given.names or one.name in given.names]
    failed = sum(map(unmet, all_played))
    if not given.check and not failed:
        write(all_played)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError) as error:
        sys.exit(f"{COMMAND}: {error}")

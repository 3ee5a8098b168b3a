# SPDX-License-Identifier: BSD-3-Clause
"""The commands of gbflow-report.pyz. Status: 0 success, 1 failed or a band missed, 2 usage."""

import argparse
import importlib
import mmap
import os
import pathlib
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from gbflow_lab import lab
from gbflow_report.output import at_least_one, words
from gbflow_report.papers import PAPERS, STUDIES
from gbflow_results import Failure, Unusable, words as known
from gbflow_results.shown import Stream, is_unread

# Commands that draw nothing: matplotlib takes most of a second to load.
WITHOUT_PLOTS = ("cdf", "compare", "lab", "rerun")
MOST_SEEDS = 1000
SPREADS = ("auto", "snakemake", "slurm", "local")


def scenarios() -> pathlib.Path:
    """Those of the tree that one stands in, else those installed beside this program,
    else of the tree that it was built in."""
    own = pathlib.Path(sys.argv[0]).resolve().parent
    here = pathlib.Path("config/scenarios")
    places = (here, own / "scenarios", own.parent / "config" / "scenarios")
    return next((place for place in places if place.is_dir()), here)


def add_svg(command: argparse.ArgumentParser) -> None:
    command.add_argument("--svg", dest="is_static", action="store_true", help="plots as SVG, without a script")


def seed_count(text: str) -> int:
    """The range of the key `seeds` of a study."""
    if not 1 <= int(text) <= MOST_SEEDS:
        raise ValueError(text)
    return int(text)


def names(text: str) -> str:
    """One or more, separated by commas."""
    if not text.strip(", "):
        raise ValueError(text)
    return text


INCHES = {"cm": 1 / 2.54, "mm": 1 / 25.4, "in": 1.0}
LEAST_CM, COLUMN_CM, MOST_CM = 5.0, 8.5, 60.0


def width(text: str) -> float:
    """Of a figure, in inches."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?(cm|mm|in)", text)
    inches = float(found[1]) * INCHES[found[2]] if found else 0.0
    if not LEAST_CM <= round(inches * 2.54, 6) <= MOST_CM:
        raise argparse.ArgumentTypeError(f"'{text}' is no width: say 8.5cm, 85mm or 3.35in, from {LEAST_CM:g} to "
                                         f"{MOST_CM:g} cm")
    return inches


seed_count.__name__ = f"number from 1 to {MOST_SEEDS}"


def profile(text: str) -> pathlib.Path:
    """A folder, looked at before Snakemake is installed."""
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"'{text}' is no folder: name the one with Snakemake's config.yaml")
    return pathlib.Path(text)


class Parser(known.Parser):
    """Prints words that were given without what a terminal would obey."""

    def error(self, message: str) -> NoReturn:
        super().error(words(message))


def add_spreading(command: argparse.ArgumentParser, out: str, spread: str) -> None:
    """Options of a command that starts many runs."""
    command.add_argument("--jobs", type=at_least_one, default=len(os.sched_getaffinity(0)), metavar="N",
                         help="runs at a time (one per CPU)")
    command.add_argument("--out", type=pathlib.Path, default=pathlib.Path(out), metavar="DIR")
    command.add_argument("--spread", type=known.one_of("way", SPREADS), default=spread, metavar="HOW",
                         help="who spreads the runs: Snakemake, Slurm, this process, or the last where there is no "
                         f"first ({spread})")
    command.add_argument("--executor", metavar="NAME", help="Snakemake's executor plugin")
    command.add_argument("--profile", type=profile, metavar="DIR", help="Snakemake's profile")
    command.add_argument("--environment", type=pathlib.Path, metavar="DIR",
                         help="where Snakemake is, or is put ($XDG_CACHE_HOME/gbflow/environment)")
    command.add_argument("--gbflow", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    add_svg(command)


def add_figure(command: argparse.ArgumentParser) -> None:
    command.add_argument("result", nargs="?", type=pathlib.Path, metavar="RESULT")
    command.add_argument("name", nargs="?", metavar="NAME")
    command.add_argument("--out", type=pathlib.Path, metavar="FILE",
                         help="its ending, .pdf, .svg or .png, is its format")
    command.add_argument("--figures", type=pathlib.Path, metavar="DIR", help="write all figures there")
    command.add_argument("--format", choices=["pdf", "svg", "png"], default="pdf", help="of --figures (pdf)")
    command.add_argument("--width", type=width, default=COLUMN_CM / 2.54, metavar="WIDTH",
                         help="of the column, as 8.5cm, 85mm or 3.35in")
    command.add_argument("--list", action="store_true", help="print the names of the figures")


def arguments(argv: list[str]) -> argparse.Namespace:
    parser = Parser(prog="gbflow", description="Draws what gbflow wrote.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="DIR/summary.json and DIR/series.csv to DIR/report.html")
    run.add_argument("dir", type=pathlib.Path, metavar="DIR")
    add_svg(run)
    cdf = commands.add_parser("cdf", help="DIR/series.csv to a plot of text: the distribution of delays")
    cdf.add_argument("dir", type=pathlib.Path, metavar="DIR")
    analyze = commands.add_parser("analyze", help="DIR/analysis.json of gbflow analyze to DIR/report.html")
    analyze.add_argument("dir", type=pathlib.Path, metavar="DIR")
    add_svg(analyze)
    aqm = commands.add_parser("aqm", help="FILE.json of gbflow aqm curve to FILE.html")
    aqm.add_argument("file", type=pathlib.Path, metavar="FILE.json")
    bench = commands.add_parser("bench", help="reports of gbflow bench to one page")
    bench.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE.json")
    bench.add_argument("--html", type=pathlib.Path, required=True, metavar="FILE")
    pair = commands.add_parser("compare",
                               help="two results: per figure both, the difference, its interval, and a verdict")
    pair.add_argument("sides", nargs=2, type=pathlib.Path, metavar="DIR")
    pair.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every row there")
    pair.add_argument("--figure", action="append", default=[], metavar="NAME",
                      help="judge these figures only; * stands for any")
    pair.add_argument("--all", action="store_true", help="judge the figures of each mobile, too, print equal ones")
    pair.add_argument("--out", type=pathlib.Path, metavar="DIR", help="write DIR/comparison.json and DIR/report.html")
    add_svg(pair)
    add_figure(commands.add_parser("figure", help="figures of a result as files for paper"))
    lab.add_arguments(commands.add_parser("lab", help="a GGSN, a live node and a BSS with mobiles on this machine"))
    once = commands.add_parser("rerun", help="play a run again from its provenance.json")
    once.add_argument("dir", type=pathlib.Path, metavar="DIR")
    once.add_argument("--out", type=pathlib.Path, metavar="DIR", help="keep the new results there")
    once.add_argument("--gbflow", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    study = commands.add_parser("sweep", help="run a scenario over the axes of a study")
    study.add_argument("file", type=pathlib.Path, metavar="STUDY.lua")
    study.add_argument("--study", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    study.add_argument("--seeds", type=seed_count, metavar="N", help="seeds 1 to N in place of the study's")
    study.add_argument("--dry-run", action="store_true", help="check the study and print its runs")
    study.add_argument("--json", dest="is_json", action="store_true", help="with --dry-run: the plan as an object")
    study.add_argument("--no-parquet", dest="has_parquet", action="store_false", help="write no results.parquet")
    study.add_argument("--no-report", dest="has_report", action="store_false", help="write no report.html")
    add_spreading(study, "out/sweep", "local")
    again = commands.add_parser("reproduce", help="run a paper's scenarios and check every figure against its band")
    studies = known.one_of("study", [*PAPERS, *STUDIES, "all"])
    again.add_argument("paper", nargs="?", default="all", type=studies, metavar="STUDY")
    again.add_argument("--seeds", type=seed_count, metavar="N", help="seeds 1 to N (5; ablation: 10)")
    again.add_argument("--points", type=names, metavar="NAMES",
                       help="ablation, points: these points only, patterns separated by commas")
    again.add_argument("--cases", type=names, metavar="NAMES", help="ablation: these combinations at each point")
    again.add_argument("--sensitivity", action="store_true", help="P1, P2: vary what is assumed, one thing at a time")
    again.add_argument("--markdown", type=pathlib.Path, metavar="FILE",
                       help="write the tables into the measured blocks of a page, into a new file, or to standard "
                       "output (-)")
    again.add_argument("--tables", default="", metavar="NAMES", help="with --markdown: these tables only, separated by "
                       "commas; NAME:PATTERN: rows whose names match")
    again.add_argument("--pdf", type=pathlib.Path, metavar="FILE", help="own: write the study as a paper")
    add_spreading(again, "out/reproduce", "auto")
    again.add_argument("--scenarios", type=pathlib.Path, default=scenarios(), metavar="DIR")
    return parser.parse_args(argv)


def is_usable(folder: pathlib.Path) -> bool:
    """True where one could write into the folder, or make it."""
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    return there.is_dir() and os.access(there, os.W_OK)


def cache_elsewhere() -> str:
    """A folder that the next start finds again, and that nobody else put there."""
    shared = pathlib.Path(tempfile.gettempdir()) / f"gbflow-matplotlib-{os.getuid()}"
    shared.mkdir(mode=0o700, exist_ok=True)
    is_ours = not shared.is_symlink() and shared.stat().st_uid == os.getuid()
    return str(shared) if is_ours else tempfile.mkdtemp(prefix="gbflow-matplotlib-")


def prepare_matplotlib(missing: type[Failure] = Failure) -> None:
    """It wants folders for settings and cache; without a writable home it would complain on each start. missing: what
    is raised where it is not installed."""
    homes = [os.environ.get(name) or os.path.expanduser(default)
             for name, default in (("XDG_CACHE_HOME", "~/.cache"), ("XDG_CONFIG_HOME", "~/.config"))]
    if "MPLCONFIGDIR" not in os.environ and not all(is_usable(pathlib.Path(home).absolute()) for home in homes):
        os.environ["MPLCONFIGDIR"] = cache_elsewhere()
    try:
        import_matplotlib()
    except ImportError as error:
        raise missing(f"matplotlib is missing ({error}); the Debian package is python3-matplotlib") from error
    take_memory()


def import_matplotlib() -> None:
    """Without a matplotlibrc: it would read that of the current folder first, then one of MATPLOTLIBRC or of the user.
    Figures depend on none."""
    here = os.open(".", os.O_PATH | os.O_DIRECTORY)
    if "MPLCONFIGDIR" in os.environ:
        os.environ["MPLCONFIGDIR"] = os.path.abspath(os.environ["MPLCONFIGDIR"])
    os.environ["MATPLOTLIBRC"] = os.devnull
    os.chdir("/")
    try:
        import matplotlib  # noqa: F401  pylint: disable=unused-import,import-outside-toplevel
    finally:
        os.fchdir(here)
        os.close(here)


BLAS_OCTETS = 160 << 20  # a buffer of 128 MB, and what a figure needs beside it


def take_memory() -> None:
    """The library of linear algebra asks for its buffer again and again where a limit leaves too little, without an end
    and deaf to signals. It gets the buffer here."""
    try:
        mmap.mmap(-1, BLAS_OCTETS).close()
    except OSError as error:
        raise Failure(f"too little memory for a figure: {BLAS_OCTETS >> 20} MB more are needed (ulimit -v)") from error
    import numpy  # pylint: disable=import-outside-toplevel
    numpy.linalg.solve([[1.0]], [1.0])


def module(name: str) -> Any:
    """Imported late: matplotlib, which most import, is not there before prepare_matplotlib() has said so. An
    interruption ends the process at once before (main.py), for an import may swallow it; what then works wants to tidy
    up."""
    found = importlib.import_module(f"gbflow_report.{name}")
    catch_interruption()
    return found


def catch_interruption() -> None:
    """A signal that ends this process also ends the processes that it has started."""
    signal.signal(signal.SIGTERM, stop)
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, stop)


def bring_lab(given: argparse.Namespace) -> int:
    catch_interruption()
    return lab.run(given)


def compare(given: argparse.Namespace) -> int:
    """Only its page has plots."""
    if given.out:
        prepare_matplotlib()
    return int(module("compare").compare(given))


# Commands that make a page, whose path is printed; and the others, which give a status.
PAGES: Mapping[str, Callable[[argparse.Namespace], pathlib.Path]] = {
    "run": lambda given: module("run_page").write(given.dir, given.is_static),
    "analyze": lambda given: module("analyze_page").write(given.dir, given.is_static),
    "aqm": lambda given: module("aqm_page").write(given.file),
    "bench": lambda given: module("bench_page").write(given.files, given.html),
}
OTHERS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "cdf": lambda given: module("text_cdf").write(given.dir),
    "compare": compare,
    "figure": lambda given: module("figure_files").run(given),
    "rerun": lambda given: module("rerun").rerun(given.dir, given.gbflow, given.out),
    "lab": bring_lab,
    "sweep": lambda given: module("sweep").sweep(given),
    "reproduce": lambda given: module("reproduce").reproduce(given),
}


def dispatch(given: argparse.Namespace) -> int:
    if given.command in OTHERS:
        return OTHERS[given.command](given)
    print(PAGES[given.command](given))
    return 0


def stop(*_: object) -> None:
    raise KeyboardInterrupt


def main(argv: list[str]) -> int:
    given = arguments(argv)
    status = 1
    sys.stdout, sys.stderr = Stream(sys.stdout), Stream(sys.stderr)  # type: ignore[assignment]
    try:
        if given.command not in WITHOUT_PLOTS:
            prepare_matplotlib(Unusable if given.command == "figure" else Failure)
        return dispatch(given)
    except Failure as failure:
        message, status = str(failure), 2 if isinstance(failure, Unusable) else 1
    except FileNotFoundError as error:
        message, status = f"{error.filename}: {error.strerror}", 2
    except ImportError as error:
        message = f"{error.name} is missing; the Debian packages are python3-matplotlib and python3-scipy"
    except OSError as error:
        if isinstance(error, BrokenPipeError) and is_unread():
            raise
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except MemoryError:
        message = "not enough memory for these files; give the process more"
    except KeyboardInterrupt:
        message = "interrupted"
    print("\n".join(map(words, f"gbflow {given.command}: {message}".split("\n"))), file=sys.stderr)
    return status

# SPDX-License-Identifier: BSD-3-Clause
"""A sweep runs a study: all its points with all its seeds, then the tables and the page over them."""

import argparse
import dataclasses
import json
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from gbflow_report import difference, output, page, rerun, spread, sweep_results
from gbflow_report.output import say
from gbflow_report.runs import Run, damage, forget, is_finished, program_at, run_missing, runs_of
from gbflow_report.sweep_results import Results, Study
from gbflow_results import Failure

PLAN_SCHEMA = "gbflow-plan/1"
PYARROW = "pyarrow>=15"
SHOWN = 20  # runs that --dry-run prints


def why_again(run: Run) -> str | None:
    """Why a run that ended is made again: a file of an AQM scheme, a trace or a text that the scenario requires changed
    since: the record of a run knows the program and the scenario only. None: it is kept."""
    try:
        changed = rerun.changed_files(rerun.read(run.folder), is_with_modules=True)
    except Failure as failure:
        return str(failure)
    except (OSError, KeyError, TypeError) as error:
        return f"{run.folder / rerun.FILE}: {error}"
    return changed[0] if changed else None


def dry_run_json(study: Study, runs: Sequence[Run]) -> int:
    """The plan for programs: all runs, not the first ones only."""
    axes = [{"name": axis.name, "baseline": axis.baseline, "labels": axis.labels} for axis in study.axes]
    rows = [{"point": run.case.name, "labels": dict(run.case.labels), "set": list(run.case.settings), "seed": run.seed,
             "is_there": is_finished(run)} for run in runs]
    head = {"schema": PLAN_SCHEMA, "version": output.version(), "title": study.title, "scenario": str(study.scenario)}
    plan = {**head, "seeds": study.seeds, "figures": list(study.figures), "axes": axes, "runs": rows}
    print(json.dumps(plan, indent=1, ensure_ascii=False))
    return 0


def dry_run(study: Study, runs: Sequence[Run]) -> int:
    done = sum(is_finished(run) for run in runs)
    points = len(runs) // study.seeds
    print(f"{study.scenario}: {page.plural(points, 'point')}, {page.plural(study.seeds, 'seed')}, "
          f"{page.plural(len(runs), 'run')}, {done} there already")
    for axis in study.axes:
        print(f"  {axis.name}: {', '.join(axis.labels)}")
    for point in (point for axis in study.given["axes"] for point in axis["points"]):
        for line in point.get("rates", "").splitlines():  # which timeslots and coding a rate is made of
            print(f"    {line}")
    for run in runs[:SHOWN]:
        print(f"{run.case.name} seed {run.seed}{' (there)' if is_finished(run) else ''}")
    if len(runs) > SHOWN:
        print(f"and {len(runs) - SHOWN} more")
    if study.figures and done == 0:
        print("the names in `figures` are checked after the first run: a dry run cannot know them")
    return 0


def parquet(given: argparse.Namespace, study: Study) -> str | None:
    """None, or why there is no results.parquet."""
    folder = spread.environment_of(given)
    failed = spread.make_environment(folder, PYARROW)
    source, target = given.out / "results.csv", given.out / "results.parquet"
    axes = [axis.name for axis in study.axes]
    return failed or sweep_results.write_parquet(folder / "bin" / "python3", source, target, axes)


def write(given: argparse.Namespace, results: Results, rows: Sequence[Mapping[str, Any]]) -> None:
    out: pathlib.Path = given.out
    sweep_results.write_values(results, out / "results.csv")
    sweep_results.write_means(results, out / "points.csv")
    for name in ("comparison.csv", "report.html", "results.parquet"):  # of an older call, with other runs perhaps
        (out / name).unlink(missing_ok=True)
    if rows:
        sweep_results.write_compared(results, rows, out / "comparison.csv")
    origin = output.origin()
    report = {"schema": sweep_results.SWEEP_SCHEMA, "version": origin.version, "commit": origin.commit,
              "command": origin.command,
              "study": {**results.study.given, "seeds": results.study.seeds}}
    output.write_whole(out / sweep_results.SWEEP, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    if given.has_report:
        from gbflow_report import charts, sweep_page  # pylint: disable=import-outside-toplevel
        output.write_whole(out / "report.html",
                           sweep_page.html_of(results, rows, None if given.is_static else charts.library()))
    failed = parquet(given, results.study) if given.has_parquet else None
    if failed:
        say(f"no results.parquet: {failed}; results.csv has the same rows")


def sweep(given: argparse.Namespace) -> int:
    """Status 0 once all runs have ended."""
    if given.is_json and not given.dry_run:
        say("gbflow sweep: --json is the plan of --dry-run: give that, too; results are in OUT/results.csv")
        return 2
    study = sweep_results.read_study(given.study)
    study = dataclasses.replace(study, seeds=given.seeds or study.seeds)
    options = sweep_results.options_of(given, study)
    runs = runs_of(sweep_results.kind_of(study), options, program_at(given.gbflow))
    forget(runs, why_again)
    if given.dry_run:
        forget(runs, damage)
        return (dry_run_json if given.is_json else dry_run)(study, runs)
    difference.must_have_library(max((run.seed for run in runs), default=0))
    run_missing(runs, options)
    results = sweep_results.collect(study, runs)
    rows = sweep_results.compared(results)
    write(given, results, rows)
    for line in sweep_results.remarks(results, rows):
        print(line)
    print(given.out / ("report.html" if given.has_report else "results.csv"))
    return 0

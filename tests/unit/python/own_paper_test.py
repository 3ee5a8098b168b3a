# SPDX-License-Identifier: BSD-3-Clause
"""The study as a paper: placeholders, figures that no hand typed, and a PDF."""
import dataclasses
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import numpy
import own_test
import setting

from gbflow_report import looks, measured, paper
from gbflow_report.page import Table
from gbflow_report.papers import ablation_cases, own_cases, own_paper, own_paper_plots, own_paper_points, points
from gbflow_report.papers.own_cases import Q_WINDOWS, TCP
from gbflow_results import Failure
from gbflow_results.files import Curve

TEMPLATE = (setting.REPORT / "gbflow_report/papers/own_paper.html").read_text()
SOURCE = measured.Source("own", "gbflow reproduce own --seeds 2", "0123abcd", "2026-11-26", 66, 2, "1000")
VARIED = [{"assumption": "hosts", "value": "modern", "seeds": 2, "total": 1.03, "verdict": "holds", "why": ""},
          {"assumption": "slots", "value": "6", "seeds": 2, "total": 0.96, "verdict": "does not hold", "why": "the total is less"}]
ROBUST = [Table("Varied alone.", ["varied", "total"], [["hosts modern", "1.03"], ["slots 6", "0.96"]], "robust")]
GOALS = [{"id": "own-1-delay-thp1", "what": "95th percentile of the delay, thp1", "verdict": "in band"},
         *({"id": f"own-2-delay-{name}", "what": f"95th percentile of the delay, {name.split('-')[0]}", "verdict": "missed"}
           for name in ("thp3-q-windows-2006", "background-q-windows-2006", "thp2-q-2006")),
         {"id": "own-3-page-thp2-red-q-windows-2006", "what": "page time p95 of thp2 by that of red", "verdict": "not reproduced"}]
MISSED = ("95th percentile of the delay (THP3, background); q alone: 95th percentile of the delay (THP2); "
          "page time p95 by that of red (THP2)")
LOADS = {"none": own_paper_plots.Load((0.0, 10.0, 50.0), (0.0, 40e3, 152e3)), "q-windows": own_paper_plots.Load((0.0, 40.0), (0.0, 152e3))}

# What may stand as digits in the text: names, parameters of scenario and mechanism, numbers of sections and of the contributions.
PARAMETERS = [
    r"2G", r"3G", r"5G", r"L4S(pan)?", r"DualPI2", r"THP[123]", r"95th", r"RFC \d+", r"[Ss]ections? [\d.]+( and [\d.]+)?", r"[Pp]roposition \d", r"3GPP", r"Debian 12",
    r"[Hh]osts of 2006", r"those of 2006", r"110 users", r"two cells of 24 slots", r"2048 kbit/s", r"40 kbit/s in the mean", r"15 talk \(8 kbit/s", r"30 each of", r"30 items of 4910 octets", r"1 s between pages",
    r"30 users of background", r"875 kB", r"900, 50, 35, 15 and 5", r"10 kB (every 15 s|take)", r"first 60 s",
    r"window of 8\.6 s", r"target of 15 ms", r"about 1 ms", r"Two segments of 1400 octets", r"segments of 1400 octets", r"segments of 1000 octets",
    r"target of 5 ms", r"interval of 100 ms", r"32 bits", r"128 octets", r"300 octets",
    r"2\(C \+ D\)", r"2N", r"T0", r"\(N \+ 1\)", r"\(1 \+ wj/wk\)", r"2q", r"for each 100", r"of 100", r"5-tuples", r"3 % and more",
]
def points_of(**changed):
    """Of rows made up; changed: of a scheme, what is not as with the others."""
    row = dict(zip(looks.BY_NAME, (10.0, 1.0, 2.5, 50.0, 50.0, 1.5, 0.9, 0.0, 0.25, 0.75, 0.0), strict=True))

    def runs(cases):
        return {case: dict.fromkeys(TCP, {**row, **changed.get(getattr(case, "less", "") or case.scheme, {})}) for case in cases}
    return {1: runs(points.CASES)}, [runs(own_paper_points.CASES)]


# With the credit taken out a worst user has nothing.
POINTS, PARTS = points_of(credit={looks.WORST: 0.0})


def study_of(seeds=2, varied=(), loads=None, of_points=None):
    """Of outcomes made up."""
    def with_more(outcome):
        return {name: dataclasses.replace(row, users_kbps=(10.0, 20.0, 30.0)) for name, row in outcome.items()}
    runs = {case: with_more(outcome) for case, outcome in own_test.RUNS.items()}
    by_seed = {seed: runs for seed in range(1, seeds + 1)}
    return own_paper.Study(by_seed, GOALS, SOURCE, varied, ROBUST if varied else (), loads or {}, of_points or {}, PARTS if of_points else ())


def plain(html):
    """The words of a template, without code, drawings, tables of parameters, references and placeholders."""
    for part in (r"<!--.*?-->", r"<head>.*?</head>", r"<pre>.*?</pre>", r"<code>.*?</code>", r"<svg.*?</svg>", r'<table class="parameters">.*?</table>', r'<ol class="references">.*?</ol>',
                 r"<h[1-3]>[\d.]*", r"\{\{[^{}]*\}\}"):
        html = re.sub(part, "", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", "", html).split())


class Paper(unittest.TestCase):
    def test_all_is_filled(self):
        for name, study in (("all", study_of(varied=VARIED, loads=LOADS, of_points=POINTS)), ("one seed", study_of(seeds=1))):
            with self.subTest(name):
                html = own_paper.html_of(study)
                self.assertEqual(re.findall(r"\{\{|\}\}|\bNone\b|\bnan\b", html), [])
                has_all = name == "all"
                always = [f'<table id="{table}">' for table in ("today", "newreno", "light")] + ["commit 0123abcd", MISSED]
                always += [f'<figure id="paper-{plot}">' for plot in ("delay", "page", "users", "fair")]
                self.assertEqual([part for part in always if part not in html], [])
                sometimes = [f'<table id="{table}">' for table in ("pairs", "pairs-newreno", "robust", "losses", "order", "order-one", "points", "less")]
                sometimes += ['<figure id="paper-load">', "1 of 2 do", "slots 6 (the total is less)", "without the credit worst user thp2 -100 %"]
                self.assertEqual([part for part in sometimes if (part in html) != has_all], [])

    def test_words(self):
        """Figures are those of the outcomes."""
        words = own_paper.Words(study_of(varied=VARIED, of_points=POINTS)).all()
        for place, expected in PLACES:
            with self.subTest(place):
                name, *arguments = place.split(":")
                self.assertEqual(words[name](arguments), expected)

    def test_labels_apart(self):
        for wanted in ((0.1, 0.1, 0.11, 0.9), (0.9, 0.95, 1.0), (0.5,), ()):
            with self.subTest(wanted):
                places = own_paper_plots.spread(wanted, 0.1)
                self.assertEqual([b - a < 0.0999 for a, b in zip(places, places[1:])], [False] * max(0, len(places) - 1))
                self.assertTrue(all(place <= 1 for place in places))

    def test_no_figure_is_typed(self):
        text = plain(TEMPLATE)
        for pattern in PARAMETERS:
            self.assertTrue(re.search(pattern, text), f"{pattern}: this parameter is not in the text; take it out of the list")
        for pattern in PARAMETERS:
            text = re.sub(pattern, "#", text)
        self.assertEqual(re.findall(r".{0,40}\d.{0,20}", text), [])

    def test_references(self):
        """Each is cited, once in the list."""
        keys = paper.REFERENCE.findall(TEMPLATE)
        self.assertEqual(len(set(keys)), len(keys))
        cited = {key for found in re.findall(r"\{\{cite:([^}]*)\}\}", TEMPLATE) for key in found.split(",")}
        self.assertEqual(cited, set(keys))
        self.assertEqual(paper.filled('{{cite:b,a}}<li id="ref-a"><li id="ref-b">', {}, {})[:61], '[<a href="#ref-a">1</a>, <a href="#ref-b">2</a>]<li id="ref-a')

    def test_faults(self):
        parts = {"table": lambda names: f"<caption>{names[0]}", "plot": lambda names: f"<figcaption>{names[0]}"}
        words, questions = {"one": lambda names: "1", **parts}, {"is": lambda names: names == ["so"]}
        for template, expected in TEMPLATES:
            with self.subTest(template):
                self.assertEqual(paper.filled(template, words, questions), expected)
        for template, expected in FAULTS:
            with self.subTest(template), self.assertRaises(Failure) as raised:
                paper.filled(template, words, questions)
            self.assertIn(expected, str(raised.exception))
        known = own_paper.Words(study_of(of_points=POINTS))
        for place in ("value:delays:q", "value:delay:q2", "table:robust", "plot:delay", "run:hour", "goals:some", "robust:some", "points:some", "less:filters:grid", "name:none", "settings:some"):
            name, *arguments = place.split(":")
            with self.subTest(place), self.assertRaises(Failure) as raised:
                known.all()[name](arguments)
            self.assertIn("there are", str(raised.exception))

    def test_load(self):
        """Octets from the request to the end, of samples that it cuts."""
        load = own_paper_plots.load_of(Curve(numpy.array([1.0, 2.0, 3.0, 4.0]), numpy.array([8.0, 80.0, 800.0, 8000.0])), 1.5, 2.0)
        self.assertEqual((load.time_s, load.octets), ((0.0, 0.5, 1.5, 2.0), (0.0, 5.0, 105.0, 605.0)))
        kind = own_paper_plots.load_runs()
        self.assertEqual([case.name for case in kind.cases][:2], ["page-none", "page-red"])
        self.assertEqual([case.scheme for case in kind.cases if case.scheme not in own_cases.SETTINGS], [])

    def test_only_of_own(self):
        for names in (["P4"], ["P1", "own"]):
            with self.subTest(names), self.assertRaises(Failure) as raised:
                own_paper.must_print(pathlib.Path("x.pdf"), names)
            self.assertIn("--pdf: only the study own", str(raised.exception))


class Program(setting.Case):
    def reproduce(self, *words, **environment):
        return setting.call(self.pyz, "reproduce", *words, "--gbflow", "/bin/true", "--out", self.folder / "out", cwd=self.folder, **environment)

    def test_refused_before_the_runs(self):
        done = self.reproduce("P4", "--pdf", "x.pdf")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("gbflow reproduce: --pdf: only the study own is a paper", done.stderr)
        done = self.reproduce("own", "--pdf", "x.pdf", PATH="/nowhere")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("--pdf: the program weasyprint is missing; the Debian package is weasyprint", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_pdf(self):
        """As long as a paper; the same octets again."""
        if not shutil.which(paper.PROGRAM):
            why = f"no PDF is made: {paper.PROGRAM} is missing; the Debian package is {paper.PROGRAM}"
            print(f"skipped: {why}")
            self.skipTest(why)
        with tempfile.TemporaryDirectory() as folder:
            targets = [pathlib.Path(folder) / name for name in ("one.pdf", "two.pdf")]
            html = own_paper.html_of(study_of(varied=VARIED, loads=LOADS, of_points=POINTS))
            for target in targets:
                paper.write_pdf(target, html)
            octets = targets[0].read_bytes()
            self.assertTrue(octets.startswith(b"%PDF"))
            self.assertEqual(targets[1].read_bytes(), octets)
            pages = self.pages_of(targets[0])
            self.assertTrue(8 <= pages <= 12, pages)
        with self.assertRaises(Failure):
            paper.must_print(self.folder / "none" / "x.pdf")

    def pages_of(self, path):
        """By pdfinfo, or by the objects of WeasyPrint, which it leaves uncompressed."""
        if shutil.which("pdfinfo"):
            done = subprocess.run(["pdfinfo", path], capture_output=True, text=True, check=True)
            return int(re.search(r"^Pages: +(\d+)", done.stdout, re.MULTILINE)[1])
        return len(re.findall(rb"/Type\s*/Page\b", path.read_bytes()))


# placeholder, what stands in its place; the outcomes are those of own_test.py
PLACES = [
    ("value:delay:q", "0.50, 0.50 and 0.50"), ("value:delay:q:thp2", "0.50"), ("value:page:red", "100 and 100"), ("value:dropped:red:thp3", "30"), ("value:rtt:red:thp3", "2.5"),
    ("value:total:q-windows", "312"), ("value:page:q:thp2", "80"), ("range:page:q", "80"), ("range:worst:red", "0.50"),
    ("value:ping:q-windows-light", "1.50, 1.50 and 1.50"), ("change:page:q:red", "20 % less than"), ("change:page:red:none", "100 % more than"), ("change:total:red:none", "as much as"),
    ("times:page:q:red", "0.80"), ("times:total:q-windows:none", "1.04"), ("run:plural", "2 seeds"), ("goals:all", "5"), ("goals:met", "1"),
    ("goals:words", MISSED), ("robust:held", "1"), ("value:delay:windows", "0.75, 0.75 and 0.75"), ("name:windows", Q_WINDOWS), ("times:page:q-windows-2006:red-2006", "0.52"),
    ("value:share:q:thp2", "33.0"), ("value:two-segments:q:thp2", "0.7"), 
    ("points:held", str(len(points.POINTS))), ("points:strict", str(len(points.POINTS))), ("points:failed", "none"), ("less:filter:quic", "nothing"),
    ("less:credit:quic", "worst user thp2 -100 %, worst user thp3 -100 %, worst user background -100 %"),
]
NUMBERED_PARTS = "<caption><b>Table 1.</b> a<b>Figure 1.</b><caption><b>Table 2.</b> b<figcaption><b>Figure 2.</b> d"
# template, what becomes of it; questions: {{if:is:so}} is true
TEMPLATES = [("a{{one}}b{{one:x}}", "a1b1"), ("{{number:b}}{{table:a}}{{drawing:c}}{{table:b}}{{plot:d}}{{number:d}}", "Table 2" + NUMBERED_PARTS + "Figure 2"), ("{{if:is:so}}{{one}}{{end}}{{if:is:not}}{{two}}{{end}}", "1"), ("{{if:not:is:so}}x{{end}}y", "y")]
FAULTS = [("{{two}}", "{{two}}: no 'two'; there are cite, drawing, number, one, plot, table"), ("{{if:was:so}}x{{end}}", "no 'was'; there are is"), ("{{if:is:so}}x", "no 'if'"),
          ("{{one", "without its end"), ("{{cite:x}}", "no 'x'")]


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""What the report's tests share: the packed file, which is in the import path, too, and a judge of pages.

It is packed of the sources and of what the build has beside the program (GBFLOW, or build/gbflow): gbflow-fields.json.
"""

import atexit
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
import unittest
from html.parser import HTMLParser

HERE = pathlib.Path(__file__).resolve().parent
REPORT = HERE.parents[2] / "python"
ORACLES = HERE.parents[1] / "oracles"
PROGRAM = pathlib.Path(os.environ.get("GBFLOW") or HERE.parents[2] / "build" / "gbflow")
FIELDS = PROGRAM.parent / "gbflow-fields.json"
VERSION = PROGRAM.parent / "gbflow-version.txt"

# Pages are static unless a test asks for charts.
os.environ["GBFLOW_DYGRAPHS"] = os.devnull

# HTML elements that are never closed.
VOID = {"meta", "br", "hr", "img", "link", "input"}


IS_SHORT = os.environ.get("TEST_SHORT") == "1"


def some(items, one_in=2):
    """All of them, but where TEST_SHORT=1 the first of each one_in."""
    return list(items)[::one_in if IS_SHORT else 1]


def packed(folder):
    """gbflow-report.pyz, made in a folder of the test's."""
    if not FIELDS.is_file():
        sys.exit(f"no {FIELDS}: build gbflow, or set GBFLOW")
    text = (REPORT / "meson.build").read_text()
    sources = [REPORT / name for name in re.findall(r"'(\w[^']+\.(?:py|js|html))'", text) if name != "pack.py"]
    sources += [f"{package.rpartition('/')[2]}/{name}.py={ORACLES / package / name}.py"
                for package, names in re.findall(r"'(\w+/\w+)': \[([^\]]+)\]", text) for name in re.findall(r"'(\w+)'", names)]
    wire = REPORT.parent / "dataplane" / "wire"
    sources += [f"gbflow_proxy/{name}={wire / name}" for name in ("bssgp.c", "bssgp.h", "ns.c", "ns.h")]
    target = pathlib.Path(folder) / "gbflow-report.pyz"
    subprocess.run([sys.executable, REPORT / "pack.py", target, *sources, f"gbflow_report/fields.json={FIELDS}",
                    f"gbflow_report/version.txt={VERSION}"], check=True)
    return target


IMPORTED = tempfile.mkdtemp()
atexit.register(shutil.rmtree, IMPORTED)
sys.path.insert(0, str(packed(IMPORTED)))


def call(pyz, *arguments, cwd=None, **environment):
    """The status and what was printed, of a process of its own."""
    return subprocess.run([sys.executable, str(pyz), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def warm(pyz, *arguments, cwd=None, **environment):
    """As call(), of a copy of this process, which has imported matplotlib once. Equal pages of both: run_report_test."""
    import matplotlib.figure  # noqa: F401  pylint: disable=unused-import,import-outside-toplevel
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            os.chdir(cwd or ".")
            os.environ.update(environment)
            os._exit(run_here([str(pyz), *map(str, arguments)]))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0), err.seek(0)
        return subprocess.CompletedProcess([pyz, *arguments], status, out.read(), err.read())


def run_here(argv):
    """The status of the packed program in this process."""
    sys.argv, sys.stdout, sys.stderr = argv, open(1, "w", closefd=False), open(2, "w", closefd=False)
    try:
        from gbflow_report import cli  # pylint: disable=import-outside-toplevel
        from gbflow_top import cli as top  # pylint: disable=import-outside-toplevel
        status = top.main(argv[2:]) if argv[1:2] == ["top"] else cli.main(argv[1:])
    except SystemExit as end:
        status = end.code
    except BaseException:  # pylint: disable=broad-exception-caught
        traceback.print_exc()
        status = 70
    sys.stdout.flush(), sys.stderr.flush()
    return status if isinstance(status, int) else 71


class Case(unittest.TestCase):
    """Has a folder and the packed file in it, of the class."""
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.pyz = packed(cls.folder)


class Page(HTMLParser):
    """Reads a page and keeps what a reader without a network, or a strict one, would stumble over."""

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.ids, self.links, self.figures, self.words = [], [], [], [], [], []
        self.plots = None
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self.open]
        self.faults += [f"id {name} twice" for name in {name for name in self.ids if self.ids.count(name) > 1}]
        self.faults += [f"goes to {link}" for link in self.links if not link.startswith("#")]
        self.faults += [f"#{link[1:]} is nowhere" for link in self.links if link[0] == "#" and link[1:] not in self.ids]
        self.faults += re.findall(r"@import|url\((?!#)", text)

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        given = dict(attrs)
        if tag == "figure":
            self.figures.append(given.get("id"))
        if tag == "body":
            self.plots = int(given["data-plots"])
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given[key] for key in ("src", "href", "xlink:href") if key in given]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

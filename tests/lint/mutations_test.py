#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sample_mutations.py: mutations line by line, samples, mutations found again, tests that see a file, and one judged."""
import contextlib
import io
import json
import os
import tempfile
import unittest
from unittest import mock

import mutation_tests
import mutations
import sample_mutations
from tree import Source

# file's ending, line of a function that returns its type, {operator: lines that may stand there instead}
LINES = [
    ("c", "bool", "if (a < b)", {"comparison": ["if (a <= b)"], "condition negated": ["if (!(a < b))"]}),
    ("c", "bool", "} else if (a->b >= 2 && c) {", {"comparison": ["} else if (a->b > 2 && c) {"], "constant n + 1": ["} else if (a->b >= 3 && c) {"],
                                                  "&& and ||": ["} else if (a->b >= 2 || c) {"],
                                                  "condition negated": ["} else if (!(a->b >= 2 && c)) {"]}),
    ("c", "int", "x->a = b - c;", {"+ and -": ["x->a = b + c;"], "statement removed": [";"]}),
    ("c", "int", "x.sum += a << 0x1fU;", {"+ and -": ["x.sum -= a << 0x1fU;"], "constant n + 1": ["x.sum += a << 0x20U;"], "statement removed": [";"]}),
    ("c", "int", 'log_line(a, "1 < 2"); /* 3 > 4 */', {"statement removed": ["; /* 3 > 4 */"]}),
    ("c", "int", "i++;", {"statement removed": [";"]}),
    ("c", "int", "int a = b;", {}),
    ("c", "int", "static_assert(A < 5, \"a\");", {}),
    ("c", "int", "assert(a == 5);", {}),
    ("c", "int", "#define A 5", {}),
    ("c", "int", "break;", {"break removed": [";"]}),
    ("c", "static bool", "return a;", {"return value": ["return !(a);"]}),
    ("c", "uint32_t", "return of(\"a\");", {"return value": ["return (of(\"a\")) + 1;"]}),
    ("c", "struct a *", "return a;", {"return value": ["return NULL;"]}),
    ("c", "struct a", "return a;", {}),
    ("lua", "", "if a == b then c = 1 end", {"comparison": ["if a ~= b then c = 1 end"], "condition negated": ["if not (a == b) then c = 1 end"],
                                             "constant n + 1": ["if a == b then c = 2 end"]}),
    ("lua", "", "local A <const> = 7 -- 8", {"constant n + 1": ["local A <const> = 8 -- 8"]}),
    ("lua", "", "self.a[b] = c or d", {"and, or": ["self.a[b] = c and d"], "statement removed": [" "]}),
    ("lua", "", "a:go(b)", {"statement removed": [" "]}),
    ("lua", "", "return true", {"return value": ["return false"]}),
    ("lua", "", "return a:b(c)", {"return value": ["return nil"]}),
    ("py", "", "a.b = c + d", {"+ and -": ["a.b = c - d"], "statement removed": ["pass"]}),
    ("py", "", "assert a == 5", {}),
    ("py", "", "return 'a == 5'", {"return value": ["return None"]}),
    ("py", "", "if a != b:  # c < d:", {"comparison": ["if a == b:  # c < d:"]}),
    ("py", "", "while a > b:", {"comparison": ["while a >= b:"], "condition negated": ["while not (a > b):"]}),
]
INDENTATION = "    "
FRAMES = {"c": "{kind} f(void)\n{{\n{more}    {line}\n}}\n", "lua": "local function f()\n    {line}\nend\n", "py": "def f():\n    {line}\n{more}"}
MORE = {"}": "    if (a) {\n", ":": "        pass\n"}  # before or after a line that ends or begins so
C = """static int f(int a)
{
    before(a);
    a = 5;
    return a;
}
"""
MOVED = C.replace("static int f", "/* More. */\nint g(void)\n{\n    return 1;\n}\n\nstatic int f")
# the other tree's files, where "a = 5;" of dataplane/old.c stands there
TREES = [
    ({"dataplane/old.c": C}, ("dataplane/old.c", 4)),
    ({"dataplane/old.c": MOVED}, ("dataplane/old.c", 10)),
    ({"dataplane/new.c": MOVED}, ("dataplane/new.c", 10)),
    ({"dataplane/new.c": C.replace("before", "other")}, ("dataplane/new.c", 4)),
    ({"dataplane/a.c": C, "dataplane/old.c": C.replace("f(", "g(")}, ("dataplane/a.c", 4)),
    ({"dataplane/old.c": C.replace("a = 5", "a = 6")}, None),
    ({"dataplane/old.c": C.replace("before", "other").replace("return a", "return 0")}, None),
    ({"lua/old.lua": C}, None),
]


def sources_of(files):
    return [Source(path, text) for path, text in files.items()]


def on_line(ending, kind, line):
    """{operator: lines}"""
    text = FRAMES[ending].format(kind=kind, line=line, more=MORE.get(line[-1] if ending == "py" else line[0], ""))
    number = next(index for index, other in enumerate(text.split("\n")) if other.strip() == line) + 1
    found = {}
    for one in mutations.mutations_of(Source("dataplane/a." + ending, text)):
        if one.line == number:
            found.setdefault(one.operator, []).append(one.planted(text).split("\n")[number - 1].removeprefix(INDENTATION))
    return found


class Lines(unittest.TestCase):
    def test_rows(self):
        for ending, kind, line, expected in LINES:
            with self.subTest(line=line):
                self.assertEqual(on_line(ending, kind, line), expected)

    def test_the_rest_of_a_statement_is_not_removed(self):
        text = "int f(void)\n{\n    a =\n        b();\n    c(d,\n      e(f));\n}\n"
        self.assertEqual(mutations.mutations_of(Source("sim/a.c", text)), [])

    def test_in_c_only_bodies_have_mutations(self):
        self.assertEqual(mutations.mutations_of(Source("sim/a.c", "static const int rows[] = {1, 2};\nint a = 5;\n")), [])


class Samples(unittest.TestCase):
    def sources(self):
        return sources_of({f"sim/{name}.c": C for name in "abcdefghij"} | {"bss/a.c": C})

    def test_a_seed_repeats(self):
        samples = [mutations.sample(sources, 8, seed) for sources, seed in ((self.sources(), 1), (self.sources()[::-1], 1), (self.sources(), 2))]
        self.assertEqual(samples[0], samples[1])
        self.assertNotEqual(samples[0], samples[2])

    def test_each_folder_has_a_few(self):
        quotas, by_folder = mutations.sample(self.sources(), 20, 1)
        self.assertEqual(quotas, {"sim": 17, "bss": mutations.FEW})
        self.assertEqual(len(by_folder["sim"]), 30)
        self.assertEqual(len({(one.path, one.line) for one in by_folder["sim"]}), 30)

    def test_found_again(self):
        old = next(one for one in mutations.mutations_of(Source("dataplane/old.c", C)) if one.operator == "constant n + 1")
        row = json.loads(json.dumps(old.as_row()))
        for files, expected in TREES:
            with self.subTest(files=sorted(files)):
                one, = mutations.found_again([row], sources_of(files))
                self.assertEqual(one and (one.path, one.line), expected)
                self.assertEqual(one and one.planted(files[one.path]).count("a = 6;"), expected and 1)


def test_of(name, source, seconds=1.0, symbols=(), targets=("x",)):
    return mutation_tests.Test(name, [name], {}, "/", source, [], list(targets), seconds, set(symbols))


def tests_of(root, tests, objects):
    known = mutation_tests.Tests.__new__(mutation_tests.Tests)
    known.root, known.build, known.tests = root, root, tests
    known.objects, known.graph = {path: [path + ".o"] for path in objects}, {path + ".o": set(names) for path, names in objects.items()}
    return known


class Seeing(unittest.TestCase):
    def names(self, known, path):
        return [test.name for test in known.seeing(path)]

    def test_of_c_what_is_linked_the_nearest_first(self):
        tests = [test_of("scenario", "tests/system/scenario/test_a.py", symbols="abc"), test_of("oracle", "tests/oracles/sched", symbols="ab"),
                 test_of("far", "tests/unit/dataplane/worker", 0.1, "abc"), test_of("slow", "tests/unit/dataplane/queue", 2, "ab"),
                 test_of("quick", "tests/unit/dataplane/queue", 1, "ab"), test_of("bucket", "tests/unit/dataplane/queue", 9, "ab"),
                 test_of("blind", "tests/unit/dataplane/queue", 0.1, "a")]
        known = tests_of("/", tests, {"dataplane/queue/bucket.c": "ab", "dataplane/queue/other.c": "c"})
        self.assertEqual(self.names(known, "dataplane/queue/bucket.c"), ["bucket", "quick", "slow", "far", "oracle", "scenario"])
        self.assertEqual(self.names(known, "dataplane/queue/other.c"), ["far", "scenario"])
        self.assertEqual(self.names(known, "dataplane/queue/not_built.c"), [])

    def test_of_lua_what_requires_it_or_carries_it(self):
        files = {"lua/gb/ns.lua": "", "lua/gb/plane.lua": 'local ns = require "gb.ns"', "tests/unit/lua/gb_rows.lua": 'require("gb.ns")',
                 "tests/unit/lua/near_spec.lua": 'require "gb.ns"', "tests/unit/lua/far_spec.lua": 'require "gb.plane"',
                 "tests/unit/lua/blind_spec.lua": 'require "gn.paths"', "tests/unit/lua/rows_spec.lua": 'require "gb_rows"'}
        with tempfile.TemporaryDirectory() as root:
            plant(root, files)
            tests = [test_of(path.split("/")[-1][:-9], path) for path in files if path.endswith("_spec.lua")]
            tests += [test_of("carries", "tests/unit/control", symbols=["modules"]), test_of("without", "tests/unit/control", symbols=["a"])]
            known = tests_of(root, tests, {"build/lua_embedded.c": ["modules"]})
            self.assertEqual(self.names(known, "lua/gb/ns.lua"), ["near", "far", "rows", "carries"])

    def test_of_the_report_its_tests_that_name_it_first(self):
        with tempfile.TemporaryDirectory() as root:
            plant(root, {"tests/unit/python/a_test.py": "from x import draw", "tests/unit/python/b_test.py": "import other"})
            tests = [test_of("scenario", "tests/system/scenario/test_a.py", targets=["gbflow-report.pyz"]), test_of("none", "tests/unit/app")]
            tests += [test_of(name, f"tests/unit/python/{name}_test.py", 3 - index) for index, name in enumerate("ab")]
            for test in tests[2:]:
                test.suites.append("report")
            self.assertEqual(self.names(tests_of(root, tests, {}), "python/gbflow_report/draw.py"), ["a", "b", "scenario"])


def plant(root, files):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)


PYTHON = {"python/a.py": "def f(a):\n    return a < 5\n", "tests/a_test.sh": "python3 -c 'import sys; sys.path.insert(0, \"python\"); from a import f; exit(not f(4) or f(5))'"}
# what stands in python/a.py instead, what becomes of it
JUDGED = [("comparison", "<=", "killed"), ("comparison", "> <", "does not compile"), ("comparison", " <", "equivalent"), ("constant n + 1", "6", "killed"),
          ("comparison", "is not None and a <", "survived")]


class Judging(unittest.TestCase):
    def workshop(self, root):
        """Without a build: python needs none."""
        with mock.patch.object(sample_mutations.Workshop, "__init__", return_value=None):
            workshop = sample_mutations.Workshop()
        workshop.folder, workshop.limit, workshop.digests = root, 5, {}
        test = mutation_tests.Test("a", ["sh", "tests/a_test.sh"], {}, root, "tests/unit/python/a_test.py", ["report"], [])
        workshop.tests = tests_of(root, [test], {})
        return workshop

    def test_rows(self):
        with tempfile.TemporaryDirectory() as root:
            plant(root, PYTHON)
            workshop = self.workshop(root)
            found = {one.operator: one for one in mutations.mutations_of(Source("python/a.py", PYTHON["python/a.py"])) if one.line == 2}
            for operator, replacement, expected in JUDGED:
                with self.subTest(replacement=replacement):
                    one = sample_mutations.dataclasses.replace(found[operator], replacement=replacement)
                    self.assertEqual(workshop.judge(one)[0], expected)
                    self.assertEqual(mutation_tests.read_text(root, "python/a.py"), PYTHON["python/a.py"])

    def test_what_a_test_started_ends_with_it(self):
        with tempfile.TemporaryDirectory() as root:
            workshop = self.workshop(root)
            fifo = os.path.join(root, "fifo")
            os.mkfifo(fifo)
            reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
            self.assertIsNone(workshop.run(["sh", "-c", "exec 3>fifo; sleep 600 & wait"], 1))
            os.set_blocking(reader, True)
            self.assertEqual(os.read(reader, 1), b"")  # when no process has it open any more
            os.close(reader)

    def test_one_that_does_not_compile_is_replaced(self):
        first, second = mutations.mutations_of(Source("python/a.py", PYTHON["python/a.py"]))[:2]
        sample = sample_mutations.Sample([first], {"python": [second]}, {second: "a"})
        judge = mock.Mock(side_effect=[(sample_mutations.BROKEN, [], []), (sample_mutations.KILLED, ["a"], ["a"])])
        with contextlib.redirect_stdout(io.StringIO()):
            sample.work(mock.Mock(judge=judge))
            self.assertEqual(judge.call_args_list, [mock.call(first, None), mock.call(second, "a")])
            self.assertEqual([verdict.mutation for verdict in sample.verdicts], [first, second])
            self.assertEqual([sample_mutations.status_of(sample.verdicts[:count], 0) for count in (1, 2)], [1, 0])


if __name__ == "__main__":
    unittest.main()

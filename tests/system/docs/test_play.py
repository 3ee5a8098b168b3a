# SPDX-License-Identifier: BSD-3-Clause
"""play.py with pages of a few lines: what is wrong is found, and what is right is run."""
import os
import pathlib
import shutil
import tempfile
import unittest

import play
from table import Table

RIGHT = """    printf 'one  1\\ntwo 2\\n'
    one 1
    two 2
"""
# A page, the rows of its table, words of each fault.
ROWS = (
    (RIGHT, "", ()),
    (RIGHT.replace("two 2\n", "two 3\n"), "", ("says: two 3",)),
    ("    printf 'one 1\\ntwo 2\\n'\n    two 2\n    one 1\n", "", ("says: one 1",)),
    ("    printf 'took 5 ms'\n    took 6 ms\n", "", ("says: took 6 ms",)),
    ("    printf 'took 5 ms'\n    took 6 ms\n", "== differs\npage.md: took <n> ms\n", ()),
    ("    printf 'took 5 ms'\n    took ... ms\n", "", ()),
    ("    echo a\n", "== differs\npage.md: took <n> ms\n", ("no such line: took",)),
    ("    cat nothing\n", "", ("cat nothing: ends with status 1",)),
    ("    cat nothing\n", "== not run: nothing is there\npage.md: cat\n", ()),
    ("    echo a\n", "== not run: nothing is there\npage.md: cat\n", ("begins so: cat",)),
    ("    echo a\n", "== not run\npage.md: echo\n", ("has no reason",)),
    ("    echo a\n", "== elsewhere: tests/system/docs/nothing.py\npage.md: echo\n", ("no such test",)),
    ("    echo a\n", "== elsewhere: tests/system/meson.build\npage.md: echo\n", ("does not name page.md",)),
    ("    a line that no command prints\n", "", ("says: a line",)),
    ("    a line that no command prints\n", "== drawn: a figure\npage.md: a line\n", ()),
    ("    export A=2\n    cd out\n\nThen:\n\n    echo $A > there.csv\n\nIt wrote `out/there.csv`:\n\n    2\n", "", ()),
    ("    echo a > out/there.csv\n\nIt wrote `out/other.csv`.\n", "", ("names out/other.csv",)),
    ("    echo 3 > out/there.csv\n\nThree of\n3 rows.\n", "== sentences\npage.md: echo of $(cat out/there.csv) rows\n", ()),
    ("    echo 4 > out/there.csv\n\nThree of\n3 rows.\n", "== sentences\npage.md: echo of $(cat out/there.csv) rows\n", ("'of 4 rows'",)),
    ("    sleep 0.1 && echo b > out/there.csv &\n    wait\n    b\n", "", ()),
    ("    gbflow run [--seed N]\n", "", ()),
    ("    gbflow run [--sed N]\n", "", ("--help has no --sed",)),
    ("    scripts/run.sh --fast\n", "== not run: takes long\npage.md: scripts/run.sh\n", ("--help has no --fast",)),
    ("    scripts/walks.sh\n", "== not run: takes long\npage.md: scripts/walks.sh\n", ("nothing is there: scripts/walks.sh",)),
    ("    meson test -C build link 'no such test'\n", "", ("build has no no such test",)),
    ("    ninja -C build gbflow bench/micro/none\n", "", ("build has no bench/micro/none",)),
    ("    cat nothing\n", "== instead: echo a\npage.md: cat\n", ()),
    ("    cat nothing\n    nothing\n", "== night\npage.md: cat\n", ()),
    ("```lua\ngn = { a = 1 },\n```\n", "", ()),
    ("```lua\ngn = { a = },\n```\n", "", ("is no Lua",)),
    ('```lua title="out/a.lua"\nreturn 1\n```\n\n    cat out/a.lua\n    return 1\n', "", ()),
    ("```console\n# echo a\na\n# echo b\na\n```\n", "", ("says: a",)),
    ("```diff\n--- a/meson.build\n+++ b/meson.build\n@@ -1,1 +1,1 @@\n-none\n+some\n```\n", "", ("does not apply",)),
)


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-play-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        root = cls.folder / "root"
        for name in ("scripts", "config"):
            shutil.copytree(play.ROOT / name, root / name, symlinks=True)
        shutil.copy(play.ROOT / "meson.build", root)
        cls.tree = play.Tree(cls.folder, root)

    def faults_of(self, text, rows):
        path = self.folder / "blocks.txt"
        path.write_text(rows, encoding="utf-8")
        table = Table(path, play.ROOT)
        page = play.Page("page.md", table, False, text)
        return table.faults([page], is_whole=True) + page.play(self.tree)

    def test_rows(self):
        for text, rows, wanted in ROWS:
            with self.subTest(text=text, rows=rows):
                faults = self.faults_of(text, rows)
                self.assertEqual(len(faults), len(wanted), faults)
                for fault, words in zip(faults, wanted):
                    self.assertIn(words, fault)

    def test_a_command_that_hangs(self):
        limits = dict(play.LIMIT_S)
        self.addCleanup(play.LIMIT_S.update, limits)
        play.LIMIT_S["gate"] = 1
        self.assertIn("takes more than 1 s", self.faults_of("    sleep 1000 & sleep 1000\n", "")[0])

    def test_what_a_page_writes_stays_in_its_folder(self):
        before = (play.ROOT / "meson.build").read_bytes()
        self.assertEqual(self.faults_of("    echo a > meson.build\n    rm -r scripts build/*\n", ""), [])
        self.assertEqual((play.ROOT / "meson.build").read_bytes(), before)
        self.assertTrue(os.path.exists(play.BUILD / "meson-info"))


class Pages(unittest.TestCase):
    def test_each_page_is_played(self):
        found = play.all_pages()
        self.assertLess({"README.md", "CONTRIBUTING.md", "docs/first-study.md", "docs/gallery/index.md"}, set(found))
        table = Table(play.HERE / "blocks.txt", play.ROOT)
        self.assertEqual(table.faults([play.Page(path, table, False) for path in found], is_whole=True), [])


if __name__ == "__main__":
    unittest.main()

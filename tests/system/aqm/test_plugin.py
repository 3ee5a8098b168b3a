# SPDX-License-Identifier: BSD-3-Clause
"""A scheme from a shared object that a configuration names: in a scenario, in a node that replays, in one that serves; and the
rules of the folder from which it may come."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", part) for part in ("scenario", "replay", "live")]

import scenario  # noqa: E402  pylint: disable=wrong-import-position
from scenario import gbflow  # noqa: E402  pylint: disable=wrong-import-position
import node  # noqa: E402  pylint: disable=wrong-import-position

PLUGIN = os.environ.get("EXAMPLE_PLUGIN", "")
FOLDER, NAME = os.path.split(PLUGIN)
FROM = ("--plugins", FOLDER)
CLASSES = {"conversational", "streaming", "thp1", "thp2", "thp3", "background"}


def queues(words):
    return f"queues = {{ {words} }},"


def of_all(more="", path=NAME):
    return queues(f'aqm = {{ plugin = "{path}"{more} }}')


class Scenario(scenario.Case):
    def summary(self, words, ecn="true", name="run"):
        """More than the air carries, and a scheme that wants no more than a second of it to wait."""
        text = scenario.text(
            duration="30 s", sgsn=f'lifetime = {{ sgsn_max = "infinite", bss_max = "infinite" }}, {words}', cells="pdchs = 2",
            mobiles=f'{{ name = "a", traffic = {{ {{ cbr = {{ rate = "60 kbit/s", ecn = {ecn} }} }} }} }}')
        return self.play_text(text, *FROM, name=name).summary

    def test_drops_and_marks(self):
        """Its parameter is one of the configuration, as any scheme's."""
        for more, ecn, dropped, marked in (("", "true", True, False), (", ecn = true", "true", False, True),
                                           (", ecn = true", "false", True, False)):
            with self.subTest(more=more, ecn=ecn):
                summary = self.summary(of_all(more), ecn=ecn)
                row, aqm = summary["classes"]["background"], summary["aqm"]["background"]
                self.assertEqual((aqm["scheme"], aqm["scope"]), ("one_second", "ms"))
                self.assertEqual((row["drops"]["aqm"] > 100, row["marks"] > 100), (dropped, marked))
                self.assertEqual(aqm["enqueue"]["dropped"], row["drops"]["aqm"])
                self.assertGreaterEqual(aqm["enqueue"]["marked"], row["marks"])  # the rest waits

    def test_named_twice(self):
        """One file for all classes, and again for one of them at another scope."""
        words = queues(f'aqm = {{ plugin = "{NAME}" }}, '
                       f'class = {{ background = {{ aqm = {{ plugin = "{NAME}", scope = "class_of_bvc", ecn = true }} }} }}')
        aqm = self.summary(words)["aqm"]
        self.assertEqual(set(aqm), CLASSES)
        self.assertEqual({row["scheme"] for row in aqm.values()}, {"one_second"})
        self.assertEqual((aqm["thp1"]["scope"], aqm["background"]["scope"]), ("ms", "class_of_bvc"))
        self.assertGreater(aqm["background"]["enqueue"]["marked"], 100)

    def test_refusals(self):
        """What is no plug-in, of another version, or has no such parameter: said with the key's path."""
        for words, key, message in (
                (of_all(path="wrong_plugin4.so"), "queues.aqm.plugin", "version"),
                (of_all(path="nowhere.so"), "queues.aqm.plugin", "nowhere.so"),
                (of_all(path=PLUGIN), "queues.aqm.plugin", "--plugins"),
                (of_all(path="../aqm/" + NAME), "queues.aqm.plugin", "--plugins"),
                (of_all(', target = "5 ms"'), "queues.aqm.target", "unknown key"),
                (of_all(', scheme = "red"'), "queues.aqm", "names one of")):
            with self.subTest(words):
                path = self.write("s.lua", scenario.text(sgsn=words, mobiles='{ name = "a", traffic = { { ping = {} } } }',
                                                         cells="pdchs = 2"))
                result = gbflow.run("run", path, "--out", self.path("out"), "--no-report", *FROM)
                self.assertEqual(result.status, 2, result)
                self.assertIn(key, result.stderr)
                self.assertIn(message, result.stderr)


MARKER = """#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void enter(void)
{
    FILE *file = fopen(getenv("GBFLOW_MARK"), "w");
    if (file)
        fclose(file);
}
"""


class Folder(gbflow.Case):
    """A plug-in's code runs as soon as it is loaded, before it can be found wrong: this one leaves a file when it does."""

    def setUp(self):
        super().setUp()
        self.plugins = tempfile.mkdtemp(prefix="gbflow-plugins-")
        self.addCleanup(shutil.rmtree, self.plugins)
        self.mark, self.plugin = self.path("mark"), os.path.join(self.plugins, "mark.so")
        source = self.write("mark.c", MARKER)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.plugin, source], check=True)
        os.chmod(self.plugin, 0o644)
        self.config = self.write("node.lua", gbflow.node_text(
            "replay-80k", [gbflow.SMALL, ("  lifetime = {", f"  {of_all(path='mark.so')}\n\n  lifetime = {{")]))

    def check(self, *words):
        result = gbflow.run("check", self.config, *words, env=dict(os.environ, GBFLOW_MARK=self.mark))
        return result, os.path.exists(self.mark)

    def test_check_loads_on_request(self):
        result, has_run = self.check("--plugins", self.plugins)
        self.assertEqual((result.status, has_run), (0, False), result)
        self.assertIn("queues.aqm.plugin: the plug-in is not loaded here", result.stderr)
        result, has_run = self.check("--plugins", self.plugins, "--load-plugins")
        self.assertEqual((result.status, has_run), (2, True), result)

    def test_folder_and_owner(self):
        """Where others could exchange the code, it does not run."""
        def link():
            os.rename(self.plugin, self.plugin + ".2")
            os.symlink(self.plugin + ".2", self.plugin)

        for spoil, message in ((lambda: os.chmod(self.plugin, 0o666), "can be written by other users"),
                               (lambda: os.chmod(self.plugin, 0o664), "can be written by other users"),
                               (lambda: (os.chmod(self.plugin, 0o644), os.chmod(self.plugins, 0o777)), "can be written by other users"),
                               (lambda: (os.chmod(self.plugins, 0o755), link()), "is not a regular file")):
            spoil()
            result, has_run = self.check("--plugins", self.plugins, "--load-plugins")
            self.assertEqual((result.status, has_run), (2, False), result)
            self.assertIn(message, result.stderr)
        if os.geteuid() != 0:
            print("not root: files of other users are not tested")
            return
        os.remove(self.plugin)
        os.rename(self.plugin + ".2", self.plugin)
        os.chown(self.plugin, 65534, 65534)
        result, has_run = self.check("--plugins", self.plugins, "--load-plugins")
        self.assertEqual((result.status, has_run), (2, False), result)
        self.assertIn("belongs to another user", result.stderr)

    def test_reload_loads_nothing(self):
        """SIGHUP with another scheme is refused; the new file's code has not run."""
        with unittest.mock.patch.dict(os.environ, GBFLOW_MARK=self.mark):
            running = node.Node(gn="net_ring0", gb="net_ring1", words=("--plugins", self.plugins))
        self.addCleanup(running.kill)
        running.wait_for("running")
        running.write(more=", " + of_all(path="mark.so").rstrip(","))
        running.process.send_signal(signal.SIGHUP)
        running.wait_for("rejected")
        self.assertFalse(os.path.exists(self.mark))
        self.assertEqual(running.stop(), 0)

    def test_default_folder(self):
        """Without the option only the installation's folder counts, wherever the program was started."""
        result, has_run = self.check("--load-plugins")
        self.assertEqual((result.status, has_run), (2, False), result)
        self.assertIn("gbflow/aqm", result.stderr)


class Node(gbflow.Case):
    def test_replay(self):
        """A real capture through 80 kbit/s."""
        text = gbflow.node_text("replay-80k", [gbflow.SMALL, ("  lifetime = {", f"  {of_all()}\n\n  lifetime = {{")])
        path = self.write("node.lua", text)
        self.assertEqual(gbflow.run("check", path, "--load-plugins", *FROM).status, 0)
        report = self.replay(path, *FROM).report
        rows = report["aqm"].values()
        self.assertEqual(set(report["aqm"]), CLASSES)
        self.assertEqual(sum(row["enqueue"]["dropped"] for row in rows), report["drops"]["aqm"])
        self.assertGreater(report["drops"]["aqm"], 10)

    def test_serve(self):
        """A live node has it, and shows what it answered; a Lua file it does not take."""
        running = node.Node(more=", " + of_all().rstrip(","), gn="net_ring0", gb="net_ring1", words=FROM)
        self.addCleanup(running.kill)
        running.wait_for("running")
        rows = running.show("aqm")
        self.assertEqual([row["hook"] for row in rows], ["enqueue", "dequeue"] * len(CLASSES))
        self.assertEqual({(row["class"], row["scheme"], row["scope"], row["offered"]) for row in rows},
                         {(name, "one_second", "ms", 0) for name in CLASSES})
        self.assertEqual(running.stop(), 0)
        self.assertEqual(set(running.report["aqm"]), CLASSES)


if __name__ == "__main__":
    unittest.main()

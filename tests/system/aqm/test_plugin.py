# SPDX-License-Identifier: BSD-3-Clause
"""A scheme from a shared object that a configuration names: in a scenario, in a node that replays, in one that serves."""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", part) for part in ("scenario", "replay", "live")]

import scenario  # noqa: E402  pylint: disable=wrong-import-position
from scenario import gbflow  # noqa: E402  pylint: disable=wrong-import-position
import node  # noqa: E402  pylint: disable=wrong-import-position

PLUGIN = os.environ.get("EXAMPLE_PLUGIN", "")
FOLDER = os.path.dirname(PLUGIN)
CLASSES = {"conversational", "streaming", "thp1", "thp2", "thp3", "background"}


def queues(words):
    return f"queues = {{ {words} }},"


def of_all(more="", path=PLUGIN):
    return queues(f'aqm = {{ plugin = "{path}"{more} }}')


class Scenario(scenario.Case):
    def summary(self, words, ecn="true", name="run"):
        """More than the air carries, and a scheme that wants no more than a second of it to wait."""
        text = scenario.text(
            duration="30 s", sgsn=f'lifetime = {{ sgsn_max = "infinite", bss_max = "infinite" }}, {words}', cells="pdchs = 2",
            mobiles=f'{{ name = "a", traffic = {{ {{ cbr = {{ rate = "60 kbit/s", ecn = {ecn} }} }} }} }}')
        return self.play_text(text, name=name).summary

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
        words = queues(f'aqm = {{ plugin = "{PLUGIN}" }}, '
                       f'class = {{ background = {{ aqm = {{ plugin = "{PLUGIN}", scope = "class_of_bvc", ecn = true }} }} }}')
        aqm = self.summary(words)["aqm"]
        self.assertEqual(set(aqm), CLASSES)
        self.assertEqual({row["scheme"] for row in aqm.values()}, {"one_second"})
        self.assertEqual((aqm["thp1"]["scope"], aqm["background"]["scope"]), ("ms", "class_of_bvc"))
        self.assertGreater(aqm["background"]["enqueue"]["marked"], 100)

    def test_path_from_here(self):
        """./NAME.so is looked for where the program was started."""
        path = self.write("s.lua", scenario.text(duration="2 s", sgsn=of_all(path="./example_plugin.so"), cells="pdchs = 2",
                                                 mobiles='{ name = "a", traffic = { { ping = {} } } }'))
        for folder, status in ((FOLDER, 0), (self.folder, 2)):
            result = gbflow.run("run", path, "--out", self.path("out"), "--no-report", cwd=folder)
            self.assertEqual(result.status, status, result)

    def test_refusals(self):
        """What is no plug-in, of another version, or has no such parameter: said with the key's path."""
        for words, key, message in (
                (of_all(path=os.path.join(FOLDER, "wrong_plugin4.so")), "queues.aqm.plugin", "version"),
                (of_all(path="/nowhere.so"), "queues.aqm.plugin", "/nowhere.so"),
                (of_all(', target = "5 ms"'), "queues.aqm.target", "unknown key"),
                (of_all(', scheme = "red"'), "queues.aqm", "names one of")):
            with self.subTest(words):
                path = self.write("s.lua", scenario.text(sgsn=words, mobiles='{ name = "a", traffic = { { ping = {} } } }',
                                                         cells="pdchs = 2"))
                result = gbflow.run("run", path, "--out", self.path("out"), "--no-report")
                self.assertEqual(result.status, 2, result)
                self.assertIn(key, result.stderr)
                self.assertIn(message, result.stderr)


class Node(gbflow.Case):
    def test_replay(self):
        """A real capture through 80 kbit/s."""
        text = gbflow.node_text("replay-80k", [gbflow.SMALL, ("  lifetime = {", f"  {of_all()}\n\n  lifetime = {{")])
        path = self.write("node.lua", text)
        self.assertEqual(gbflow.run("check", path).status, 0)
        report = self.replay(path).report
        rows = report["aqm"].values()
        self.assertEqual(set(report["aqm"]), CLASSES)
        self.assertEqual(sum(row["enqueue"]["dropped"] for row in rows), report["drops"]["aqm"])
        self.assertGreater(report["drops"]["aqm"], 10)

    def test_serve(self):
        """A live node has it, and shows what it answered; a Lua file it does not take."""
        running = node.Node(more=", " + of_all().rstrip(","), gn="net_ring0", gb="net_ring1")
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

# SPDX-License-Identifier: BSD-3-Clause
"""One capture, three NSEs, one to three workers: whoever receives what, every mobile gets every packet, in order."""
import re
import unittest

import gbflow

NPDUS, LLC_PDUS = 1736, 4377
BUCKET = "6553500:6553500"


def three_nses(workers):
    """replay-open with its NSE and its BSS three times, which learned mobiles are put in in turn."""
    text = gbflow.node_text("replay-open", [("return {\n", f"return {{\n  workers = {workers},\n")])
    nse = re.search(r"    \{\n      nsei = 101,.*?\n    \},\n", text, re.DOTALL).group()
    bss = re.search(r"    \{ nsei = 101, cells.*?\n", text).group()
    for piece in (nse, bss):
        text = text.replace(piece, "".join(
            re.sub(r"\bci = 1 ", f"ci = {i + 1} ", piece.replace("= 101", f"= {101 + i}").replace("10.99.0.2", f"10.99.0.{i + 2}"))
            for i in range(3)))
    return text


class Workers(gbflow.Case):
    def play(self, workers, *words):
        node = self.write(f"{workers}.lua", three_nses(workers))
        result = self.replay(node, *words, name=f"{workers}{''.join(words)}")
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        self.assertEqual(result.report["npdu"], {"in": NPDUS, "out": NPDUS, "dropped": 0, "queued": 0})
        self.judge(result, "--expect-all", "--rules", f"bvc={BUCKET},ms={BUCKET},lifetime=infinite", minimum={
            "nu_sequence": LLC_PDUS, "reassembly_equal": NPDUS, "order": NPDUS, "completeness": NPDUS, "totals": 22})
        return result

    def check_workers(self, report, count):
        """What the workers say of themselves agrees with each other and with the whole."""
        workers = report["workers"]
        self.assertEqual(len(workers), count)
        for worker in workers:
            books = worker["npdu"]
            self.assertEqual(books["in"] + books["xworker_in"], books["out"] + books["dropped"] + books["queued"] + books["xworker_out"])
        for key in ("in", "out", "dropped", "queued"):
            self.assertEqual(sum(worker["npdu"][key] for worker in workers), report["npdu"][key])
        self.assertEqual(sum(worker["gn"]["received"] for worker in workers), report["frames"]["received"])
        for link in ("gn", "gb"):
            steered_out, steered_in = (sum(worker[link][way] for worker in workers) for way in ("steered_out", "steered_in"))
            self.assertEqual(steered_out, steered_in)
        return [sum(worker[link]["steered_out"] for worker in workers) for link in ("gn", "gb")]

    def test_capture(self):
        reference = self.play(1)
        self.assertNotIn("workers", reference.report)
        for workers in (2, 3):
            for words in ((), ("--unsteered",)):
                report = self.play(workers, *words).report
                gn, gb = self.check_workers(report, workers)
                self.assertGreater(gn, 0)
                self.assertEqual(gb > 0, bool(words))
                self.assertTrue(all(worker["npdu"]["in"] > 0 for worker in report["workers"]))
                sessions = [{**session, "teid": 0} for session in report["sessions"]]
                self.assertEqual(sessions, [{**session, "teid": 0} for session in reference.report["sessions"]])

    def test_twice(self):
        """A run is the same every time."""
        files = []
        for _ in range(2):
            result = self.play(3, "--unsteered")
            with open(result.gb, "rb") as gb, open(result.json, "rb") as report:
                files.append((gb.read(), report.read()))
        self.assertEqual(files[0], files[1])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""The rights of a running node (docs/serve.md): none that only its start needs, and all that it does still works."""
import os
import pwd
import signal
import subprocess
import unittest

import node

RING = {"gn": "net_ring0", "gb": "net_ring1"}


def threads(pid):
    """The status of each thread as a dict."""
    rows = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as file:
            rows.append(dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line))
    return rows


class Rights(unittest.TestCase):
    def serve(self, *words):
        running = node.Node(words=words, **RING)
        self.addCleanup(running.kill)
        running.wait_for("running")
        return running, any("no seccomp filter" in line for line in running.lines)

    def use(self, running):
        """Tables, a capture, a reload, an end."""
        self.assertEqual(len(running.show("workers")), 1)
        start = len(running.lines)
        running.write(more=', mobiles_of = 1')
        running.process.send_signal(signal.SIGHUP)
        running.wait_for("mobiles_of: unknown key", start=start)
        running.wait_for("rejected", start=start)
        self.assertEqual(running.stop(), 0)

    def test_filter_in_all_threads(self):
        running, is_sanitized = self.serve()
        rows = threads(running.process.pid)
        self.assertGreaterEqual(len(rows), 2)
        if is_sanitized:
            print("a build with AddressSanitizer has no filter, and its control thread keeps capabilities")
        else:
            self.assertEqual({(row["Seccomp"], row["NoNewPrivs"]) for row in rows}, {("2", "1")})
            self.assertEqual({(row["CapEff"], row["CapPrm"]) for row in rows}, {("0" * 16, "0" * 16)})
        self.use(running)

    def test_other_user(self):
        """All threads change it, and lose all capabilities by that."""
        if os.geteuid() != 0:
            print("skipped: only root can change the user")
            self.skipTest("only root can change the user")
        running, _ = self.serve("--user", "nobody")
        for row in threads(running.process.pid):
            self.assertEqual(set(row["Uid"].split()), {str(pwd.getpwnam("nobody").pw_uid)})
            self.assertEqual((row["CapEff"], row["CapPrm"]), ("0" * 16, "0" * 16))
        self.use(running)

    def test_capture_elsewhere(self):
        """The node has another view of the folder than the one who asks: that is said, with the path."""
        if os.geteuid() != 0:
            print("skipped: only root can mount")
            self.skipTest("only root can mount")
        running, _ = self.serve()
        folder = os.path.join(running.holder.name, "captures")
        os.mkdir(folder)
        path = os.path.join(folder, "a.pcapng")
        asked = [node.program(), "capture", "--prefix", running.prefix, path]
        for before, is_seen in (("mount -t tmpfs none $0", False), ("rm $1", True)):
            done = subprocess.run(["unshare", "-m", "sh", "-c", before + ' && shift && exec "$@"', folder, path, *asked],
                                  capture_output=True, text=True, check=False, timeout=60, env=running.environment())
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual("" if is_seen else f"warning: the node writes the file, but there is none at {path} here",
                             "".join(done.stderr.partition(": ")[2].partition(": the node has")[:1]))
            subprocess.run([*asked[:-1], "--stop"], check=True, timeout=60, env=running.environment(), capture_output=True)
        self.assertEqual(running.stop(), 0)

    def test_no_such_user(self):
        failed = node.Node(words=("--user", "no-such-user"), **RING)
        self.addCleanup(failed.kill)
        self.assertEqual(failed.finish(), 1)
        self.assertIn("no-such-user: there is no such user (--user)", "\n".join(failed.lines))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""The report program as a child of a command: it ends with it, at a limit of time, and where memory is limited."""
import os
import resource
import signal
import subprocess
import tempfile
import time
import unittest

GBFLOW = os.environ["GBFLOW"]
ROOT = os.environ["GBFLOW_ROOT"]
CAPTURE = os.path.join(ROOT, "tests/data/captures/gi-osmo-ggsn.pcap.gz")
SECONDS = 120  # a hanging child fails the test
LITTLE = 150 << 20
MEMORY = 293 << 20  # enough for the libraries, too little for the stacks of their threads


class Child(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-child-")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.words = [GBFLOW, "analyze", CAPTURE, "--set", "connections=2000", "--set", "mobiles=2000", "--out", os.path.join(self.folder, "out")]

    def with_python(self, text):
        """An environment in which this shell script is python3."""
        path = os.path.join(self.folder, "python3")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return {**os.environ, "PATH": self.folder + ":" + os.environ["PATH"]}

    def wait_for(self, what):
        end = time.monotonic() + SECONDS
        while not what():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_it_ends_with_the_command(self):
        told = os.path.join(self.folder, "pid")
        env = self.with_python(f"echo $$ >{told}.new && mv {told}.new {told} && exec sleep 1000\n")
        with subprocess.Popen(self.words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as command:
            self.wait_for(lambda: os.path.exists(told))
            with open(told, encoding="ascii") as file:
                child = int(file.read())
            command.kill()
        self.wait_for(lambda: not is_running(child))

    def test_the_limit_of_time(self):
        done = subprocess.run(self.words, env=self.with_python("kill -ALRM $$\n"), capture_output=True, text=True, check=False, timeout=SECONDS)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"no report was written: the report program was ended after \d+ s\n")

    def test_a_limit_of_memory(self):
        """Whether there is enough for a page depends on the machine; it ends."""
        words = [GBFLOW, "run", os.path.join(ROOT, "config/scenarios/quickstart.lua"), "--set", "duration=5 s", "--svg", "--out",
                 os.path.join(self.folder, "out")]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))) as command:
            try:
                self.assertIn(command.wait(SECONDS), (0, 1))
            finally:
                if command.poll() is None:
                    os.killpg(command.pid, signal.SIGKILL)


    def test_a_figure_without_memory(self):
        """A limit that is too low for the library of linear algebra is told; the program does not ask it for ever."""
        run, scenario = os.path.join(self.folder, "run"), os.path.join(ROOT, "config/scenarios/quickstart.lua")
        subprocess.run([GBFLOW, "run", scenario, "--set", "duration=5 s", "--out", run], stdout=subprocess.DEVNULL, check=True, timeout=SECONDS)
        done = subprocess.run([GBFLOW, "figure", run, "delay-cdf", "--width", "5cm", "--out", os.path.join(self.folder, "a.svg")], capture_output=True,
                              text=True, check=False, timeout=SECONDS, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LITTLE, LITTLE)))
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, r"too little memory for a figure: 160 MB more are needed|^gbflow figure: .*memory")


def is_running(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""However `gbflow top` ends, the terminal is as it was before."""
import os
import shutil
import signal
import subprocess
import time
import unittest

import screen
import test_recorded

FAULT = """import sys
sys.path.insert(0, {pyz!r})
from gbflow_top import cli, state
def broken(_):
    raise RuntimeError("planted")
state.KEYS["x"] = broken
sys.exit(cli.main([{out!r}]))
"""


class Ends(test_recorded.Case):
    def begin(self, line=None, **values):
        """A shell with settings of its own, and the program in it."""
        terminal = screen.Terminal(self, **values)
        terminal.run("stty -ixon")
        before = terminal.settings()
        terminal.run(line or f"{screen.program()} top {self.out}")
        terminal.wait_for("gbflow top  run")
        self.assertEqual(terminal.display("#{alternate_on} #{cursor_flag}"), "1 0")
        return terminal, before

    def check(self, terminal, before, status):
        """The shell is back, the terminal as before, and nothing of the screen is left."""
        self.assertEqual(terminal.status(), status)
        self.assertNotIn("Space plays", terminal.text())
        self.assertEqual(terminal.settings(), before)

    def check_without_shell(self, number, status):
        """bash repairs the terminal after a program that died of a signal; a script, here, does not."""
        terminal = screen.Terminal(self)
        paths = [os.path.join(terminal.holder.name, name) for name in ("before", "after")]
        script = f"ulimit -c 0; trap : INT QUIT TERM HUP; stty -a >{paths[0]}; {screen.program()} top {self.out}; echo status $?.; stty -a >{paths[1]}"
        terminal.run(f"sh -c '{script}'")
        terminal.wait_for("gbflow top  run")
        os.kill(terminal.child(), number)
        terminal.wait_for(rf"^status {status}\.", without="Space plays")
        terminal.until(lambda: terminal.child() is None)
        settings = []
        for path in paths:
            with open(path, encoding="ascii") as file:
                settings.append(file.read())
        self.assertEqual(*settings)
        self.assertEqual(terminal.display("#{alternate_on} #{cursor_flag}"), "0 1")

    def test_keys(self):
        for key in ("q", "C-c"):
            with self.subTest(key):
                terminal, before = self.begin()
                terminal.keys(key)
                self.check(terminal, before, 0)

    def test_quit_key(self):
        terminal, before = self.begin(f"ulimit -c 0; {screen.program()} top {self.out}")
        terminal.keys("C-\\")
        self.check(terminal, before, 128 + signal.SIGQUIT)

    def test_signals(self):
        for number, status in ((signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGHUP, 128 + signal.SIGHUP), (signal.SIGQUIT, 128 + signal.SIGQUIT)):
            with self.subTest(number):
                self.check_without_shell(number, status)

    def test_a_broken_pipe_is_no_end(self):
        terminal, before = self.begin()
        os.kill(terminal.child(), signal.SIGPIPE)
        terminal.keys("End")
        terminal.wait_for("120.00 s of 120 s")
        terminal.keys("q")
        self.check(terminal, before, 0)

    def stopped(self, pid):
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"

    def test_stop_and_fg(self):
        """By Ctrl-Z, by a signal, and with another size of the terminal meanwhile."""
        terminal, before = self.begin()
        pid = terminal.child()
        for stop in (lambda: terminal.keys("C-z"), lambda: os.kill(pid, signal.SIGTSTP)):
            stop()
            terminal.wait_for("Stopped")
            self.assertTrue(self.stopped(pid))
            self.assertEqual(terminal.settings(), before)
            terminal.resize(90, 30)
            terminal.run("clear; fg")
            terminal.wait_for(r"^gbflow top  run.*\n(.*\n){28}.*q quit")
            self.assertEqual(terminal.display("#{alternate_on} #{cursor_flag}"), "1 0")
            terminal.resize(80, 24)
        terminal.keys("End")
        terminal.wait_for("120.00 s of 120 s")
        terminal.keys("q")
        self.check(terminal, before, 0)

    def test_stopped_by_force(self):
        """SIGSTOP cannot be seen; after fg the screen is drawn again."""
        terminal, before = self.begin()
        os.kill(terminal.child(), signal.SIGSTOP)
        terminal.wait_for("Stopped")
        terminal.run("fg")
        terminal.wait_for("0.00 s of 120 s", without="Stopped")
        terminal.keys("q")
        self.check(terminal, before, 0)

    def test_a_fault_of_the_program(self):
        pyz = os.path.join(os.path.dirname(screen.program()), "gbflow-report.pyz")
        script = os.path.join(self.folder, "fault.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(FAULT.format(pyz=pyz, out=self.out))
        terminal, before = self.begin(f"/usr/bin/python3 {script}")
        terminal.keys("x")
        terminal.wait_for("RuntimeError: planted")
        self.check(terminal, before, 1)

    def test_the_terminal_goes_away(self):
        terminal, _ = self.begin(f"trap '' HUP; {screen.program()} top {self.out}")
        pid = terminal.child()
        terminal.tmux("kill-server")
        end = time.monotonic() + screen.WAIT_S
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < end:
            time.sleep(screen.LOOK_S)
        self.assertFalse(os.path.exists(f"/proc/{pid}"))

    def test_terminals_that_cannot(self):
        for name, pattern in (("dumb", "cannot place text"), ("nonsense", "could not find terminal")):
            with self.subTest(name):
                terminal = screen.Terminal(self)
                before = terminal.settings()
                terminal.run(f"TERM={name} {screen.program()} top {self.out}")
                terminal.wait_for(f"terminal type '{name}'.*{pattern}")
                self.check(terminal, before, 1)

    def test_a_reader_that_ends(self):
        """A pipe that is closed ends it without a traceback."""
        shell = shutil.which("bash")
        done = subprocess.run([shell, "-c", f"{screen.program()} top {self.out} --once --table mobiles | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True,
                              check=False, timeout=60, stdin=subprocess.DEVNULL)
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()

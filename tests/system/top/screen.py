# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow top` in a terminal of tmux: keys go in, the text of the screen comes out.

    terminal = screen.Terminal(case, environment)      a shell in a terminal, closed with the case
    terminal.run("gbflow top ...")                     types a line
    terminal.wait_for(r"mobiles: 3")                   the screen, once it matches
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "live"))

import lab  # noqa: E402  pylint: disable=wrong-import-position
import node  # noqa: E402  pylint: disable=wrong-import-position

WAIT_S, LOOK_S = 20, 0.05
PROMPT = "ready>"


def missing():
    return None if shutil.which("tmux") else "needs the program tmux"


class Terminal:
    def __init__(self, case, environment=None, size=(80, 24), lc_all="C.UTF-8"):
        lab.need(case, missing())
        self.holder = tempfile.TemporaryDirectory(prefix="gbflow-top-")
        self.server = ["tmux", "-S", os.path.join(self.holder.name, "tmux"), "-f", os.devnull]
        self.environment = dict(environment or os.environ, LC_ALL=lc_all, TERM="screen", HISTFILE=os.devnull)
        self.environment.pop("TMUX", None)
        self.size = size
        words = ["-u", "new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), f"exec env PS1='{PROMPT}' bash --norc --noprofile"]
        subprocess.run([*self.server, *words], check=True, env=self.environment, timeout=WAIT_S)
        case.addCleanup(self.close)
        self.wait_for(PROMPT)

    def tmux(self, *words):
        return subprocess.run([*self.server, *words], check=True, capture_output=True, text=True, env=self.environment, timeout=WAIT_S).stdout

    def close(self):
        subprocess.run([*self.server, "kill-server"], check=False, capture_output=True, timeout=WAIT_S)
        self.holder.cleanup()

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def run(self, line):
        self.type(line)
        self.keys("Enter")

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def text(self):
        return self.tmux("capture-pane", "-p")

    def wait_for(self, pattern, without=None):
        """The screen, once a line matches (and none matches `without`) and two looks in turn are equal: a screen may be half drawn."""
        end, last = time.monotonic() + WAIT_S, None
        while True:
            text = self.text()
            is_there = re.search(pattern, text, re.MULTILINE) and not (without and re.search(without, text, re.MULTILINE))
            if is_there and text == last:
                return text
            last = text
            if time.monotonic() > end:
                raise AssertionError(f"no '{pattern}' on the screen" + (f" without '{without}'" if without else "") + f":\n{text}")
            time.sleep(LOOK_S)

    def display(self, form):
        """A variable of tmux, such as alternate_on or cursor_flag."""
        return self.tmux("display-message", "-p", form).strip()

    def settings(self):
        """Of the terminal, by stty as a command of the shell; and what tmux knows of screen, cursor and keypad."""
        path = os.path.join(self.holder.name, "stty")
        self.run(f"stty -a >{path}.new; mv {path}.new {path}")
        self.until(lambda: os.path.exists(path))
        with open(path, encoding="ascii") as file:
            found = re.sub(r"rows \d+; columns \d+; ", "", file.read())
        os.unlink(path)
        self.run("clear")
        return found, self.display("#{alternate_on} #{cursor_flag} #{keypad_cursor_flag} #{keypad_flag}")

    def until(self, is_so):
        end = time.monotonic() + WAIT_S
        while not is_so():
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain:\n{self.text()}")
            time.sleep(LOOK_S)

    def child(self):
        """The pid of the program that runs in the shell, below others that wait for it; gbflow has become Python by then."""
        found, below = None, children(self.display("#{pane_pid}"))
        while below:
            found, below = int(below[0]), children(below[0])
        return found

    def status(self):
        """The status of the line before, as the shell has it, once its program has ended."""
        self.until(lambda: not self.child())
        self.run("echo status $?.")
        return int(re.search(r"^status (\d+)\.", self.wait_for(r"^status \d+\."), re.MULTILINE).group(1))


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return file.read().split()
    except OSError:
        return []


def program():
    return node.program()

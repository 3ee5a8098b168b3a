# SPDX-License-Identifier: BSD-3-Clause
"""gbflow console at a node (docs/serve.md): a script, a terminal, a node that ends meanwhile, a user who may only read."""
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import termios
import threading
import time
import types
import unittest

import node

NODE = {"gn": "net_ring0", "gb": "net_ring1"}
OTHER = 65533  # a uid without a name
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def mobile(number, tlli):
    return (node.MOBILE.replace("262420000000001", str(262420000000001 + number)).replace("0xC0000001", hex(tlli)).replace("0x1001", str(4097 + number))
            .replace("0x2001", str(8193 + number)).replace("10.45.0.1", f"10.45.{number // 200}.{number % 200 + 1}"))


class Terminal:
    """A console at the other end of a pseudo-terminal; `text` is what it has written."""

    def __init__(self, running, home, user=None):
        self.here, there = pty.openpty()
        if user:
            os.fchown(there, user, -1)
        environment = dict(running.environment(), TERM="dumb", HOME=home, XDG_STATE_HOME="")
        self.text = ""
        self.process = subprocess.Popen([node.program(), "console", "--prefix", running.prefix], stdin=there, stdout=there, stderr=there,
                                        env=environment, user=user, start_new_session=True, preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)))
        os.close(there)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.here)

    def read(self):
        if select.select([self.here], [], [], 0.2)[0]:
            try:
                self.text += ESCAPES.sub("", os.read(self.here, 65536).decode())
            except OSError:  # its end
                time.sleep(0.1)

    def type(self, text, *expected):
        """Each of the expected texts comes behind the one before."""
        start = len(self.text)
        os.write(self.here, text.encode())
        for word in expected:
            end = time.monotonic() + node.START_S
            while word not in self.text[start:]:
                if time.monotonic() > end:
                    raise AssertionError(f"{text!r}: no {word!r} in {self.text[start:]!r}")
                self.read()
            start = self.text.index(word, start) + len(word)

    def interrupt(self, word):
        """By ctrl-C, until the word comes: one that comes before a command has begun, as it may on a busy machine, is lost."""
        start, end, again = len(self.text), time.monotonic() + node.START_S, 0
        while word not in self.text[start:]:
            if time.monotonic() > end:
                raise AssertionError(f"ctrl-C: no {word!r} in {self.text[start:]!r}")
            if time.monotonic() > again:
                os.write(self.here, b"\x03")
                again = time.monotonic() + 5
            self.read()

    def end(self):
        """By ctrl-D: one that comes while the terminal changes its mode is lost."""
        end = time.monotonic() + node.START_S
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError("ctrl-D does not end the console")
            os.write(self.here, b"\x04")
            self.read()
        if self.process.returncode != 0:
            raise AssertionError(f"status {self.process.returncode}")


class Case(unittest.TestCase):
    def setUp(self):
        self.node = node.Node(**NODE)
        self.addCleanup(self.node.kill)
        self.home = tempfile.TemporaryDirectory(prefix="gbflow-home-")
        self.addCleanup(self.home.cleanup)
        self.node.wait_for("running")

    def play(self, script, *words, user=None):
        done = subprocess.run([node.program(), "console", "--prefix", self.node.prefix, *words], input=script, capture_output=True, text=True,
                              check=False, timeout=60, env=self.node.environment(), user=user)
        return done.returncode, done.stdout, done.stderr

    def open(self, user=None, may="act", sign="#"):
        terminal = Terminal(self.node, self.home.name, user)
        self.addCleanup(terminal.close)
        terminal.type("", f"user {os.geteuid() if user is None else user} may {may}. ? lists what can follow", f"{self.node.prefix}{sign} ")
        return terminal


class Script(Case):
    def test_lines(self):
        """Words may be shortened, and quoted; a failure ends the script with the number of its line."""
        status, out, err = self.play("# links\n\nsh nse --columns 'nsvci' # one\nl gb=error\nshow subscriber 262420000000009\nshow node\n")
        self.assertEqual((status, out.split()[:3]), (1, ["nsvci", "101", "category"]))
        self.assertIn("262420000000009: no subscriber has this IMSI", err)
        self.assertTrue(err.endswith("gbflow console: line 5: status 1; the lines behind it are not carried out (--keep-going does)\n"), err)
        self.assertEqual([row["level"] for row in self.node.show("log") if row["category"] == "gb"], ["error"])

    def test_mark(self):
        """Editors write a byte order mark in front of a file; so do copies of its first line."""
        status, out, err = self.play("\ufeffshow nse --columns nsei\n\ufeff# links\nshow nse --columns nsei\n")
        self.assertEqual((status, out, err), (0, 2 * "nsei\n 101\n", ""))
        self.assertEqual(self.play("show\ufeff nse\n")[0], 2)

    def test_refused(self):
        """With --keep-going all lines are carried out, and the status is that of the first failure."""
        lines = {"sh n": "'n' is ambiguous: node, nse, neighbours", "sweep": "'sweep' is no command for a running node; in a shell: gbflow sweep",
                 "nodes": "unknown command 'nodes'", "show nse --prefix x": f"--prefix: the console is at {self.node.prefix}",
                 "show 'nse": "it has a quote without an end", "show nosuch": "'nosuch' is no table", "exit now": "unexpected argument: now"}
        status, out, err = self.play("\n".join([*lines, "sh nse --col nsei", "show nse --columns nsei", "exit", "nosuch"]), "--keep-going")
        self.assertEqual(status, 2)
        self.assertTrue(out.endswith("nsei\n 101\n"), out)
        for number, message in enumerate(lines.values(), 1):
            self.assertRegex(err, rf"(?s){re.escape(message)}.*console: line {number}: status 2\n")
        self.assertNotIn("line 11", err)

    def test_filters(self):
        """grep has the lines of the whole table, and its status; less prints all where there is no terminal."""
        status, out, err = self.play("show node --json | grep '\"mobiles\"'\nhelp exit | grep -ic 'THE CONSOLE'\nshow nse --columns nsei|less\n"
                                     "show nse --columns nsei,nsvci | grep -v ns\n")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r'\A    "mobiles": \d+,?\n1\nnsei\n 101\n 101 +101\n\Z')
        lines = {"show nse | grep nosuch": 1, "show nosuch | grep nse": 2, "show nse | grep": 2, "show nse | less x": 2, "show nse | wc": 2,
                 "show nse |": 2, "| grep x": 2, "show nse | grep x | grep y": 2, "show nse || less": 2, "show nse | grep -f x y": 2}
        status, out, err = self.play("\n".join(lines), "--keep-going")
        self.assertEqual((status, out), (1, ""))
        for number, expected in enumerate(lines.values(), 1):
            self.assertIn(f"console: line {number}: status {expected}\n", err)
        self.assertIn("behind | stands `grep PATTERN`", err)

    def test_process_is_chosen(self):
        """No beginning of --prefix and --config that a command takes as one of them leads to another process."""
        lines = {"show nse --p=x": "show: --prefix", "show nse --pre x": "show: --prefix", "reload --c x": "reload: --config", "page 1 --p x": "page: --prefix",
                 "top --once --prefix=x": "top", f"top {self.node.holder.name}": "top", "log --pref=x": "log: --prefix"}
        status, out, err = self.play("\n".join([*lines, "sh nse --c nsei"]), "--keep-going")
        self.assertEqual((status, out), (2, "nsei\n 101\n"))
        for number, message in enumerate(lines.values(), 1):
            self.assertRegex(err, rf"{message}: the console is at {self.node.prefix};.*\ngbflow console: line {number}: status 2\n")

    def test_unreadable(self):
        """A line without end, in bounded memory, and input that cannot be read: neither is a script that succeeds."""
        status, out, err = self.play("show nse --columns nsei\n" + "x" * 5000 + "\r\nshow nse --columns nsei", "--keep-going")
        self.assertEqual((status, out), (2, 2 * "nsei\n 101\n"))
        self.assertIn("it has more than 4096 octets; shorten it\ngbflow console: line 2: status 2\n", err)
        command = [node.program(), "console", "--prefix", self.node.prefix, "--keep-going"]
        kept = {"capture_output": True, "text": True, "check": False, "timeout": 60, "env": self.node.environment()}
        is_sanitized = any("seccomp filter in a build with a sanitizer" in line for line in self.node.lines)  # it reserves more
        limit = resource.RLIM_INFINITY if is_sanitized else 1 << 28
        with open("/dev/zero", "rb") as zeros:
            done = subprocess.run(command, stdin=zeros, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)), **kept)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the line has no end within 65536 octets; split it\ngbflow console: line 1: status 2\n", done.stderr)
        folder = os.open(self.home.name, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        done = subprocess.run(command, stdin=folder, **kept)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard input: Is a directory", done.stderr)

    def test_words(self):
        """Words that are no command, or are meant as something else, are refused with what to write."""
        lines = {"show ''": "'' is no table", "''": "unknown command ''; help lists the commands", "who": "unknown command 'who'; help lists the commands",
                 "nsvs": "unknown command 'nsvs'; did you mean 'nsvc'?", "show nse > x": "; | & < > join and redirect commands in a shell only",
                 "capture stop": "stop: to end the capture: --stop; for a file of that name: ./stop"}
        status, out, err = self.play("\n".join([*lines, "help help", "help q"]), "--keep-going")
        self.assertEqual((status, out), (2, "  help  list the commands, or print the help of one: help COMMAND\n  quit  the same\n"))
        for number, message in enumerate(lines.values(), 1):
            self.assertRegex(err, rf"(?s){re.escape(message)}.*console: line {number}: status 2\n")
        self.assertEqual([row["state"] for row in self.node.show("capture")], ["off"])

    def test_killed(self):
        """A command that runs ends with its console: it has the pipe that is read here to its end."""
        with subprocess.Popen([node.program(), "console", "--prefix", self.node.prefix], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=self.node.environment()) as console:
            console.stdin.write(b"show nse --columns nsei --watch 0.1\n")
            console.stdin.flush()
            self.assertEqual(console.stdout.readline(), b"nsei\n")
            console.kill()
            self.assertTrue(select.select([console.stdout], [], [], node.START_S)[0])
            end = time.monotonic() + node.START_S
            while select.select([console.stdout], [], [], end - time.monotonic())[0] and os.read(console.stdout.fileno(), 65536):
                self.assertLess(time.monotonic(), end, "the command still runs")

    def test_ignored_children(self):
        """A parent that ignores SIGCHLD, which a program inherits."""
        done = subprocess.run([node.program(), "console", "--prefix", self.node.prefix], input="show nse --columns nsei\nshow zzz\n", text=True,
                              capture_output=True, check=False, timeout=60, env=self.node.environment(),
                              preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual((done.returncode, done.stdout.split()), (2, ["nsei", "101"]))

    def test_no_node(self):
        done = subprocess.run([node.program(), "console", "--prefix", "nosuch"], input="show nse\n", capture_output=True, text=True, check=False,
                              timeout=60, env=self.node.environment())
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_strange_greeting(self):
        """A process that greets with something else than an object is no node, let alone one where the user may act."""
        path = os.path.join(self.home.name, "dpdk", "strange", "gbflow_telemetry.v2")
        os.makedirs(os.path.dirname(path))
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as strange:
            strange.bind(path)
            strange.listen()
            with subprocess.Popen([node.program(), "console", "--prefix", "strange"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env=dict(self.node.environment(), RUNTIME_DIRECTORY=self.home.name)) as console:
                strange.settimeout(node.START_S)
                for _ in range(2):  # to find it, and to greet
                    client = strange.accept()[0]
                    self.addCleanup(client.close)
                    client.send(b"[]")
                self.assertIn("invalid answer", console.communicate(timeout=60)[1])
                self.assertEqual(console.returncode, 1)

    def test_other_user(self):
        """Whom the mode of the socket lets in reads, and does not act."""
        if os.geteuid() != 0:
            print("skipped: only root can run a program as another user")
            self.skipTest("only root can run a program as another user")
        path = os.path.join(self.node.runtime, "dpdk", self.node.prefix)
        for part in (os.path.dirname(path), path, os.path.join(path, "gbflow_telemetry.v2")):
            os.chmod(part, 0o777)
        acts = ["reload", "page 262420000000001", "nsvc 101 reset", "log gb=error", "restart-control", f"capture {self.node.holder.name}/a.pcapng"]
        status, out, err = self.play("\n".join(["show nse --columns nsei", *acts, "show config --difference", "show nse --columns nsei", "log"]), "--keep-going", user=OTHER)
        self.assertEqual((status, out.count("nsei\n 101\n")), (1, 2))
        self.assertEqual(len(re.findall(rf"uid {OTHER} may only read; it needs root or the process's user, uid {os.geteuid()}", err)), len(acts), err)
        self.assertIn(f"act page: uid {OTHER}", err)
        self.assertIn(f"config --difference is for root and the process's user, who may reload; you are uid {OTHER}\n", err)
        self.assertEqual([row["state"] for row in self.node.show("acts")], [])
        self.assertNotIn("error", [row["level"] for row in self.node.show("log")])
        self.open(OTHER, "only read", ">").type("reload\r", f"reload: uid {OTHER} may only read", "> ")


class Editor(Case):
    def test_keys(self):
        terminal = self.open()
        terminal.type("sh\t", "show ")
        terminal.type("ns\t", "nse ")
        terminal.type("--col\t", "--columns ")
        terminal.type("nsei\r", "nsei", "101", "# ")
        terminal.type("bvc \t", "1800 ")
        terminal.type("?", "block", "# bvc 1800 ")
        terminal.type("nonsense\x03", "^C", "# ")
        terminal.type("log --follow\r", "\n")
        time.sleep(0.5)  # it writes nothing by which its start is seen
        terminal.interrupt("# ")
        terminal.type("\x1b[A\x1b[A\r", "nsei", "101", "# ")
        terminal.type("history\r", "1  show nse --columns nsei", "2  log --follow", "# ")
        terminal.end()
        path = os.path.join(self.home.name, ".local/state/gbflow/console_history")
        os.truncate(path, os.stat(path).st_size - 1)
        again = self.open()
        again.type("help exit\r", "end the console", "# ")
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read(), "show nse --columns nsei\nlog --follow\nshow nse --columns nsei\nhistory\nhelp exit\n")
        again.type("\x1b[A\x1b[A\x1b[A\r", "101", "# ")
        again.type("exit\r", "\n")
        self.assertEqual(again.process.wait(timeout=60), 0)

    def test_filters(self):
        terminal = self.open()
        terminal.type("show nse | grep 101\r", "101", "# ")
        terminal.type("show nse --columns nsei | less\r", "nsei", "101", "# ")
        terminal.type("show bvc | less\r", "nsei", "1800")
        terminal.type("q", "# ")
        terminal.type("help show | less\r", "usage: gbflow show")
        terminal.type("q", "# ")
        terminal.type("help | grep nosuch\r", "# ")
        terminal.end()

    def test_sign_follows(self):
        """The prompt's sign is what the process says at each line, here one that changes its mind; as before while there is none."""
        path = os.path.join(self.home.name, "dpdk", "strange", "gbflow_telemetry.v2")
        os.makedirs(os.path.dirname(path))
        acts, environment = [True], dict(self.node.environment(), RUNTIME_DIRECTORY=self.home.name)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        server.bind(path)
        server.listen()

        def serve():
            with server:
                while True:
                    with server.accept()[0] as client:
                        client.send(json.dumps({"kind": "node", "acts": acts[0]}).encode())
                        client.recv(1)  # its end

        threading.Thread(target=serve, daemon=True).start()
        terminal = Terminal(types.SimpleNamespace(prefix="strange", environment=lambda: environment), self.home.name)
        self.addCleanup(terminal.close)
        terminal.type("", "may act", "strange# ")
        acts[0] = False
        terminal.type("history\r", "1  history", "strange> ")
        os.unlink(path)
        terminal.type("history\r", "1  history", "strange> ")

    def test_many_values(self):
        """TAB adds no digits that only the first five hundred values share."""
        many = ", ".join(mobile(i, 0xC0000001 + i + (0x1000000 if i >= 500 else 0)) for i in range(550))
        self.node.kill()
        self.node = node.Node(mobiles=many, limit=600, **NODE)
        self.addCleanup(self.node.kill)
        self.node.wait_for("running")
        terminal = self.open()
        terminal.type("log --follow --tlli c\t", "(at least 452 more)", "--tlli c")
        terminal.type("1\t", "000")
        terminal.type("2\t", "c1000200", "c1000226", "--tlli c10002")

    def test_columns(self):
        """--columns has the names of the table's columns."""
        terminal = self.open()
        terminal.type("show nse --columns ?", "LIST", "  nsei\r\n", "  nsvci\r\n", "--columns ")
        terminal.type("nsvc\t", "i ")
        terminal.type("\x03", "^C", "# ")
        terminal.type("sh nse --col\t", "--columns ")
        terminal.type("nsvc\t\r", "nsvci", "101", "# ")
        terminal.type("show --columns ?", "LIST", "--columns ")

    def test_signals(self):
        """At the prompt: one of the keyboard ends the line, a stop is a pause, and an end leaves the terminal as it was."""
        terminal = self.open()
        for number in (signal.SIGINT, signal.SIGQUIT):
            terminal.type("nonsense", "nonsense")
            terminal.process.send_signal(number)
            terminal.type("", "^C", "# ")
        terminal.type("show nse ", "nse ")
        terminal.process.send_signal(signal.SIGTSTP)
        self.assertTrue(os.WIFSTOPPED(os.waitpid(terminal.process.pid, os.WUNTRACED)[1]))
        self.assertTrue(termios.tcgetattr(terminal.here)[3] & termios.ICANON)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.type("--columns nsei\r", "101", "# ")
        terminal.type("half a", "half a")
        terminal.process.send_signal(signal.SIGTERM)
        self.assertEqual(terminal.process.wait(timeout=60), -signal.SIGTERM)
        self.assertTrue(termios.tcgetattr(terminal.here)[3] & termios.ICANON)

    def test_octets(self):
        """A line with octets that are no UTF-8 is refused; one of other characters is not."""
        terminal = self.open()
        for octets in (b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98"):
            os.write(terminal.here, b"show nse" + octets + b" --columns nsei\r")
            terminal.type("", "or octets that are no UTF-8; delete them", "# ")
        terminal.type("nos\u00fcch\u20ac\r", "unknown command 'nos\u00fcch\u20ac'", "# ")
        self.assertNotRegex(terminal.text, r"(?m)^ *101\b")

    def test_foreign_history(self):
        """What is no regular file of the user with one name is neither read nor written, and its console works; nor is anything in another's HOME."""
        home = self.home.name
        secret, path = os.path.join(home, "secret"), os.path.join(home, ".local/state/gbflow/console_history")
        os.makedirs(os.path.dirname(path))
        with open(secret, "w", encoding="ascii") as file:
            file.write("show secret\n")
        os.chmod(secret, 0o644)
        for make in (lambda: os.mkfifo(path), lambda: os.symlink(secret, path), lambda: os.link(secret, path), lambda: os.mkdir(path)):
            make()
            terminal = self.open()
            self.assertIn(f"{path}: ", terminal.text)
            terminal.type("show nse --columns nsei\rhistory\r", "101", "1  show nse --columns nsei", "2  history", "# ")
            self.assertEqual(terminal.text.count("are not kept"), 1)
            terminal.end()
            (os.rmdir if os.path.isdir(path) else os.unlink)(path)
        self.assertEqual((os.stat(secret).st_mode & 0o777, os.stat(secret).st_size), (0o644, 12))
        shutil.rmtree(os.path.join(home, ".local"))
        if os.geteuid() == 0:
            with open(os.path.join(home, ".editrc"), "w", encoding="ascii") as file:
                file.write('bind -s 9 "reload"\n')
            os.chown(home, OTHER, -1)
            terminal = self.open()
            terminal.type("9\x03", "9^C", "# ")
            self.assertIn(f"{home}: no folder of this user alone", terminal.text)
            terminal.type("show nse --columns nsei\r", "101", "# ")
            self.assertEqual(sorted(os.listdir(home)), [".editrc", "secret"])

    def test_node_ends(self):
        """Commands fail while there is no node; the next one has the console's commands again."""
        terminal = self.open()
        self.node.process.terminate()
        self.assertEqual(self.node.process.wait(timeout=node.STOP_S), 0)
        terminal.type("show nse\r", "no running node at", "# ")
        self.node.lines.clear()
        self.node.start()
        self.node.wait_for("running")
        terminal.type("show nse --columns nsei\r", "101", "# ")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""The console of an Osmocom program, over telnet."""
import socket
import time

PCU_PORT = 4240


class Vty:
    """Opened in the namespace where the program runs; in its enable mode."""

    def __init__(self, lab, side="bss", port=PCU_PORT):
        with lab.inside(side):
            self.sock = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._until(">")
        self.command("enable")

    def _until(self, end):
        text, due = "", time.monotonic() + 60
        while not text.endswith((end + " ", "# ")):
            if time.monotonic() > due:
                raise AssertionError(f"no prompt: {text!r}")
            text += self.sock.recv(4096).decode(errors="replace")
        return text

    def command(self, line):
        """What it answers, without the line and the prompt."""
        self.sock.sendall(line.encode() + b"\r\n")
        return "\n".join(self._until("#").splitlines()[1:-1])

    def configure(self, folder, *lines):
        """Lines of its configuration, below `folder`, in force at once."""
        answers = [self.command(line) for line in ("configure terminal", folder, *lines, "end")]
        if any("%" in answer for answer in answers):
            raise AssertionError(answers)

    def close(self):
        self.sock.close()

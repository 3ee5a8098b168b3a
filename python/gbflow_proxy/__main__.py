# SPDX-License-Identifier: BSD-3-Clause
"""The program: sockets, the clock, the command socket."""

import argparse
import contextlib
import os
import pathlib
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable

from gbflow_proxy import commands, config
from gbflow_proxy.proxy import Proxy

TICK_S = 0.05
AT_ONCE = 256  # datagrams of one side before the other has its turn
DATAGRAM, LINE = 65536, 4096  # octets
BUFFER = 1 << 22


def open_udp(here: tuple[str, int]) -> socket.socket:
    sock = socket.socket(socket.AF_INET6 if ":" in here[0] else socket.AF_INET, socket.SOCK_DGRAM)
    for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        sock.setsockopt(socket.SOL_SOCKET, option, BUFFER)
    sock.setblocking(False)
    sock.bind(here)
    return sock


class Server:
    """Runs until a signal says that it ends."""

    def __init__(self, settings: config.Config) -> None:
        self.settings, self.selector, self.is_open = settings, selectors.DefaultSelector(), True
        self.bss, self.sgsn = open_udp(settings.bss_listen), open_udp(settings.sgsn_listen)
        self.proxy = Proxy(settings, self._sender(self.bss), self._sender(self.sgsn))
        self._watch(self.bss, lambda: self._read(self.bss, self.proxy.from_bss))
        self._watch(self.sgsn, lambda: self._read(self.sgsn, self.proxy.from_sgsn))
        if settings.control:
            self._listen(settings.control)

    def _watch(self, sock: socket.socket, act: Callable[[], None]) -> None:
        self.selector.register(sock, selectors.EVENT_READ, act)

    def _sender(self, sock: socket.socket) -> Callable[[bytes, tuple[str, int]], None]:
        def send(octets: bytes, remote: tuple[str, int]) -> None:
            try:
                sock.sendto(octets, remote)
            except OSError:  # a full buffer, or a far end that is gone
                self.proxy.tables.drop("not_sent")
        return send

    @staticmethod
    def _read(sock: socket.socket, take: Callable[[bytes, tuple[str, int], float], None]) -> None:
        now = time.monotonic()
        with contextlib.suppress(OSError):  # nothing more, or an ICMP error of a datagram that was sent
            for _ in range(AT_ONCE):
                octets, remote = sock.recvfrom(DATAGRAM)
                take(octets, remote[:2], now)

    # --- the command socket

    def _listen(self, path: str) -> None:
        pathlib.Path(path).unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(path)
        listener.listen(4)
        self._watch(listener, lambda: self._accept(listener))

    def _accept(self, listener: socket.socket) -> None:
        client, _ = listener.accept()
        held = bytearray()
        self._watch(client, lambda: self._answer(client, held))

    def _answer(self, client: socket.socket, held: bytearray) -> None:
        """Whole lines; one that is too long ends the connection, as its end does."""
        try:
            got = client.recv(LINE)
            held += got
            while b"\n" in held:
                line, _, rest = held.partition(b"\n")
                held[:] = rest
                client.sendall(commands.carry_out(self.proxy, line.decode("utf-8", "replace")).encode() + b"\n")
        except OSError:
            got = b""
        if not got or len(held) > LINE:
            self.selector.unregister(client)
            client.close()

    # --- the loop

    def end(self, *_: object) -> None:
        self.is_open = False

    def run(self) -> None:
        self.proxy.start(time.monotonic())
        tick_at = time.monotonic() + TICK_S
        while self.is_open:
            for key, _ in self.selector.select(max(0.0, tick_at - time.monotonic())):
                key.data()
            if time.monotonic() >= tick_at:
                self.proxy.tick(time.monotonic())
                tick_at = time.monotonic() + TICK_S
        if self.settings.control:
            os.unlink(self.settings.control)


def arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="gbflow_proxy", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="A Gb proxy before a pool of SGSNs.",
        epilog=f"CONFIG.json, for example:\n\n{config.EXAMPLE}\n\nCommands, at the socket `control`:\n\n"
        + (commands.__doc__ or "").partition("\n\n")[2])
    parser.add_argument("config", type=pathlib.Path, metavar="CONFIG.json")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Status: 0 ended by a signal, 1 no socket, 2 wrong configuration."""
    given = arguments(sys.argv[1:] if argv is None else argv)
    try:
        server = Server(config.read(given.config.read_text(encoding="utf-8")))
    except config.Wrong as wrong:
        print(f"gbflow_proxy: {given.config}: {wrong}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"gbflow_proxy: {error}", file=sys.stderr)
        return 1
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.end)
    print("gbflow_proxy: running", file=sys.stderr, flush=True)
    server.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())

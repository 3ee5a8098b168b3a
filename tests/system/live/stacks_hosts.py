#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The hosts of stacks.py, each in a process of its own in its namespace, with the kernel's TCP.

usage: stacks_hosts.py server|mobiles PLAN.json OUT.json

server: an HTTP server whose object /N has N octets, its header included, and streams of UDP. mobiles: the users' HTTP clients, each from its own address.
Both begin at plan["begin_s"] of the monotonic clock. The mobiles write what they saw plan["seconds"] later; SIGTERM ends either.
"""
import collections
import concurrent.futures
import contextlib
import heapq
import http.client
import http.server
import json
import random
import signal
import socket
import socketserver
import struct
import sys
import threading
import time

import stacks_plan

TCP_WINDOW_CLAMP, READ_OCTETS, RETRY_S, UDP_HEADERS = 10, 65536, 1, 28
ECHO_REPLY, ECHO = 0, 8
SERVER = "198.18.0.1"


def header_octets(octets):
    """Of an answer with an object of so many octets in all."""
    return len("HTTP/1.1 200 OK\r\n") + len(f"Content-Length: {octets}\r\n") + len("\r\n")


def content_of(octets):
    """The same at both ends; one octet where the header leaves none."""
    return random.Random(octets).randbytes(max(1, octets - header_octets(octets)))


def sleep_until(moment_s):
    time.sleep(max(0, moment_s - time.monotonic()))


# --- server ---

class Objects(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = READ_OCTETS  # header and object in one write
    disable_nagle_algorithm = True
    contents = {octets: content_of(octets) for sizes in stacks_plan.OBJECTS.values() for octets in (sizes[0], sizes[2])}

    def do_GET(self):  # noqa: N802  pylint: disable=invalid-name
        content = self.contents.get(int(self.path.strip("/") or 0))
        self.send_response_only(200 if content else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads, allow_reuse_address, request_queue_size = True, True, 1024

    def handle_error(self, request, client_address):
        """The mobiles' end tells: they count what breaks."""


class Stream:
    """A user's packets: always, or in bursts."""

    def __init__(self, user, seed):
        rate_bps, self.packet = stacks_plan.DATAGRAMS[user["qclass"]]
        self.gap_s, self.address = 8 * self.packet / rate_bps, user["address"]
        self.chance, self.count = random.Random(f"{seed} {user['name']}"), 0
        self.burst_end_s = None if user["qclass"] == "streaming" else float("inf")

    def next_s(self, now_s):
        """When the next packet is due after one at now_s."""
        if self.burst_end_s is None:
            self.burst_end_s = now_s + self.chance.expovariate(1 / stacks_plan.BURST_S)
        next_s = now_s + self.gap_s
        if next_s > self.burst_end_s:
            next_s = self.burst_end_s + self.chance.expovariate(1 / stacks_plan.BURST_S)
            self.burst_end_s = None
        return next_s

    def send(self, sock):
        self.count += 1
        with contextlib.suppress(OSError):
            sock.sendto(self.count.to_bytes(8, "big") + bytes(self.packet - UDP_HEADERS - 8), (self.address, stacks_plan.UDP_PORT))


def serve(plan, _):
    server = Server((SERVER, stacks_plan.HTTP_PORT), Objects)
    # Of the sockets that it accepts, too. A namespace's sysctl takes no control but the kernel's unrestricted ones.
    server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, plan["control"].encode())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    due = [(plan["begin_s"] + user["start_s"], user["number"], Stream(user, plan["seed"])) for user in plan["users"]
           if user["qclass"] in stacks_plan.DATAGRAMS]
    heapq.heapify(due)
    print("ready", flush=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        while due:
            at_s, number, stream = due[0]
            sleep_until(at_s)
            stream.send(sock)
            heapq.heapreplace(due, (stream.next_s(at_s), number, stream))
    signal.pause()


# --- mobiles ---

class Connection(http.client.HTTPConnection):
    """From a user's address, with the window of the plan."""

    def __init__(self, address, window):
        super().__init__(SERVER, stacks_plan.HTTP_PORT)
        self.own_address, self.window = address, window

    def connect(self):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.sock.setsockopt(socket.IPPROTO_TCP, TCP_WINDOW_CLAMP, self.window)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.bind((self.own_address, 0))
        self.sock.connect((self.host, self.port))


class Browser:
    """Loads pages over persistent connections, as the browser of scenarios does (sim/app_web.c)."""

    def __init__(self, user, plan):
        self.user, self.begin_s, self.warmup_s = user, plan["begin_s"], plan["begin_s"] + plan["warmup_s"]
        self.links = [Connection(user["address"], plan["window"]) for _ in range(stacks_plan.PARALLEL)]
        self.pages, self.octets, self.octets_warm, self.objects = [], 0, 0, 0
        self.broken = collections.Counter()
        self.lock = threading.Lock()
        self.padding = "x" * (stacks_plan.REQUEST_OCTETS - 90)

    def run(self):
        page, items, item = stacks_plan.OBJECTS[self.user["qclass"]]
        sleep_until(self.begin_s + self.user["start_s"])
        with concurrent.futures.ThreadPoolExecutor(len(self.links)) as pool:
            while True:
                began_s = time.monotonic()
                record = {"start_s": began_s - self.begin_s, "first_s": None, "time_s": None}
                self.pages.append(record)
                self.fetch(self.links[0], page)
                record["first_s"] = time.monotonic() - began_s
                waiting = collections.deque([item] * items)
                list(pool.map(lambda link, these=waiting: self.drain(link, these), self.links))
                record["time_s"] = time.monotonic() - began_s
                time.sleep(stacks_plan.READING_S)

    def drain(self, link, waiting):
        while True:
            try:
                octets = waiting.popleft()
            except IndexError:
                return
            self.fetch(link, octets)

    def fetch(self, link, octets):
        """Until the object is there whole; a connection that breaks is counted, and opened again."""
        while True:
            try:
                if self.ask(link, octets):
                    return
                self.count("content")
            except (OSError, http.client.HTTPException) as error:
                self.count(type(error).__name__)
            link.close()
            time.sleep(RETRY_S)

    def count(self, what):
        with self.lock:
            self.broken[what] += 1

    def ask(self, link, octets):
        link.request("GET", f"/{octets}", headers={"Accept-Encoding": "identity", "Padding": self.padding})
        with link.getresponse() as response:
            parts = []
            self.take(header_octets(octets))
            while part := response.read1(READ_OCTETS):
                parts.append(part)
                self.take(len(part))
        self.objects += 1
        return b"".join(parts) == Objects.contents[octets]

    def take(self, octets):
        with self.lock:
            self.octets += octets
            self.octets_warm += octets if time.monotonic() >= self.warmup_s else 0

    def result(self):
        with self.lock:
            return {"octets": self.octets, "octets_warm": self.octets_warm, "objects": self.objects, "broken": dict(self.broken),
                    "pages": self.pages}


class Pinger:
    """Echo requests from a user's address, and when their answers came."""

    def __init__(self, user, plan):
        self.begin_s, self.start_s = plan["begin_s"], user["start_s"] + stacks_plan.PING_EVERY_S
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.sock.bind((user["address"], 0))
        self.sock.connect((SERVER, 0))
        self.sent, self.rtts = [], {}

    def start(self):
        for run in (self.send, self.take):
            threading.Thread(target=run, daemon=True).start()

    def send(self):
        due_s = self.begin_s + self.start_s
        while True:
            sleep_until(due_s)
            head = struct.pack(">BBHHH", ECHO, 0, 0, 1, len(self.sent) % 65536)
            body = bytes(stacks_plan.PING_OCTETS - 20 - len(head))
            check = sum(struct.unpack(">4H", head))
            check = (check & 0xFFFF) + (check >> 16)
            self.sent.append(time.monotonic())
            with contextlib.suppress(OSError):
                self.sock.send(head[:2] + struct.pack(">H", 0xFFFF - check) + head[4:] + body)
            due_s += stacks_plan.PING_EVERY_S

    def take(self):
        while True:
            packet = self.sock.recv(READ_OCTETS)
            if packet[20] == ECHO_REPLY:
                number = int.from_bytes(packet[26:28], "big")
                self.rtts.setdefault(number, time.monotonic() - self.sent[number])

    def result(self):
        """[when it was sent, of the run; the round trip or None] of each."""
        return [[sent_s - self.begin_s, self.rtts.get(number)] for number, sent_s in enumerate(list(self.sent))]


def take_datagrams(sock):
    while True:
        sock.recv(READ_OCTETS)


def browse(plan, out):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("", stacks_plan.UDP_PORT))
    threading.Thread(target=take_datagrams, args=(sock,), daemon=True).start()
    browsers = {user["name"]: Browser(user, plan) for user in plan["users"] if user["qclass"] in stacks_plan.OBJECTS}
    for browser in browsers.values():
        threading.Thread(target=browser.run, daemon=True).start()
    pingers = {user["name"]: Pinger(user, plan) for user in plan["users"] if user["has_ping"]}
    for pinger in pingers.values():
        pinger.start()
    print("ready", flush=True)
    sleep_until(plan["begin_s"] + plan["seconds"])
    results = {name: browser.result() for name, browser in browsers.items()}
    for name, pinger in pingers.items():
        results[name]["pings"] = pinger.result()
    with open(out, "w", encoding="utf-8") as file:
        json.dump(results, file)
    print("done", flush=True)
    signal.pause()


def main():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    threading.stack_size(256 * 1024)
    with open(sys.argv[2], encoding="utf-8") as file:
        plan = json.load(file)
    {"server": serve, "mobiles": browse}[sys.argv[1]](plan, sys.argv[3])


if __name__ == "__main__":
    main()

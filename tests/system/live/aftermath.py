# SPDX-License-Identifier: BSD-3-Clause
"""What each walk of an operator ends with. The harm of a restart may come later than the walk: at the next Create, page or packet.

    check(test, walk)       twice: at each node a phone attaches and activates a context; all phones are idle, are paged by a packet
                            from the network, and answer it; no other phone's context or address has changed

`walk` is what the walk has left, a Walk or what has its methods:

    walk.nodes()            the nodes that run
    walk.shorten(one)       READY timers at that node are of a second
    walk.wait_for_standby(one)   until all phones that it has are in STANDBY
    walk.counts(one)        `show counts` of it
    walk.arrive(one)        a phone attaches and activates a context there; its IMSI
    walk.contexts()         {IMSI: address} of all phones
    walk.inside()           where the server is, as a context; walk.server: its address

The same, and once more ten minutes later, is in tests/unit/lua/aftermath_spec.lua, in virtual time.
"""
import select
import socket
import subprocess
import time

import node
import test_ggsn

READY = 'ready_timer = "1 s", '
PAGED, ANSWER_S, AGAIN_S = ("paging_sent", "paging_answered"), 60, 5


def with_short_timer(text):
    """Of a node's configuration."""
    assert text.count('source = "list"') == 1, text
    return text if READY in text else text.replace('source = "list"', READY + 'source = "list"')


def has_context(row):
    """Of `show subscribers`: with an address."""
    return row["state"] == "registered" and "." in (row["contexts"] or "")


class Walk:
    """One node.Node, whose phones answer to DETACH REQUEST with another attach."""
    text, server = node.TEXT, test_ggsn.SERVER

    def __init__(self, place, running):
        self.lab, self.running = place, running

    def nodes(self):
        return [self.running]

    def inside(self):
        return self.lab.inside("ggsn")

    def shorten(self, one):
        done = one.run_reload(text=with_short_timer(self.text))
        assert done.returncode == 0, done.stderr

    def wait_for_standby(self, one):
        for row in one.show("subscribers"):
            if row["state"] == "registered":
                one.wait_for_standby(row["imsi"])

    def counts(self, one):
        return one.show("counts")

    def contexts(self):
        rows = self.running.show("subscribers")
        return {row["imsi"]: row["contexts"].removeprefix("5:") for row in rows if row["state"] == "registered"}

    def arrive(self, one):
        imsi = sorted(self.contexts())[0]
        words = [node.program(), "detach", imsi, "--reattach", "--prefix", one.prefix]
        subprocess.run(words, check=True, capture_output=True, timeout=ANSWER_S, env=one.environment())
        one.show_until("subscribers", lambda rows: any(row["imsi"] == imsi and has_context(row) for row in rows))
        return imsi


def make_idle(walk):
    """All phones are in STANDBY."""
    for one in walk.nodes():
        walk.shorten(one)
    for one in walk.nodes():
        walk.wait_for_standby(one)


def paged(walk):
    found = [{row["name"]: row["count"] for row in walk.counts(one)} for one in walk.nodes()]
    return [sum(counts.get(name, 0) for counts in found) for name in PAGED]


def take_answers(sock, left):
    """Until all have answered, or a while has gone by without one."""
    while left and select.select([sock], [], [], AGAIN_S)[0]:
        packet, (sender, _) = sock.recvfrom(65536)
        if packet[20:22] == b"\0\0" and packet[28:] == sender.encode():
            left.discard(sender)


def unanswered(walk, addresses):
    """Those that answer no ping of the server. It asks again, since a busy machine loses packets."""
    left, end = set(addresses), time.monotonic() + ANSWER_S
    with walk.inside(), socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as sock:
        sock.bind((walk.server, 0))
        while left and time.monotonic() < end:
            for seq, address in enumerate(sorted(left)):
                sock.sendto(test_ggsn.icmp(8, seq, address.encode()), (address, 0))
            take_answers(sock, left)
    return sorted(left)


def check_once(test, walk):
    before = walk.contexts()
    arrived = {walk.arrive(one) for one in walk.nodes()}
    phones = walk.contexts()
    test.assertEqual(set(phones), set(before) | arrived)
    test.assertEqual({imsi: phones[imsi] for imsi in before if imsi not in arrived},
                     {imsi: address for imsi, address in before.items() if imsi not in arrived})
    make_idle(walk)
    counts = paged(walk)
    test.assertEqual(unanswered(walk, sorted(phones.values())), [])
    for name, one, other in zip(PAGED, counts, paged(walk)):
        test.assertGreaterEqual(other - one, len(phones), name)
    test.assertEqual(walk.contexts(), phones)


def check(test, walk):
    for _ in range(2):
        check_once(test, walk)

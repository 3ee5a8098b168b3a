# SPDX-License-Identifier: BSD-3-Clause
"""What each walk of an operator ends with. The harm of a restart may come later than the walk: at the next Create, page or packet.

    check(test, walk)       twice: at each node a phone that is new attaches and activates a context; all phones are idle, are paged
                            by a packet from the network, and answer it; no phone's context or address has changed

`walk` is what the walk has left:

    walk.running()          the nodes (node.Node)
    walk.text               their configuration, which has `mobiles_more` in `mobiles`
    walk.arrive(running)    a phone that was not there before has a context at that node now
    walk.contexts()         {IMSI: address} of all phones
    walk.lab                whose side "ggsn" has the server

The same, and once more ten minutes later, is in tests/unit/lua/aftermath_spec.lua, in virtual time.
"""
import select
import socket
import time

import test_ggsn

READY, SILENT_S = ', ready_timer = "1 s"', 1 + 2 * 1.08  # the timer, and how coarse it is
PAGED, ANSWER_S = ("paging_sent", "paging_answered"), 60


def make_idle(walk):
    """All phones are in STANDBY."""
    for running in walk.running():
        done = running.run_reload(text=walk.text, mobiles_more=READY)
        assert done.returncode == 0, done.stderr
    time.sleep(SILENT_S)  # in which no phone sends


def paged(walk):
    found = [{row["name"]: row["count"] for row in running.show("counts")} for running in walk.running()]
    return [sum(counts.get(name, 0) for counts in found) for name in PAGED]


def unanswered(walk, addresses):
    """Those that answer no ping of the server: one for each."""
    left, end = set(addresses), time.monotonic() + ANSWER_S
    with walk.lab.inside("ggsn"), socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as sock:
        sock.bind((test_ggsn.SERVER, 0))
        for seq, address in enumerate(addresses):
            sock.sendto(test_ggsn.icmp(8, seq, address.encode()), (address, 0))
        while left and select.select([sock], [], [], max(0, end - time.monotonic()))[0]:
            packet, (sender, _) = sock.recvfrom(65536)
            if packet[20:22] == b"\0\0" and packet[28:] == sender.encode():
                left.discard(sender)
    return sorted(left)


def check_once(test, walk):
    before = walk.contexts()
    for running in walk.running():
        walk.arrive(running)
    phones = walk.contexts()
    test.assertEqual({imsi: phones.get(imsi) for imsi in before}, before)
    test.assertEqual(len(phones), len(before) + len(walk.running()))
    make_idle(walk)
    counts = paged(walk)
    test.assertEqual(unanswered(walk, sorted(phones.values())), [])
    for name, one, other in zip(PAGED, counts, paged(walk)):
        test.assertGreaterEqual(other - one, len(phones), name)
    test.assertEqual(walk.contexts(), phones)


def check(test, walk):
    for _ in range(2):
        check_once(test, walk)

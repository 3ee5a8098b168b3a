# SPDX-License-Identifier: BSD-3-Clause
"""Peers of net_memif ports that end at any moment, or may not be peers: the node lives, serves the next, and counts all frames."""
import array
import contextlib
import os
import random
import socket
import tempfile
import time
import unittest

import lab
import node

import flood
import memif_peer
import test_start
import test_walk

PACKETS, TIMEOUT_S, OTHER_UID = 64, 30, 54321


def users_packet(seed):
    return test_walk.ipv4_packet("192.0.2.99", node.ADDRESS, 100, seed)


def users_frame(seed):
    return bytes.fromhex(flood.frame(flood.GN_GGSN, flood.GN_SGSN, test_walk.g_pdu(node.TEID, users_packet(seed))))


def gb_frame(octets):
    return bytes.fromhex(flood.gb(octets))


def uplink_frame(number):
    return bytes.fromhex(flood.uplink(test_walk.ipv4_packet(node.ADDRESS, "192.0.2.99", 100, number), number))


class Case(unittest.TestCase):
    def setUp(self):
        self.path = f"gbflow-memif{os.getpid()}x{id(self) & 0xFFFF:x}"
        self.frames = [[users_frame(0)], [uplink_frame(number) for number in range(512)]]

    def serve(self, arguments="role=server", user=test_start.NOBODY, **values):
        """Starts the node."""
        text = node.TEXT.replace('address = "198.51.100.2"', 'address = "198.51.100.2"' + flood.GIVEN_MAC)
        self.node = node.Node(text=text, user=user, gn=f"net_memif0,socket={self.path},{arguments}",
                              gb=f"net_memif1,id=1,socket={self.path},{arguments}", **flood.WITH_MACS, **values)
        self.addCleanup(self.node.kill)

    def begin(self):
        self.serve()
        self.node.wait_for("running")

    def open_links(self):
        """Both, in this process."""
        links = [memif_peer.Link(self.path, number) for number in (0, 1)]
        for link in links:
            self.addCleanup(link.close)
            link.connect()
        return links

    def receive(self, link, is_wanted, timeout_s=TIMEOUT_S):
        """Frames of a link until one is as wanted; none: it did not come."""
        end, frames = time.monotonic() + timeout_s, []
        while not any(map(is_wanted, frames)):
            self.assertIsNone(self.node.process.poll(), "the node has ended")
            if time.monotonic() > end:
                return []
            frames += link.receive()
        return frames

    def ask(self, link, octets, answer):
        """As a BSS does: again until the answer comes. What killed peers have sent may still wait for control."""
        for _ in range(TIMEOUT_S):
            link.send(gb_frame(octets))
            if self.receive(link, lambda frame: frame[42:].startswith(answer), 1):
                return
        self.fail(f"no answer to {octets.hex()}")

    def check_served(self):
        """The next peer brings Gb up, and has all N-PDUs that it sends on Gn, once."""
        gn, gb = self.open_links()
        for octets, answer in flood.steps():
            self.ask(gb, octets, answer)
        before = self.node.show("node")[0]["npdu_in"]
        packets, got = [users_packet(seed) for seed in range(1, PACKETS + 1)], []
        for seed in range(1, PACKETS + 1):
            gn.send(users_frame(seed))
        while len(got) < PACKETS:
            frames = self.receive(gb, is_unitdata)
            self.assertTrue(frames, f"{len(got)} of {PACKETS} N-PDUs came")
            got += [packet for frame in frames for packet in packets if packet in frame]
        self.assertEqual(sorted(got), sorted(packets))
        self.assertEqual(self.node.show("node")[0]["npdu_in"] - before, PACKETS)
        gn.close()
        gb.close()

    def check_counts(self):
        self.assertEqual(self.node.stop(), 0)
        report = self.node.report
        npdu, gn = report["npdu"], report["gn_frames"]
        self.assertEqual(npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"])
        self.assertEqual(npdu["dropped"], sum(report["drops"].values()))
        self.assertEqual(gn["received"], npdu["in"] + sum(gn["drops"].values()) + sum(gn["handled"].values()))


def is_unitdata(frame):
    return frame[42:44] == b"\0\0" and frame[46:47] == b"\0"  # NS-UNITDATA with DL-UNITDATA


class Ends(Case):
    """MEMIF_KILLS, 60: how many peers are killed."""

    kills = int(os.environ.get("MEMIF_KILLS", "60"))

    def test_killed_under_load(self):
        """N-PDUs go both ways, and meanwhile the peers of both ports are killed."""
        self.begin()
        chance = random.Random(1)
        for number in range(self.kills):
            if number % 50 == 0:
                self.check_served()  # the cell stays in service for some peers
            peer = memif_peer.Peer(memif_peer.connect, [(self.path, side, self.frames[side]) for side in (0, 1)])
            is_up = peer.wait()
            time.sleep(chance.random() / 100)  # the random moment, not a wait for something
            peer.kill()
            self.assertTrue(is_up, f"after {number} kills; status of the node {self.node.process.poll()}")
        self.check_served()
        self.check_counts()

    def test_gone_in_each_step(self):
        """Before the first message of the driver, too, which finds no receiver then."""
        self.begin()
        for _ in range(50):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
                sock.connect(b"\0" + self.path.encode())
        for _ in range(10):
            for count in range(5):
                link = memif_peer.Link(self.path, 0)
                for step in link.steps()[:count]:
                    step()
                link.close()
        self.check_served()
        self.check_counts()


class Wrong(Case):
    """What a peer says while its link comes up, and the driver would believe."""

    def setUp(self):
        super().setUp()
        self.given = tempfile.NamedTemporaryFile()  # whose descriptors the node may not keep
        self.addCleanup(self.given.close)

    def refuse(self, why, prepare, *steps):
        """Carries out these steps of a link that has been prepared; the last is not answered."""
        self.serve()
        self.node.wait_for("running")
        with contextlib.closing(memif_peer.Link(self.path)) as link:
            prepare(link)
            with self.assertRaises((memif_peer.Refused, OSError)):
                for step in steps:
                    step(link)
        self.node.wait_for(f"control: warn: a peer of net_memif is refused: {why}")
        self.check_served()
        self.assertNotIn(self.given.name, self.files_of_node())
        self.check_counts()

    def files_of_node(self):
        folder, found = f"/proc/{self.node.process.pid}/fd", []
        for name in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):  # it is closed already
                found.append(os.readlink(f"{folder}/{name}"))
        return found

    def test_a_region_longer_than_its_file(self):
        def prepare(link):
            link.octets *= 2
        self.refuse("its region is longer than the region's file", prepare, memif_peer.Link.introduce, memif_peer.Link.add_region)

    def test_a_ring_beyond_its_region(self):
        def prepare(link):
            link.offsets = (0, link.octets - 200)
        self.refuse("its ring is not within its region", prepare, memif_peer.Link.connect)

    def test_fewer_rings_than_workers(self):
        self.refuse("it has fewer rings than the node has workers", lambda link: None, memif_peer.Link.introduce, memif_peer.Link.add_region,
                    lambda link: link.add_ring(memif_peer.FROM_CLIENT), memif_peer.Link.finish)

    def test_a_region_after_the_link_is_up(self):
        self.refuse("it sends a message out of order", lambda link: None, memif_peer.Link.connect, memif_peer.Link.add_region)

    def test_a_file_that_belongs_to_no_message(self):
        def ack_with_files(link):
            rights = array.array("i", [self.given.fileno()] * 2)
            link.sock.sendmsg([memif_peer.message(memif_peer.ACK)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
            link.hear(memif_peer.ACK)

        self.refuse("it sends more files than its message may have", lambda link: None, memif_peer.Link.introduce, ack_with_files)


class Many(Case):
    def test_connections_without_a_message(self):
        """More than the node has places for."""
        self.begin()
        with contextlib.ExitStack() as idle:
            for _ in range(20):
                sock = idle.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
                sock.settimeout(TIMEOUT_S)
                sock.connect(b"\0" + self.path.encode())
                with contextlib.suppress(OSError):
                    sock.recv(memif_peer.MESSAGE_OCTETS)  # the node has taken or refused it
            self.node.wait_for("control: warn: a peer of net_memif is refused: too many connections are there")
            for number in (0, 1):
                self.connect_at_last(number)

    def connect_at_last(self, number):
        """The oldest connections are ended for the next, one each time."""
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            link = memif_peer.Link(self.path, number)
            self.addCleanup(link.close)
            with contextlib.suppress(memif_peer.Refused, OSError):
                link.connect()
                return
        self.fail("a peer is not served beside idle connections")


class Clients(Case):
    """The node connects once: a line says so, and it lives until it is started again."""

    kills = 3

    def walk(self, arguments):
        for _ in range(self.kills):
            peer = memif_peer.Peer(memif_peer.listen, self.path, self.frames)
            self.addCleanup(peer.kill)
            self.assertTrue(peer.wait())
            self.serve("role=client" + arguments)
            self.assertTrue(peer.wait())
            self.node.wait_for("running")
            self.node.show_until("node", lambda rows: rows[0]["npdu_in"] > 0)
            peer.kill()
            for side in ("gn", "gb"):
                self.node.wait_for(f" {side}: warn: the link is down: .* the driver does not connect again: restart gbflow")
            self.check_counts()

    def test_copies(self):
        self.walk("")

    def test_zero_copy(self):
        self.walk(",zero-copy=yes")


def listen_as(up, user, path, frames):
    os.setuid(user)
    with contextlib.suppress(ConnectionError):  # it is refused
        memif_peer.listen(up, path, frames)


class Users(Case):
    def test_another_users_peer_is_refused(self):
        lab.need(self, None if os.geteuid() == 0 else "needs root: a process of another user")
        self.begin()
        for user, is_peer in ((OTHER_UID, False), (test_start.NOBODY, True), (0, True)):
            with self.subTest(user):
                self.assertEqual(self.is_taken(user), is_peer)
        self.node.wait_for(f"control: warn: a peer of net_memif is refused: it is a process of user {OTHER_UID}")
        self.check_served()
        self.check_counts()

    def test_another_users_server_is_refused(self):
        lab.need(self, None if os.geteuid() == 0 else "needs root: a process of another user")
        peer = memif_peer.Peer(listen_as, OTHER_UID, self.path, self.frames)
        self.addCleanup(peer.kill)
        self.assertTrue(peer.wait())
        self.serve("role=client")
        self.assertEqual(self.node.finish(), 1)
        self.assertRegex("\n".join(self.node.lines), f"gn.port '.*': the peer that listens at its socket is refused: it is a process of user {OTHER_UID}")

    def test_a_server_of_the_user_that_the_node_becomes(self):
        lab.need(self, None if os.geteuid() == 0 else "needs root: a process of another user")
        peer = memif_peer.Peer(listen_as, test_start.NOBODY, self.path, self.frames)
        self.addCleanup(peer.kill)
        self.assertTrue(peer.wait())
        self.serve("role=client", user=None, words=("--user", "nobody"))
        self.node.wait_for("running")

    def is_taken(self, user):
        """Whether a process of this user has its link up."""
        child = os.fork()
        if child == 0:
            try:
                os.setuid(user)
                with contextlib.closing(memif_peer.Link(self.path)) as link:
                    link.connect()
                os._exit(0)
            except (memif_peer.Refused, OSError):
                os._exit(1)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""Ports that meet another process at a Unix socket: all N-PDUs are counted in both directions, and again after the peer has been
killed and started again."""
import os
import signal
import socket
import time
import unittest

import lab
import node

import bridge
import ports

PAGES, PAGES_NEEDED = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", 128

class Sockets(ports.Case):
    """Ports whose peer is another process at a Unix socket: dpdk-testpmd, which passes frames to the lab's interfaces."""

    # By kind: the node's device and the peer's, whether the peer starts first, and whether the node's port takes a peer again.
    kinds = {
        "vhost": ("net_vhost%d,iface=%s,queues=%d", "net_virtio_user%d,path=%s,queues=%d", False, True),
        "vhost_client": ("net_vhost%d,iface=%s,client=1,queues=%d", "net_virtio_user%d,path=%s,server=1,queues=%d", True, True),
        "virtio_user": ("net_virtio_user%d,path=%s,queues=%d", "net_vhost%d,iface=%s,queues=%d", True, False),
        "virtio_user_server": ("net_virtio_user%d,path=%s,server=1,queues=%d", "net_vhost%d,iface=%s,client=1,queues=%d", False, True),
        "memif": ("net_memif%d,role=server,socket-abstract=no,socket=%s,rsize=11,bsize=4096",
                  "net_memif%d,role=client,socket-abstract=no,socket=%s,rsize=11,bsize=4096", False, True),
        "memif_client": ("net_memif%d,role=client,socket-abstract=no,socket=%s", "net_memif%d,role=server,socket-abstract=no,socket=%s",
                         True, False),
    }

    def setUp(self):
        super().setUp()
        lab.need(self, bridge.missing())
        self.folder = ports.Folder(self)

    def devices(self, form):
        paths = (self.folder.path(side) for side in ("gn", "gb"))
        return {side: form % (number, path, self.workers)[:form.count("%")] for number, (side, path) in enumerate(zip(("gn", "gb"), paths))}

    def connect(self, kind, **values):
        """Starts the node and its peer. One whose driver waits for the other's is not waited for."""
        ours, theirs, is_peer_first, _ = self.kinds[kind]
        if is_peer_first:
            self.peer = bridge.Bridge(self.lab, self.devices(theirs), self.workers)
            self.addCleanup(self.peer.close)
            if "server=1" not in theirs:
                self.peer.wait()
        self.begin(**self.devices(ours), **values)
        if not is_peer_first:
            if "server=1" not in ours:
                self.node.wait_for("running")
            self.peer = bridge.Bridge(self.lab, self.devices(theirs), self.workers)
            self.addCleanup(self.peer.close)
        self.peer.wait()
        self.node.wait_for("running")
        self.begin_forwarding()

    def begin_forwarding(self):
        self.await_links("up")
        self.peer.forward()

    def await_links(self, state):
        """The node drops uplink N-PDUs while it has not seen that the link of Gn is up. A port of these has its link when both
        processes have answered each other some times, on a busy machine seconds after it runs."""
        self.node.show_until("ports", lambda rows: all(row["link"] == state for row in rows))

    def restart_peer(self, kind):
        self.peer.kill()
        self.await_links("down")
        if self.kinds[kind][2]:  # it listened, and leaves its sockets
            for name in os.listdir(self.folder.name):
                os.unlink(self.folder.path(name))
        self.peer.start()
        self.peer.wait()

    def walk(self, kind, **values):
        self.connect(kind, **values)
        self.open_far_ends()
        self.bring_up()
        self.pass_both()
        if self.kinds[kind][3]:
            for _ in range(2):
                self.restart_peer(kind)
                self.begin_forwarding()
                self.await_answers()
                self.pass_both()
        else:
            self.check_told(kind, **values)
        self.check_counts()
        self.assertEqual(os.listdir(self.folder.name) if not self.kinds[kind][2] else [], [])  # a clean end leaves no socket

    def check_told(self, kind, **values):
        """A port that connects once: a line says what to do when the peer has gone, and doing it helps."""
        self.restart_peer(kind)
        for side in ("gn", "gb"):
            self.node.wait_for(f" {side}: warn: the link is down: .* the driver does not connect again: restart gbflow")
        self.check_counts()
        self.sent = {"down": 0, "up": 0}
        self.begin(**self.devices(self.kinds[kind][0]), **values)
        self.node.wait_for("running")
        self.begin_forwarding()
        self.bring_up()
        self.pass_both()


def each_kind(kind):
    def test(self):
        try:
            self.walk(kind)
        except (AssertionError, OSError) as error:  # its cause may be the peer's end
            error.add_note(self.peer.state())
            raise
    return test


for _kind in Sockets.kinds:
    setattr(Sockets, "test_" + _kind, each_kind(_kind))


class ZeroCopy(Sockets):
    """memif without copies in the node: its packet buffers are the ring's."""

    kinds = {"memif_client": ("net_memif%d,role=client,socket-abstract=no,zero-copy=yes,socket=%s", *Sockets.kinds["memif_client"][1:])}


def pages(more=0):
    """The huge pages of 2 MiB that are reserved; more or fewer of them."""
    with open(PAGES, "r+", encoding="ascii") as file:
        count = int(file.read())
        if more:
            file.seek(0)
            file.write(str(count + more))
    return count


class HugePages(Sockets):
    """The node's memory in huge pages, which are reserved for the test, and given back."""

    kinds = {kind: Sockets.kinds[kind] for kind in ("vhost", "virtio_user_server")}

    def setUp(self):
        super().setUp()
        before = pages(PAGES_NEEDED)
        self.addCleanup(self.give_back, before)
        got = pages() - before
        lab.need(self, None if got == PAGES_NEEDED else f"needs {PAGES_NEEDED} huge pages of 2 MiB, got {got}")

    def give_back(self, before):
        """Those of a process that has just ended are free a moment later."""
        for _ in range(100):
            pages(before - pages())
            if pages() <= before:
                break
            time.sleep(0.1)

    def begin(self, text=ports.TEXT, **devices):
        super().begin(text.replace('huge_pages = "no"', 'huge_pages = "yes"'), **devices)


class TwoQueues(Sockets):
    """The same with two queues and two workers."""

    workers = 2


class Outage(Sockets):
    """The peer of Gb alone is away while N-PDUs arrive on Gn, which wait for it. A virtio driver at the other end is not among
    these peers: it resets its device after its start, once or twice, and with that loses what it has received."""

    kinds = {kind: Sockets.kinds[kind] for kind in ("virtio_user_server", "memif")}

    def devices(self, form):
        return {"gb": super().devices(form)["gb"]}

    def begin(self, text=ports.TEXT, **ports):
        super().begin(text, gn="net_af_packet2,iface=gn0", **ports)

    def walk(self, kind, **values):
        self.connect(kind, **values)
        self.open_far_ends()
        self.bring_up()
        self.pass_both()
        self.peer.kill()
        self.node.show_until("ports", lambda rows: [row["link"] for row in rows] == ["up", "down"])
        waiting = [self.send_down(mobile) for mobile in range(len(ports.PLACES))]
        self.node.show_until("node", lambda rows: rows[0]["npdu_in"] == self.sent["down"])
        self.assertEqual(self.node.show("node")[0]["npdu_queued"], 2 * ports.BURST)
        self.peer.start()
        self.peer.wait()
        self.begin_forwarding()
        for mobile, sent in enumerate(waiting):
            self.check_down(mobile, sent)
        self.pass_both()
        self.check_counts()


for _class in (ZeroCopy, HugePages, Outage):
    for _kind in set(Sockets.kinds) - set(_class.kinds):
        setattr(_class, "test_" + _kind, None)


class Refusals(unittest.TestCase):
    """Sockets of which a port can be told before it opens; needs no rights."""

    forms = {"net_vhost0,iface=%s": "", "net_virtio_user0,path=%s,server=1": "", "net_virtio_user0,path=%s": "server=1",
             "net_memif0,role=server,socket-abstract=no,socket=%s": "", "net_memif0,role=client,socket-abstract=no,socket=%s": "role=server"}

    def setUp(self):
        self.folder = ports.Folder(self)
        self.path = self.folder.path("gn")

    def serve(self, form):
        running = node.Node(user=ports.UNPRIVILEGED, gn=form % self.path, gb="net_ring1")
        self.addCleanup(running.kill)
        return running

    def leave_socket(self):
        """As a process that was killed does."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.bind(self.path)
        os.chmod(self.path, 0o777)

    def check_refused(self, form, what):
        running = self.serve(form)
        self.assertEqual(running.finish(), 1)
        self.assertRegex("\n".join(running.lines), rf"gn\.port '{form % self.path}': {what}")

    def check_runs(self, form):
        """It listens; a port that waits for its peer says so, and SIGINT ends it as well."""
        running = self.serve(form)
        waits = form.startswith("net_virtio_user")
        running.wait_for(f"waits until a vhost peer connects to {self.path}" if waits else "running")
        if waits:
            running.process.send_signal(signal.SIGINT)
            self.assertEqual(running.process.wait(node.STOP_S), -signal.SIGINT)
        else:
            self.assertEqual(running.stop(), 0)
            self.assertFalse(os.path.exists(self.path))

    def test_a_peer_that_is_not_there(self):
        for form, remedy in self.forms.items():
            for has_file in (False, True):
                with self.subTest(form, has_file=has_file):
                    if has_file:
                        self.leave_socket()
                    if remedy:
                        self.check_refused(form, f"no process listens at {self.path}; start the peer first, or let this port listen .{remedy}.")
                    else:
                        self.check_runs(form)
                    if os.path.exists(self.path):
                        os.unlink(self.path)

    def test_a_path_that_is_in_use(self):
        for form in ("net_vhost0,iface=%s", "net_virtio_user0,path=%s,server=1"):
            with self.subTest(form), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
                sock.bind(self.path)
                os.chmod(self.path, 0o777)
                sock.listen()
                self.check_refused(form, f"another process listens at {self.path}; end it, or take another path")
                os.unlink(self.path)

    def test_a_file_that_is_no_socket(self):
        with open(self.path, "w", encoding="ascii"):
            pass
        self.check_refused("net_vhost0,iface=%s", f"the file {self.path} is there and is no socket; remove it, or take another path")


if __name__ == "__main__":
    unittest.main()

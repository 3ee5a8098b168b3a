# SPDX-License-Identifier: BSD-3-Clause
"""Radio: the BSS of a lab with osmo-pcu: a BTS and its mobiles or phones, one program, whose hosts have TUN devices.

    host's shell - TUN - this program - socket - osmo-pcu - gb1 = gb0 - gbflow serve ...

With mobiles the node has their contexts, and each is a host in a namespace of its own. Phones attach and activate a
context here; they share one namespace and one device, where a packet's source address tells whose it is.
"""

import json
import pathlib
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from gbflow_bts import layer3, pcu_config
from gbflow_bts.air import Air
from gbflow_bts.bts import Bts
from gbflow_bts.handset import Handset
from gbflow_bts.pcuif import Cell, Nsvc
from gbflow_bts.phone import Phone
from gbflow_bts.rlcmac import MCS_1
from gbflow_bts.routine import Routine
from gbflow_bts.tun import Tun
from gbflow_lab import network, phones
from gbflow_report import output
from gbflow_results import Failure, bounded

MOST = 16  # mobiles or phones: osmo-pcu serves 7 at a time on each of 4 timeslots
SOCKET, PLAN, CONFIG, COUNTS = "pcu_bts", "bts.json", "osmo-pcu.cfg", "bts-counts.json"
ORDERS, ORDER_OCTETS = "bts-orders", 16  # a socket for switch()
RECEIVERS = dict(enumerate((1, 2, 2, 3, 2, 3, 3, 4, 3, 4, 4, 4), 1))  # timeslots of a multislot class (45.002 annex B)
WAITING = 500  # LLC-PDUs of a mobile; packets behind them are dropped, as a modem's queue does
LOOK_S = 0.2


def mcs_of(coding: str) -> int:
    """The number of an MCS, 0 of a CS."""
    return int(coding.removeprefix("MCS-")) if coding.startswith("MCS") else 0


def cell(coding: str = network.CODING) -> Cell:
    return Cell(bvci=1800, nsvcs=[Nsvc(nsvci=101, remote=network.GB_NODE)], mcs=mcs_of(coding))


def pcu_text(folder: pathlib.Path, made: network.Plan) -> str:
    """No block of this air is lost to RLC: the best scheme holds from the start."""
    mcs, allocation = mcs_of(made.coding), "dynamic" if made.multislot else "a"
    values = {"more": f" mcs {mcs} 1\n mcs max {mcs} 1\n"} if mcs else {"scheme": int(made.coding.removeprefix("CS-"))}
    return pcu_config.text(str(folder / SOCKET), allocation=allocation, **{"scheme": 4, **values})


def plan_text(made: network.Plan, address_of: Mapping[str, str]) -> str:
    """What the program reads; address_of: the mobiles' by IMSI, none of phones."""
    mobiles = [{"number": mobile.number, "name": mobile.name, "address": address_of[mobile.imsi],
                "namespace": mobile.namespace,
                "device": made.devices[mobile.name]} for mobile in made.mobiles]
    shared = {"count": made.phones, "namespace": made.namespace(network.PHONES), "device": phones.DEVICE}
    return json.dumps({"mobiles": mobiles, "phones": shared if made.phones else None, "rlc_loss": made.rlc_loss,
                       "reliability": made.reliability, "coding": made.coding, "multislot": made.multislot},
                      indent=1) + "\n"


def say(line: str) -> None:
    """Each phone's thread has its own lines: print() would write the line and its end one after the other."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def open_device(namespace: str, device: str, on_packet: Callable[[bytes], None]) -> Tun:
    """A TUN device of a namespace; it has no address yet."""
    tun = Tun(network, namespace, device, on_packet)
    with network.inside(namespace):
        network.ipv6_off(device)
    network.run("ip", "-n", namespace, "link", "set", device, "up")
    tun.start()
    return tun


def give_address(namespace: str, device: str, address: str) -> None:
    """With the default route, which the kernel deletes with a device's last address."""
    network.run("ip", "-n", namespace, "address", "add", f"{address}/32", "dev", device)
    network.run("ip", "-n", namespace, "route", "replace", "default", "dev", device)


def take_address(namespace: str, device: str, address: str) -> None:
    network.run("ip", "-n", namespace, "address", "del", f"{address}/32", "dev", device)


def has_room(radio: Any) -> bool:
    return len(radio.queue) < WAITING


def open_mobile(row: Mapping[str, Any], rlc_loss: float) -> Phone:
    """A mobile of the node's list, as a host."""
    mobile = Phone(row["number"])
    mobile.radio.lose_blocks(rlc_loss, mobile.number)
    mobile.on_packet = open_device(row["namespace"], row["device"],
                                   lambda packet: has_room(mobile.radio) and mobile.send(packet)).write
    give_address(row["namespace"], row["device"], row["address"])
    return mobile


class Phones:
    """All phones of a lab, each with a thread that speaks GMM and SM for it.
    No block is lost before a context is active."""

    def __init__(self, given: Mapping[str, Any], count: int, namespace: str, device: str) -> None:
        self.rlc_loss, self.reliability = given["rlc_loss"], given["reliability"]
        multislot = given["multislot"] or max(RECEIVERS)
        capability = layer3.ra_capability(multislot, multislot if mcs_of(given["coding"]) else 0)
        self.namespace, self.device, self.lock = namespace, device, threading.Lock()
        self.by_address: dict[bytes, Handset] = {}
        self.routines: list[Routine] = []
        self.handsets = [Handset(number, bytes.fromhex(phones.KI), cell().area()) for number in range(1, count + 1)]
        tun = open_device(namespace, device, self.route)
        for handset in self.handsets:
            handset.on_packet, handset.ra_capability = tun.write, capability
            handset.radio.receivers = RECEIVERS[multislot]

    def route(self, packet: bytes) -> None:
        handset = self.by_address.get(packet[12:16]) if packet[0] >> 4 == 4 else None
        if handset and has_room(handset.radio):
            handset.send_packet(packet)

    def start(self) -> None:
        self.routines = [self.routine_of(handset) for handset in self.handsets]
        for routine in self.routines:
            threading.Thread(target=routine.play, daemon=True).start()

    def routine_of(self, handset: Handset) -> Routine:
        routine = Routine(handset, network.APN.encode(), say, self.reliability)
        routine.on_active = lambda address: self.activated(handset, address)
        routine.on_inactive = self.deactivated
        return routine

    def take_orders(self, sock: socket.socket) -> None:
        """Without an end. An order is what switch() sends; others are left alone."""
        while True:
            number, _, word = sock.recv(ORDER_OCTETS).decode("ascii", "replace").partition(" ")
            if word in ("on", "off") and number.isdecimal() and 0 < int(number) <= len(self.routines):
                routine = self.routines[int(number) - 1]
                routine.wish(routine.go_online_again if word == "on" else routine.go_offline)

    def activated(self, handset: Handset, address: str) -> None:
        with self.lock:
            give_address(self.namespace, self.device, address)
            self.by_address[socket.inet_aton(address)] = handset
            handset.radio.lose_blocks(self.rlc_loss, handset.number)
            mode = ", LLC acknowledged" if handset.user.is_acknowledged else ""
            say(f"{handset.imsi}: active, {address}, GEA/{3 if handset.cipher else 0}{mode}")
            if len(self.by_address) == len(self.handsets):
                say(f"all {len(self.handsets)} phones have a context")

    def deactivated(self, address: str) -> None:
        with self.lock:
            del self.by_address[socket.inet_aton(address)]
            take_address(self.namespace, self.device, address)


def switch(folder: pathlib.Path, number: int, is_on: bool) -> None:
    """Tells the program to switch a phone on or off, by its number from 1 on."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(str(folder / ORDERS))
            sock.send(f"{number} {'on' if is_on else 'off'}".encode())
        except OSError as error:
            raise Failure(f"{folder / ORDERS}: the BTS takes no order: {error.strerror}; "
                          "look at gbflow lab status") from error


def open_orders(folder: pathlib.Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    (folder / ORDERS).unlink(missing_ok=True)
    sock.bind(str(folder / ORDERS))
    (folder / ORDERS).chmod(0o600)
    return sock


def name_of(scheme: int) -> str:
    return network.CODINGS[scheme - 1 if scheme < MCS_1 else scheme - MCS_1 + 4]


def counts_text(bts: Bts) -> str:
    """Periods of 20 ms that the air has had, and the data blocks that each mobile has heard, by scheme and timeslot;
    repeated: RLC blocks that it had already, of the TBF that runs."""
    mobiles = [{"imsi": mobile.imsi, "blocks": {name_of(scheme): count for scheme, count in mobile.blocks.items()},
                "slots": dict(mobile.slots_used), "repeated": mobile.down.repeated if mobile.down else 0}
               for mobile in bts.air.mobiles]
    return json.dumps({"periods": bts.air.tick, "lost_blocks": bts.lost_blocks, "mobiles": mobiles}) + "\n"


def serve(bts: Bts, is_time: threading.Event, switch_on: Callable[[], None], counts: pathlib.Path) -> None:
    """Phones are switched on when it is time and osmo-pcu serves the cell.
    Ends when the BTS fails, or the PCU has gone."""
    while not bts.slots:
        time.sleep(LOOK_S)
    say(f"osmo-pcu serves timeslots {', '.join(map(str, bts.slots))}")
    is_off = True
    while bts.slots and bts.fault is None and bts.thread.is_alive():
        if is_off and is_time.wait(LOOK_S):
            switch_on()
            is_off = False
        output.write_whole(counts, counts_text(bts))
        time.sleep(LOOK_S)
    raise Failure(f"the BTS: {bts.fault!r}" if bts.fault else "osmo-pcu has gone")


def run(folder: pathlib.Path) -> int:
    """Until SIGTERM. SIGUSR1 says that the node has the cell: what a phone sends before that is lost."""
    is_time = threading.Event()
    signal.signal(signal.SIGUSR1, lambda *_: is_time.set())
    given = bounded.read_json(folder / PLAN)
    everybody = Phones(given, **given["phones"]) if given["phones"] else None
    radios = ([handset.radio for handset in everybody.handsets] if everybody
              else [open_mobile(row, given["rlc_loss"]).radio for row in given["mobiles"]])
    bts = Bts(str(folder / SOCKET), cell(given["coding"]), Air(radios))
    if everybody:
        threading.Thread(target=everybody.take_orders, args=(open_orders(folder),), daemon=True).start()
    say(f"BTS at {folder / SOCKET}")
    try:
        serve(bts, is_time, everybody.start if everybody else lambda: None, folder / COUNTS)
    finally:
        bts.close()
    return 0

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A test BTS for osmo-pcu with one phone, which attaches, activates a context, and is a host on a TUN device.

usage: bts_phone.py [--socket /tmp/pcu_bts] [--ki HEX32] [--apn internet] [--device ms0] [--reliability CLASS]
                    [--rlc-loss PERCENT] [--seed 1]

Its IMSI is 001010000000001, its algorithm XOR. The device is in the network namespace of this program, with the address that the GGSN
gave and a default route. With reliability class 2 it asks for LLC in acknowledged mode. --rlc-loss: blocks of data, both ways, that are
lost from then on although they are acknowledged, as in RLC unacknowledged mode; drawn by the seed. SIGINT and SIGTERM switch the phone off. docs/phones.md has the whole walk.
"""
import argparse
import contextlib
import queue
import signal
import subprocess
import sys
import time

import network  # where the others are
from gbflow_bts import layer3
from gbflow_bts.air import Air
from gbflow_bts.bts import Bts
from gbflow_bts.handset import Handset
from gbflow_bts.tun import Tun

OFF_S, LOOK_S = 2, 0.2
POWER_OFF = bytes([layer3.GMM, layer3.DETACH_REQUEST, 9])


class Here:
    """The namespace of this program, for Tun."""

    @staticmethod
    def inside(_):
        return contextlib.nullcontext()


def say(text):
    print(text, flush=True)


def until_answered(ask, name):
    """Again and again, as at the end of T3310 and T3380."""
    while True:
        try:
            return ask()
        except queue.Empty:
            say(f"{name}: no answer in {layer3.TIMEOUT_S} s, once more")
        except layer3.Refused as refusal:
            sys.exit(f"{name}: {refusal}")


def open_host(phone, device):
    """The kernel's own IPv6 packets stay here: the context is for IPv4."""
    tun = Tun(Here, None, device, lambda packet: packet[0] >> 4 == 4 and phone.send_packet(packet))
    phone.on_packet = tun.write
    for words in (("address", "add", f"{phone.address}/32", "dev", device), ("link", "set", device, "up"),
                  ("route", "replace", "default", "dev", device)):
        subprocess.run(["ip", *words], check=True)
    tun.start()


def play(phone, bts, given):
    while not bts.slots:
        time.sleep(LOOK_S)
    say(f"osmo-pcu serves timeslots {', '.join(map(str, bts.slots))}")
    until_answered(phone.attach_fully, "ATTACH REQUEST")
    say(f"attached, P-TMSI {phone.p_tmsi:08x}, GEA/{3 if phone.cipher else 0}")
    until_answered(lambda: phone.activate(given.apn.encode(), reliability=given.reliability), "ACTIVATE PDP CONTEXT REQUEST")
    phone.radio.lose_blocks(given.rlc_loss / 100, given.seed)
    open_host(phone, given.device)
    mode = ", LLC acknowledged" if phone.user.is_acknowledged else ""
    say(f"active, {phone.address} on {given.device}{mode}")
    while True:
        with contextlib.suppress(queue.Empty):
            message = phone.next(LOOK_S)
            if not phone.answer(message):
                say(f"message {message.hex()}")


def stop(*_):
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    for name, value in (("socket", "/tmp/pcu_bts"), ("ki", bytes(range(16)).hex()), ("apn", "internet"), ("device", "ms0")):
        parser.add_argument(f"--{name}", default=value)
    parser.add_argument("--reliability", type=int, choices=range(6), default=0)
    parser.add_argument("--rlc-loss", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    cell = network.Cell()
    phone = Handset(1, bytes.fromhex(given.ki), cell.area())
    try:
        bts = Bts(given.socket, cell, Air([phone.radio]))
    except OSError as error:
        sys.exit(f"{given.socket}: {error.strerror}")
    say(f"BTS at {given.socket}, waits for osmo-pcu")
    try:
        play(phone, bts, given)
    except KeyboardInterrupt:
        if phone.p_tmsi is not None:
            phone.send(POWER_OFF)
            time.sleep(OFF_S)
            say("switched off")
    finally:
        bts.close()


if __name__ == "__main__":
    main()

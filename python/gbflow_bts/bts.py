# SPDX-License-Identifier: BSD-3-Clause
"""A BTS for osmo-pcu: the other end of its socket, and the clock of the cell, one block every 20 ms."""
import os
import socket
import threading
import time

from gbflow_bts import pcuif, rlcmac

BLOCK_S = 0.020
MESSAGE_OCTETS = 4096
PCU_S = 1.0  # for the answer to a request of a block


class Bts:
    """Listens from the start; a PCU that goes away may come again."""

    def __init__(self, path, cell, air):
        self.path, self.cell, self.air = path, cell, air
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen(1)
        self.listener.settimeout(0.1)
        self.pcu, self.slots, self.awaited, self.version = None, [], set(), pcuif.VERSIONS[0]
        self.frame, self.late_ticks, self.lost_blocks, self.texts = 0, 0, 0, []
        self.is_open, self.is_on, self.fault = True, True, None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def close(self):
        self.is_open = False
        self.thread.join(5)
        self.listener.close()
        os.unlink(self.path)

    def switch_off(self):
        """The cell goes away; osmo-pcu ends then."""
        self.is_on = False

    def switch_on(self):
        self.is_on = True

    def suspend(self, mobile):
        self._send(pcuif.susp_req(mobile.tlli, self.cell.area()))

    # --- the thread

    def _run(self):
        while self.is_open:
            try:
                self.pcu, _ = self.listener.accept()
            except TimeoutError:
                continue
            self.air.fall_silent()
            try:
                self._serve()
            except (ConnectionError, BrokenPipeError):
                pass
            except Exception as fault:  # told by the next reading
                self.fault = fault
                raise
            finally:
                self.pcu.close()
                self.slots = []

    def _serve(self):
        due = time.monotonic()
        while self.is_open:
            if self.is_on:
                self._tick()
            elif self.slots:
                self._send(pcuif.info_ind(self.cell, False, self.version))
                self.slots = []
            due += BLOCK_S
            if time.monotonic() > due + 10 * BLOCK_S:
                self.late_ticks += 1
                due = time.monotonic()
            self._receive_until(due)

    def _send(self, message):
        self.pcu.send(message)

    def _tick(self):
        frame, block = self.frame, rlcmac.STARTS.index(self.frame % 52)
        self.awaited = set(self.slots)
        for slot in self.slots:
            self._send(pcuif.rts_req(frame, slot, block))
        self._receive_until(time.monotonic() + PCU_S, lambda: not self.awaited)
        self.lost_blocks += len(self.awaited)
        for slot in self.slots:
            self._send(pcuif.data_ind(frame, slot, block, self.air.uplink(slot, frame)))
        if self.slots:
            for access in self.air.accesses(frame):
                self._send(pcuif.rach_ind(frame, access))
        self.air.pass_time()
        self.frame = rlcmac.next_block(frame)

    def _receive_until(self, due_at, is_done=lambda: False):
        while self.is_open and not is_done():
            left = due_at - time.monotonic()
            if left <= 0:
                return
            self.pcu.settimeout(left)
            try:
                message = self.pcu.recv(MESSAGE_OCTETS)
            except TimeoutError:
                return
            if not message:
                raise ConnectionError
            self._take(message)

    def _take(self, message):
        kind = message[0]
        if kind == pcuif.DATA_REQ:
            self._block(pcuif.data_req(message))
        elif kind == pcuif.ACT_REQ:
            slot = message[6]
            self.slots = sorted(set(self.slots) | {slot} if message[4] else set(self.slots) - {slot})
        elif kind == pcuif.TXT_IND:
            self.texts.append(message[5:133].split(b"\0")[0].decode())
            if message[4] == pcuif.PCU_VERSION:
                self.version = pcuif.version_for(self.texts[-1])
            if self.is_on:
                self._send(pcuif.info_ind(self.cell, True, self.version))

    def _block(self, block):
        if block.sapi == pcuif.PDTCH:
            self.awaited.discard(block.slot)
            self.air.downlink(block)
        elif block.sapi in (pcuif.AGCH_12, pcuif.PCH_12):
            common = pcuif.common(block)
            if common.reference:
                self._send(pcuif.confirm(block.sapi, common.reference))
            self.air.immediate(common.octets, common.group)
        elif block.sapi == pcuif.AGCH:
            self.air.immediate(block.octets)
        elif block.sapi == pcuif.PCH:
            octets = block.octets[3:]
            if octets[2] == 0x3F:
                self._send(pcuif.pch_sent(octets, self.frame))
            self.air.immediate(octets, block.octets[:3].decode())

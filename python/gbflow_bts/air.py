# SPDX-License-Identifier: BSD-3-Clause
"""The air of one cell: what the BTS sends reaches its mobiles, what they send reaches the BTS."""
from gbflow_bts import rlcmac

ACCESSES = range(0x78, 0x80)  # one-phase access


class Air:
    def __init__(self, mobiles=()):
        self.mobiles, self.tick = list(mobiles), 0
        self.collisions, self.assignments, self.pages = 0, [], []

    def downlink(self, block):
        """A block on a packet channel."""
        for mobile in self.mobiles:
            mobile.hear(block, self.tick)

    def uplink(self, slot, frame):
        """What the BTS receives in a block; two at once: nothing."""
        sent = [octets for octets in (mobile.speak(slot, frame, self.tick) for mobile in self.mobiles) if octets]
        self.collisions += len(sent) > 1
        return sent[0] if len(sent) == 1 else b""

    def accesses(self, frame):
        """Access bursts, one octet each, all different."""
        free = iter(ACCESSES)
        for mobile in self.mobiles:
            if mobile.wants_access(self.tick):
                access = next(free, None)
                if access is None:
                    return
                mobile.send_access(rlcmac.reference_of(access, frame), self.tick)
                yield access

    def immediate(self, octets, group=None):
        """A block on the AGCH, or with its paging group on the PCH."""
        order = rlcmac.immediate(octets)
        if order is None:
            self._page(group, rlcmac.paged(octets))
            return
        self.assignments.append((self.tick, group, order))
        for mobile in self.mobiles:
            mobile.assigned(order, self.tick)

    def _page(self, group, whom):
        if whom is None:
            return
        self.pages.append((self.tick, group, whom))
        for mobile in self.mobiles:
            if not mobile.is_away and whom in (mobile.imsi, mobile.p_tmsi()):
                mobile.on_page()

    def fall_silent(self):
        """The cell is gone: whatever the mobiles were busy with is over."""
        for mobile in self.mobiles:
            mobile.fall_silent()

    def pass_time(self):
        self.tick += 1
        for mobile in self.mobiles:
            mobile.pass_time(self.tick)

    def assignments_of(self, mobile):
        """(tick, paging group) of each downlink assignment to a mobile over the paging channel."""
        return [(tick, group) for tick, group, order in self.assignments if order.tlli == mobile.tlli]

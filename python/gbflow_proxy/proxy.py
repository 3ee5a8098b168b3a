# SPDX-License-Identifier: BSD-3-Clause
"""The proxy without sockets and clock: datagrams and the time go in, datagrams come out of two calls, one for each
side."""

import functools
from collections.abc import Callable

from gbflow_proxy import ns, wire
from gbflow_proxy.bss import Nse
from gbflow_proxy.config import Config, SgsnPlace
from gbflow_proxy.downlink import Downlink
from gbflow_proxy.ns import Link
from gbflow_proxy.sgsn import Sgsn
from gbflow_proxy.sns import Remote, Sns
from gbflow_proxy.tables import Tables
from gbflow_proxy.uplink import Uplink

SendTo = Callable[[bytes, Remote], None]


def ids_of(nsvci: int, nsei: int) -> bytes:
    """The elements of an NS-RESET."""
    return wire.tlv(wire.NS_VCI, wire.octets_of(nsvci)) + wire.tlv(wire.NS_EI, wire.octets_of(nsei))


class Proxy:
    """to_bss, to_sgsn(octets, remote): send a datagram from the socket of that side."""

    def __init__(self, config: Config, to_bss: SendTo, to_sgsn: SendTo) -> None:
        self.config, self.to_bss, self.to_sgsn = config, to_bss, to_sgsn
        self.tables = Tables(config.pool, config.timers, config.ratio)
        self.uplink, self.downlink = Uplink(self.tables), Downlink(self.tables)
        self.sgsn_of: dict[Remote, Sgsn] = {}
        self.nse_of: dict[Remote, Nse] = {}  # by the far end of each NS-VC
        self.sns_of: dict[int, Sns] = {}  # by NSEI
        for place in config.places:
            self._add_sgsn(place)

    def _add_sgsn(self, place: SgsnPlace) -> None:
        sgsn = Sgsn(place.member, self.config.timers, self.config.forgets)
        send = functools.partial(self._send_to_sgsn, place.remote)
        sgsn.link = Link(ids_of(place.nsvci, place.member.nsei), self.config.timers, send, sgsn.link_changed,
                         ns.BEGINS)
        self.tables.sgsns[place.member.nsei] = self.sgsn_of[place.remote] = sgsn

    def _send_to_sgsn(self, remote: Remote, octets: bytes) -> None:
        self.to_sgsn(octets, remote)

    def _send_to_bss(self, remote: Remote, octets: bytes) -> None:
        self.to_bss(octets, remote)

    def start(self, now: float) -> None:
        for sgsn in self.sgsn_of.values():
            sgsn.link.start(now)

    def tick(self, now: float) -> None:
        self.tables.tick(now)
        for sns in self.sns_of.values():
            sns.tick(now)

    # --- from the SGSNs

    def from_sgsn(self, octets: bytes, remote: Remote, now: float) -> None:
        sgsn = self.sgsn_of.get(remote)
        if sgsn is None or not octets:
            self.tables.drop("down_unknown_endpoint")
        elif octets[0] != wire.NS_UNITDATA:
            self._ns_of_sgsn(sgsn, octets, now)
        elif not sgsn.link.is_up or len(octets) <= wire.NS_HEADER:
            self.tables.drop("down_ns_not_up")
        else:
            try:
                self.downlink.receive(sgsn, octets, now)
            except wire.Malformed:
                self.tables.drop("down_malformed")

    def _ns_of_sgsn(self, sgsn: Sgsn, octets: bytes, now: float) -> None:
        if octets[0] in (wire.NS_RESET, wire.NS_RESET_ACK) and not octets.endswith(sgsn.link.ids):
            self.tables.drop("down_other_ids")
        elif not sgsn.link.receive(octets[0], now):
            self.tables.drop("down_ns_unexpected")

    # --- from the BSSs

    def from_bss(self, octets: bytes, remote: Remote, now: float) -> None:
        nse = self.nse_of.get(remote)
        try:
            if octets[:1] != b"\0":
                self._ns_of_bss(nse, octets, remote, now)
            elif nse is None or not nse.links[remote].is_up or len(octets) <= wire.NS_HEADER:
                self.tables.drop("up_ns_not_up")
            else:
                self.uplink.receive(nse, octets, now)
        except wire.Malformed:
            self.tables.drop("up_malformed")

    def _ns_of_bss(self, nse: Nse | None, octets: bytes, remote: Remote, now: float) -> None:
        if octets[:1] == bytes([wire.NS_RESET]):
            nse = self._named_by_reset(octets, remote, now)
        elif octets[:1] == bytes([wire.SNS_SIZE]):
            self._sns_by_size(octets, remote).size(now)
            return
        elif octets and wire.SNS_ACK <= octets[0] <= wire.SNS_SIZE_ACK:
            self._sns(octets, now)
            return
        if nse is None or not nse.links[remote].receive(octets[0], now):
            self.tables.drop("up_ns_unexpected")

    def _put_link(self, nse: Nse, remote: Remote, link: Link) -> None:
        nse.links[remote], self.nse_of[remote] = link, nse

    def _take_link(self, remote: Remote, now: float) -> None:
        nse = self.nse_of.pop(remote, None)
        if nse:
            nse.links.pop(remote).close(now)
            self.tables.settle(nse, now)

    def _named_by_reset(self, octets: bytes, remote: Remote, now: float) -> Nse:
        """The NSE of an NS-RESET, which may be new, as may be its NS-VC."""
        found = wire.elements(octets)
        nsvci, nsei = wire.number(found, wire.NS_VCI, 2), wire.number(found, wire.NS_EI, 2)
        nse, ids = self.tables.nse(nsei), ids_of(nsvci, nsei)
        if self.nse_of.get(remote) is not nse or nse.links[remote].ids != ids:
            self._take_link(remote, now)
            self._put_link(nse, remote, self._new_link(nse, remote, ids))
        return nse

    def _new_link(self, nse: Nse, remote: Remote, ids: bytes, role: str = ns.ANSWERS) -> Link:
        return Link(ids, self.config.timers, functools.partial(self._send_to_bss, remote),
                    lambda _link, now: self.tables.settle(nse, now), role)

    # --- IP-SNS

    def _sns_by_size(self, octets: bytes, remote: Remote) -> Sns:
        nsei = wire.number(wire.elements(octets[:5]), wire.NS_EI, 2)
        nse = self.tables.nse(nsei)
        if nsei not in self.sns_of:
            sns = self.sns_of[nsei] = Sns(nsei, self.config.bss_listen, self.config.timers.retry)
            sns.put, sns.take = functools.partial(self._put_sns_link, nse), self._take_link
        self.sns_of[nsei].send = functools.partial(self._send_to_bss, remote)
        return self.sns_of[nsei]

    def _put_sns_link(self, nse: Nse, remote: Remote, now: float) -> None:
        link = self._new_link(nse, remote, b"", ns.SNS)
        self._put_link(nse, remote, link)
        link.start(now)

    def _sns(self, octets: bytes, now: float) -> None:
        """The NSEI is in front, in SNS-CONFIG after the end flag."""
        at = 2 if octets[0] == wire.SNS_CONFIG else 1
        sns = self.sns_of.get(wire.number(wire.elements(octets[:at + 4], at), wire.NS_EI, 2))
        if sns is None:
            self.tables.drop("up_ns_unexpected")
        else:
            sns.receive(octets, now)

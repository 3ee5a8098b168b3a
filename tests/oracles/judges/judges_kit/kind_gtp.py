# SPDX-License-Identifier: BSD-3-Clause
"""GTP-U and GTPv1-C as tshark tells them."""
import ipaddress

from judges_kit.kind import Kind
from judges_kit.tshark import BETWEEN

HEADER = {"gtp.message": "type", "gtp.teid": "teid", "gtp.seq_number": "seq", "gtp.npdu_number": "n_pdu_number"}
USER_PLANE = {**HEADER, "gtp.tpdu_data": "t_pdu", "gtp.recovery": "recovery"}
CONTROL = {**HEADER, "gtp.cause": "cause", "e212.imsi": "imsi", "gtp.teid_data": "teid_data", "gtp.teid_cp": "teid_control",
           "gtp.tear_ind": "teardown", "gtp.qos_al_ret_priority": "arp"}
ERROR_INDICATION = "26"


def packed(row, field):
    """Addresses of a field, in hex."""
    return [ipaddress.ip_address(text).packed.hex() for text in row[field].split(BETWEEN)] if row[field] else []


def _extensions(row, found):
    """The type octets of the chain, without the 0 that ends it."""
    chain = row.all("gtp.ext_hdr.next")
    if "0" in chain:
        chain = chain[:chain.index("0")]
    if chain and row.value("gtp.flags") & 4:
        found["extensions"] = ",".join(chain)


def _gtpu(row, found):
    _extensions(row, found)
    if "gtp.ext_hdr_type" in row:
        found["known_extensions"] = ",".join(row.all("gtp.ext_hdr_type"))
    peers = [peer for field in ("gtp.gsn_ipv4", "gtp.gsn_ipv6") if field in row for peer in packed(row, field)]
    if found.get("type") == ERROR_INDICATION and "gtp.teid_data" in row and peers:
        found["error_teid"] = row.first("gtp.teid_data")
        found["error_peer"] = peers[0]


def _gtpc(row, found):
    _extensions(row, found)
    for name, value in zip(("nsapi", "linked_nsapi"), row.all("gtp.nsapi")):
        found[name] = value
    for name, value in zip(("control", "user"), packed(row, "gtp.gsn_ipv4") + packed(row, "gtp.gsn_ipv6")):
        found[name] = value
    for name in ("user_ipv4", "user_ipv6"):
        if f"gtp.{name}" in row:
            found[name] = packed(row, f"gtp.{name}")[0]


CHAIN = ("gtp.flags", "gtp.ext_hdr.next")
UNSEEN = frozenset(("elements",))
GTPU = Kind("gtp", USER_PLANE, (*CHAIN, "gtp.teid_data", "gtp.gsn_ipv4", "gtp.gsn_ipv6", "gtp.ext_hdr_type", "_ws.expert.message"), _gtpu,
            unseen=UNSEEN)
GTPC = Kind("gtp", CONTROL, (*CHAIN, "gtp.nsapi", "gtp.gsn_ipv4", "gtp.gsn_ipv6", "gtp.user_ipv4", "gtp.user_ipv6",
                             "_ws.expert.message"), _gtpc, unseen=UNSEEN)

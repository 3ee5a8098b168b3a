# SPDX-License-Identifier: BSD-3-Clause
"""NS and IP-SNS as tshark tells them."""
import ipaddress

from judges_kit.kind import Kind
from judges_kit.tshark import BETWEEN

NS_FIELDS = {"nsip.pdu_type": "type", "nsip.cause": "cause", "nsip.ns_vci": "nsvci", "nsip.nsei": "nsei",
             "nsip.bvci": "bvci", "nsip.max_num_ns_vc": "max_nsvcs", "nsip.num_ip4_endpoints": "ip4_endpoints",
             "nsip.num_ip6_endpoints": "ip6_endpoints", "nsip.reset_flag.flag": "reset_flag",
             "nsip.end_flag.flag": "end_flag", "nsip.control_bits": "control_bits",
             "nsip.transaction_id": "transaction", "nsip.ns_pdu": "ns_pdu"}


RAW = ("elements", "absent", "error_cause")  # for the judge that knows identifiers, not names


def address(text):
    """Octets of an address in hex."""
    return ipaddress.ip_address(text).packed.hex()


def _ns(row, found):
    """Lists and the lone address share tshark's field of addresses; only list elements have ports."""
    more = [iter(row.all(f"nsip.ip_element.{name}")) for name in ("udp_port", "signalling_weight", "data_weight")]
    if found.get("type") == "0":
        found["sdu"] = row["data.data"]
    lone = row.first("nsip.ip_address_type")
    v4 = row["nsip.ipv4_address"].split(BETWEEN) if row["nsip.ipv4_address"] else []
    v6 = row["nsip.ipv6_address"].split(BETWEEN) if row["nsip.ipv6_address"] else []
    if lone:
        found["address"] = address((v4 if lone == "1" else v6).pop(0)) if (v4 if lone == "1" else v6) else ""
    for name, texts in (("ip4_list", v4), ("ip6_list", v6)):
        if texts:
            found[name] = ",".join(",".join((address(one), *(next(values, "?") for values in more))) for one in texts)


NS = Kind("gprs_ns", NS_FIELDS, ("nsip.ip_address_type", "nsip.ipv4_address", "nsip.ipv6_address",
                                 "nsip.ip_element.udp_port", "nsip.ip_element.signalling_weight",
                                 "nsip.ip_element.data_weight", "data.data"), _ns,
          disabled=("bssgp",), unseen=RAW)

# SPDX-License-Identifier: BSD-3-Clause
"""TRex profile (stateless): GTP-U downlink to the node of `gbflow bench node NODE.lua --set teids=foreign`.

usage: usage: usage: usage: start -f trex_gtpu.py -p 0 -m 1mpps -t octets=512,mobiles=10000,mac=02:00:00:00:00:01

octets: N-PDU size, 64 to 1500. mobiles: as many as the node's --mobiles. mac: of the node's Gn port.
"""

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from trex_stl_lib.api import STLPktBuilder, STLScVmRaw, STLStream, STLTXCont, STLVmFixIpv4, STLVmFlowVar, STLVmWrFlowVar

SGSN, GGSN = "10.0.0.1", "10.0.0.2"
FIRST_ADDRESS = 0x64400000  # 100.64.0.0, of the mobile with TEID 1
TUNNEL_OCTETS = 14 + 20 + 8 + 8  # Ethernet, IPv4, UDP, GTP-U
TEID_OFFSET = TUNNEL_OCTETS - 4
DESTINATION_OFFSET = TUNNEL_OCTETS + 16
GTPU_PORT = 2152


class GtpuDownlink:
    """Each frame goes to a mobile that is drawn at random."""

    def get_streams(self, direction=0, octets=512, mobiles=10000, mac="ff:ff:ff:ff:ff:ff", **_unused):
        """One stream, continuous; its rate is that of `start -m`."""
        octets, mobiles = int(octets), int(mobiles)
        n_pdu = IP(src="198.51.100.10", dst="100.64.0.0") / UDP(sport=4000, dport=4000)
        n_pdu = n_pdu / Raw(b"x" * (octets - len(n_pdu)))
        gtpu = b"\x30\xff" + octets.to_bytes(2, "big") + (1).to_bytes(4, "big")
        frame = (Ether(dst=mac, src="02:67:62:66:00:01") / IP(src=GGSN, dst=SGSN) /
                 UDP(sport=GTPU_PORT, dport=GTPU_PORT, chksum=0) / Raw(gtpu) / n_pdu)
        program = STLScVmRaw([
            STLVmFlowVar(name="teid", min_value=1, max_value=mobiles, size=4, op="random"),
            STLVmWrFlowVar(fv_name="teid", pkt_offset=TEID_OFFSET),
            STLVmWrFlowVar(fv_name="teid", pkt_offset=DESTINATION_OFFSET, add_val=FIRST_ADDRESS - 1),
            STLVmFixIpv4(offset=TUNNEL_OCTETS),
        ])
        return [STLStream(packet=STLPktBuilder(pkt=frame, vm=program), mode=STLTXCont())]


def register():
    """TRex calls it."""
    return GtpuDownlink()

# SPDX-License-Identifier: BSD-3-Clause
"""Checks of single LLC frames and of N(U)."""
from gb_oracle import gb


def downlink(events):
    return [event for event in events if isinstance(event, gb.DlPdu)]


def check(pdus, report):
    """fcs, llc_header and nu_sequence over all DL-UNITDATA."""
    expected = {}
    for pdu in pdus:
        frame = pdu.llc
        report["fcs"].expect(frame.ciphered or frame.fcs_good, pdu, f"TLLI {pdu.tlli:08x}: FCS is wrong")
        fault = frame.fault or ("ciphered, and no key is known" if frame.ciphered else None)
        report["llc_header"].expect(fault is None, pdu, f"TLLI {pdu.tlli:08x}: {fault}")
        if frame.nu is None:
            continue
        want = expected.get((pdu.tlli, frame.sapi), 0)
        report["nu_sequence"].expect(
            frame.nu == want, pdu, f"TLLI {pdu.tlli:08x} SAPI {frame.sapi}: N(U) is {frame.nu}, {want} is due")
        expected[pdu.tlli, frame.sapi] = (frame.nu + 1) % 512

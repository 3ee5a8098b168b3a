# SPDX-License-Identifier: BSD-3-Clause
"""First inputs of the harnesses that drive state machines in Lua: sequences that reach each state."""
import os
import re

GTPC = 2123


def vectors(source, name):
    with open(os.path.join(source, "tests/data/vectors", name), encoding="ascii") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [(column, bytes.fromhex(octets)) for _, _, column, octets in rows]


def with_features(sequences):
    """Behind the octet that chooses features: none, each, or all, in turn."""
    chosen = (0, *(1 << bit for bit in range(8)), 0xFF)
    return [bytes((chosen[number % len(chosen)],)) + sequence for number, sequence in enumerate(sequences)]


GB_BSSGP, GB_NS, GB_RAW, GB_UP, GB_WAIT, GB_NEWS, GB_RELOAD = 0, 3, 4, 5, 6, 7, 8  # inputs of gb_machine_fuzz.c
GB_ROWS = 45  # of the tables of PDUs, at least


def gb_machine_seeds():
    """All NSEs in service, then each PDU of the tables, news of each kind, and each change of the configuration."""
    up = bytes((GB_UP, 0, GB_UP, 1, GB_UP, 2, GB_UP, 7))
    pdus = [up + bytes((GB_BSSGP, nsvc, row, 0, nsvc, 9, 0, 255, 0)) for row in range(GB_ROWS) for nsvc in (0, 7)]
    sns = [up + bytes((GB_NS, nsvc, row, 0x11, 0, 0)) * 2 for row in range(20) for nsvc in (1, 2)]
    page = bytes((GB_NEWS, 1, 0, GB_WAIT, 14))
    flows = bytes((GB_NEWS, 3, 0, GB_BSSGP, 0, 30, 0, 0, 9, 0, 255, 0, GB_NEWS, 16, 0))
    reloads = [up + page + bytes((GB_RELOAD, what)) * 2 + bytes((GB_WAIT, 13)) + up
               for what in (0, 1, 2, 0x60, 0x61, 0x62, 0x63, 0xc0, 0xc5, 0xc7)]
    return {"gb_machine": with_features(pdus + sns + reloads + [up + page, up + flows, up + bytes((GB_WAIT, 16)) * 3])}


LLC_FRAME, LLC_XID, LLC_MOBILE, LLC_CELL, LLC_WAIT = range(5)  # inputs of llc_machine_fuzz.c


def llc_machine_seeds(source):
    """Three mobiles and their cells, then frames, XID of both kinds, time, and the mobiles again."""
    start = bytes((LLC_CELL, 0, LLC_CELL, 1, LLC_MOBILE, 0, LLC_MOBILE, 9, LLC_MOBILE, 0x80 + 2))
    xids = [bytes.fromhex(text) for text in ("", "1605dc", "30841011223344", "00841605dc1a05df", "2c10010203")]
    frames = [octets[:-3] for _, octets in vectors(source, "llc.txt")]
    return {"llc_machine": [start + bytes((LLC_FRAME, 0, len(frame) % 256)) + frame[:255] for frame in frames] + [
        start + bytes((LLC_XID, what, len(xid))) + xid + bytes((LLC_WAIT, 12, LLC_CELL, 0x80, LLC_MOBILE, 0))
        for what in range(8) for xid in xids] + [start + bytes((LLC_WAIT, 15)) * 4]}


GN_ANSWER, GN_ASK, GN_RAW, GN_RELOAD, GN_NEWS, GN_WAIT, GN_SGSN, GN_ORDER, GN_MODIFIED = (
    0, 3, 4, 5, 6, 7, 8, 10, 11)  # inputs of gn_machine_fuzz.c
GN_CREATED = bytes((GN_ANSWER, 0, 0, 0, 0, 0, 0, 0))  # the latest request is accepted by whom it went to


def gn_machine_seeds(source):
    """Contexts at all GGSNs; then each answer to each request, requests of GGSNs, and time."""
    up = b"".join(bytes((GN_RELOAD, slot)) + GN_CREATED for slot in range(4))
    changed = up + bytes((GN_RELOAD, 0x80))
    answers = [start + bytes((GN_ANSWER, 0, what, sender, 1, 2, sender, sender, 0xc2, 0)) for sender in (0, 0x81, 0x87)
               for what in (0, 4, 6, 8, 0xd0, 0xe4, 0xf0) for start in (up, changed, up + bytes((GN_RELOAD, 4)))]
    requests = [up + bytes((GN_ASK, what, 1, sender, 0, 0)) for what in (0, 1, 3, 5, 0x81) for sender in (0, 0x87, 0x84)]
    news = [up + bytes((GN_NEWS, what, GN_WAIT, 14)) + GN_CREATED for what in (0, 1, 0x40, 0x80)]
    messages = [octets for port, octets in vectors(source, "gn.txt") if port == str(GTPC) and len(octets) < 256]
    raw = [up + bytes((GN_RAW, 0, len(octets))) + octets for octets in messages]
    again = up + bytes((GN_WAIT, 16, GN_ANSWER, 0, 0, 0, 1, 0)) * 3 + bytes((GN_RELOAD, 0, GN_RELOAD, 0)) + GN_CREATED
    # A GGSN's TEID that is no complement of the node's, then an answer to an Update with the node's TEID.
    again = [again, bytes((GN_RELOAD, 0)) + GN_CREATED[:-1] + bytes((0xF0, 0x77, 20, GN_RELOAD, 0xC0, GN_ANSWER, 0, 0, 0, 0xF0, 0xC1, 4))]
    sgsns = [up + bytes((GN_ORDER, kind, 0, GN_SGSN, answer, 8, 0, 0, 2, 0, GN_ORDER, 2, 0, GN_WAIT, 16, GN_ORDER, 5, 0))
             for kind, answer in ((0, 2), (0, 0x22), (1, 3))]
    sgsns += [up + bytes((GN_SGSN, 1, what, 0, 0, GN_ORDER, kind, 0x10, GN_SGSN, 4, 0x20, address, 0, GN_WAIT, 16))
              for what in (0, 0x19) for kind in (3, 4) for address in (0, 4)]
    ask = bytes((GN_ASK, 3, 1, 0, 0, 0, 0))  # of the first context, a phone's
    modified = [up + ask + after for after in (bytes((GN_MODIFIED, 0)), bytes((GN_MODIFIED, 0x40)), ask + ask[:2] + b"\2" + ask[3:],
                                               bytes((GN_RELOAD, 0)), bytes((GN_ASK, 1, 2, 0, 0)), bytes((GN_NEWS, 0)))]
    modified += [changed + ask + GN_CREATED + bytes((GN_MODIFIED, 0))]
    return {"gn_machine": with_features(sgsns + modified + answers + requests + news + raw + again + [bytes((GN_RELOAD, 1, GN_WAIT, 16)) * 4])}


PH_ANSWER, PH_ASK, PH_FIRST, PH_HLR, PH_CONTEXT, PH_WAIT, PH_RAW, PH_LINK, PH_HLR_RAW, PH_REACHED, PH_CLASS, PH_SGSN, PH_POOL = (
    0, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 16)  # inputs of phones_machine_fuzz.c
PH_KINDS, PH_SMS = 9, 8  # of requests


def phones_machine_seeds(source):
    """Phones that attach, with an HLR and without; then each request, each answer, news of contexts, and time."""
    ready = bytes((0, PH_LINK, 1, PH_HLR, 0, 0, 1))

    def attached(slot, imsi, tuples=0x11):
        return bytes((PH_FIRST, 0, slot, 0, imsi, PH_HLR, 2, tuples, 1, PH_ANSWER, slot * 4, 0, PH_HLR, 2, 0, 1, PH_ANSWER,
                      slot * 4, 0))

    one, two = ready + attached(0, 0), ready + attached(0, 0) + attached(1, 1, 1)
    active = one + bytes((PH_ASK, 0, 4, 0, PH_CONTEXT, 0x80))
    lax = bytes((1, PH_FIRST, 0, 1, 0, 0, PH_ANSWER, 0, 0, PH_ASK, 0, 4, 0, PH_CONTEXT, 0x80))
    offered = bytes((1, PH_FIRST, 0, 1, 0, 0))
    again = bytes((PH_HLR, 2, 1, 1, PH_ANSWER, 0, 0, PH_HLR, 2, 0, 1, PH_ANSWER, 0, 0))
    asks = [start + bytes((PH_ASK, clear, kind, what)) + again for start in (active, lax, offered) for clear in (0, 0x80)
            for kind in range(PH_KINDS) for what in (0, 1, 3, 8, 0x20, 0xa5)]
    identity = [ready + bytes((PH_FIRST, 0, 0, 0, 8, PH_ANSWER, 0, what)) + again for what in (0, 1, 8, 0x40)]
    wrong = [ready + bytes((PH_FIRST, 0, 0, 0, imsi, PH_HLR, 2, tuples, 1, PH_ANSWER, 0, what)) + again
             for imsi in (0, 3) for tuples in (0, 1, 4, 8, 0x11, 0x91) for what in (0, 1, 2, 0x20, 0x40)]
    hlr = [two + bytes((PH_HLR, 1, what, 1)) + again for what in range(0, 64, 3)]
    sms = [two + bytes((PH_ASK, 0, PH_SMS, what, PH_HLR, 2, result, 1, PH_ANSWER, 0, 1))
           for what in (0, 4, 0x20, 0x40, 0x60, 0x80, 0xC0) for result in (0, 8)]
    sms += [two + bytes((PH_HLR, 1, 3 | what, 1, PH_REACHED, 0, PH_ANSWER, 0, first, PH_ANSWER, 0, last))
            for what in (0, 4, 0x10, 0x20) for first, last in ((1, 2), (1, 0), (2, 2), (0, 0))]
    news = [active + bytes((PH_CONTEXT, what, PH_WAIT, 13, PH_ANSWER, 0, 0)) for what in (0, 0x40, 0x80)]
    news += [active + bytes((PH_CLASS, what)) + after for what in (0x80, 0xA0, 0xC0)
             for after in (bytes((PH_WAIT, 16)), bytes((PH_CLASS, 0x20, PH_CONTEXT, 0x40)), bytes((PH_ASK, 0, 2, 0)), again)]
    quiet = [start + bytes((PH_WAIT, 14)) * 3 for start in (active, lax, two, ready)]
    foreign = [two + bytes((PH_FIRST, 0x80, 1, 1)) + again, two + bytes((PH_LINK, 0, PH_WAIT, 11, PH_LINK, 1))]
    with open(os.path.join(source, "tests", "unit", "lua", "phone_wire_rows.lua"), encoding="utf-8") as file:
        pdus = [bytes.fromhex(text) for text in re.findall(r'hex = "((?:[0-9a-f]{2})+)"', file.read())]
    raw = [lax + bytes((PH_RAW, 0, len(pdu))) + pdu for pdu in pdus if pdu[0] & 15 in (8, 10) and len(pdu) < 256]
    raw += [two + bytes((PH_HLR_RAW, 0, len(pdu))) + pdu for pdu in pdus if pdu[0] < 0x20 and len(pdu) < 256]
    done = bytes((PH_POOL, 2, 0, PH_HLR, 2, 0, 1, PH_ANSWER, 0, 0, PH_CONTEXT, 0x80, PH_ANSWER, 0, 0, PH_WAIT, 14))
    known = bytes((PH_SGSN, 0, 0, 0x12)), bytes((PH_SGSN, 0, 0x20, 0)), bytes((PH_SGSN, 1, 1, 0)), bytes((PH_SGSN, 2, 0, 0))
    pool = [start + bytes((PH_FIRST, 0, 0xB0, 1, rau)) + address + told + again + done
            for start in (ready, bytes((1,))) for rau, address in ((0x21, b""), (0x41, bytes((PH_POOL, 0, 0)))) for told in known]
    pool += [start + bytes((PH_SGSN, kind, what, 0, PH_POOL, 2, 8, PH_SGSN, 5, 0, 9, PH_WAIT, wait, PH_SGSN, 6, 1, 0))
             for start in (active, lax) for kind in (3, 4) for what in (0, 1) for wait in (8, 15)]
    pool += [start + bytes((PH_POOL, 1, what, PH_WAIT, 12, PH_ASK, 0, 1, 1, PH_ANSWER, 0, 0)) + done
             for start in (active, lax) for what in (0, 0x10, 0x14, 0x40)]
    pool += [bytes((each[0] | features,)) + each[1:] for each in pool + sms + news for features in (2, 4)]  # without SMS, other SGSNs
    return {"phones_machine": pool + asks + identity + wrong + hlr + sms + news + quiet + foreign + raw}


def seeds(source):
    """A list of inputs by the name of its harness."""
    return {**gb_machine_seeds(), **llc_machine_seeds(source), **gn_machine_seeds(source), **phones_machine_seeds(source)}

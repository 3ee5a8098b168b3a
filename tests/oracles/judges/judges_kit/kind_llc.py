# SPDX-License-Identifier: BSD-3-Clause
"""LLC and SNDCP as tshark tells them."""
from judges_kit.kind import Kind


def _sndcp(row, found):
    data = row["sndcp.payload"] or row["data.data"]
    found["data"] = data
    if found.get("first") == "1" and "segment" not in found:
        found["segment"] = "0"


SNDCP = Kind("sndcp", {"sndcp.nsapib": "nsapi", "sndcp.f": "first", "sndcp.m": "more", "sndcp.segment": "segment",
                       "sndcp.npdu": "n_pdu_number", "sndcp.dcomp": "dcomp", "sndcp.pcomp": "pcomp"},
             ("sndcp.t", "sndcp.x", "sndcp.payload", "data.data"), _sndcp)

LLC_FIELDS = {"llcgprs.sapib": "sapi", "llcgprs.cr": "cr", "llcgprs.nu": "nu", "llcgprs.e": "e", "llcgprs.pm": "pm",
              "llcgprs.ucom": "command", "llcgprs.pf": "pf", "llcgprs.sackns": "ns"}


def _xid(row, found):
    """tshark tells types, the two parts of lengths, and octets in one list each; those of L3 parameters it takes apart."""
    spread, lengths = iter(row.all("llcgprs.xidlen2")), []
    for is_long, first in zip(row.all("llcgprs.xidxl"), row.all("llcgprs.xidlen1")):
        lengths.append(str(int(first) << 6 | int(next(spread, 0))) if is_long == "1" else first)
    found["xid_types"] = ",".join(row.all("llcgprs.xidtype"))
    found["xid_lengths"] = ",".join(lengths)
    octets = iter(f"{int(value):02x}" for value in row.all("llcgprs.xidbyte"))
    kept = [length for kind, length in zip(row.all("llcgprs.xidtype"), lengths) if kind != "11"]
    found["xid_octets"] = ",".join("".join(next(octets, "?") for _ in range(int(length))) for length in kept)


def _frmr(row, found):
    words = [int(value) for value in row.all("llcgprs.frmrrfcf")]
    if not words or not row["llcgprs.frmrw1"]:
        return
    found["frmr_control"] = "".join(f"{word:04x}" for word in words)
    for name in ("vs", "vr", "cr"):
        found[f"frmr_{name}"] = row.first(f"llcgprs.frmr{name}")
    found["frmr_why"] = str(sum(int(row.first(f"llcgprs.frmrw{bit + 1}")) << bit for bit in range(4)))


def _llc(row, found):
    if row["fcs"]:
        found["fcs"] = row["fcs"]
    formats = {"llcgprs.nu": "ui", "llcgprs.ucom": "u", "llcgprs.sackns": "i", "llcgprs.nr": "s"}
    found.update(("format", word) for name, word in formats.items() if name in row)
    for name, field in (("llcgprs.sacknr", "nr"), ("llcgprs.nr", "nr"), ("llcgprs.ai", "a"), ("llcgprs.as", "a"),
                        ("llcgprs.sacksfb", "supervisory"), ("llcgprs.s1s2", "supervisory")):
        if name in row:
            found[field] = row.first(name)
    if found.get("command") in ("11", "7", "6"):
        _xid(row, found)
    elif found.get("command") == "8":
        _frmr(row, found)


LLC = Kind("llcgprs", LLC_FIELDS, (
    "llcgprs.sacknr", "llcgprs.sacksfb", "llcgprs.ai", "llcgprs.nr", "llcgprs.s1s2", "llcgprs.as", "llcgprs.xidtype",
    "llcgprs.xidxl", "llcgprs.xidlen1", "llcgprs.xidlen2", "llcgprs.xidbyte", "llcgprs.frmrrfcf", "llcgprs.frmrvs",
    "llcgprs.frmrvr", "llcgprs.frmrcr", "llcgprs.frmrw1", "llcgprs.frmrw2", "llcgprs.frmrw3", "llcgprs.frmrw4", "fcs"), _llc,
    disabled=("sndcp", "sndcpxid", "gsm_a.dtap"))

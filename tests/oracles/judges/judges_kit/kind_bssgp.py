# SPDX-License-Identifier: BSD-3-Clause
"""BSSGP as tshark tells it. It names values after their octets, not their place, so that ours are renamed to match."""
from judges_kit.kind import Kind
from judges_kit.tshark import BETWEEN

PLAIN = {
    "bssgp.cause": "cause", "bssgp.bmax": "ms_bucket_octets", "bssgp.r": "rate_bps", "bssgp.bucket_size": "bucket_octets",
    "bssgp.r_default_ms": "ms_rate_bps", "bssgp.tag": "tag", "bssgp.bucket_full_ratio": "ratio_percent",
    "bssgp.flow_control_gran": "granularity", "bssgp.flush_action": "flush_action", "bssgp.no_of_oct": "octets_affected",
    "bssgp.llc_frames_disc": "frames_discarded", "bssgp.suspend_ref_no": "suspend_ref", "bssgp.ra_cause": "radio_cause",
    "bssgp.ra_cap_upd_cause": "ra_cap_cause", "bssgp.nsei": "nsei_new", "bssgp.trace_ref": "trace_reference",
    "bssgp.transaction_id": "transaction_id", "gsm_a.tmsi": "tmsi", "bssgp.ci": "ci", "gsm_a.gm.gmm.rac": "rac",
    "bssgp.sci": "sci", "bssgp.unconfim_send_state_var": "send_state", "bssgp.llc_data": "llc_pdu",
    "bssgp.trace_type_data": "trace_type", "bssgp.sub_prof_id_f_rat_freq_prio": "spid",
    "bssgp.ggsn_pgw_location": "ggsn_location", "e212.imsi": "imsi",
}
SCALED = ("ms_bucket_octets", "rate_bps", "bucket_octets", "ms_rate_bps")
ELEMENTS = ("bssgp.elem_id", "gsm_a.gm.elem_id", "gsm_a.rr.elem_id", "gsm_a.common.elem_id", "gsm_a.bssmap.elem_id")
FEATURES = ("mbms", "enhancedradiostatus", "pfcfc", "rim", "lcs", "inr", "cbl", "pfc")
QOS = ("peak_bit_rate", "peak_rate_gran", "cr_bit", "t_bit", "a_bit", "precedence")
FLOWS = ("gsm_a.gm.sm.packet_flow_id", "bssgp.bmax_pfc", "bssgp.r_pfc", "bssgp.b_pfc")
AREAS = {"cell_id": ("ci", "rac"), "routeing_area": ("rac",), "location_area": (), "old_rai": ("rac",)}
# Names that tshark has no field for, or that it takes apart further than we do.
UNSEEN = frozenset((
    "elements", "absent", "error_cause", "alignment", "bss_area", "channel_needed", "drx_parameters", "emlpp", "mobile_id",
    "ms_ra_capability", "omc_id", "priority", "trigger_id", "lsa_ids", "lsa_information", "abqp", "service_utran_cco",
    "global_cn_id", "extended_feature_bitmap", "redirect_attempt", "redirection_indication", "redirection_completed",
    "selected_plmn", "priority_class", "edrx", "time_until_paging", "coverage_class", "paging_attempt", "exception_report",
    "attach_indicator", "llc_pdu_initial", "inter_rat_handover", "eutran_handover"))


def reword(fields):
    """Our names in the judge's terms: repeated values as lists, areas in parts."""
    fields["ieis"] = ",".join(sorted(element[:2] for element in fields.get("elements", "").split(",") if element))
    for name, parts in (("tllis", ("tlli", "tlli_old")), ("bvcis", ("bvci", "bvci_new")), ("timers", ("pft", "t10")),
                        ("delays", ("measurement_cs", "lifetime_cs"))):
        values = [fields.pop(part) for part in parts if part in fields]
        if values:
            fields[name] = ",".join(values)
    if "trace_type" in fields:
        fields["trace_type"] = f"{int(fields['trace_type']):02x}"
    for name, parts in AREAS.items():
        if name in fields:
            mcc, mnc, lac, *rest = fields.pop(name).split("-")
            fields["plmn"], fields["lac"] = f"{int(mcc)}-{int(mnc)}", lac
            fields.update(zip(reversed(parts), rest))


def _scaled(found):
    unit = 100 * 10 ** (int(found.get("granularity", 0)) & 3)
    if "granularity" in found:
        found["granularity"] = str(int(found["granularity"]) & 3)
    for name in SCALED:
        if name in found:
            found[name] = str(int(found[name]) * unit)
    return unit


def _bits(row, names):
    """Octet of eight one-bit fields, the first of them on top."""
    return str(int("".join(str(row.value(f"bssgp.{name}")) for name in names), 2))


def _qos(row):
    peak, unit, command, data, unacknowledged, precedence = (row.value(f"bssgp.{name}") for name in QOS)
    return f"{peak:04x}{unit << 6 | command << 5 | data << 4 | unacknowledged << 3 | precedence:02x}"


def _flows(row, unit):
    flow, bucket, rate, ratio = (row.all(name) for name in FLOWS)
    columns = [flow, [str(int(x) * unit) for x in bucket], [str(int(x) * unit) for x in rate]] + ([ratio] if ratio else [])
    return ",".join(value for one in zip(*columns) for value in one)


def _bssgp(row, found):
    found["type"] = row.first("bssgp.pdu_type")
    found["ieis"] = ",".join(sorted(text[2:] for name in ELEMENTS for text in row[name].split(BETWEEN) if text))
    for name, field in (("tllis", "gsm_a.rr.tlli"), ("bvcis", "bssgp.bvci"), ("delays", "bssgp.delay_val")):
        if field in row:
            found[name] = ",".join(row.all(field))
    units = row.all("bssgp.unit_val")
    if units:
        found["timers"] = ",".join(str(int(u) << 5 | int(v)) for u, v in zip(units, row.all("bssgp.gprs_timer")))
    unit = _scaled(found)
    if "bssgp.pfc" in row:
        found["feature_bitmap"] = _bits(row, FEATURES)
    if "bssgp.precedence" in row:
        found["qos_profile"] = _qos(row)
    if "bssgp.num_pfc" in row:
        found["pfcs"] = _flows(row, unit)
    elif "gsm_a.gm.sm.packet_flow_id" in row:
        found["pfi"] = row.first("gsm_a.gm.sm.packet_flow_id")
    for prefix in ("e212.rai", "e212.lai"):
        if f"{prefix}.mcc" in row:
            found["plmn"] = f"{row.value(f'{prefix}.mcc')}-{row.value(f'{prefix}.mnc')}"
    if "gsm_a.lac" in row:
        found["lac"] = row.first("gsm_a.lac")
    if "bssgp.pdu_data" in row:
        found["pdu_in_error"] = f"{int(row.all('bssgp.pdu_type')[1]):02x}{row['bssgp.pdu_data'].replace('<MISSING>', '')}"
    return "missing" if "bssgp.missing_mandatory_element" in row else None


BSSGP = Kind("bssgp", PLAIN, (
    "bssgp.pdu_type", *ELEMENTS, "gsm_a.rr.tlli", "bssgp.bvci", "bssgp.delay_val", "bssgp.unit_val", "bssgp.gprs_timer",
    *(f"bssgp.{name}" for name in FEATURES + QOS), *FLOWS, "bssgp.num_pfc", "e212.rai.mcc", "e212.rai.mnc", "e212.lai.mcc",
    "e212.lai.mnc", "gsm_a.lac", "bssgp.pdu_data", "bssgp.missing_mandatory_element", "bssgp.msg_type.unknown",
    "_ws.expert.message"), _bssgp, disabled=("llcgprs",), unseen=UNSEEN, reword=reword)

# SPDX-License-Identifier: BSD-3-Clause
"""Older versions of what gbflow writes, read as today's."""

from collections.abc import Mapping
from typing import Any

SUMMARY_SCHEMA = "gbflow-summary/2"
BENCH_SCHEMA = "gbflow-bench/2"

# Of every report of a node: old names and today's. PARENT.KEY is the key below that one only.
NODE = {
    "gn.handed_over": "steered_out",  # workers[]
    "gb.handed_over": "steered_out",
    "taken_over": "steered_in",
    "npdu.joined": "xworker_in",   # workers[]
    "npdu.left": "xworker_out",
    "frames_kept": "frames_forwarded",  # mobility
    "strangers": "unknown_tlli",
    "gn.asked": "answers_due",
    "extension_notices": "extension_notifications",
    "over_budget": "rate_limited",
    "answers_lost": "answers_unsent",
    "echo_lost": "echo_unsent",
    "llc.up": "uplink_frames",
    "llc.regained": "overflow_counter_recovered",
    "llc.orders": "control_frames",
    "enqueue.asked": "offered",  # aqm.CLASS
    "dequeue.asked": "offered",
    "unmarkable": "dropped_not_ect",
    "repeats": "retransmissions",  # paths[]
    "losses": "failures",
    "handover_full": "xworker_full",  # drop reasons
    "drops.gtpu_echo": "gtpu_echo_request",
    "drops.gtpu_error": "gtpu_error_indication",
    "drops.neighbour": "arp_icmp",
    "drops.unknown_peer": "unknown_nsvc",
    "drops.ip_address": "ip_reserved_address",
}
EMULATE = {
    "gave_up": "procedures_failed",
    "told_discarded": "llc_discarded",
    "is_up": "in_service",
    "taken": "moved",
    "setups": "tbf_setups",
    "repeated_blocks": "retransmitted_blocks",
    "holes": "incomplete_npdus",
    "xids": "xid_commands",
    "unwritten": "tun_refused",
    "strays": "foreign_packets",
    "unknown_mobile": "unknown_tlli",
    "uplink_lost": "uplink_refused",
}
BENCH = {
    "open_percent": "bvc_rate_percent",  # plan
    "plant_percent": "slowdown_percent",
    "fed": "offered",  # preloaded
    "left_out": "not_offered",  # soak
    "unsent": "tx_ring_full",
    "frames_back": "llc_frames_received",
    "outside": "losses_outside_gaps",
    "longest_after_us": "longest_recovery_us",
    "covered_share": "gap_time_share",
    "warm": "after_warm_up",
    "worker_buffers": "worker_mbufs",
    "generator_buffers": "generator_mbufs",
    "worker_octets": "worker_rss_octets",
    "generator_octets": "generator_rss_octets",
    "not_near_ns": "stall_ns",  # stages
    "is_finished": "search_finished",  # generate
}

# By the schema that a file has: the version after it, and its keys that have another name there.
RENAMED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "gbflow-summary/1": (SUMMARY_SCHEMA, {**NODE, "drops.other": "flushed"}),
    "gbflow-replay/1": ("gbflow-replay/2", {**NODE, "unfollowed": "unsupported"}),
    "gbflow-serve/1": ("gbflow-serve/2", NODE),
    "gbflow-serve/2": ("gbflow-serve/3", {}),  # frames that are no drops have left gn_frames.drops and gb_frames.drops
    "gbflow-emulate/1": ("gbflow-emulate/2", EMULATE),
    "gbflow-bench/1": (BENCH_SCHEMA, BENCH),
}

# By the schema that a file has, and by key: values that have another name in the version after it.
REVALUED: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "gbflow-bench/1": {"mode": {"memif": "ndr", "outside": "generate"}},
}


def renamed(value: Any, names: Mapping[str, str], parent: str = "") -> Any:
    """A copy in which keys of these names, at any depth, have their new ones; parent: the key that holds the value."""
    if isinstance(value, dict):
        return {names.get(f"{parent}.{key}", names.get(key, key)): renamed(item, names, key)
                for key, item in value.items()}
    return [renamed(item, names, parent) for item in value] if isinstance(value, list) else value


def revalued(value: Any, names: Mapping[str, Mapping[str, str]]) -> Any:
    """A copy in which texts below these keys, at any depth, have their new names."""
    if isinstance(value, dict):
        return {key: names[key].get(item, item) if key in names and isinstance(item, str) else revalued(item, names)
                for key, item in value.items()}
    return [revalued(item, names) for item in value] if isinstance(value, list) else value


def current(report: Any) -> Any:
    """A report of an older version as the newest one has it; what has no older version stays as it is."""
    while isinstance(report, dict) and isinstance(report.get("schema"), str) and report["schema"] in RENAMED:
        before = report["schema"]
        schema, names = RENAMED[before]
        report = {**renamed(revalued(report, REVALUED.get(before, {})), names), "schema": schema}
    return report

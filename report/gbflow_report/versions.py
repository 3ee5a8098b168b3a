# SPDX-License-Identifier: BSD-3-Clause
"""Older versions of what gbflow writes, read as today's."""

from collections.abc import Mapping
from typing import Any

SUMMARY_SCHEMA = "gbflow-summary/2"

# Of every report of a node: old names and today's. PARENT.KEY is the key below that one only.
NODE = {
    "handed_over": "steered_out",  # workers[].gn, .gb
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

# By the schema that a file has: the version after it, and its keys that have another name there.
RENAMED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "gbflow-summary/1": (SUMMARY_SCHEMA, {**NODE, "drops.other": "flushed"}),
    "gbflow-replay/1": ("gbflow-replay/2", {**NODE, "unfollowed": "unsupported"}),
    "gbflow-serve/1": ("gbflow-serve/2", NODE),
    "gbflow-emulate/1": ("gbflow-emulate/2", EMULATE),
}


def renamed(value: Any, names: Mapping[str, str], parent: str = "") -> Any:
    """A copy in which keys of these names, at any depth, have their new ones; parent: the key that holds the value."""
    if isinstance(value, dict):
        return {names.get(f"{parent}.{key}", names.get(key, key)): renamed(item, names, key) for key, item in value.items()}
    return [renamed(item, names, parent) for item in value] if isinstance(value, list) else value


def current(report: Any) -> Any:
    """A report of an older version as the newest one has it; what has no older version stays as it is."""
    while isinstance(report, dict) and isinstance(report.get("schema"), str) and report["schema"] in RENAMED:
        schema, names = RENAMED[report["schema"]]
        report = {**renamed(report, names), "schema": schema}
    return report

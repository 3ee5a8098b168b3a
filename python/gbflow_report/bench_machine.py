# SPDX-License-Identifier: BSD-3-Clause
"""What a report of `gbflow bench` ran on and was asked for: the machine, its gaps, its ports, the plan."""

from collections.abc import Sequence
from typing import Any

from gbflow_report import page, rfc2544_page
from gbflow_report.page import Cell, Table


def machine_table(datas: Sequence[dict[str, Any]], names: Sequence[str]) -> Table:
    """A row for each file: machines may differ, and so do loads."""
    table = Table("What it ran on.", ["report", "processor", "CPUs", "virtual", "AVX-512", "huge pages", "memory (GiB)",
                                      "TSC (GHz)", "load", "kernel", "DPDK"])
    for name, machine in zip(names, (data["machine"] for data in datas), strict=True):
        words = ["yes" if machine[field] else "no" for field in ("is_virtual", "has_avx512", "has_huge_pages")]
        table.rows.append([name, Cell(machine["cpu"] or page.NONE, "text"), page.count(machine["processors"]),
                           *(Cell(word, "text") for word in words), page.fixed(machine["memory_octets"], 1, 2**-30),
                           page.fixed(machine["tsc_hz"], 3, 1e-9), page.fixed(machine["load"], 2),
                           Cell(machine["kernel"], "text"), Cell(machine["dpdk"], "text")])
    return table


FIRMWARE = (("microcode", "microcode"), ("bios", "BIOS"), ("board", "board"), ("product", "product"),
            ("hypervisor", "hypervisor"), ("governor", "governor"), ("huge_pages_2m", "2 MiB pages"),
            ("huge_pages_1g", "1 GiB pages"), ("numa_nodes", "NUMA nodes"),
            ("kernel_command_line", "kernel's command line"))


def firmware_table(datas: Sequence[dict[str, Any]], names: Sequence[str]) -> Table:
    """Columns of which no report knows anything are not shown: older ones have none."""
    table = Table("Firmware and kernel.", ["report", *(title for _, title in FIRMWARE)])
    for name, data in zip(names, datas, strict=True):
        values = [data["machine"].get(field) for field, _ in FIRMWARE]
        table.rows.append([name, *(Cell(page.NONE if value is None else str(value), "text") for value in values)])
    return table


def plan_table(datas: Sequence[dict[str, Any]], names: Sequence[str]) -> Table:
    """A row for each option of any file's, a column for each file."""
    options = list(dict.fromkeys(option for data in datas for option in data["plan"]))
    return Table("What was asked for.", ["option", *names],
                 [[option, *(Cell(page.worded(data["plan"].get(option)), "text") for data in datas)]
                  for option in options])


GAPS = (("watch_s", "watched (s)", 1, 1), ("bound_us", "gaps above (us)", 0, 1), ("gaps", "gaps", None, 1),
        ("time_share", "of the time (%)", 1, 100), ("longest_us", "longest (ms)", 1, 1e-3),
        ("trial_ms", "trial (ms)", 0, 1), ("expected_void_share", "expected void (%)", 1, 100))


def gaps_table(datas: Sequence[dict[str, Any]], names: Sequence[str]) -> Table:
    """Of reports of ndr; older ones have none."""
    table = Table("Gaps of the CPUs before the searches.", ["report", "CPUs", *(title for _, title, _, _ in GAPS)])
    for name, data in zip(names, datas, strict=True):
        gaps = data.get("gaps")
        if gaps:
            table.rows.append([name, page.count(gaps["cpus"]),
                               *(page.count(gaps[field]) if digits is None else page.fixed(gaps[field], digits, factor)
                                 for field, _, digits, factor in GAPS)])
    return table


def tables(datas: Sequence[dict[str, Any]], names: Sequence[str]) -> list[Table]:
    some = [gaps_table(datas, names), rfc2544_page.ports_table(datas, names)]
    return [machine_table(datas, names), firmware_table(datas, names), *(table for table in some if table.rows)]

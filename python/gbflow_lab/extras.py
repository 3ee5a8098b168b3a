# SPDX-License-Identifier: BSD-3-Clause
"""Extras of a lab that can be left out, each a module and an option of `up` (network.Extra)."""

from gbflow_lab import network
from gbflow_lab.esp import ESP

ALL = network.EXTRAS
ALL += [
    ESP,
]

# SPDX-License-Identifier: BSD-3-Clause
"""One module per paper: its runs, its figures with their bands, its plots. PAPERS names them."""

PAPERS = ("P1", "P2", "P3", "P4", "P5")
# Of gbflow; not among "all".
STUDIES = ("own", "search", "points", "ablation", "narrow", "radio", "llc", "compression", "relocation")

# SPDX-License-Identifier: BSD-3-Clause
"""All kinds of frame, and all rows of faults."""
from judges_kit import rows_bssgp, rows_gtp, rows_llc, rows_ns, rows_osmo  # noqa: F401 (they register themselves)
from judges_kit.kind_bssgp import BSSGP
from judges_kit.kind_gtp import GTPC, GTPU
from judges_kit.kind_llc import LLC, SNDCP
from judges_kit.kind_ns import NS

KINDS = {"gtpu": GTPU, "gtpc": GTPC, "ns": NS, "sns": NS, "bssgp": BSSGP, "llc": LLC, "sndcp": SNDCP}

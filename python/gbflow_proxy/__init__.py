# SPDX-License-Identifier: BSD-3-Clause
"""A Gb proxy: it stands between the BSSs and the SGSNs of a pool, and picks the SGSN of each uplink PDU by the NRI in
its TLLI.

    python3 -m gbflow_proxy CONFIG.json             PYTHONPATH: this folder's parent, or gbflow-report.pyz

It lies below python/, not among the peers of tests/system/live, since two use it: the live tests, which run it as a
program, and a lab with a pool of nodes, whose program is packed in gbflow-report.pyz. In the field osmo-gbproxy has
this place, which Debian 12 does not have. This one does to a node what the field's does: one NSE with the cells of all
BSSs, no features, flow control scaled, a reset by one SGSN that all of them feel. It is for tests, not for networks.

With `forgets` it has two faults of osmo-gbproxy of April 2021, too: an SGSN whose NS was down has no cells until their
BSSs reset them, and a FLOW-CONTROL-BVC before an SGSN's BVC-RESET-ACK does not reach this SGSN. Other faults of that
version it does not have: PDUs of made-up TLLIs whose hash is a dead SGSN are dropped, a cell's default rate of a mobile
is replaced by the default bucket, and a BSS whose NS was down has no cells until it resets them.
"""

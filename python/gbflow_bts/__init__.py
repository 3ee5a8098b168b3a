# SPDX-License-Identifier: BSD-3-Clause
"""A BTS for osmo-pcu, the air of its cell, and phones there. They share no code with the node: its tests play them,
too, and the codecs of LLC, SNDCP and GEA3 are those of the judges (tests/oracles), which the build packs beside these
modules.
"""

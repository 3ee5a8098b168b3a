# SPDX-License-Identifier: BSD-3-Clause
"""Judges every bucket of downlink flow control (TS 48.018 clause 8.2) on captures of Gb."""

# SPDX-License-Identifier: BSD-3-Clause
"""Judges what a scheduler did, from a trace of all that it was told (format.md)."""

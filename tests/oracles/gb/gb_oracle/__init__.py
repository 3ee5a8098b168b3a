# SPDX-License-Identifier: BSD-3-Clause
"""Independent judge of Gb captures: exact arithmetic, standard library only, no code shared with the dataplane."""

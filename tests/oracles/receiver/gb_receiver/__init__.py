# SPDX-License-Identifier: BSD-3-Clause
"""The receiving end of LLC and SNDCP, deciphering included, from the specifications alone."""

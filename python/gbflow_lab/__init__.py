# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow lab`: a GGSN, a live node and a BSS with its mobiles on one machine."""

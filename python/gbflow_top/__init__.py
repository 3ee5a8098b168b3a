# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow top`: the queues of a node, a BSS or a recorded run as a screen of text."""

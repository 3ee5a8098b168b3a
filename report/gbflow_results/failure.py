# SPDX-License-Identifier: BSD-3-Clause
"""The error of everything that reads results."""


class Failure(Exception):
    """The message names the file or the command, and what is wrong with it."""

# SPDX-License-Identifier: BSD-3-Clause
"""What ends a command with one line on stderr and status 1."""


class Failure(Exception):
    """The message names the file or the command, and what is wrong with it."""

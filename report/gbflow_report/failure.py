# SPDX-License-Identifier: BSD-3-Clause
"""What ends a command with one line on stderr and status 1."""

from gbflow_results.failure import Failure

__all__ = ["Failure"]

# SPDX-License-Identifier: BSD-3-Clause
"""Entry point: `python3 -m gb_oracle` from tests/oracles/gb, or `python3 tests/oracles/gb/gb_oracle`."""
import os
import sys

if not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from gb_oracle.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

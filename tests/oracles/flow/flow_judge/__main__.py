# SPDX-License-Identifier: BSD-3-Clause
"""python -m flow_judge CAPTURE: run from this folder, with tests/oracles/gb in PYTHONPATH."""
import sys

from flow_judge import cli

sys.exit(cli.main(sys.argv[1:]))

# SPDX-License-Identifier: BSD-3-Clause
"""Reports of gbflow's scenario runs, and the check of published results."""

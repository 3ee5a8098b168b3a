# SPDX-License-Identifier: BSD-3-Clause
"""What the build packs beside the modules of gbflow-report.pyz."""

import importlib.resources

from gbflow_results import Failure


def text(name: str) -> str:
    """The text of version.txt or fields.json; Failure where this program was not packed by a build."""
    try:
        return importlib.resources.files("gbflow_report").joinpath(name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Failure(f"{name} is missing: build gbflow-report.pyz, which holds it, and run that") from error

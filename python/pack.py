#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Packs the report's modules into one file that Python runs; equal modules give equal octets.

usage: pack.py OUT.pyz FILE...

FILE.py lies beside or below this program, and main.py becomes __main__.py; NAME=FILE is any file,
packed under that name.
"""

import pathlib
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# A ZIP archive cannot be older; the day of the build must not show.
EPOCH = (1980, 1, 1, 0, 0, 0)


def packed_name_of(word: str) -> tuple[str, pathlib.Path]:
    """The name inside the archive, and the file."""
    name, equals, path = word.partition("=")
    if equals:
        return name, pathlib.Path(path)
    name = pathlib.Path(word).resolve().relative_to(HERE).as_posix()
    return "__main__.py" if name == "main.py" else name, pathlib.Path(word)


def main(argv: list[str]) -> int:
    if len(argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    out = pathlib.Path(argv[1])
    files = {name: path.read_bytes() for name, path in map(packed_name_of, argv[2:])}
    with open(out, "wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files):
                archive.writestr(zipfile.ZipInfo(name, EPOCH), files[name], zipfile.ZIP_DEFLATED)
    out.chmod(0o755)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a spec, and what TShark reads in their octets."""
import os
import shutil
import struct
import subprocess
import tempfile
import unittest

USER_0 = 147  # link type of the capture; TShark is told what it holds
needs_tshark = unittest.skipUnless(shutil.which("tshark") and shutil.which("lua5.4"), "tshark or lua5.4 is not installed")


def read(script):
    """The lines that a script in Lua prints, parted at tabulators."""
    done = subprocess.run(["lua5.4", "-"], input=script, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def dissect(dissector, frames, fields):
    """Of each frame: whether it is malformed, and these fields."""
    with tempfile.TemporaryDirectory(prefix="gbflow-tshark-") as folder:
        capture = os.path.join(folder, "frames.pcap")
        with open(capture, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, USER_0))
            for octets in frames:
                file.write(struct.pack("<IIII", 0, 0, len(octets), len(octets)) + octets)
        words = ["tshark", "-r", capture, "-o", f'uat:user_dlts:"User 0 (DLT=147)","{dissector}","0","","0",""', "-T", "fields",
                 "-E", "separator=|"]
        for field in ("_ws.malformed", *fields):
            words += ["-e", field]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    return [line.split("|") for line in done.stdout.splitlines()]

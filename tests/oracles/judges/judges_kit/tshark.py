# SPDX-License-Identifier: BSD-3-Clause
"""tshark as a judge: a capture in, the wanted fields of each frame out."""
import functools
import os
import re
import subprocess

ROWS_ARE_OF = "4.0."  # version of tshark
BETWEEN = "\x1f"  # of several values of one field
# What may dissect: the protocols judged, and what they hang on. All else would take payloads for what they are not.
WANTED = re.compile(r"frame|user_dlt|gprs-ns|bssgp|llcgprs|sndcp|sndcpxid|gtp|e212|gsm_a\..*|_ws\..*")
FCS_LINE = re.compile(r"^(?:Frame (\d+):|    FCS: 0x[0-9a-f]+ +\((\w+))")


class TsharkFault(Exception):
    """The judge did not come to a verdict."""


def _output(words, folder):
    environment = dict(os.environ, WIRESHARK_CONFIG_DIR=folder, LC_ALL="C.UTF-8")
    return subprocess.Popen(["tshark", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
                            encoding="utf-8", errors="replace")


def _lines(words, folder):
    with _output(words, folder) as process:
        yield from process.stdout
    if process.returncode:
        raise TsharkFault(f"tshark ended with status {process.returncode}")


@functools.cache
def version():
    """The program's version, or None when it is not installed."""
    try:
        run = subprocess.run(["tshark", "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return re.search(r"\d+\.\d+\.\d+", run.stdout)[0]


def is_judge():
    """Whether its version is that of the rows: others have other faults, and some other names of fields."""
    return (version() or "").startswith(ROWS_ARE_OF)


def prepare(folder):
    """Makes a folder of preferences in which nothing else dissects."""
    names = [line.split("\t")[2].strip() for line in _lines(["-G", "protocols"], folder)]
    with open(os.path.join(folder, "disabled_protos"), "w", encoding="ascii") as file:
        file.writelines(f"{name}\n" for name in names if not WANTED.fullmatch(name))


def _words(path, dissector, disabled):
    words = ["-n", "-r", path, "-o", f'uat:user_dlts:"User 0 (DLT=147)","{dissector}","0","","0",""',
             "-o", "gtp.dissect_tpdu_as: None"]
    return words + [word for name in disabled for word in ("--disable-protocol", name)]


def fields(path, dissector, names, folder, disabled=()):
    """A list of texts for each frame, in the order of names."""
    words = _words(path, dissector, disabled) + ["-T", "fields", "-E", f"aggregator={BETWEEN}"]
    for line in _lines(words + [word for name in names for word in ("-e", name)], folder):
        yield line.rstrip("\n").split("\t")


def fcs(path, folder, count):
    """What tshark says of each frame's LLC FCS: a word, or None; it stands in no field."""
    found, number = [None] * count, 0
    for line in _lines(_words(path, "llcgprs", ()) + ["-V", "-O", "llcgprs"], folder):
        if line[0] != "F" and line[:8] != "    FCS:":
            continue
        match = FCS_LINE.match(line)
        if match and match[1]:
            number = int(match[1])
        elif match:
            found[number - 1] = match[2]
    return found

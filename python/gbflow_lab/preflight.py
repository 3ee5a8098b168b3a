# SPDX-License-Identifier: BSD-3-Clause
"""Preflight: what a lab needs of the machine, looked for before anything is started. All that is missing is told at
once, with the command that brings it; Debian packages are installed where that is asked for.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gbflow_lab import network
from gbflow_report.output import say
from gbflow_results import Failure

TUN = "/dev/net/tun"
APT = ("apt-get", "install", "-y", "--no-install-recommends")


@dataclass(frozen=True)
class Tool:
    """A program, and the Debian package that has it."""

    program: str
    package: str

    @property
    def is_there(self) -> bool:
        return shutil.which(self.program) is not None


IP, GGSN, HLR, PCU = (Tool(*names) for names in (("ip", "iproute2"), ("osmo-ggsn", "osmo-ggsn"),
                                                 ("osmo-hlr", "osmo-hlr"), ("osmo-pcu", "osmo-pcu")))
# what a host of the lab is shown with; a lab comes up without
EXAMPLES = Tool("ping", "iputils-ping"), Tool("curl", "curl")


def needed(made: network.Plan) -> list[Tool]:
    """Programs without which this lab cannot come up."""
    return [IP, GGSN, *([HLR] if made.phones else []), *([PCU] if made.bss == network.OSMO_PCU else []),
            *(Tool(*names) for extra in made.extras for names in extra.tools)]


def absent(tools: Sequence[Tool]) -> list[Tool]:
    return [tool for tool in tools if not tool.is_there]


def apt_line(tools: Sequence[Tool]) -> str:
    """What one types, as root."""
    return "apt install " + " ".join(tool.package for tool in tools)


def names(tools: Sequence[Tool]) -> str:
    words = [tool.program for tool in tools]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def refuse_without_root() -> None:
    if os.geteuid() != 0:
        raise Failure("needs root: it enters network namespaces; run it with sudo")


def has_tun() -> bool:
    """The device may be there without the module, or in a container that may not use it."""
    try:
        os.close(os.open(TUN, os.O_RDWR))
    except OSError:
        return False
    return True


def faults(made: network.Plan) -> Iterator[str]:
    """Lines, each with the remedy. Programs of the examples count only where another thing is missing, too."""
    if os.geteuid() != 0:
        yield "root: network namespaces and TUN devices are made by root; run it with sudo"
    if not has_tun():
        yield f"{TUN}: load the module tun (modprobe tun); in a container give it --device {TUN}"
    if os.geteuid() == 0 and IP.is_there:
        yield from filter(None, (extra.fault() for extra in made.extras))
    tools = absent(needed(made))
    if tools:
        more = [*tools, *absent(EXAMPLES)]
        yield f"{names(more)}: {apt_line(more)}; gbflow lab up --install does that"


def check(made: network.Plan) -> None:
    """Failure with everything that is missing."""
    lines = list(faults(made))
    if lines:
        raise Failure("\n  ".join(["nothing was started. Missing:", *lines]))


def install(made: network.Plan) -> None:
    """Brings the packages of programs that are missing, those of the examples, too."""
    tools = absent([*needed(made), *EXAMPLES])
    if not tools:
        return
    if os.geteuid() != 0 or not shutil.which(APT[0]):
        raise Failure(f"--install needs root and {APT[0]} (Debian); missing: {names(tools)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in ((APT[0], "update"), (*APT, *(tool.package for tool in tools))):
        say(" ".join(words))
        apt(words, environment)
    still = absent(tools)
    if still:
        raise Failure(f"{names(still)}: still missing behind {apt_line(still)}")
    services = ["osmo-ggsn", "osmo-hlr", "osmo-pcu", *(service for extra in made.extras for service in extra.services)]
    say("Debian starts services of such packages; a lab does without: systemctl disable --now " + " ".join(services))


def apt(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """apt-get's own words are shown when it fails. Lists that cannot be refreshed may still do: the installation
    tells."""
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0 and words[1] != "update":
        last = "\n  ".join((done.stdout + done.stderr).strip().splitlines()[-10:])
        raise Failure(f"{' '.join(words)}: status {done.returncode}\n  {last}")

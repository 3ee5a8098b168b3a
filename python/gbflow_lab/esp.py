# SPDX-License-Identifier: BSD-3-Clause
"""ESP of a lab: what is not in ESP is dropped on Gn and Gb, and keys are made by strongSwan's charon.

    BSS - kernel's ESP - gb1 = gb0 - gbflow serve, which has ESP - gn0 = gn1 - kernel's ESP - osmo-ggsn
             charon-bss                charon-ike                                charon-ggsn

charon-ike has a namespace of its own. Its packets come and leave by a TUN device there, which has the node's
addresses; the node takes the associations that charon gives to the kernel of that namespace. The other ends have those
of their kernels.
"""

import os
import pathlib
import re
import secrets
import shlex
import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from gbflow_lab import network, starting
from gbflow_lab.state import Lab
from gbflow_results import Failure

CHARON, SWANCTL = "charon-systemd", "swanctl"
IKE, DEVICE = "ike", "gbflow-ike"  # side of the node's daemon; its TUN device
REKEY_S, DPD_S = 600, 10
CALL_S = 60.0
SECRET_OCTETS = 32
APPARMOR = "/sys/module/apparmor/parameters/enabled"

# Keys of the node: associations are those of strongSwan.
NODE = """  -- Packets that are not in ESP are dropped, both ways (docs/esp.md).
  esp = {{
    ike = {{ netns = "{netns}", interface = "{device}" }},
    gn = {{ rules = {{ {{ remote = "{ggsn}" }} }}, others = "drop" }},
    gb = {{ rules = {{ {{ remote = "{bss}" }} }}, others = "drop" }},
  }},
"""

# Its log is that of the lab's program; nothing goes to the machine's.
SETTINGS = """charon-systemd {{
  install_routes = no
  install_virtual_ip = no
  retransmit_timeout = 1
  plugins {{
    vici {{
      socket = unix://{folder}/vici-{side}
    }}
    bypass-lan {{
      load = no
    }}
  }}
  filelog {{
    stderr {{
      default = 1
      flush_line = yes
    }}
  }}
  journal {{
    default = -1
  }}
  syslog {{
    daemon {{
      default = -1
    }}
    auth {{
      default = -1
    }}
  }}
}}
"""

CONNECTION = """connections {{
  {name} {{
    version = 2
    local_addrs = {near}
    remote_addrs = {far}
    proposals = aes128-sha256-modp2048
    mobike = no
    dpd_delay = {dpd_s}s
    local {{
      auth = psk
      id = {near}
    }}
    remote {{
      auth = psk
      id = {far}
    }}
    children {{
      {name} {{
        mode = tunnel
        local_ts = {near}/32
        remote_ts = {far}/32
        esp_proposals = aes128gcm16-esn
        rekey_time = {rekey_s}s
        start_action = {start}
        dpd_action = {dpd}
        close_action = {start}
      }}
    }}
  }}
}}
secrets {{
  ike-{name} {{
    id-1 = {near}
    id-2 = {far}
    secret = 0x{secret}
  }}
}}
"""


@dataclass(frozen=True)
class Tunnel:
    """side: of the other end."""

    name: str
    node: str
    far: str
    side: str


TUNNELS = (Tunnel("gn", network.GN_NODE, network.GN_GGSN, "ggsn"), Tunnel("gb", network.GB_NODE, network.GB_BSS, "bss"))
SIDES = (IKE, *(tunnel.side for tunnel in TUNNELS))  # with a charon each


def program_of(side: str) -> str:
    return f"charon-{side}"


def settings_text(folder: pathlib.Path, side: str) -> str:
    return SETTINGS.format(folder=folder, side=side)


def connection_text(tunnel: Tunnel, secret: str, is_of_node: bool) -> str:
    """The node's end makes the associations. The other one has policies from the start: nothing leaves it in clear."""
    ends, start, dpd = (tunnel.node, tunnel.far), "start", "restart"
    if not is_of_node:
        ends, start, dpd = (tunnel.far, tunnel.node), "trap", "trap"
    return CONNECTION.format(name=tunnel.name, near=ends[0], far=ends[1], secret=secret, start=start, dpd=dpd,
                             rekey_s=REKEY_S, dpd_s=DPD_S)


def texts_of(folder: pathlib.Path) -> Iterator[tuple[str, str]]:
    """Files of all daemons, with new secrets; for their owner alone."""
    connections = {side: "" for side in SIDES}
    for tunnel in TUNNELS:
        secret = secrets.token_hex(SECRET_OCTETS)
        connections[IKE] += connection_text(tunnel, secret, True)
        connections[tunnel.side] += connection_text(tunnel, secret, False)
    for side in SIDES:
        yield f"charon-{side}.conf", settings_text(folder, side)
        yield f"swanctl-{side}.conf", connections[side]


def forget_files(folder: pathlib.Path) -> None:
    """The secrets, and the sockets that daemons which were killed have left."""
    for path in (folder / name for side in SIDES for name in (f"swanctl-{side}.conf", f"vici-{side}")):
        path.unlink(missing_ok=True)


def write_files(folder: pathlib.Path) -> None:
    forget_files(folder)
    for name, text in texts_of(folder):
        with open(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            file.write(text)


def unconfined() -> list[str]:
    """Debian's profiles of AppArmor let these programs use no files of a lab."""
    try:
        is_on = pathlib.Path(APPARMOR).read_text(encoding="ascii").startswith("Y")
    except OSError:
        is_on = False
    return ["aa-exec", "-p", "unconfined", "--"] if is_on else []


def charon_words(folder: pathlib.Path, side: str) -> list[str]:
    return [*unconfined(), "env", f"STRONGSWAN_CONF={folder}/charon-{side}.conf", CHARON]


def swanctl_words(folder: pathlib.Path, side: str, *words: str) -> list[str]:
    return [*unconfined(), SWANCTL, *words, "--uri", f"unix://{folder}/vici-{side}"]


def load(folder: pathlib.Path, side: str) -> None:
    """Gives a daemon its connections. SWANCTL_DIR: nor does it get the keys and certificates of the machine."""
    words = swanctl_words(folder, side, "--load-all", "--noprompt", "--file", f"{folder}/swanctl-{side}.conf")
    environment = {**os.environ, "STRONGSWAN_CONF": f"{folder}/charon-{side}.conf", "SWANCTL_DIR": str(folder)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          timeout=CALL_S)
    if done.returncode != 0:
        raise Failure(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()}")


def build(plan: network.Plan) -> None:
    """The TUN device of the node's daemon, behind all other ways."""
    namespace = plan.namespace(IKE)
    network.run("ip", "netns", "exec", namespace, "ip", "tuntap", "add", "dev", DEVICE, "mode", "tun")
    network.switch_on(namespace, DEVICE)
    for tunnel in TUNNELS:
        network.run("ip", "-n", namespace, "address", "add", f"{tunnel.node}/32", "dev", DEVICE)
    network.run("ip", "-n", namespace, "route", "add", "default", "dev", DEVICE)


def counts_in(listing: str) -> dict[str, int]:
    """Associations of each tunnel in what `ip xfrm state` prints; those without an algorithm are still being made."""
    found = {tunnel.name: 0 for tunnel in TUNNELS}
    for entry in re.split(r"^(?=src )", listing, flags=re.MULTILINE):
        if re.search(r"^\s+(aead|enc) ", entry, re.MULTILINE):
            ends = set(entry.split()[1:4:2])
            for tunnel in TUNNELS:
                found[tunnel.name] += ends == {tunnel.node, tunnel.far}
    return found


def counts(plan: network.Plan) -> dict[str, int]:
    """Associations of the node's daemon, both directions, by tunnel."""
    namespace = plan.namespace(IKE)
    return counts_in(network.run("ip", "-n", namespace, "xfrm", "state") if namespace in network.existing() else "")


def is_made(plan: network.Plan) -> bool:
    return all(count >= 2 for count in counts(plan).values())


def status_text(found: dict[str, int], ended: Collection[str]) -> str:
    """ended: programs of the lab. Without one of its daemons associations end with their lifetime."""
    silent = [program_of(side) for side in SIDES if program_of(side) in ended]
    renewal = f"no new keys without {', '.join(silent)}" if silent else f"new keys every {REKEY_S} s"
    sides = ", ".join(f"{name.capitalize()} {count}" for name, count in found.items())
    return f"ESP on Gn and Gb, {sum(found.values())} associations ({sides}), {renewal}"


PROBE = ("ip", "xfrm", "state", "add", "src", "192.0.2.1", "dst", "192.0.2.2", "proto", "esp", "spi", "1",
         "mode", "tunnel", "aead", "rfc4106(gcm(aes))", "0x" + 40 * "1", "128")


def kernel_fault(words: Sequence[str] = PROBE) -> str | None:
    """Why this kernel has no ESP for the other ends, with the remedy; None: it has."""
    done = subprocess.run(["unshare", "--net", *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        return None
    said = " ".join(done.stderr.split()) or f"status {done.returncode}"
    return f"ESP of the kernel ({said}): load its modules (modprobe -a esp4 xfrm_user gcm); a kernel without " \
           "them needs CONFIG_INET_ESP, CONFIG_XFRM_USER and CONFIG_CRYPTO_GCM, which Debian's have"


def start_charon(lab: Lab, side: str) -> None:
    starting.start(lab, program_of(side), side, charon_words(lab.folder, side), "spawning [0-9]+ worker threads")
    load(lab.folder, side)


def start(lab: Lab, plan: network.Plan) -> None:
    """The node's daemon comes last, and makes the associations: its packets go through the node to the others."""
    for side in reversed(SIDES):
        start_charon(lab, side)
    starting.wait_until(lab, lambda: is_made(plan), "no associations of ESP on Gn and Gb")


def hints(folder: pathlib.Path) -> Iterator[str]:
    """Of the node's daemon: its associations, and new ones."""
    for words in (("--list-sas",), ("--rekey", "--child", "gn")):
        yield shlex.join(swanctl_words(folder, IKE, *words))


def node_text(plan: network.Plan) -> str:
    return NODE.format(netns=plan.namespace(IKE), device=DEVICE, ggsn=network.GN_GGSN, bss=network.GB_BSS)


ESP = network.Extra(
    "esp", "ESP on Gn and Gb, with keys of strongSwan", IKE,
    ((CHARON, "charon-systemd"), (SWANCTL, "strongswan-swanctl")), ("strongswan",),
    kernel_fault, node_text, build, write_files, forget_files, start, hints, counts, status_text)

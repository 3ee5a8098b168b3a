# SPDX-License-Identifier: BSD-3-Clause
"""ESP of the Linux kernel as the other end: whether a kernel has it, and associations and policies of a namespace.

    missing()                                why this kernel cannot, or None
    End(namespace).protect(case)             what `ip xfrm` is told of a case
    End(namespace).counters()                the namespace's /proc/net/xfrm_stat
"""
import subprocess
from dataclasses import dataclass

import lab

WINDOW, ENCAP_PORT = 1024, 4500
CIPHERS = {"aes-cbc-128-sha-256": "cbc(aes)", "aes-cbc-256-sha-256": "cbc(aes)", "null-sha-256": "cipher_null"}
PROBES = ("ip xfrm state add src 192.0.2.1 dst 192.0.2.2 proto esp spi 1 mode transport aead 'rfc4106(gcm(aes))' 0x" + 40 * "1" + " 128",
          "ip link add name probe0 type veth peer name probe1", "tc qdisc add dev probe0 root netem loss 1%", "ip link add probe2 type bridge")


def missing():
    for probe in PROBES:
        done = subprocess.run(["unshare", "--net", "sh", "-c", "; ".join([*PROBES[1:2], probe]) if "tc" in probe else probe],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return f"this kernel does not take '{' '.join(probe.split()[:3])}': {done.stderr.strip()}"
    return None


@dataclass(frozen=True)
class Association:
    """A direction. Addresses are those of ESP; `inner` those of packets, of which `selector` may tell more."""
    spi: int
    ends: tuple
    inner: tuple
    suite: str
    mode: str
    key: str
    auth: str
    has_esn: bool
    has_encap: bool
    selector: str = ""

    def state(self):
        algorithms = f"aead 'rfc4106(gcm(aes))' 0x{self.key} 128" if self.suite.startswith("aes-gcm") else \
            f"auth-trunc 'hmac(sha256)' 0x{self.auth} 128 enc '{CIPHERS[self.suite]}' " + (f"0x{self.key}" if self.key else "''")
        encap = f" encap espinudp {ENCAP_PORT} {ENCAP_PORT} {self.ends[1]}" if self.has_encap else ""
        flags = ["esn"] * self.has_esn + ["af-unspec"] * (self.mode == "tunnel")
        return f"xfrm state add src {self.ends[0]} dst {self.ends[1]} proto esp spi {self.spi} mode {self.mode} replay-window {WINDOW} " \
               f"{'flag ' if flags else ''}{' '.join(flags)} {algorithms}{encap}"

    def policy(self, direction):
        return f"xfrm policy add src {self.inner[0]} dst {self.inner[1]} {self.selector} dir {direction} tmpl src {self.ends[0]} dst {self.ends[1]} " \
               f"proto esp mode {self.mode}"


class End:
    def __init__(self, namespace):
        self.namespace = namespace

    def ip(self, *lines):
        done = subprocess.run(["ip", "-n", self.namespace, "-batch", "-"], input="\n".join(lines), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{lines}: {done.stderr}")
        return done.stdout

    def protect(self, coming, leaving):
        self.ip("xfrm policy flush", "xfrm state flush", coming.state(), leaving.state(), coming.policy("in"), leaving.policy("out"))

    def counters(self):
        """Those of XFRM that are not 0."""
        with lab.network.inside(self.namespace), open("/proc/thread-self/net/xfrm_stat", encoding="utf-8") as file:
            rows = [line.split() for line in file]
        return {name: int(count) for name, count in rows if int(count)}

    def states(self):
        """What the associations counted: SPI -> (behind the window, replayed, with a wrong ICV)."""
        found, spi = {}, None
        told = subprocess.run(["ip", "-n", self.namespace, "-s", "xfrm", "state"], capture_output=True, text=True, check=True).stdout
        for line in told.splitlines():
            words = line.replace("(", " ").split()
            if words[:2] == ["proto", "esp"]:
                spi = int(words[3], 16)
            if words[:1] == ["replay-window"] and "replay" in words:
                found[spi] = tuple(int(words[words.index(name) + 1]) for name in ("replay-window", "replay", "failed"))
        return found

# SPDX-License-Identifier: BSD-3-Clause
"""strongSwan's charon in a network namespace.

    Daemon(folder, namespace, NAME).start(connections)    writes its files and starts it; connections: text of swanctl.conf
    daemon.swanctl(WORD, ...)                             what swanctl prints
    daemon.sas()                                          {SPI in: the state of a CHILD_SA}
    connection(NAME, near, far, **more)                   a connection with one child of that name
"""
import os
import re
import shutil
import subprocess
import time

CHARON, SWANCTL = "/usr/sbin/charon-systemd", "/usr/sbin/swanctl"
START_S, STOP_S = 20, 10
INTERFACE, SECRET = "gbike", "0123456789abcdef"

SETTINGS = """charon-systemd {
  install_routes = no
  install_virtual_ip = no
  retransmit_timeout = 1
  delete_rekeyed_delay = 2
  plugins { vici { socket = unix://%s/vici }
    bypass-lan { load = no } }
  filelog { file { path = %s/charon.log
    default = 1
    knl = 2
    flush_line = yes } }
}
"""

CONNECTION = """
connections {{ {name} {{
  version = 2
  local_addrs = {near}
  remote_addrs = {far}
  proposals = aes128gcm16-prfsha256-ecp256
  dpd_delay = {dpd}
  encap = {encap}
  local {{ auth = psk
    id = {near} }}
  remote {{ auth = psk
    id = {far} }}
  children {{ {name} {{
    mode = {mode}
    local_ts = {near_ts}
    remote_ts = {far_ts}
    esp_proposals = {esp}
    rekey_time = {rekey}
    life_time = {life}
    rand_time = 0s
    start_action = {start}
    {more}
  }} }}
}} }}
secrets {{ ike-{name} {{
  id-1 = {near}
  id-2 = {far}
  secret = "{secret}" }} }}
"""


def missing():
    return next((f"{path} is missing (package charon-systemd or strongswan-swanctl; scripts/setup.sh --test)" for path in (CHARON, SWANCTL)
                 if not os.access(path, os.X_OK)), None)


def connection(name, near, far, **more):
    values = {"mode": "tunnel", "near_ts": f"{near}/32", "far_ts": f"{far}/32", "esp": "aes128gcm16-esn", "rekey": "1h", "life": "2h",
              "start": "none", "secret": SECRET, "encap": "no", "dpd": "0s", "more": "", **more}
    return CONNECTION.format(name=name, near=near, far=far, **values)


class Daemon:
    def __init__(self, folder, namespace, name):
        self.folder, self.namespace = os.path.join(folder, name), namespace
        os.mkdir(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, connections):
        for name, text in (("strongswan.conf", SETTINGS % (self.folder, self.folder)), ("swanctl.conf", connections)):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        self.run()
        self.swanctl("--load-all", "--file", self.path("swanctl.conf"))

    def run(self):
        """Starts it, again after its end; its connections are not loaded yet."""
        if os.path.exists(self.path("vici")):
            os.unlink(self.path("vici"))
        self.process = subprocess.Popen(["ip", "netns", "exec", self.namespace, CHARON], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "STRONGSWAN_CONF": self.path("strongswan.conf")})
        end = time.monotonic() + START_S
        while not os.path.exists(self.path("vici")):
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError(f"charon does not start: {self.log()}")
            time.sleep(0.05)

    def log(self):
        if not os.path.exists(self.path("charon.log")):
            return ""
        with open(self.path("charon.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def swanctl(self, *words, check=True):
        done = subprocess.run([SWANCTL, *words, "--uri", f"unix://{self.path('vici')}"], capture_output=True, text=True, check=False,
                              timeout=60, env={**os.environ, "STRONGSWAN_CONF": self.path("strongswan.conf")})
        if check and done.returncode != 0:
            raise AssertionError(f"swanctl {' '.join(words)}: {done.stdout} {done.stderr}\n{self.log()[-3000:]}")
        return done.stdout

    def sas(self):
        """Raw text of the list, and {SPI of direction in: state}."""
        told = self.swanctl("--list-sas", "--raw")
        return {int(spi, 16): state for state, spi in re.findall(r"protocol=ESP.*?state=(\w+).*?spi-in=(\w+)", told)} or \
            {int(spi, 16): state for state, spi in re.findall(r"state=(INSTALLED|REKEYED|REKEYING)[^{}]*?spi-in=(\w+)", told)}

    def kill(self, number=9):
        """What it has given to the kernel stays there after 9."""
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(STOP_S)

    def close(self):
        self.kill(15)
        shutil.rmtree(self.folder, ignore_errors=True)

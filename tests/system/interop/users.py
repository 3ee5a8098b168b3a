# SPDX-License-Identifier: BSD-3-Clause
"""A network whose users are kernels: the mobiles' addresses in one namespace, the real osmo-ggsn and their server in another."""
import network  # before all that is in its neighbours' folders
import ggsn
import lab
from gb_oracle import inet
from traffic import Download, Ping, Server
from gbflow_bts.tun import Tun

SERVER = "198.18.0.1"  # on the GGSN's machine
MOBILE = """{ imsi = "%(imsi)s", msisdn = "4917012345%(number)d", tlli = %(tlli)d, bvci = 1234, contexts = { { nsapi = 5,
    apn = "internet", sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2" } } }"""


class UserLab(lab.Lab):
    """A lab with one more namespace, of the mobiles' users."""

    def _build(self):
        self.names["users"] = self.names["node"].replace("-node", "-users")
        super()._build()


class Case(network.Case):
    phones_wanted, mtu = 4, 1500

    @staticmethod
    def make_lab():
        return UserLab()

    def skip_where_it_cannot_run(self):
        self.skip_for(network.reason_to_skip() or ggsn.missing())

    def setUp(self):
        super().setUp()
        self.by_address = {}
        self.users = Tun(self.lab, "users", "ms0", self._from_user)
        self.addCleanup(self.users.close)

    def open_gateway(self):
        """The real one, started by bring_up()."""

    def mobile_text(self, phone):
        return MOBILE % {"imsi": phone.radio.imsi, "tlli": phone.radio.tlli, "number": phone.number}

    def bring_up(self):
        """Contexts first: what the GGSN gives tells the users' addresses."""
        self.lab.ip(self.lab.names["ggsn"], "address", "add", SERVER + "/32", "dev", "lo")
        self.far = ggsn.Ggsn(self.lab)
        self.addCleanup(self.far.close)
        self.serve()
        rows = self.node.show_until("pdp", lambda rows: len(rows) == len(self.phones))
        self.open_users({row["imsi"]: row["address"] for row in rows})
        self.start_bts()
        self.start_pcu()
        self.wait_for_cell()

    def open_users(self, addresses):
        """An interface with all mobiles' addresses, by IMSI."""
        name = self.lab.names["users"]
        for phone in self.phones:
            phone.address, phone.on_packet = addresses[phone.radio.imsi], self.users.write
            self.by_address[phone.address] = phone
            self.lab.ip(name, "address", "add", phone.address + "/32", "dev", "ms0")
        self.lab.ip(name, "link", "set", "ms0", "mtu", str(self.mtu), "up")
        self.lab.ip(name, "route", "add", "default", "dev", "ms0")
        self.users.start()

    def _from_user(self, packet):
        phone = self.by_address.get(inet.dotted(packet[12:16])) if packet[0] >> 4 == 4 else None
        if phone:
            phone.send(packet)

    # --- traffic

    def download(self, control=None):
        """All mobiles, from one server with a congestion control."""
        server = Server(self.lab, "ggsn", SERVER, control)
        self.addCleanup(server.close)
        downloads = [Download(self.lab, "users", phone.address, SERVER) for phone in self.phones]
        for one in downloads:
            self.addCleanup(one.close)
        return downloads

    def ping(self, phone, every_s=0.5):
        ping = Ping(self.lab, "users", (phone.address, SERVER), every_s)
        self.addCleanup(ping.close)
        return ping

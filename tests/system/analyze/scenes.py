# SPDX-License-Identifier: BSD-3-Clause
"""Scenarios for the analysis: `gbflow run` plays them, its sidecar file says what really happened."""
from dataclasses import dataclass, field

LOSSLESS = 'queue_limit = "1 MB", lifetime = { sgsn_max = "infinite", bss_max = "infinite" },'


def download(octets, start="1 s", tcp="", rest=""):
    return f'{{ download = {{ octets = "{octets}", start = "{start}", tcp = {{ {tcp} }}, {rest} }} }}'


def pages(octets, count, reading="2 s", tcp=""):
    """Pages one after the other, each on a connection of its own."""
    return (f'{{ web = {{ page = "{octets}", items = 0, parallel = 1, persistent = false, pages = {count}, reading = "{reading}", '
            f'start = "1 s", tcp = {{ {tcp} }} }} }}')


def cell(bvci=2, slots=4, pdchs=16, coding="CS-2", rest=""):
    return (f'{{ bvci = {bvci}, pdchs = {pdchs}, downlink_slots = {slots}, coding = "{coding}", '
            f'flow_control = {{ bucket_time = "2 s" }}, {rest} }}')


@dataclass
class Scene:
    """One capture. mobiles: traffic items by name; without_rate: those for which no period can qualify."""

    name: str
    mobiles: dict
    cells: list = field(default_factory=lambda: [cell()])
    network: str = ""
    sgsn: str = LOSSLESS
    server_delay: str = "30 ms"
    n201_u: int = 1520
    tcp: str = ""
    moves: str = ""
    minutes: float = 10
    without_rate: tuple = ()
    shows_losses: bool = True  # False: many losses that nothing tells of, of the last or only segment of a connection

    def text(self):
        mobiles = ", ".join(f'{{ name = "{name}", class = "background", cell = 2, '
                            f'traffic = {{ {", ".join(items)} }} }}' for name, items in self.mobiles.items())
        return f"""return {{
  title = "{self.name}", duration = "{self.minutes * 60:g} s",
  network = {{ server_delay = "{self.server_delay}", {self.network} }},
  sgsn = {{ n201_u = "{self.n201_u} octets", {self.sgsn} }},
  cells = {{ {", ".join(self.cells)} }},
  mobiles = {{ {mobiles} }},
  moves = {{ {self.moves} }},
  tcp = {{ initial_rto = "3 s", {self.tcp} }},
}}
"""


SACK, NO_SACK = "sack = true", "sack = false"
PLAIN, STAMPED = "timestamps = false", "timestamps = true"
SMALL_WINDOW = 'receive_window = "4400 octets"'


def bulk(octets="2 MB", rest=""):
    """A download of each kind of TCP."""
    return {
        "both": [download(octets, tcp=f"{SACK}, {STAMPED}, {rest}")],
        "sack": [download(octets, tcp=f"{SACK}, {PLAIN}, {rest}")],
        "stamps": [download(octets, tcp=f"{NO_SACK}, {STAMPED}, {rest}")],
        "plain": [download(octets, tcp=f"{NO_SACK}, {PLAIN}, {rest}")],
    }


SHORT = [pages("9 kB", 20)]
BLERRY = 'bler = "10 %", retransmission = "200 ms",'
PREEMPTED = 'calls = {{ schedule = {{ every = "60 s", hold = "{} s" }}, flush = "{}", restart_wait = "1 s" }},'
TWO_CELLS = [cell(2), cell(3)]


def to_and_fro(names, every_s, until_s):
    """All of them change the cell at once, and back."""
    return ", ".join(f'{{ at = "{at_s} s", mobile = "{name}", cell = {3 - index % 2} }}'
                     for index, at_s in enumerate(range(every_s, until_s, every_s)) for name in names)


SCENES = [
    Scene("10 kbit/s", bulk("3 MB"), [cell(slots=1, pdchs=4, rest="control_one_in = 6")], minutes=45),
    Scene("22 kbit/s", {**bulk("1500 kB"), "short": SHORT}, [cell(slots=2, pdchs=10, rest="control_one_in = 12")],
          minutes=12, without_rate=("short",)),
    Scene("35 kbit/s", {**bulk(), "narrow": [download("500 kB", tcp=SMALL_WINDOW)]}, [cell(slots=3)],
          without_rate=("narrow",)),
    Scene("48 kbit/s with block errors", bulk(), [cell(rest=BLERRY)]),
    Scene("80 kbit/s", bulk("3 MB"), [cell(coding="CS-4")]),
    Scene("160 kbit/s", bulk("6 MB"), [cell(coding="MCS-7")]),
    Scene("240 kbit/s", bulk("9 MB"), [cell(coding="MCS-9", pdchs=20, slots=4)]),
    Scene("small segments", bulk("1 MB", 'mss = "512 octets", receive_window = "12 kB"')),
    Scene("segments in several LLC frames", bulk("1 MB"), n201_u=500),
    Scene("loss behind 0.5 %", bulk("4 MB"), network='gn_loss = "0.5 %"', minutes=20),
    Scene("loss behind 1 %", bulk("4 MB"), network='gn_loss = "1 %"', minutes=20),
    Scene("loss behind 3 %", bulk("3 MB"), network='gn_loss = "3 %"', minutes=20),
    Scene("loss in front 0.5 %", bulk("4 MB"), network='internet_loss = "0.5 %"', minutes=20),
    Scene("loss in front 2 %", bulk("4 MB"), network='internet_loss = "2 %"', minutes=20),
    Scene("loss on both sides", bulk("4 MB"), network='internet_loss = "1 %", gn_loss = "1 %"', minutes=20),
    Scene("reordering", bulk("4 MB"), [cell(coding="MCS-7")], network='reorder = "2 %", reorder_delay = "40 ms"'),
    Scene("reordering and loss", bulk("4 MB"), [cell(coding="MCS-7")],
          network='reorder = "1 %", reorder_delay = "40 ms", gn_loss = "1 %"'),
    Scene("a short queue", bulk("3 MB"), sgsn='queue_limit = "14 kB", lifetime = { sgsn_max = "infinite" },', minutes=15),
    Scene("a short lifetime", bulk("3 MB"), sgsn='queue_limit = "1 MB", lifetime = { mode = "split", sgsn_max = "4 s" },',
          minutes=15),
    Scene("RED", bulk("3 MB"), sgsn=LOSSLESS + ' queues = { aqm = { scheme = "red" } },', minutes=15),
    Scene("far away", bulk(), server_delay="400 ms"),
    Scene("two in parallel", {"pair": 2 * [download("1 MB")], "late": [download("600 kB"), download("600 kB", start="20 s")]}),
    Scene("four in parallel", {"four": 4 * [download("400 kB")],
                               "mixed": [download("400 kB", tcp=NO_SACK), download("300 kB"), download("300 kB", tcp=PLAIN)]}),
    Scene("parallel with loss", {"pair": 2 * [download("3 MB")], "plain": 2 * [download("3 MB", tcp=NO_SACK)]},
          network='gn_loss = "0.7 %"', minutes=30),
    Scene("beside UDP", {"radio": [download("1 MB"), '{ cbr = { rate = "12 kbit/s", packet = "300 octets" } }'],
                         "ping": [download("1 MB"), '{ ping = { every = "1 s" } }']}),
    Scene("cell changes", bulk(), TWO_CELLS, moves=to_and_fro(bulk(), 40, 500)),
    Scene("to another routing area", bulk("3 MB"), [cell(2), cell(3, rest="routing_area = 2")], minutes=15,
          moves=to_and_fro(bulk(), 60, 800)),
    Scene("a slower cell", bulk("3 MB"), [cell(2), cell(3, slots=2)], minutes=15, moves=to_and_fro(bulk(), 90, 800)),
    Scene("pre-emption of 3 s, flushed", bulk(), [cell(rest=PREEMPTED.format(3, "0 s"))], minutes=15),
    Scene("pre-emption of 6 s, kept", bulk(), [cell(rest=PREEMPTED.format(6, "infinite"))], minutes=15),
    Scene("pages", {"reader": [pages("60 kB", 25)], "lossy": [pages("60 kB", 25, tcp=NO_SACK)], "short": SHORT},
          network='gn_loss = "1 %", internet_loss = "0.3 %"', minutes=20, without_rate=("short",)),
    Scene("set-ups that fail", {
        "refused": [download("1 kB", start=f"{at} s", rest='server = "refuses"') for at in range(1, 60, 7)],
        "silent": [download("1 kB", start=f"{at} s", rest='server = "silent"') for at in (1, 30, 31)],
        "given_up": [download("1 kB", start=f"{at} s", rest=f'stop = "{at}.5 s"') for at in range(1, 60, 7)],
        "clock": ['{ ping = { every = "1 s" } }'],
    }, server_delay="1 s", minutes=4, without_rate=("refused", "silent", "given_up", "clock")),
    Scene("set-ups behind a wall", {
        "walled": [download("1 kB", start=f"{at} s") for at in (1, 4, 40)],
        "given_up": [download("1 kB", start=f"{at} s", rest=f'stop = "{at}.5 s"') for at in range(1, 100, 5)],
        "clock": ['{ ping = { every = "500 ms" } }'],
    }, server_delay="1 s", network='gn_loss = "70 %"', minutes=6, shows_losses=False, without_rate=("walled", "given_up", "clock")),
    Scene("set-ups with loss", {f"user{number}": [pages("1 kB", 60, reading=f"{number + 1} s")] for number in range(6)},
          network='gn_loss = "6 %", internet_loss = "6 %"', minutes=20, shows_losses=False,
          without_rate=tuple(f"user{number}" for number in range(6))),
]

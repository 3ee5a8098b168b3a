# SPDX-License-Identifier: BSD-3-Clause
"""Messages between SGSNs at random, as mobility_messages.decode() gives them."""
import ipaddress

RIM = bytes.fromhex("7154890000f110000102000354890000f1100001050009578c4b81014c84000000014f8101")
KEYS = {0: ("ck", "ik"), 1: ("kc",), 2: ("ck", "ik"), 3: ("kc",)}
KEY_OCTETS = {"ck": 16, "ik": 16, "kc": 8}


class Source:
    """Values by a seeded generator."""

    def __init__(self, generator):
        self.rng = generator

    def number(self, octets):
        return self.rng.getrandbits(8 * octets)

    def octets(self, least, most=None):
        return self.rng.randbytes(self.rng.randint(least, most or least))

    def flag(self):
        return self.rng.random() < 0.5

    def digits(self, least, most):
        return "".join(self.rng.choice("0123456789") for _ in range(self.rng.randint(least, most)))

    def ipv4(self):
        return str(ipaddress.IPv4Address(self.number(4)))

    def ipv6(self):
        return str(ipaddress.IPv6Address(0x20010DB8 << 96 | self.number(4)))

    def address(self):
        return self.ipv4() if self.flag() else self.ipv6()

    def maybe(self, out, **makers):
        for name, make in makers.items():
            if self.flag():
                out[name] = make()

    def nsapis(self, least=0):
        return self.rng.sample(range(5, 16), self.rng.choice((least, 1, 2, 11)))

    def rai(self):
        mcc, mnc = self.rng.choice(((b"\x00\xf1", 0x10), (b"\x62\xf2", 0x24), (b"\x13\x00", 0x14)))
        return mcc + bytes([mnc]) + self.octets(3)

    def imsi(self):
        return self.rng.choice(("00101", "26242")) + self.digits(10, 10)

    def apn(self):
        label = "abcdefghijklmnopqrstuvwxyz0123456789-"
        return ".".join("".join(self.rng.choice(label) for _ in range(self.rng.randint(1, 20))) for _ in range(self.rng.randint(1, 4)))

    def triplet(self):
        return {"rand": self.octets(16), "sres": self.octets(4), "kc": self.octets(8)}

    def quintuplet(self):
        return {"rand": self.octets(16), "xres": self.octets(4, 16), "ck": self.octets(16), "ik": self.octets(16), "autn": self.octets(16)}

    def mm(self):
        mode = self.rng.randrange(4)
        out = {"mode": mode, "cksn": self.rng.randrange(8), "cipher": 0 if mode == 2 else self.rng.randrange(8),
               "drx": bytes([self.number(1), 0]), "capability": bytes.fromhex("e5e034")}
        out.update((name, self.octets(KEY_OCTETS[name])) for name in KEYS[mode])
        make, name = (self.triplet, "triplets") if mode == 1 else (self.quintuplet, "quintuplets")
        out[name] = [make() for _ in range(self.rng.randrange(6))]
        self.maybe(out, imeisv=lambda: self.digits(16, 16), access=lambda: self.octets(1))
        return out

    def qos(self):
        return self.octets(self.rng.choice((3, 11, 12, 14, 16)))

    def context(self, nsapi):
        out = {"nsapi": nsapi, "sapi": self.rng.choice((3, 5, 9, 11)), "is_active": self.flag(), "reordering": self.flag(),
               "vplmn_allowed": self.flag(), "control": self.address(), "user": self.address(), "apn": self.apn(),
               "pdp_type": self.rng.choice(("ipv4", "ipv6", "ipv4v6"))}
        for name in ("subscribed", "requested", "negotiated"):
            out["qos_" + name] = self.qos()
        for name, octets in (("arp", 1), ("arp_subscribed", 1), ("arp_requested", 1), ("sequence_down", 2), ("sequence_up", 2),
                             ("send_n_pdu", 1), ("receive_n_pdu", 1), ("teid_control", 4), ("teid_data", 4), ("context_id", 1),
                             ("ti_extension", 1)):
            out[name] = self.number(octets)
        out["ti"] = self.rng.randrange(16)
        if out["pdp_type"] != "ipv6":
            out["ipv4"] = self.ipv4()
        if out["pdp_type"] != "ipv4":
            out["ipv6"] = self.ipv6()
        return out


def identification_request(source, out):
    out.update(rai=source.rai(), p_tmsi=source.number(4))
    source.maybe(out, signature=lambda: source.octets(3), control=source.address, hop_counter=lambda: source.number(1))


def identification_response(source, out):
    out.update(cause=128, imsi=source.imsi())
    name, make = source.rng.choice((("triplets", source.triplet), ("quintuplets", source.quintuplet)))
    source.maybe(out, **{name: lambda: [make() for _ in range(source.rng.randint(1, 5))]})


def context_request(source, out):
    out.update(rai=source.rai(), teid_control=source.number(4), control=source.address())
    source.maybe(out, signature=lambda: source.octets(3), sgsn_number=lambda: source.digits(5, 15), rat_type=lambda: 2,
                 hop_counter=lambda: source.number(1), control_other=source.address)
    out[source.rng.choice(("tlli", "p_tmsi"))] = source.number(4)
    if source.flag():
        out.update(imsi=source.imsi(), ms_validated=source.flag())


def context_response(source, out):
    out.update(cause=128, imsi=source.imsi(), teid_control=source.number(4), control=source.address(), mm=source.mm())
    source.maybe(out, radio_priority_sms=lambda: source.rng.randrange(8), radio_priority_lcs=lambda: source.rng.randrange(8),
                 charging=lambda: source.number(2), prioritized=lambda: True)
    lists = {"contexts": source.context,
             "radio_priorities": lambda nsapi: {"nsapi": nsapi, "priority": source.rng.randrange(8)},
             "pfis": lambda nsapi: {"nsapi": nsapi, "pfi": source.number(1)}}
    for name, make in lists.items():
        values = [make(nsapi) for nsapi in source.nsapis()]
        if values:
            out[name] = values


def context_acknowledge(source, out):
    out.update(cause=128, tunnels=[{"nsapi": nsapi, "teid": source.number(4)} for nsapi in source.nsapis(1)])
    source.maybe(out, sgsn_number=lambda: source.digits(5, 15))
    if len(out["tunnels"]) > 1 and source.flag():
        for tunnel in out["tunnels"]:
            tunnel["user"] = source.address()
    else:
        out["user"] = source.address()


def ran_information_relay(source, out):
    out["container"] = RIM
    if source.flag():
        out.update(routing_address=source.rai() + source.octets(2), discriminator=0)


MAKERS = (identification_request, identification_response, context_request, context_response, context_acknowledge, ran_information_relay)
REFUSALS = ("identification_response", "context_response", "context_acknowledge")


def message(source):
    out = {"teid": source.number(4), "seq": source.number(2)}
    if source.rng.random() < 0.05:
        return {**out, "type": source.rng.choice(REFUSALS), "cause": source.rng.choice((194, 195, 206, 208))}
    make = source.rng.choice(MAKERS)
    make(source, out)
    return {**out, "type": make.__name__}


def spoilt(source, octets):
    """Octets behind the header with one to four changed, some cut or added; Length is as it should be, seldom not."""
    body = bytearray(octets[12:])
    for _ in range(source.rng.randrange(4)):
        at = source.rng.randrange(len(body))
        body[at] = source.rng.choice((source.number(1), body[at] ^ 1 << source.rng.randrange(8), body[at] + 1 & 255, 0))
    if source.rng.random() < 0.2:
        del body[source.rng.randrange(len(body)):]
    if source.rng.random() < 0.2:
        body += source.octets(1, 12)
    length = len(body) + 4 + (source.rng.random() < 0.02)
    return octets[:2] + length.to_bytes(2, "big") + octets[4:12] + bytes(body)


def in_lua(value):
    """A literal."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bytes):
        return '"' + "".join(f"\\x{octet:02x}" for octet in value) + '"'
    if isinstance(value, dict):
        return "{" + ",".join(f"{name}={in_lua(one)}" for name, one in value.items()) + "}"
    return "{" + ",".join(map(in_lua, value)) + "}"

# SPDX-License-Identifier: BSD-3-Clause
"""GTPv1-C messages between SGSNs (TS 29.060 clause 7.5): a decoder of its own, and messages at random."""
import ipaddress

TYPES = {48: "identification_request", 49: "identification_response", 50: "context_request", 51: "context_response",
         52: "context_acknowledge", 70: "ran_information_relay"}
# Octets of elements without a length field (29.060 table 37).
FIXED = {1: 1, 2: 8, 3: 6, 4: 4, 5: 4, 8: 1, 9: 28, 11: 1, 12: 3, 13: 1, 14: 1, 15: 1, 16: 4, 17: 4, 18: 5, 19: 1, 20: 1,
         21: 1, 22: 9, 23: 1, 24: 1, 25: 2, 26: 2, 27: 2, 28: 2, 29: 1, 127: 4}
# Elements of each message, and those without which it is refused; those behind them of one that accepts.
ELEMENTS = {48: (3, 5, 12, 133, 163), 49: (1, 2, 9, 136), 50: (2, 3, 4, 5, 12, 13, 17, 133, 147, 151, 163),
            51: (1, 2, 17, 23, 24, 25, 26, 129, 130, 133, 145, 150), 52: (1, 18, 133, 147), 70: (144, 158, 178)}
MANDATORY = {48: (3, 5), 49: (1,), 50: (3, 17, 133), 51: (1,), 52: (1,), 70: (144,)}
ACCEPTING = {49: (2,), 51: (2, 17, 129)}
PDP_TYPES = {0x21: "ipv4", 0x57: "ipv6", 0x8D: "ipv4v6"}
INVALID_FORMAT, INCORRECT, MISSING = 193, 201, 202
MOST_VECTORS, MOST_CONTEXTS = 5, 11


class Fault(Exception):
    """The cause that answers a request."""

    def __init__(self, cause):
        super().__init__(cause)
        self.cause = cause


class Octets:
    """Octets that are taken from the front; too few are a wrong value."""

    def __init__(self, octets):
        self.rest = octets

    def take(self, count):
        if count > len(self.rest):
            raise Fault(INCORRECT)
        found, self.rest = self.rest[:count], self.rest[count:]
        return found

    def number(self, count):
        return int.from_bytes(self.take(count), "big")

    def counted(self, width=1):
        return self.take(self.number(width))


def digits(octets):
    """TBCD up to the first 15."""
    text = "".join(f"{octet & 15:x}{octet >> 4:x}" for octet in octets).split("f", 1)[0]
    if not text.isdecimal() or len(text) > 15:
        raise Fault(INCORRECT)
    return text


def imsi(octets):
    """TS 23.003 2.2: a network's five digits, or six, and one of a subscriber at least."""
    text = digits(octets)
    if len(text) < 6:
        raise Fault(INCORRECT)
    return text


def address(octets):
    if len(octets) not in (4, 16):
        raise Fault(INCORRECT)
    return str(ipaddress.ip_address(octets))


def routeing_area(octets):
    nibbles = [nibble for octet in octets[:3] for nibble in (octet & 15, octet >> 4)]
    mnc_third = nibbles.pop(3)
    if max(nibbles) > 9 or 9 < mnc_third < 15:
        raise Fault(INCORRECT)
    return octets


def apn(octets):
    labels, source = [], Octets(octets)
    while source.rest:
        label = source.counted()
        if not 1 <= len(label) <= 63 or any(octet <= 32 or octet > 126 or octet == ord(".") for octet in label):
            raise Fault(INCORRECT)
        labels.append(label.decode())
    text = ".".join(labels)
    if len(text) > 100:
        raise Fault(INCORRECT)
    return text


def triplet(source):
    return {"rand": source.take(16), "sres": source.take(4), "kc": source.take(8)}


def quintuplet(source):
    found = {"rand": source.take(16), "xres": source.counted(), "ck": source.take(16), "ik": source.take(16),
             "autn": source.counted()}
    if not 4 <= len(found["xres"]) <= 16 or len(found["autn"]) != 16:
        raise Fault(INCORRECT)
    return found


def equipment(octets):
    """The digits of an IMEISV or IMEI among the elements of a container; None."""
    found = None
    while len(octets) > 1:
        tag, value, is_whole = octets[0], octets[2:2 + octets[1]], len(octets) >= 2 + octets[1]
        octets = octets[2 + octets[1]:]
        if tag != 0x23 or not is_whole or not value:
            continue
        nibbles = [value[0] >> 4] + [nibble for octet in value[1:] for nibble in (octet & 15, octet >> 4)]
        is_odd, wanted = value[0] >> 3 & 1, {3: 16, 2: 15}.get(value[0] & 7)
        if wanted is None or len(nibbles) != wanted + 1 - is_odd or is_odd != wanted % 2 or max(nibbles[:wanted]) > 9:
            continue
        if is_odd or nibbles[-1] == 15:
            found = "".join(map(str, nibbles[:wanted]))
    return found


def mm_context(octets):
    """7.7.28"""
    source = Octets(octets)
    cksn, head = source.number(1) & 7, source.number(1)
    mode, count = head >> 6, head >> 3 & 7
    if count > MOST_VECTORS:
        raise Fault(INCORRECT)
    found = {"mode": mode, "cksn": cksn, "cipher": 0 if mode == 2 else head & 7}
    for name, size in {1: [("kc", 8)], 3: [("kc", 8)]}.get(mode, [("ck", 16), ("ik", 16)]):
        found[name] = source.take(size)
    if mode == 1:
        found["triplets"] = [triplet(source) for _ in range(count)]
    else:
        vectors = Octets(source.counted(2))
        found["quintuplets"] = [quintuplet(vectors) for _ in range(count)]
        if vectors.rest:
            raise Fault(INCORRECT)
    found["drx"] = source.take(2)
    found["capability"] = source.counted()
    found["imeisv"] = equipment(source.counted(2)) if source.rest else None
    found["access"] = source.counted() if source.rest else None
    return {name: value for name, value in found.items() if value not in (None, b"")}


def mobile_address(found, kind, octets):
    sizes = {0x21: {0: "", 4: "4"}, 0x57: {0: "", 16: "6"}, 0x8D: {0: "", 4: "4", 16: "6", 20: "46"}}[kind]
    if len(octets) not in sizes:
        raise Fault(INCORRECT)
    if "4" in sizes[len(octets)]:
        found["ipv4"] = str(ipaddress.ip_address(octets[:4]))
    if "6" in sizes[len(octets)]:
        found["ipv6"] = str(ipaddress.ip_address(octets[-16:]))


def take_mobile(found, source):
    """Organisation, type and address; returns the type of IP, or None."""
    organisation, kind, octets = source.number(1) & 15, source.number(1), source.counted()
    if organisation == 1 and kind in PDP_TYPES:
        mobile_address(found, kind, octets)
        found["pdp_type"] = PDP_TYPES[kind]
        return kind
    if organisation != 1 and kind == 2:
        found["pdp_type"] = "non_ip"
    return None


def pdp_context(octets):
    """7.7.29"""
    source = Octets(octets)
    head = source.number(1)
    found = {"nsapi": head & 15, "is_active": not head & 32, "reordering": bool(head & 16), "vplmn_allowed": bool(head & 64),
             "sapi": source.number(1) & 15}
    for qos, arp in (("qos_subscribed", "arp_subscribed"), ("qos_requested", "arp_requested"), ("qos_negotiated", "arp")):
        value = source.counted()
        found[arp] = value[0] if value else 0
        found[qos] = value[1:]
    for name, size in (("sequence_down", 2), ("sequence_up", 2), ("send_n_pdu", 1), ("receive_n_pdu", 1), ("teid_control", 4),
                       ("teid_data", 4), ("context_id", 1)):
        found[name] = source.number(size)
    kind = take_mobile(found, source)
    for name in ("control", "user"):
        value = source.counted()
        found[name] = address(value) if value else None
    found["apn"] = apn(source.counted())
    found["ti"], found["ti_extension"] = source.number(1) & 15, source.number(1)
    if found["nsapi"] < 5:
        raise Fault(INCORRECT)
    if head & 128:
        other, value = source.number(1), source.counted()
        if other in PDP_TYPES and kind:
            mobile_address(found, other, value)
            found["pdp_type"] = found["pdp_type"] if other == kind else "ipv4v6"
    return {name: value for name, value in found.items() if value not in (None, b"", "")}


def elements(octets):
    """(type, value) up to an unknown type without length."""
    at = 0
    while at < len(octets):
        kind, at = octets[at], at + 1
        if kind < 128 and kind not in FIXED:
            return
        width = 0 if kind < 128 else 1 if kind == 141 else 2
        if at + width > len(octets):
            raise Fault(INVALID_FORMAT)
        size = FIXED[kind] if kind < 128 else int.from_bytes(octets[at:at + width], "big")
        at += width + size
        if at > len(octets):
            raise Fault(INVALID_FORMAT)
        yield kind, octets[at - size:at]


def octet_at_least(value):
    if not value:
        raise Fault(INCORRECT)
    return value


NUMBERS = {1: "cause", 4: "tlli", 5: "p_tmsi", 17: "teid_control", 26: "charging"}
SMALL = {23: ("radio_priority_sms", 7), 150: ("radio_priority_lcs", 7), 151: ("rat_type", 255), 163: ("hop_counter", 255),
         178: ("discriminator", 15)}
PLAIN = {2: ("imsi", imsi), 3: ("rai", routeing_area), 12: ("signature", bytes), 13: ("ms_validated", lambda value: bool(value[0] & 1)),
         129: ("mm", mm_context), 144: ("container", octet_at_least), 158: ("routing_address", octet_at_least),
         145: ("prioritized", lambda value: True)}


class Message:
    """The elements of one message, taken in the order in which they come."""

    def __init__(self, kind):
        self.kind, self.found, self.seen, self.addresses = kind, {}, set(), []

    def append(self, name, value, most=MOST_CONTEXTS):
        known = self.found.setdefault(name, [])
        if len(known) < most:
            known.append(value)

    def take(self, kind, value):
        if kind in NUMBERS:
            self.found.setdefault(NUMBERS[kind], int.from_bytes(value, "big"))
        elif kind in SMALL:
            name, mask = SMALL[kind]
            if name not in self.found:
                self.found[name] = octet_at_least(value)[0] & mask
        elif kind in PLAIN:
            name, read = PLAIN[kind]
            if name not in self.found:
                self.found[name] = read(value)
        else:
            self.take_list(kind, value)
        self.seen.add(kind)

    def take_list(self, kind, value):
        if kind in (9, 136):
            name, other = ("triplets", "quintuplets") if kind == 9 else ("quintuplets", "triplets")
            if other not in self.found and len(self.found.get(name, ())) < MOST_VECTORS:
                self.append(name, (triplet if kind == 9 else quintuplet)(Octets(value)))
        elif kind == 18:
            self.append("tunnels", {"nsapi": value[0] & 15, "teid": int.from_bytes(value[1:], "big")})
        elif kind == 24:
            self.append("radio_priorities", {"nsapi": value[0] >> 4, "priority": value[0] & 7})
        elif kind == 25:
            self.append("pfis", {"nsapi": value[0] & 15, "pfi": value[1]})
        elif kind == 130:
            context = pdp_context(value)
            if all(context["nsapi"] != known["nsapi"] for known in self.found.get("contexts", ())):
                self.append("contexts", context)
        elif kind == 133:
            self.take_address(value)
        elif kind == 147:
            self.take_number(value)

    def take_address(self, value):
        """One for signalling, of a request for contexts a second one; those beyond are not looked at."""
        if self.kind == 52 or len(self.addresses) < (2 if self.kind == 50 else 1):
            self.addresses.append(address(value))

    def take_number(self, value):
        try:
            number = digits(value[1:]) if value else None
        except Fault:
            return
        if number:
            self.found.setdefault("sgsn_number", number)

    def end(self):
        names = ("control", "control_other") if self.kind != 52 else ()
        self.found.update(zip(names, self.addresses))
        tunnels, users = self.found.get("tunnels", ()), self.addresses[:MOST_CONTEXTS] if self.kind == 52 else ()
        if 1 < len(users) < len(tunnels):
            raise Fault(INCORRECT)
        if users and len(tunnels) < 2 or len(users) == 1:
            self.found["user"] = users[0]
        else:
            for tunnel, user in zip(tunnels, users):
                tunnel["user"] = user
        self.check_mandatory(tunnels and not users)

    def check_mandatory(self, lacks_user):
        needed = set(MANDATORY[self.kind])
        if 128 <= self.found.get("cause", 0) < 192:
            needed.update(ACCEPTING.get(self.kind, ()))
        if self.kind == 50 and self.found.get("ms_validated"):
            needed.add(2)
        if needed - self.seen or lacks_user or (self.kind == 50 and not self.seen & {2, 4, 5}):
            raise Fault(MISSING)


def decode(octets):
    """A message as a dict, or a Fault, of octets with a long header."""
    end = 8 + int.from_bytes(octets[2:4], "big")
    if len(octets) < end:
        return "truncated"
    message = Message(octets[1])
    try:
        for kind, value in elements(octets[12:end]):
            if kind in ELEMENTS[message.kind]:
                message.take(kind, value)
        message.end()
    except Fault as fault:
        return fault
    return {"type": TYPES[message.kind], "teid": int.from_bytes(octets[4:8], "big"), "seq": int.from_bytes(octets[8:10], "big"),
            **message.found}


def plain(value):
    """A value as text that the script in Lua writes alike: octets and texts in hex, fields by name."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (bytes, str)):
        return "#" + (value.encode() if isinstance(value, str) else value).hex()
    if isinstance(value, Fault):
        return f"fault {value.cause}"
    pairs = value.items() if isinstance(value, dict) else ((str(at), one) for at, one in enumerate(value, 1))
    return "{" + " ".join(f"{name}={plain(one)}" for name, one in sorted(pairs)) + "}"

# SPDX-License-Identifier: BSD-3-Clause
"""V.42bis from the rules of the recommendation: strings are octets in a table, nothing is fast."""

ETM, FLUSH, STEPUP, OCTET, STRING = 0, 1, 2, 3, 259
ECM, EID, RESET = 0, 1, 2


class Broken(Exception):
    """Its first argument is the error's number in enum v42bis_error."""


NO_ROOM, EMPTY_CODE, TOO_MANY_STEPUPS, COMMAND, CUT = -1, -2, -3, -4, -5


class Dictionary:
    """Both sides have the same one."""

    def __init__(self, codewords, longest):
        self.codewords, self.longest = codewords, longest
        self.reset()

    def reset(self):
        self.strings = {OCTET + octet: bytes((octet,)) for octet in range(256)}
        self.codes = {string: code for code, string in self.strings.items()}
        self.children = {}  # of a string: how many longer ones it is the beginning of
        self.next = STRING
        self.last_added = None
        self.string, self.is_closed = b"", False
        self.code_bits, self.threshold, self.escape = 9, 512, 0

    def add(self, string):
        self.strings[self.next] = string
        self.codes[string] = self.next
        self.children[string[:-1]] = self.children.get(string[:-1], 0) + 1
        self.last_added = string
        while True:
            self.next = self.next + 1 if self.next + 1 < self.codewords else STRING
            old = self.strings.get(self.next)
            if old is None:
                return
            if not self.children.get(old):
                del self.strings[self.next], self.codes[old]
                self.children[old[:-1]] -= 1
                return

    def learn(self, string):
        """The string and the octet behind it."""
        if len(string) <= self.longest and string not in self.codes:
            self.add(string)

    def take(self, octet):
        """An octet of the data. Returns the string that it ends, None."""
        longer = self.string + octet
        if not self.string or self.is_closed:
            if self.string:
                self.learn(longer)
            self.string, self.is_closed = octet, False
            return None
        if longer in self.codes and longer != self.last_added:
            self.string = longer
            return None
        done = self.string
        if longer in self.codes:
            self.last_added = None
        else:
            self.learn(longer)
        self.string = octet
        return done

    def count_escape(self, octet):
        """True if it is the escape octet, which changes then."""
        is_escape = octet[0] == self.escape
        if is_escape:
            self.escape = (self.escape + 51) % 256
        return is_escape


class Encoder(Dictionary):
    """choose(encoder) says before each octet in which mode it goes: True for compressed, False, None for a RESET, which is
    transparent."""

    def __init__(self, codewords, longest, choose=lambda encoder: True):
        self.choose = choose
        super().__init__(codewords, longest)
        self.is_compressed = False

    def start(self):
        self.reset()
        self.is_compressed = False

    def put_code(self, code):
        while code >= self.threshold:
            self.put_code(STEPUP)
            self.code_bits, self.threshold = self.code_bits + 1, self.threshold * 2
        self.bits |= code << self.count
        self.count += self.code_bits
        if code in (ETM, FLUSH):
            self.count = (self.count + 7) // 8 * 8
        while self.count >= 8:
            self.out.append(self.bits & 255)
            self.bits >>= 8
            self.count -= 8

    def put_string(self):
        """The string so far, in compressed mode."""
        if self.string and not self.is_closed:
            self.put_code(self.codes[self.string])
            self.is_closed = True

    def go(self, is_compressed):
        if is_compressed == self.is_compressed:
            return
        if is_compressed:
            self.out += bytes((self.escape, ECM))
            self.is_closed = True
        else:
            self.put_string()
            self.put_code(ETM)
            self.last_added = None
        self.is_compressed = is_compressed

    def flush(self):
        if self.is_compressed:
            self.put_string()
            self.put_code(FLUSH)

    def encode(self, data):
        self.out, self.bits, self.count = bytearray(), 0, 0
        for value in data:
            octet = bytes((value,))
            mode = self.choose(self)
            self.go(bool(mode))
            if mode is None:
                self.out += bytes((self.escape, RESET))
                self.reset()
            if not self.is_compressed:
                self.out += octet
            done = self.take(octet)
            if done and self.is_compressed:
                self.put_code(self.codes[done])
            if self.count_escape(octet) and not self.is_compressed:
                self.out.append(EID)
        self.flush()
        return bytes(self.out)


class Decoder(Dictionary):
    def __init__(self, codewords, longest):
        super().__init__(codewords, longest)
        self.most_bits = max(9, (codewords - 1).bit_length())
        self.start()

    def start(self):
        self.reset()
        self.is_compressed = self.is_escaped = False

    def put(self, string, room):
        if len(self.out) + len(string) > room:
            raise Broken(NO_ROOM)
        self.out += string

    def decode(self, stream, room):
        self.out, at = bytearray(), 0
        while at < len(stream):
            at = self.decode_codes(stream, at, room) if self.is_compressed else self.decode_plain(stream, at, room)
        return bytes(self.out)

    def decode_plain(self, stream, at, room):
        octet = stream[at:at + 1]
        if self.is_escaped:
            self.is_escaped = False
            if octet[0] == RESET:
                self.reset()
            elif octet[0] == ECM:
                self.is_compressed = self.is_closed = True
            elif octet[0] == EID:
                octet = bytes((self.escape,))
                self.count_escape(octet)
                self.put(octet, room)
                self.take(octet)
            else:
                raise Broken(COMMAND)
        elif octet[0] == self.escape:
            self.is_escaped = True
        else:
            self.put(octet, room)
            self.take(octet)
        return at + 1

    def decode_codes(self, stream, at, room):
        """Up to ETM or the end. Returns where the stream continues."""
        bits = "".join(f"{octet:08b}"[::-1] for octet in stream[at:])
        place, is_flushed = 0, True
        while place + self.code_bits <= len(bits):
            code = int(bits[place:place + self.code_bits][::-1], 2)
            place += self.code_bits
            is_flushed = code in (ETM, FLUSH)
            if is_flushed:
                place = (place + 7) // 8 * 8
            if code == ETM:
                self.is_compressed, self.last_added = False, None
                return at + place // 8
            if code == STEPUP:
                self.code_bits += 1
                if self.code_bits > self.most_bits:
                    raise Broken(TOO_MANY_STEPUPS)
            elif code >= OCTET:
                self.decode_code(code, room)
        if not is_flushed or place < len(bits):
            raise Broken(CUT)
        return len(stream)

    def decode_code(self, code, room):
        string = self.strings.get(code)
        if string is None:
            raise Broken(EMPTY_CODE)
        self.put(string, room)
        if self.string:
            self.learn(self.string + string[:1])
        if self.strings.get(code) != string:
            raise Broken(EMPTY_CODE)  # learning has taken it
        self.string, self.is_closed = string, True
        for value in string:
            self.count_escape(bytes((value,)))

# SPDX-License-Identifier: BSD-3-Clause
"""A decoder in Python, and TShark, judge the codec of messages between SGSNs on messages at random."""
import collections
import ipaddress
import random
import unittest

import mobility_messages
import mobility_random
import tshark_fields

MESSAGES, SPOILT_OF_EACH, SEED, WARNING = 2000, 20, 7, 0x600000
# What the codec reads, as mobility_messages.plain() writes it.
HEAD = """
local wire = require "wire.gtpc"
local function plain(value)
  if type(value) == "string" then
    return "#" .. value:gsub(".", function(c) return ("%02x"):format(c:byte()) end)
  elseif type(value) ~= "table" then
    return tostring(value)
  end
  local parts, names = {}, {}
  for name in pairs(value) do names[#names + 1] = name end
  table.sort(names, function(one, other) return tostring(one) < tostring(other) end)
  for _, name in ipairs(names) do parts[#parts + 1] = tostring(name) .. "=" .. plain(value[name]) end
  return "{" .. table.concat(parts, " ") .. "}"
end
local function read(octets)
  local message, word, head = wire.decode(octets)
  return message and plain(message) or head and "fault " .. head.fault or word
end
local function octets_of(hex)
  return (hex:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end
local function hex_of(octets)
  return (octets:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end
"""


def written(messages):
    """The octets of each, and what the codec reads in them."""
    lines = [f"do local o = wire.encode({mobility_random.in_lua(message)}) print(hex_of(o), read(o)) end" for message in messages]
    return [(bytes.fromhex(octets), text) for octets, text in tshark_fields.read("\n".join([HEAD, *lines]))]


def read(frames):
    lines = [f'print(read(octets_of "{octets.hex()}"))' for octets in frames]
    return [line[0] for line in tshark_fields.read("\n".join([HEAD, *lines]))]


@unittest.skipUnless(tshark_fields.shutil.which("lua5.4"), "lua5.4 is not installed")
class Decoded(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.source = mobility_random.Source(random.Random(SEED))
        cls.messages = [mobility_random.message(cls.source) for _ in range(MESSAGES)]
        cls.rows = written(cls.messages)

    def test_each_message_is_what_was_written(self):
        self.assertEqual(len(self.rows), MESSAGES)
        for message, (octets, text) in zip(self.messages, self.rows):
            wanted = mobility_messages.plain(message)
            self.assertEqual(text, wanted)
            self.assertEqual(mobility_messages.plain(mobility_messages.decode(octets)), wanted, octets.hex())
        kinds = collections.Counter(message["type"] for message in self.messages)
        self.assertEqual(set(kinds), set(mobility_messages.TYPES.values()))

    def test_spoilt_messages_are_read_alike(self):
        frames = [mobility_random.spoilt(self.source, octets) for octets, _ in self.rows for _ in range(SPOILT_OF_EACH)]
        verdicts = collections.Counter()
        for octets, text in zip(frames, read(frames), strict=True):
            found = mobility_messages.decode(octets)
            wanted = found if isinstance(found, str) else mobility_messages.plain(found)
            self.assertEqual(text, wanted, octets.hex())
            verdicts[wanted if wanted[0] != "{" else "good"] += 1
        self.assertEqual(set(verdicts), {"good", "truncated", "fault 193", "fault 201", "fault 202"})
        self.assertGreater(min(verdicts.values()), 100)


# Fields of TShark by names of messages, of their MM context, and of all their PDP contexts.
PLAIN = {"gtp.teid": "teid", "gtp.seq_number": "seq", "gtp.cause": "cause", "e212.imsi": "imsi", "gtp.tlli": "tlli", "gtp.ptmsi": "p_tmsi",
         "gtp.ptmsi_sig": "signature", "gtp.ms_valid": "ms_validated", "gtp.teid_cp": "teid_control", "gtp.rp_sms": "radio_priority_sms",
         "gtp.hop_count": "hop_counter", "gtp.ext_rat_type": "rat_type", "gtp.raplcs": "radio_priority_lcs"}
OF_MM = {"gtp.security_mode": "mode", "gtp.cipher_algorithm": "cipher", "gtp.ciphering_key_kc": "kc"}
OF_CONTEXTS = {"gtp.pdp_cntxt.sapi": "sapi", "gtp.reordering_required": "reordering", "gtp.vplmn_address_allowed": "vplmn_allowed",
               "gtp.sequence_number_down": "sequence_down", "gtp.sequence_number_up": "sequence_up", "gtp.send_n_pdu_number": "send_n_pdu",
               "gtp.receive_n_pdu_number": "receive_n_pdu", "gtp.uplink_teid_cp": "teid_control", "gtp.uplink_teid_data": "teid_data",
               "gtp.pdp_context_identifier": "context_id", "gtp.apn": "apn"}
OTHERS = ("gtp.message", "_ws.expert.severity", "gtp.rand", "gtp.activity_status_indicator")


def is_same(text, value):
    """Whether a text of TShark says this value."""
    if isinstance(value, bytes):
        return bytes.fromhex(text.replace("0x", "").replace(":", "")) == value
    if isinstance(value, int):
        return {"True": 1, "False": 0}.get(text) == value if text in ("True", "False") else int(text or "-1", 0) == value
    return text == value


@tshark_fields.needs_tshark
class Judged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        source = mobility_random.Source(random.Random(SEED))
        cls.messages = [mobility_random.message(source) for _ in range(MESSAGES)]
        cls.fields = (*PLAIN, *OF_MM, *OF_CONTEXTS, *OTHERS)
        rows = tshark_fields.dissect("gtp", [octets for octets, _ in written(cls.messages)], cls.fields)
        cls.rows = [(malformed, dict(zip(cls.fields, row))) for malformed, *row in rows]

    def assert_fields(self, names, message, row):
        for field, name in names.items():
            if name in message:
                self.assertTrue(is_same(row[field].split(",")[0], message[name]), (field, row[field], message))

    def assert_lists(self, contexts, row):
        for field, name in OF_CONTEXTS.items():
            found = row[field].split(",") if row[field] else []
            self.assertEqual(len(found), len(contexts), field)
            for text, context in zip(found, contexts):
                self.assertTrue(is_same(text, context[name]), (field, text, context))

    def test_nothing_is_malformed(self):
        self.assertEqual(len(self.rows), MESSAGES)
        for message, (malformed, row) in zip(self.messages, self.rows):
            severities = [int(text, 0) for text in row["_ws.expert.severity"].split(",") if text]
            self.assertEqual(malformed, "", message)
            self.assertLess(max(severities, default=0), WARNING, message)

    def test_values(self):
        for message, (_, row) in zip(self.messages, self.rows):
            self.assertEqual(mobility_messages.TYPES[int(row["gtp.message"], 0)], message["type"])
            self.assert_fields(PLAIN, message, row)
            self.assert_lists(message.get("contexts", ()), row)
            mm = message.get("mm", {})
            hidden = {"cipher"} if mm.get("mode") == 2 else ()
            self.assert_fields(OF_MM, {name: mm[name] for name in mm if name not in hidden}, row)
            inactive = [str(int(not context["is_active"])) for context in message.get("contexts", ())]
            self.assertEqual(row["gtp.activity_status_indicator"].replace("False", "0").replace("True", "1"), ",".join(inactive))
            vectors = mm.get("triplets", mm.get("quintuplets", message.get("triplets", message.get("quintuplets", ()))))
            self.assertEqual(row["gtp.rand"].replace(":", ""), ",".join(vector["rand"].hex() for vector in vectors))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: BSD-3-Clause
"""Tables of mobiles (docs/mobiles.md): what is right, and each error with its file, line and column."""
import os
import re
import tempfile
import unittest

import mobiles

FIRST, SECOND, THIRD = (mobiles.row(i).split(",") for i in range(3))
COLUMNS = mobiles.HEADER.split(",")


def changed(row, **values):
    return ",".join(values.get(name, value) for name, value in zip(COLUMNS, row))


def table(*lines, header=mobiles.HEADER, end="\n"):
    return "".join(line + end for line in (header, *lines)).encode()


LISTED = """{ imsi = "262420000000000", tlli = 0xD0000001, bvci = 1800, contexts = { { nsapi = 5, teid = 7,
  sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2", ggsn_teid = 0x2001, address = "10.45.0.1" } } }"""


def modes(*words):
    """A table with the column llc."""
    rows = (FIRST, SECOND, THIRD)
    return table(*(",".join([*rows[i], word]) for i, word in enumerate(words)), header=mobiles.HEADER + ",llc")


def links(count, workers=1):
    return f", workers = {workers}, llc = {{ acknowledged = {{ links = {count} }} }}"


LISTED_ACKNOWLEDGED = LISTED.replace("nsapi = 5,", 'nsapi = 5, llc = "acknowledged",')

RIGHT = (
    table(*map(",".join, (FIRST, SECOND, THIRD))),
    b"\xef\xbb\xbf" + table("# a comment", "", ",".join(FIRST), end="\r\n"),
    table(",".join(FIRST))[:-1],  # the last line has no end
    table(",".join('"' + value + '"' for value in FIRST)),
    table(",".join(reversed(FIRST)), header=",".join(reversed(COLUMNS))),
    table(",".join(FIRST), changed(FIRST, nsapi="6", ciphering="", kc="", address="10.2.2.2")),
    table("262420000000001,3221225473,1800,6,2001:db8::1,2001:db8::2,internet.lab,ipv6,,5 9 3",
          header="imsi,tlli,bvci,nsapi,sgsn_address,ggsn_address,apn,pdp_type,ipv6_address,unprotected_sapis"),
    modes("acknowledged", "", "unacknowledged"),
)

# Table and options of check(): right, too.
RIGHT_WITH = (
    (modes("", "", "unacknowledged"), {"more": links(0)}),
    (modes("acknowledged", "", "acknowledged"), {"more": links(2)}),
    (modes("acknowledged"), {"more": links(2), "listed": LISTED_ACKNOWLEDGED.replace("262420000000000", "1234567")}),
)

# Table, options of check(), the lines it prints.
WRONG = (
    (b"", {}, ["mobiles.csv:0:1: the header, a line with names of columns, is missing"]),
    (table(header="imsi,tlli,colour,tlli"), {}, [
        "mobiles.csv:1:11: unknown column 3; docs/mobiles.md has the columns",
        "mobiles.csv:1:18: column 'tlli' is there twice"]),
    (table(header="imsi,tlli,bvci,nsapi,sgsn_address"), {}, ["mobiles.csv:1:1: column 'ggsn_address' is missing"]),
    (table(changed(FIRST, imsi="2624x"), changed(SECOND, tlli="0x7fffffff"), changed(THIRD, bvci="1801")), {}, [
        "mobiles.csv:2:1: imsi: the value is not allowed: 6 to 15 digits",
        "mobiles.csv:3:17: tlli: the value is not allowed: 0x80000000 .. 0xFFFFFFFF",
        "mobiles.csv:4:28: bvci: 1801 is no cell of NSE 101"]),
    (table(changed(FIRST, ciphering="gea1"), changed(SECOND, ciphering="gea4"), changed(THIRD, kc="0123456789abcdeg")), {}, [
        "mobiles.csv:2:33: ciphering: the value is not allowed: gea3 or gea4, gea0 for none",
        "mobiles.csv:3:38: kc: gea4 takes 32 hexadecimal digits",
        "mobiles.csv:4:38: kc: the value is not allowed: 16 or 32 hexadecimal digits"]),
    (table(changed(FIRST, nsapi="4"), changed(SECOND, sgsn_address="224.0.0.1"), changed(THIRD, ggsn_teid="4294967296")),
     {}, ["mobiles.csv:2:55: nsapi: the value is not allowed: 5 .. 15",
          "mobiles.csv:3:57: sgsn_address: the value is not allowed: the IP address of a host",
          "mobiles.csv:4:77: ggsn_teid: the value is not allowed: 1 .. 4294967295"]),
    (table(changed(FIRST, ggsn_address="2001:db8::1"), changed(SECOND, ggsn_teid=""), changed(THIRD, address="")), {}, [
        "mobiles.csv:2:67: ggsn_address: is of another IP version than sgsn_address",
        "mobiles.csv:3:77: ggsn_teid: missing; a context without apn needs it",
        "mobiles.csv:4:79: address: missing; a context without apn needs address or ipv6_address"]),
    (table(changed(FIRST, **{"class": "best"}), changed(SECOND, ciphering=""), changed(THIRD, ciphering="gea0")), {}, [
        "mobiles.csv:2:88: class: the value is not allowed: signalling, sms, conversational, streaming, thp1, thp2, thp3 or "
        "background",
        "mobiles.csv:3:33: ciphering: missing; kc needs it: gea3 or gea4",
        "mobiles.csv:4:38: kc: gea0 ciphers nothing and takes no key"]),
    (table(",".join(FIRST), changed(SECOND, tlli=FIRST[1]), changed(FIRST, tlli=THIRD[1])), {}, [
        "mobiles.csv:3:17: tlli: taken by line 2",
        "mobiles.csv:4:17: tlli: differs from the first row of the mobile"]),
    (table(",".join(FIRST), ",".join(FIRST)), {}, ["mobiles.csv:3:55: nsapi: 5 is taken by another context of the mobile"]),
    (table(",".join(FIRST), ",".join(SECOND), ",".join(FIRST)), {}, [
        "mobiles.csv:4:1: imsi: taken by line 2"]),
    (table(",".join(FIRST)), {"listed": LISTED}, ["mobiles.csv:2:1: imsi: taken by mobiles.list[1]"]),
    (table(",".join(FIRST) + ",x", '"' + FIRST[0], '"1"2,' + ",".join(SECOND)), {}, [
        "mobiles.csv:2:1: 12 fields; the header has 11",
        "mobiles.csv:3:1: the quotes do not end",
        "mobiles.csv:4:4: a comma is missing after the quotes"]),
    (table("a" * 4095), {}, ["mobiles.csv:2:1: the line is too long: at most 4094 octets"]),
    (table("ab\0\n"), {}, ["mobiles.csv:2:3: an octet 0; the file is not a text"]),
    (table(changed(FIRST, imsi="\x1b[2J")), {}, ["mobiles.csv:2:1: imsi: the value is not allowed: 6 to 15 digits"]),
    (table(*map(",".join, (FIRST, SECOND, THIRD))), {"limit": 2}, ["mobiles.csv:4:1: more mobiles than limits.mobiles (2)"]),
    (table(*["x"] * 1000), {}, [f"mobiles.csv:{line}:1: 1 fields; the header has 11" for line in range(2, 22)]
     + ["mobiles.csv: and 980 more errors"]),
    (modes("Acknowledged", "no"), {}, [
        "mobiles.csv:2:93: llc: the value is not allowed: acknowledged or unacknowledged",
        "mobiles.csv:3:93: llc: the value is not allowed: acknowledged or unacknowledged"]),
    (modes("acknowledged", "", "acknowledged"), {"more": links(0)}, [
        f"mobiles.csv:{line}:93: llc: 'acknowledged' needs a link: raise llc.acknowledged.links above 0, or leave it out"
        for line in (2, 4)]),
    (modes("acknowledged", "acknowledged", "acknowledged"), {"more": links(1)}, [
        "mobiles.csv:3:93: llc: 3 contexts in acknowledged mode are more than 1 links of all workers: raise "
        "llc.acknowledged.links"]),
    (modes("", "acknowledged"), {"more": links(1), "listed": LISTED_ACKNOWLEDGED.replace("262420000000000", "1234567")}, [
        "mobiles.csv:3:93: llc: 2 contexts in acknowledged mode are more than 1 links of all workers: raise "
        "llc.acknowledged.links"]),
    (b"", {"file": "other.csv"}, ["other.csv: No such file or directory"]),
    (b"", {"file": "folder"}, ["folder: is not a regular file"]),
    (b"", {"file": "fifo"}, ["fifo: is not a regular file"]),
    (b"", {"file": "a/../../mobiles.csv"}, [
        "node.lua:5: mobiles.file: 'a/../../mobiles.csv' leaves the configuration's folder; move the table below it"]),
    (b"", {"file": "/etc/passwd"}, ["node.lua:5: mobiles.file: '/etc/passwd' is not a valid text: a relative path of "
                                    "letters, digits, _, . and -"]),
)


class Tables(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        os.mkdir(os.path.join(self.folder, "folder"))
        os.mkfifo(os.path.join(self.folder, "fifo"))

    def test_right(self):
        for number, text in enumerate(RIGHT):
            with self.subTest(number=number):
                self.assertEqual(mobiles.check(self.folder, text), (0, []))

        for text, options in RIGHT_WITH:
            with self.subTest(options=options):
                self.assertEqual(mobiles.check(self.folder, text, **options), (0, []))

    def test_wrong(self):
        for text, options, lines in WRONG:
            with self.subTest(lines=lines):
                self.assertEqual(mobiles.check(self.folder, text, **options), (2, lines))

    def test_keys_are_not_printed(self):
        _, lines = mobiles.check(self.folder, table(changed(FIRST, kc="0123456789abcdeg"), changed(SECOND, ciphering="gea4")))
        self.assertEqual(len(lines), 2)
        self.assertFalse(re.search("0123456789|" + SECOND[4], "\n".join(lines)))

    def test_columns_are_those_of_the_page(self):
        with open(os.path.join(os.environ["GBFLOW_ROOT"], "docs", "mobiles.md"), encoding="utf-8") as file:
            names = re.findall(r"^\| `(\w+)` \| (?:mobile|context) \|", file.read(), re.MULTILINE)
        self.assertEqual(len(names), 22)
        text = table("", header=",".join(names))
        self.assertEqual(mobiles.check(self.folder, text), (0, []))


if __name__ == "__main__":
    unittest.main()

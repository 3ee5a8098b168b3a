# SPDX-License-Identifier: BSD-3-Clause
"""Usage, configurations that are wrong, and files that are not there: what is said, and the exit status."""
import os
import re
import unittest

import gbflow


def rate(text):
    return f'bvc = {{ bucket = "10000 octets", rate = "{text}" }}'


# Name: (old, new) in replay-80k.lua, the line that is named, and what else its one line of complaint must say.
BVC = "bvc = one_second"
WRONG = {
    "unknown key": ('sapi = 3,', 'sapy = 3,', "sapy", r"mobiles\.sapy: .*unknown"),
    "unknown key at the top": ('lifetime = {', 'lifetimes = {', "lifetimes", r"lifetimes: .*unknown"),
    "wrong unit": (BVC, rate('80 kB'), 'rate = "80 kB', r"bvc\.rate: .*bit/s"),
    "missing unit": ('queue_limit = "64 kB"', 'queue_limit = 64000', "queue_limit", r"mobiles\.queue_limit: .*(octets|kB)"),
    "negative rate": (BVC, rate('-80 kbit/s'), 'rate = "-80 kbit/s', r"bvc\.rate: .*0 bit/s \.\. 6\.5535 Gbit/s"),
    "rate out of steps": (BVC, rate('80050 bit/s'), 'rate = "80050 bit/s', r"bvc\.rate: .*100 bit/s"),
    "out of range": ('n201_u = "500 octets"', 'n201_u = "139 octets"', "n201_u", r"mobiles\.n201_u: .*140 octets \.\. 1520 octets"),
    "no such word": ('mode = "split"', 'mode = "splitt"', "mode", r"lifetime\.mode: .*split, sgsn_only, per_node"),
    "missing field": ('gb = { address = "10.99.0.1", ', 'gb = { ', "gb = {", r"gb\.address: "),
    "missing table": ('gb = { address = "10.99.0.1", udp_port = 23000, mtu = "1500 octets" },', "", "return {", r"gb: "),
    "wrong type": ('bvci = 1800, cell_id', 'bvci = "1800", cell_id', "cell_id =", r"nses\[1\]\.cells\[1\]\.bvci: "),
    "no such cell": ('{ bvci = 1800, bvc', '{ bvci = 1801, bvc', "bvci = 1801", r"emulated_bss\[1\]\.cells\[1\]\.bvci: .*1800"),
    "syntax error": ('sapi = 3,', 'sapi = = 3,', "sapi = =", r"near"),
    "endless loop": ('return {', 'while true do end return {', "while true", r"."),
    "endless loop in a function": ('return {', 'local function f() return f() end f() return {', "local function f", r"."),
    "error": ('return {', 'local x = nil + 1 return {', "local x", r"arithmetic"),
    "reaches out": ('return {', 'os.execute("true") return {', "os.execute", r"os"),
    "endless text": ('return {', 'local s = "x" while true do s = s .. s end return {', "while true", r"."),
}

USAGE = {
    "no command": ([], "gbflow --help lists all commands"),
    "no such command": (["repaly"], "unknown command 'repaly'"),
    "no such option": (["replay", "NODE", "--inn", "CAPTURE"], "--inn"),
    "no configuration": (["replay", "--in", "CAPTURE"], "missing NODE.lua, or more than one file"),
    "two configurations": (["replay", "NODE", "NODE", "--in", "CAPTURE"], "missing NODE.lua, or more than one file"),
    "no capture": (["replay", "NODE"], "--in"),
    "option without value": (["replay", "NODE", "--in"], "--in"),
    "one file twice": (["replay", "NODE", "--in", "CAPTURE", "--out", "no-file", "--json", "./no-file"],
                       "--out and --json are one file"),
    "drain no number": (["replay", "NODE", "--in", "CAPTURE", "--drain", "soon"], "--drain"),
    "drain negative": (["replay", "NODE", "--in", "CAPTURE", "--drain", "-1"], "--drain"),
    "drain with unit": (["replay", "NODE", "--in", "CAPTURE", "--drain", "5s"], "--drain"),
    "check of nothing": (["check"], "missing FILE.lua"),
    "check with an option": (["check", "--fast", "NODE"], "gbflow check"),
}

NODE = os.path.join(gbflow.NODES, "replay-80k.lua")
LIMITED = ("prlimit", "--fsize=1000")


def line_of(text, part):
    """Number of the first line that has a text in it and is no comment."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line and not line.startswith("--"))


class Configuration(gbflow.Case):
    def test_wrong(self):
        for name, (old, new, place, said) in WRONG.items():
            with self.subTest(mistake=name):
                text = gbflow.node_text("replay-80k", [(old, new)])
                node = self.write("node.lua", text)
                for words in (["check", node], ["replay", node, "--in", gbflow.CAPTURE, "--out", self.path("gb.pcapng")]):
                    self.check_complaint(gbflow.run(*words), f"{node}:{line_of(text, place)}: ", said)
                self.assertFalse(os.path.exists(self.path("gb.pcapng")))

    def test_many_mistakes(self):
        """The first 20 by line, then their number."""
        keys = "".join(f"x{i} = 1,\n" for i in range(3000))
        text = gbflow.node_text("replay-80k", [("return {", "return {\n" + keys)])
        result = gbflow.run("check", self.write("node.lua", text))
        lines = result.stderr.splitlines()
        self.assertEqual((result.status, len(lines), lines[-1]), (2, 21, "and 2980 more"), result)
        self.assertIn("x19: unknown key", lines[19])

    def check_complaint(self, result, start, said):
        self.assertEqual((result.status, result.stdout), (2, ""), result)
        self.assertTrue(result.stderr.startswith(start), f"not '{start}': {result}")
        self.assertRegex(result.stderr[len(start):], said)
        self.assertEqual(result.stderr.count("\n"), 1, result)

    def test_a_folder_is_no_configuration(self):
        self.check_complaint(gbflow.run("check", self.path(".")), self.path("."), "Is a directory")

    def test_unreadable(self):
        binary = self.path("binary.lua")
        with open(binary, "wb") as file:
            file.write(b"\x1bLua" + bytes(range(256)))
        for path in (self.path("none.lua"), self.folder, binary, self.write("empty.lua", ""), self.write("text.lua", "hello")):
            for words in (["check", path], ["replay", path, "--in", gbflow.CAPTURE]):
                with self.subTest(words=words):
                    result = gbflow.run(*words)
                    self.assertEqual((result.status, result.stdout, result.stderr.count("\n")), (2, "", 1), result)
                    self.assertIn(path, result.stderr)

    def test_right(self):
        for name in sorted(os.listdir(gbflow.NODES)):
            with self.subTest(file=name):
                result = gbflow.run("check", os.path.join(gbflow.NODES, name))
                self.assertEqual((result.status, result.stderr), (0, ""), result)
                self.assertRegex(result.stdout, re.escape(name) + ": right")

    def test_one_of_two(self):
        wrong = self.write("node.lua", "return {}")
        result = gbflow.run("check", NODE, wrong)
        self.assertEqual(result.status, 2)
        self.assertIn(NODE, result.stdout)
        self.assertIn(wrong + ":1: ", result.stderr)

    def test_nodes_of_one_pool(self):
        paths = []
        for number, (name, nri, mnc) in enumerate((("a", 3, 42), ("b", 3, 42), ("c", 3, 43)), 1):
            cell = f'{{ bvci = 2, cell_id = {{ mcc = "262", mnc = "{mnc}", lac = 1, rac = 1, ci = 1 }} }}'
            paths.append(self.write(name + ".lua", f"""return {{ gb = {{ address = "10.99.0.{number}" }},
nses = {{ {{ nsei = {number}, nsvcs = {{ {{ nsvci = {number}, address = "10.99.0.9" }} }}, cells = {{ {cell} }} }} }},
mobiles = {{ source = "list" }}, phones = {{ policy = "accept_all",
apns = {{ {{ name = "a", sgsn_address = "10.98.2.{number}", ggsn_address = "10.98.0.1" }} }}, pool = {{
address = "10.98.1.{mnc + ord(name)}", nri_bits = 5, nris = {{ {nri} }} }} }} }}"""))
        result = gbflow.run("check", *paths)
        self.assertEqual(result.status, 2)
        self.assertEqual(result.stderr, f"{paths[1]}:5: phones.pool.nris[1]: 3 is phones.pool.nris[1] in {paths[0]}; "
                         "give each node its own\n")
        self.assertEqual([line.split(": ")[0] for line in result.stdout.splitlines()], [paths[0], paths[2]])
        self.assertEqual(gbflow.run("check", paths[1], paths[2]).status, 0)


class Usage(gbflow.Case):
    def test_wrong(self):
        for name, (words, said) in USAGE.items():
            with self.subTest(mistake=name):
                result = gbflow.run(*({"NODE": NODE, "CAPTURE": gbflow.CAPTURE}.get(word, word) for word in words))
                self.assertEqual((result.status, result.stdout), (2, ""), result)
                self.assertIn(said, result.stderr)

    def test_help(self):
        for words, said in ((["--help"], "replay"), (["-h"], "check"), (["replay", "--help"], "--drain"),
                            (["replay", NODE, "--help"], "--drain"), (["check", "--help"], "docs/reference/node.md"),
                            (["--version"], "gbflow ")):
            with self.subTest(words=words):
                result = gbflow.run(*words)
                self.assertEqual((result.status, result.stderr), (0, ""), result)
                self.assertIn(said, result.stdout)

    def test_table_of_the_page(self):
        """docs/replay.md has the first rows of what its command prints; dots stand for the end of a row."""
        with open(os.path.join(gbflow.ROOT, "docs", "replay.md"), encoding="utf-8") as file:
            rows = re.findall(r"(?m)^    (mobile  .*|10\.45\..*)$", file.read())
        printed = gbflow.run("replay", NODE, "--in", gbflow.CAPTURE).stdout
        self.assertGreater(len(rows), 1)
        for row in rows:
            self.assertIn(row.removesuffix("..."), printed)

    def test_files(self):
        """Files that cannot be read or written: status 1, of a missing one 2, and one line that names the file."""
        none, below_a_file = self.path("no folder/file"), os.path.join(NODE, "file")
        for words in (["--in", none], ["--in", self.folder], ["--in", gbflow.CAPTURE, "--out", below_a_file],
                      ["--in", gbflow.CAPTURE, "--json", below_a_file], ["--in", gbflow.CAPTURE, "--out", "/dev/full"],
                      ["--in", gbflow.CAPTURE, "--json", "/dev/full"]):
            with self.subTest(words=words):
                result = gbflow.run("replay", NODE, *words)
                self.assertEqual((result.status, result.stderr.count("\n")), (2 if none in words else 1, 1), result)
                self.assertIn(words[-1], result.stderr)

    def test_files_are_limited(self):
        """A limit of the size of files (RLIMIT_FSIZE) is an error of the write; the signal SIGXFSZ ended the program."""
        for option in ("--out", "--json"):
            with self.subTest(option=option):
                result = gbflow.run("replay", NODE, "--in", gbflow.CAPTURE, option, self.path("a file"), prefix=LIMITED)
                self.assertEqual(result.status, 1, result)
                self.assertRegex(result.stderr, re.escape(self.path("a file")) + ": .*File too large")

    def test_capture_is_not_overwritten(self):
        """An output that is the capture itself, under any name or by standard input: status 2, and it stays as it is."""
        with open(gbflow.CAPTURE, "rb") as file:
            octets = file.read()
        capture, link = self.path("in.pcap"), self.path("link.pcap")
        with open(capture, "wb") as file:
            file.write(octets)
        os.link(capture, link)
        for option in ("--out", "--json"):
            for name in (capture, link):
                with self.subTest(option=option, name=name):
                    result = gbflow.run("replay", NODE, "--in", capture, option, name)
                    self.assertEqual((result.status, result.stdout), (2, ""), result)
                    self.assertIn(capture, result.stderr)
                    with open(capture, "rb") as file:
                        self.assertEqual(file.read(), octets)

    def test_configuration_is_not_overwritten(self):
        text = gbflow.node_text("replay-80k", [])
        node = self.write("node.lua", text)
        for option in ("--out", "--json"):
            result = gbflow.run("replay", node, "--in", gbflow.CAPTURE, option, node)
            self.assertEqual((result.status, result.stdout), (2, ""), result)
            self.assertIn(f"take other files than the configuration {node}", result.stderr)
            with open(node, encoding="utf-8") as file:
                self.assertEqual(file.read(), text)

    def test_makes_folders(self):
        for option in ("--out", "--json"):
            made = self.path(f"new{option}/below/file")
            self.assertEqual(gbflow.run("replay", NODE, "--in", gbflow.CAPTURE, option, made).status, 0)
            self.assertGreater(os.path.getsize(made), 0)

    def test_verbose(self):
        """--verbose tells what happens on Gb, on stderr, and changes nothing else."""
        quiet = gbflow.run("replay", NODE, "--in", gbflow.CAPTURE)
        loud = gbflow.run("replay", NODE, "--in", gbflow.CAPTURE, "--verbose")
        self.assertEqual((loud.status, loud.stdout, quiet.stderr), (0, quiet.stdout, ""))
        self.assertRegex(loud.stderr, "(?m)^gb: ")


if __name__ == "__main__":
    unittest.main()

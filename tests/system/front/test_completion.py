# SPDX-License-Identifier: BSD-3-Clause
"""The completion scripts: what a shell offers behind some words is what the help lists."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

GBFLOW = os.environ["GBFLOW"]
FOLDER = os.path.dirname(GBFLOW)

# Words of a line, the last one unfinished; what is offered among others; what is not.
ROWS = [
    (["sh"], {"show"}, {"serve", "--json"}),
    (["s"], {"show", "serve"}, {"run"}),
    (["serve", "--u"], {"--user"}, {"--json"}),
    (["serve", "node.lua", "--"], {"--user", "--json", "--verbose"}, {"--prefix"}),
    (["bench", "pre"], {"preloaded"}, {"ndr"}),
    (["bench", "preloaded", "--oct"], {"--octets"}, {"--cipher"}),
    (["show", "b"], {"bvc"}, {"nse"}),
    (["show", "gtpc_"], {"gtpc_counts"}, {"gtpc"}),
    (["nonsense", "--x"], set(), {"--json"}),
]

BASH = """
eval "$(gbflow completion bash)"
COMP_WORDS=(gbflow "$@"); COMP_CWORD=$#
_gbflow
printf '%s\\n' "${COMPREPLY[@]}"
"""
# compadd outside of a completion widget: prints what begins with the unfinished word.
ZSH = """
function compadd { shift; local word; for word in "$@"; do [[ $word == ${words[CURRENT]}* ]] && print -r -- $word; done }
function _files { }
function compdef { }
eval "$(gbflow completion zsh)"
words=(gbflow "$@"); CURRENT=${#words}
_gbflow
"""
FISH = """
gbflow completion fish | source
complete -C "gbflow $argv" | string replace -r '\\t.*' ''
"""


def offered(shell, words, home):
    command = {"bash": ["bash", "-c", BASH, "bash"], "zsh": ["zsh", "-f", "-c", ZSH, "zsh"], "fish": ["fish", "-c", FISH]}[shell]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False, timeout=60, cwd=home,
                          env={**os.environ, "PATH": f"{FOLDER}:{os.environ['PATH']}", "HOME": home})
    if done.stderr:
        raise AssertionError(f"{shell}: {done.stderr}")
    return set(done.stdout.split())


class Completion(unittest.TestCase):
    def check_shell(self, shell):
        if not shutil.which(shell):
            print(f"skipped: {shell} is not installed", file=sys.stderr)
            self.skipTest(f"{shell} is not installed")
        with tempfile.TemporaryDirectory() as home:
            for words, wanted, unwanted in ROWS:
                with self.subTest(shell=shell, words=words):
                    found = offered(shell, words, home)
                    self.assertLessEqual(wanted, found)
                    self.assertFalse(unwanted & found)

    def test_bash(self):
        self.check_shell("bash")

    def test_zsh(self):
        self.check_shell("zsh")

    def test_fish(self):
        self.check_shell("fish")

    def test_files(self):
        """Behind a command bash offers the files of the folder, too; in place of a command it does not."""
        with tempfile.TemporaryDirectory() as home:
            open(os.path.join(home, "show-me.lua"), "w", encoding="ascii").close()
            self.assertIn("show-me.lua", offered("bash", ["serve", "show"], home))
            self.assertEqual(offered("bash", ["show"], home), {"show"})

    def test_arguments(self):
        for words in ([], ["tcsh"], ["bash", "zsh"]):
            done = subprocess.run([GBFLOW, "completion", *words], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, "gbflow completion: name one shell: bash, zsh or fish\n")
        help_text = subprocess.run([GBFLOW, "completion", "--help"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.findall(r"^  (\w+)  ", help_text, re.MULTILINE), ["bash", "zsh", "fish"])


if __name__ == "__main__":
    unittest.main()

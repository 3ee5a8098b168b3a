# SPDX-License-Identifier: BSD-3-Clause
"""Whether names say in which file they stand (STYLE 4): exported functions, prototypes, static functions."""
import re
from collections import defaultdict

from functions import functions_of

# Names that others prescribe: the C runtime, Lua's loader, libFuzzer; and the entry of a subcommand.
FOREIGN = re.compile(r"main$|luaopen_|LLVMFuzzer|command_")
MANY_FILES = 10


def singular(word):
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def nouns_of(path):
    """What functions of a file begin with: its stem, the stem in the singular, each with a folder's name before it."""
    *folders, name = path.split("/")
    words = name.split(".")[0].split("_")
    stems = {"_".join(words), "_".join([*words[:-1], singular(words[-1])])}
    return stems | {f"{folder}_{stem}" for folder in folders for stem in stems}


def bears_noun(path, name):
    return any(name == noun or name.startswith(noun + "_") for noun in nouns_of(path))


class Nouns:
    """Functions of the product in C. homes: {exported function: its .c file}; headers: {function: headers with its
    prototype}; statics: {name of a static function: .c files that have one}."""

    def __init__(self, tree):
        sources = [source for source in tree.of("c") if not source.path.startswith("tests/")]
        self.exported, self.statics, self.headers = [], defaultdict(set), defaultdict(set)
        for source in sources:
            for function in functions_of(source) if source.path.endswith(".c") else ():
                if not function.public:
                    self.statics[function.name].add(source.path)
                elif not FOREIGN.match(function.name):
                    self.exported.append((source.path, function.name))
        self.homes = {name: path for path, name in self.exported}
        for source in sources:
            for name in prototypes_in(source.blanked) & set(self.homes) if source.path.endswith(".h") else ():
                self.headers[name].add(source.path)

    @property
    def without_noun(self):
        return [(path, name) for path, name in self.exported if not bears_noun(path, name)]

    @property
    def elsewhere(self):
        """Functions whose prototype stands in headers, but not in that of their .c file."""
        return [(self.homes[name], name) for name, headers in sorted(self.headers.items())
                if self.homes[name][:-2] + ".h" not in headers]

    @property
    def static_in_many(self):
        return {name: paths for name, paths in self.statics.items() if len(paths) >= MANY_FILES}

    @property
    def percent_with_noun(self):
        return percent(len(self.exported) - len(self.without_noun), len(self.exported))

    @property
    def percent_beside(self):
        return percent(len(self.headers) - len(self.elsewhere), len(self.headers))


PROTOTYPE = re.compile(r"^\w[^\n;{}()]*?\b(\w+)\s*\([^{]*?;", re.MULTILINE)


def prototypes_in(blanked):
    return set(PROTOTYPE.findall(blanked))


def percent(part, whole):
    return 100 * part / whole if whole else 100.0

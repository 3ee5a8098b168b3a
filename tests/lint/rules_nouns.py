# SPDX-License-Identifier: BSD-3-Clause
"""Whether names say in which file they stand (STYLE 4): exported functions, prototypes, static functions; and whether
those of Lua and Python say anything (STYLE 5)."""
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


# Each of them needs the noun of what it returns, or a verb: curves_of(), find(), row_of().
EMPTY = frozenset("at by known less more named of on outcome over there under".split())
# Names that a language, a loader or many callers prescribe.
PRESCRIBED = re.compile(r"__\w+__$|main$|new$|\(anonymous\)$")


def scripted_functions(tree):
    """Of the product's Lua and Python: the source, the name behind the last dot."""
    for source in tree.of("lua", "py"):
        for function in functions_of(source) if not source.path.startswith("tests/") else ():
            yield source, re.split("[.:]", function.name)[-1]


def empty_names(tree):
    return [f"{source.path}: {name}()" for source, name in scripted_functions(tree) if name in EMPTY]


def names_in_many_files(tree):
    """Of those of one language, at as many files as need a noun in C."""
    homes = defaultdict(set)
    for source, name in scripted_functions(tree):
        if not PRESCRIBED.match(name):
            homes[name, source.language].add(source.path)
    return [f"{name}() in {len(paths)} files of {language}" for (name, language), paths in sorted(homes.items())
            if len(paths) >= MANY_FILES]


PROTOTYPE = re.compile(r"^\w[^\n;{}()]*?\b(\w+)\s*\([^{]*?;", re.MULTILINE)


def prototypes_in(blanked):
    return set(PROTOTYPE.findall(blanked))


def percent(part, whole):
    return 100 * part / whole if whole else 100.0

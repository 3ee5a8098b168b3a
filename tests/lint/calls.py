# SPDX-License-Identifier: BSD-3-Clause
"""Which function of the product names which, in the order of the text. Functions of C by name, those of Lua as they are
defined ("gb_ns.receive", "Timers:take"). A name that code only mentions, as the row of a table does, counts as a call.
"""
import re
from collections import defaultdict
from functools import cached_property

from functions import functions_of
from text import blank_c


def is_for_all(home):
    path, function = home
    return function.public or path.endswith(".h")


class Calls:
    def __init__(self, tree):
        self.sources = {source.path: source for source in tree.of("c", "lua")
                        if not source.path.startswith(("tests/", "bench/"))}
        self.rows = {source.path: source for source in tree.sources if source.path.endswith(".def")}
        self.found, self.lines = {}, {}

    @cached_property
    def homes(self):
        """{name: [(path, function)]}, files with the function for all before those with a static one."""
        homes = defaultdict(list)
        for path, source in self.sources.items():
            for function in functions_of(source):
                homes[function.name].append((path, function))
        return {name: sorted(found, key=lambda home: not is_for_all(home)) for name, found in homes.items()}

    @cached_property
    def methods(self):
        """{NAME: [(path, function)]} of methods, "Timers:NAME"."""
        found = defaultdict(list)
        for name, homes in self.homes.items():
            if ":" in name:
                found[name.split(":")[1]] += homes
        return found

    def home_of(self, name, caller=None):
        """(path, function) of a name, in the caller's file before others; None: it is no function of the product."""
        found = self.homes.get(name, ())
        own = [home for home in found if home[0] == caller]
        public = list(filter(is_for_all, found))
        return (own or public or (None,))[0] if caller else (public or list(found) or [None])[0]

    @cached_property
    def modules(self):
        """{path: {name: the file of Lua that it requires by this name}}."""
        require = re.compile(r'^local (\w+) = require[( ]*"([\w.]+)"', re.MULTILINE)
        return {path: {name: f"lua/{module.replace('.', '/')}.lua" for name, module in require.findall(source.text)}
                for path, source in self.sources.items() if path.endswith(".lua")}

    def in_file(self, path, *names):
        return next((home for name in names for home in self.homes.get(name, ()) if home[0] == path), None)

    def in_lua(self, path, owner, name):
        """The function that "owner.name", "owner:name" or "name" is in a file of Lua; None: it is not known."""
        file = self.modules[path].get(owner)
        if file:
            return self.in_file(file, f"{owner}.{name}", f"M.{name}", name)
        if owner.endswith(":"):
            found = self.methods.get(name, ())
            return next((home for home in found if home[0] == path), found[0] if len(found) == 1 else None)
        return self.in_file(path, f"{owner}.{name}" if owner else name)

    def called_by(self, path, function):
        """(path, function) of what a body names, each once, in the order of the text."""
        key = (path, function.line)
        if key not in self.found:
            self.found[key] = self.find(path, function)
        return self.found[key]

    def find(self, path, function):
        if path not in self.lines:
            self.lines[path] = self.sources[path].blanked.splitlines()
        body = "\n".join(self.lines[path][function.line - 1:function.last_line]).partition("(")[2]
        body = self.rows_of(path, function) + body
        if path.endswith(".lua"):
            homes = [self.in_lua(path, owner.removesuffix("."), name) for owner, name in re.findall(r"(\w+[.:]|)(\w+)", body)]
        else:
            homes = [self.home_of(word, path) for word in re.findall(r"(?<![.>\w])[A-Za-z_]\w*", body)]
        is_lua = path.endswith(".lua")
        homes = [home for home in homes if home and home[0].endswith(".lua") == is_lua and home[1] != function]
        found = {(home[0], home[1].line): home for home in homes}
        return list(found.values())

    def rows_of(self, path, function):
        """The rows that a body includes from a file of rows (.def), without comments."""
        lines = self.sources[path].lines[function.line - 1:function.last_line]
        included = dict.fromkeys(re.findall(r'#include "([\w/]+\.def)"', "\n".join(lines)))
        return "".join("\n" + blank_c(self.rows[name].text) for name in included if name in self.rows)

    def reach(self, homes, seen=()):
        """Places (path, line) of all that some functions name, what these name, and so on, besides those seen already."""
        seen, ahead = set(seen), list(homes)
        while ahead:
            path, function = ahead.pop()
            if (path, function.line) not in seen:
                seen.add((path, function.line))
                ahead += self.called_by(path, function)
        return seen

    def walk(self, name, depth, stops=()):
        """(depth, path, function) of a reader who follows each call once, in the order of the text; None: no such function."""
        start = self.home_of(name)
        if start is None:
            return None
        steps, seen = [], set()

        def follow(home, level):
            if (home[0], home[1].line) not in seen:
                seen.add((home[0], home[1].line))
                steps.append((level, *home))
                for called in self.called_by(*home) if level < depth and home[1].name not in stops else ():
                    follow(called, level + 1)

        follow(start, 0)
        return steps

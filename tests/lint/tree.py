# SPDX-License-Identifier: BSD-3-Clause
"""The files that the lint looks at, and what it reports about them."""
import os
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cached_property

from text import blank_c, blank_lua

SKIPPED_DIRS = {".git", "out", "__pycache__"}
C_ENDINGS = (".c", ".h", ".cc", ".hpp")


def run_quietly(main):
    """The status of main(); without a traceback where it is interrupted, or the reader of its output has gone."""
    sys.stdout.reconfigure(errors="backslashreplace")  # names of files are any octets
    try:
        status = main()
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


@dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


@dataclass
class Source:
    """One file: path from the root with forward slashes, and its text."""

    path: str
    text: str
    lines: list = field(init=False)
    functions: list = field(init=False, default=None, repr=False)  # functions_of() finds them once

    def __post_init__(self):
        self.lines = self.text.splitlines()

    @property
    def name(self):
        return self.path.rsplit("/", 1)[-1]

    @property
    def stem(self):
        return self.name.split(".", 1)[0]

    @cached_property
    def blanked(self):
        """The text with comments and the insides of strings blanked out, for C and Lua."""
        return {"c": blank_c, "lua": blank_lua}[self.language](self.text)

    @cached_property
    def language(self):
        if self.path.endswith(C_ENDINGS):
            return "c"
        for ending in ("lua", "py", "sh"):
            if self.path.endswith("." + ending):
                return ending
        return self.language_of_first_line()

    def language_of_first_line(self):
        first = self.lines[0] if self.lines and "." not in self.name else ""
        if not first.startswith("#!"):
            return ""
        return "py" if "python" in first else "lua" if "lua" in first else "sh" if first.endswith("sh") else ""


class Tree:
    """Files below root. since: a commit; tools that look at one file at a time then look at what differs from it."""

    def __init__(self, root, since=None):
        self.root, self.since = root, since

    @cached_property
    def sources(self):
        return [source for source in map(self.read, self.paths()) if source]

    def of(self, *languages):
        return [source for source in self.sources if source.language in languages]

    def paths(self):
        return sorted(path for path in self.git_paths() or self.walked_paths() if not path.startswith("build-"))

    def changed(self, sources):
        """Those of the sources that differ from the commit since: all without one."""
        if self.since is None:
            return sources
        differ = self.git("diff", "-z", "--name-only", "--no-renames", "--relative", self.since, "--")
        new = self.git("ls-files", "-z", "--others", "--exclude-standard")
        if differ is None or new is None:
            raise ValueError(f"{self.since} is no commit here")
        return [source for source in sources if source.path in differ | new]

    def git_paths(self):
        """Committed files and those that could be, without those that git ignores. None outside of git."""
        return self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")

    def git(self, *words):
        """The paths that a command of git prints; None when it fails."""
        try:
            run = subprocess.run(["git", "-C", self.root, *words], capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        return {path for path in os.fsdecode(run.stdout).split("\0") if path}

    def walked_paths(self):
        found = set()
        for folder, dirs, names in os.walk(self.root):
            dirs[:] = [name for name in dirs if name not in SKIPPED_DIRS and not name.startswith("build")]
            found |= {os.path.relpath(os.path.join(folder, name), self.root) for name in names}
        return found

    def read(self, path):
        """None for what is no text: captures, pictures, links, files deleted and still in git's list."""
        full = os.path.join(self.root, path)
        if os.path.islink(full) or not os.path.isfile(full):
            return None
        with open(full, "rb") as file:
            octets = file.read()
        if b"\0" in octets:
            return None
        return Source(path, octets.decode("utf-8", errors="replace"))

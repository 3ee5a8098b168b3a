# SPDX-License-Identifier: BSD-3-Clause
"""Workflows of GitHub and forms of its tracker: the scripts and paths that they name are there, and take what they are given."""
import re
import shlex

from rules_tools import Unavailable, run_tool
from tree import Finding

WORKFLOWS, FORMS = ".github/workflows/", ".github/ISSUE_TEMPLATE/"
# What a build or a script writes, and git ignores.
MADE = re.compile(r"(?:build\*|build(?:-[\w*]+)?|out)/")
OURS = re.compile(r"(?:\./)?((?:scripts|tests|bench|\.ci)/[\w./-]+)$")
ACTION = re.compile(r"uses:\s*(\S+)(?:\s+#\s*(v\d\S*))?")
FIELDS = {"markdown": {"value"}, "textarea": {"label"}, "input": {"label"}, "dropdown": {"label", "options"}, "checkboxes": {"label", "options"}}


def takes(script, option):
    """Whether a script has the option in a pattern of its `case`, among those of parse_options, or as argparse adds it."""
    word, name = re.escape(option), re.escape(option.lstrip("-"))
    pattern = (rf"^\s*(?:--?[\w-]+ \| )*{word}(?: \| --?[\w-]+)*\)|add_argument\(\s*[\"']{word}[\"']"
               rf"|^\s*parse_options \"(?:[\w=]+ )*{name}(?:=\w+)?[ \"]")
    return re.search(pattern, script.text, re.MULTILINE) is not None


def commands_of(text):
    """The words of each command of a step."""
    joined = text.replace("\\\n", " ")
    for line in re.split(r"\n|&&|\|\||;", joined):
        words = shlex.split(line, comments=True)
        if words:
            yield words


class Workflow:
    """Goes over the jobs of a workflow and says what is wrong."""

    def __init__(self, tree, source, text):
        self.source, self.text = source, text
        self.sources = {other.path: other for other in tree.sources}
        self.paths = set(tree.paths())

    def line_of(self, word):
        return next((number for number, line in enumerate(self.source.lines, 1) if word in line), 1)

    def wrong(self, word, message):
        return Finding(self.source.path, self.line_of(word), message)

    def command(self, words):
        match = OURS.match(words[0])
        if not match:
            return
        script = self.sources.get(match.group(1))
        if script is None:
            yield self.wrong(words[0], f"no such script: {match.group(1)}")
            return
        for option in (word.partition("=")[0] for word in words[1:] if word.startswith("--")):
            if not takes(script, option):
                yield self.wrong(option, f"{script.path} takes no {option}")

    def step(self, step):
        if "${{ github.event" in step.get("run", ""):
            yield self.wrong("github.event", "an event's text in a command: pass it by env")
        for words in commands_of(step.get("run", "")):
            yield from self.command(words)
        for path in str((step.get("with") or {}).get("path", "")).split():
            if not MADE.match(path) and path.rstrip("/") not in self.paths:
                yield self.wrong(path, f"nothing is there, and no folder of builds: {path}")

    def job(self, name, job):
        if "timeout-minutes" not in job:
            yield self.wrong(f"{name}:", f"job {name} without timeout-minutes")
        image = (job.get("container") or {}).get("image", "debian:12")
        images = [image] if "${{" not in image else job["strategy"]["matrix"].get("image", [""])
        for one in images:
            if ":" not in one or one.endswith(":latest"):
                yield self.wrong("image:", f"image without a version: {one}")
        for need in [job.get("needs", [])] if isinstance(job.get("needs"), str) else job.get("needs", []):
            if need not in self.text["jobs"]:
                yield self.wrong("needs:", f"no such job: {need}")
        for step in job.get("steps", []):
            yield from self.step(step)

    def actions(self):
        for number, line in enumerate(self.source.lines, 1):
            match = ACTION.search(line)
            if match and not (re.search(r"@[0-9a-f]{40}$", match.group(1)) and match.group(2)):
                yield Finding(self.source.path, number, f"an action is named by its commit, with its version as a comment: {match.group(1)}")

    def findings(self):
        if self.text.get("permissions") != {"contents": "read"}:
            yield self.wrong("permissions", "permissions are contents: read; a job asks for more by itself")
        for name, job in (self.text.get("jobs") or {}).items():
            yield from self.job(name, job)
        yield from self.actions()


def form_faults(form):
    """What is wrong with a form of the tracker."""
    if "contact_links" in form:
        yield from (f"a link without {key}" for link in form["contact_links"] for key in ("name", "url", "about") if key not in link)
        return
    yield from (f"no {key}" for key in ("name", "description", "body") if not form.get(key))
    names = [field["id"] for field in form.get("body") or () if "id" in field]
    yield from (f"id twice: {name}" for name in sorted(set(names)) if names.count(name) > 1)
    for field in form.get("body") or ():
        lacking = FIELDS.get(field.get("type"), {"a known type"}) - set(field.get("attributes") or ())
        yield from (f"{field.get('id', field.get('type'))}: lacks {key}" for key in sorted(lacking))


def read(source):
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Unavailable("python3-yaml is not installed; scripts/setup.sh --test brings it") from error
    try:
        text = yaml.safe_load(source.text)
    except yaml.YAMLError as error:
        return None, str(error).replace("\n", " ")
    return (text, None) if isinstance(text, dict) else (None, "no mapping")


def workflows(tree):
    for source in tree.sources:
        if not source.path.startswith((WORKFLOWS, FORMS)):
            continue
        text, error = read(source)
        if error:
            yield Finding(source.path, 1, f"no YAML: {error}")
        elif source.path.startswith(FORMS):
            yield from (Finding(source.path, 1, fault) for fault in form_faults(text))
        else:
            yield from Workflow(tree, source, text).findings()


def yamllint(tree):
    sources = [source for source in tree.sources if source.path.endswith((".yml", ".yaml"))]
    yield from run_tool(tree, ["yamllint", "--strict", "--format", "parsable"], sources)

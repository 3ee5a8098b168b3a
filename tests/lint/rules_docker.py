# SPDX-License-Identifier: BSD-3-Clause
"""What holds for images and for the stack of containers: small, pinned, without rights."""
import re

from rules_tools import Unavailable
from tree import Finding

INSTALL = re.compile(r"apt-get(?: -\S+)* (?:install|build-dep)\b")
ROOTS = ("root", "0")
COMPOSE = re.compile(r"(docker-)?compose(-\w+)?\.ya?ml")


def instructions(source):
    """(line, word, rest) of a Dockerfile, continued lines joined."""
    joined, start = "", 0
    for number, line in enumerate(source.lines, 1):
        if not joined and (not line.strip() or line.lstrip().startswith("#")):
            continue
        start = start if joined else number
        joined += line.rstrip("\\")
        if not line.endswith("\\"):
            word, _, rest = joined.strip().partition(" ")
            yield start, word.upper(), rest.strip()
            joined = ""


def user_of(rest):
    return rest.partition(":")[0]


class Stages:
    """Goes over a Dockerfile's instructions and says what is wrong."""

    def __init__(self, path):
        self.path, self.names, self.user, self.found = path, [], None, []

    def wrong(self, line, message):
        self.found.append(Finding(self.path, line, message))

    def take_from(self, line, rest):
        image, _, name = rest.partition(" AS ")
        if not name:
            self.wrong(line, "FROM without AS: a stage has a name")
        if not image.startswith("${") and image not in self.names and (":" not in image or image.endswith(":latest")):
            self.wrong(line, f"image without a version: {image}")
        self.names.append(name)
        self.user = None

    def take_run(self, line, rest):
        if re.search(r"\bsudo\b|\bapt (?:install|update)\b", rest):
            self.wrong(line, "apt-get and no sudo")
        if INSTALL.search(rest) and ("-y" not in rest or "--no-install-recommends" not in rest):
            self.wrong(line, "apt-get install without -y --no-install-recommends")
        if INSTALL.search(rest) and "apt-get update" not in rest:
            self.wrong(line, "apt-get install in a RUN without apt-get update: stale lists")
        if INSTALL.search(rest) and self.names[-1] != "build" and "rm -rf /var/lib/apt/lists" not in rest:
            self.wrong(line, "package lists stay in the image")

    def take_copy(self, line, rest):
        stage = re.search(r"--from=(\S+)", rest)
        if stage and stage.group(1) not in self.names:
            self.wrong(line, f"COPY --from an unknown stage: {stage.group(1)}")

    def take(self, line, word, rest):
        if word == "FROM":
            self.take_from(line, rest)
        elif word == "RUN":
            self.take_run(line, rest)
        elif word == "COPY":
            self.take_copy(line, rest)
        elif word == "ADD":
            self.wrong(line, "COPY, not ADD")
        elif word == "USER":
            self.user = user_of(rest)
        elif word in ("CMD", "ENTRYPOINT"):
            self.take_start(line, word, rest)

    def take_start(self, line, word, rest):
        if not rest.startswith("["):
            self.wrong(line, f"{word} as a list: signals do not pass a shell")
        if self.user is None or self.user in ROOTS:
            self.wrong(line, f"{word} as root: USER is missing")


def dockerfile(source):
    stages = Stages(source.path)
    for line, word, rest in instructions(source):
        stages.take(line, word, rest)
    return stages.found


def service_faults(service, networks):
    """What is wrong with a service of a compose file."""
    if service.get("cap_drop") != ["ALL"]:
        yield "cap_drop is not [ALL]"
    if service.get("privileged") or service.get("network_mode") or service.get("pid"):
        yield "privileged, network_mode or pid"
    if "no-new-privileges:true" not in service.get("security_opt", []):
        yield "no-new-privileges:true is missing"
    if not service.get("read_only"):
        yield "not read_only"
    if not ("image" in service or "build" in service):
        yield "neither image nor build"
    yield from (f"unknown network {name}" for name in service.get("networks", {}) if name not in networks)


def compose(source):
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Unavailable("python3-yaml is not installed; scripts/setup.sh --test brings it") from error
    try:
        text = yaml.safe_load(source.text) or {}
    except yaml.YAMLError as error:
        return [Finding(source.path, 1, f"no YAML: {error}".replace("\n", " "))]
    services = text.get("services") or {}
    found = [] if services else [Finding(source.path, 1, "no services")]
    for name, service in services.items():
        found += [Finding(source.path, 1, f"{name}: {fault}")
                  for fault in service_faults(service, text.get("networks") or {})]
    return found


def docker(tree):
    for source in tree.sources:
        if source.name == "Dockerfile":
            yield from dockerfile(source)
        elif COMPOSE.fullmatch(source.name):
            yield from compose(source)

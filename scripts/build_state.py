#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Says what Meson must do with a build directory before ninja can run in it.

usage: build_state.py SOURCE_DIR BUILD_DIR NAME=VALUE...

Prints one word:
  new      nothing is there
  changed  configured for this tree, with other option values, or before packages of the system changed
  ready    configured for this tree with these values
  foreign  left over: of another tree, of another Meson, or broken; to be made anew
  other    not a build directory at all; not ours to delete
"""
import json
import os
import sys

PACKAGE_STATUS = "/var/lib/dpkg/status"


def load(build_dir, name):
    with open(os.path.join(build_dir, "meson-info", name), encoding="utf-8") as file:
        return json.load(file)


def option_values(build_dir):
    return {option["name"]: option["value"] for option in load(build_dir, "intro-buildoptions.json")}


def spelled(value):
    """An option's value as it is written on Meson's command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, list) else str(value)


def packages_changed(build_dir):
    if not os.path.exists(PACKAGE_STATUS):
        return False
    configured = os.path.getmtime(os.path.join(build_dir, "meson-info", "meson-info.json"))
    return os.path.getmtime(PACKAGE_STATUS) > configured


def configured_state(source_dir, build_dir, wanted):
    directories = load(build_dir, "meson-info.json")["directories"]
    if os.path.realpath(directories["source"]) != os.path.realpath(source_dir):
        return "foreign"
    if os.path.realpath(directories["build"]) != os.path.realpath(build_dir):
        return "foreign"
    if not os.path.exists(os.path.join(build_dir, "build.ninja")):
        return "foreign"
    values = option_values(build_dir)
    if any(spelled(values.get(name, "")) != value for name, value in wanted):
        return "changed"
    return "changed" if packages_changed(build_dir) else "ready"


def state(source_dir, build_dir, wanted):
    if not os.path.isdir(build_dir) or not os.listdir(build_dir):
        return "new"
    marks = {"meson-private", "meson-info", "meson-logs", "build.ninja"}
    if not marks & set(os.listdir(build_dir)):
        return "other"
    try:
        return configured_state(source_dir, build_dir, wanted)
    except (OSError, ValueError, KeyError):
        return "foreign"


def main():
    if len(sys.argv) < 3 or any("=" not in option for option in sys.argv[3:]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    print(state(sys.argv[1], sys.argv[2], [tuple(option.split("=", 1)) for option in sys.argv[3:]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

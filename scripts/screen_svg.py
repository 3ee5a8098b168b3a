#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a program's screen in a terminal of tmux as SVG: each character in its place, bold, reversed and coloured.

usage: screen_svg.py OUT.svg COLUMNSxLINES PATTERN COMMAND [KEY...]

PATTERN: the screen is drawn once it matches, after the keys.
"""
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

WAIT_S, LOOK_S = 30, 0.1
WIDTH, HEIGHT, MARGIN = 8.4, 18, 10  # of a character, in pixels; around all
PAPER, INK, FAINT = "#1b1f24", "#d8dee4", "#8c959f"
COLORS = {31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 36: "#76c7ff"}  # SGR
NO_BREAK = "\u00a0"  # blanks that SVG keeps
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m|\x0e|\x0f")


def captured(size, pattern, command, keys):
    """The screen with its SGR sequences, once it matches and stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        tmux = ["tmux", "-S", f"{folder}/tmux", "-f", os.devnull]
        columns, lines = size.split("x")
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "screen"}
        subprocess.run([*tmux, "-u", "new-session", "-d", "-x", columns, "-y", lines, command], check=True,
                       env=environment)
        try:
            if keys:
                wait_for(tmux, r"\S")
                subprocess.run([*tmux, "send-keys", *keys], check=True)
            return wait_for(tmux, pattern)
        finally:
            subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)


def wait_for(tmux, pattern):
    end_at, before = time.monotonic() + WAIT_S, None
    while time.monotonic() < end_at:
        found = subprocess.run([*tmux, "capture-pane", "-e", "-p", "-N"], check=True, capture_output=True,
                               text=True).stdout
        if found == before and re.search(pattern, SEQUENCE.sub("", found), re.MULTILINE):
            return found
        before = found
        time.sleep(LOOK_S)
    sys.exit(f"screen_svg.py: no '{pattern}' on the screen:\n{before}")


def changed(style, codes):
    """style: (bold, faint, reversed, color) after an SGR sequence."""
    bold, faint, is_reversed, color = style
    for code in (int(word or 0) for word in codes.split(";")):
        if code == 0:
            bold, faint, is_reversed, color = False, False, False, INK
        elif code == 39 or code in COLORS:
            color = COLORS.get(code, INK)
        bold, faint, is_reversed = bold or code == 1, faint or code == 2, is_reversed or code == 7
    return bold, faint, is_reversed, color


def drawn(text, at, row, style):
    """A run of characters of one style; textLength keeps each in its column, whatever the font."""
    bold, faint, is_reversed, color = style
    x, y, width = MARGIN + at * WIDTH, MARGIN + row * HEIGHT, len(text) * WIDTH
    front, back = (PAPER, color) if is_reversed else (FAINT if faint and color == INK else color, None)
    if back and text:
        yield f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{HEIGHT}" fill="{back}"/>'
    if text := text.rstrip():
        shown = html.escape(text, quote=False).replace(" ", NO_BREAK)
        weight = ' font-weight="bold"' if bold else ""
        yield (f'<text x="{x:.1f}" y="{y + 13.5}" fill="{front}"{weight} textLength="{len(text) * WIDTH:.1f}" '
               'lengthAdjust="spacingAndGlyphs">' f"{shown}</text>")


def svg_of(screen, size, title):
    columns, lines = map(int, size.split("x"))
    width, height = columns * WIDTH + 2 * MARGIN, lines * HEIGHT + 2 * MARGIN
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-family="monospace" '
             'font-size="14">', f"<title>{html.escape(title)}</title>", f'<rect width="{width:.0f}" height="{height}" '
             f'rx="6" fill="{PAPER}"/>']
    style = (False, False, False, INK)
    for row, line in enumerate(screen.split("\n")[:lines]):
        at, end = 0, 0
        for match in [*SEQUENCE.finditer(line), None]:
            text = line[end:match.start() if match else len(line)]
            parts += drawn(text, at, row, style)
            at += len(text)
            if match:
                end = match.end()
                style = changed(style, match.group(1)) if match.group(1) is not None else style
    return "\n".join([*parts, "</svg>"]) + "\n"


def main(argv):
    if len(argv) < 5:
        sys.exit(__doc__.strip())
    out, size, pattern, command, *keys = argv[1:]
    pathlib.Path(out).write_text(svg_of(captured(size, pattern, command, keys), size, command), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

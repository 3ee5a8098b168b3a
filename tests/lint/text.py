# SPDX-License-Identifier: BSD-3-Clause
"""Source text with comments and the insides of strings blanked out, line numbers kept."""
import re

C_TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
LUA_TOKEN = re.compile(
    r"""--\[(?P<c>=*)\[.*?\](?P=c)\]|--[^\n]*|\[(?P<s>=*)\[.*?\](?P=s)\]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL)


def blank(match):
    text = match.group(0)
    if text[0] in "\"'":
        return text[0] + "\n" * text.count("\n") + text[0]
    return re.sub(r"[^\n]", " ", text)


def blank_c(text):
    return C_TOKEN.sub(blank, text)


def blank_lua(text):
    return LUA_TOKEN.sub(blank, text)

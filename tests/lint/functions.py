# SPDX-License-Identifier: BSD-3-Clause
"""Finds the functions of a source file: name, lines, parameters. No parser of whole languages: it leans on the
layout that clang-format keeps in C (a body's braces stand in column 0), on the standard library for Python, and on
block keywords in Lua.
"""
import ast
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    name: str
    line: int
    last_line: int
    params: tuple
    public: bool

    @property
    def lines(self):
        return self.last_line - self.line + 1

    @property
    def counted_params(self):
        """A callback's caller decides what it is given."""
        return [param for param in self.params if param not in ("now", "now_ns") and not param.startswith("unused_")]


# tests/unit/unit.h: a test that lists itself.
TEST = re.compile(r"(?:[A-Z_]+_)?TEST(?:_WITH|_IN)?\((\w+)")
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def functions_of(source):
    """Of a source, found once: many rules ask."""
    if source.functions is None:
        finder = {"c": c_functions, "lua": lua_functions, "py": python_functions}.get(source.language)
        source.functions = finder(source) if finder else []
    return source.functions


def c_functions(source):
    blanked = PREPROCESSOR.sub(lambda match: "\n" * match.group(0).count("\n"), source.blanked)
    lines = blanked.splitlines()
    found = []
    start = None
    for number, line in enumerate(lines):
        if line.rstrip() == "{":
            start = number
        elif line.rstrip() == "}" and start is not None:
            found.append(c_function(lines, start, number))
            start = None
    return [function for function in found if function]


def c_function(lines, brace, last):
    """The function whose body opens on line index `brace`; None where no parameter list stands before it."""
    first = brace
    while first > 0 and lines[first - 1].strip() and not re.search(r"[;}]\s*$", lines[first - 1]):
        first -= 1
    signature = " ".join(line.strip() for line in lines[first:brace])
    test = TEST.match(signature)
    if test:
        return Function(test.group(1), first + 1, last + 1, (), False)
    match = re.search(r"([A-Za-z_][\w:~]*)\s*\(", re.sub(r"__attribute__\s*\(\(.*?\)\)", "", signature))
    if not match:
        return None
    params = tuple(c_param_name(param) for param in c_params(signature[signature.index(match.group(0)):]))
    public = not re.search(r"\bstatic\b", signature[:signature.index(match.group(0))])
    return Function(match.group(1), first + 1, last + 1, params, public)


def c_params(text):
    """The parameters of "name(int a, void (*f)(int, int))", split at the commas of the outer list."""
    depth, current, params = 0, "", []
    for char in text[text.index("("):]:
        depth += (char == "(") - (char == ")")
        if depth == 1 and char == ",":
            params.append(current)
            current = ""
        elif depth == 0:
            params.append(current)
            break
        elif not (depth == 1 and char == "("):
            current += char
    return [param.strip() for param in params if param.strip() not in ("", "void")]


def c_param_name(param):
    pointer = re.match(r".*?\(\s*\*+\s*(\w+)", param)
    if pointer:
        return pointer.group(1)
    words = re.findall(r"\w+", re.sub(r"\[.*?\]", "", param))
    return words[-1] if words else param


def statements(node):
    """All statements below a node. ast.walk() visits expressions, too, which takes ten times as long."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, block, ()):
            yield child
            yield from statements(child)


def parsed(source):
    """The syntax tree of Python; an empty one of a file that is none, which function-lines reports."""
    try:
        return ast.parse(source.text)
    except SyntaxError:
        return ast.Module([], [])


def python_functions(source):
    found = []
    for node in statements(parsed(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            given = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            given += [arg for arg in (node.args.vararg, node.args.kwarg) if arg]
            params = tuple(arg.arg for arg in given if arg.arg not in ("self", "cls"))
            found.append(Function(node.name, node.lineno, node.end_lineno, params, True))
    return sorted(found, key=lambda function: function.line)


LUA_TOKEN = re.compile(r"\n|[A-Za-z_]\w*|[().,:]|\S")
LUA_SUITES = {"describe", "context", "insulate", "expose"}


def lua_functions(source):
    """A suite's outer function in a test (describe("...", function() ... end)) is a file's frame, not a function."""
    tokens, line = [], 1
    for token in LUA_TOKEN.findall(source.blanked):
        if token == "\n":
            line += 1
        else:
            tokens.append((token, line))
    found, blocks = [], []
    for index, (token, line) in enumerate(tokens):
        if token in ("function", "if", "do", "repeat"):
            blocks.append((token, index))
        elif token in ("end", "until") and blocks:
            kind, opened = blocks.pop()
            if kind == "function" and not opens_suite(tokens, opened):
                found.append(lua_function(tokens, opened, line))
    return sorted(found, key=lambda function: function.line)


def opens_suite(tokens, index):
    """True for a function that is an argument of describe() and the like: who owns the bracket it stands in?"""
    depth = 0
    for token, _ in reversed(tokens[max(0, index - 40):index]):
        if depth > 0:
            return token in LUA_SUITES
        depth += (token == "(") - (token == ")")
    return False


def lua_function(tokens, index, last_line):
    words = [token for token, _ in tokens[index + 1:index + 60]]
    if "(" not in words or ")" not in words:
        return Function("?", tokens[index][1], last_line, (), False)
    name = "".join(words[:words.index("(")]) or "(anonymous)"
    params = words[words.index("(") + 1:words.index(")")]
    names = tuple(word for word in params if re.match(r"\w", word))
    return Function(name, tokens[index][1], last_line, names + (("...",) if "." in params else ()), True)

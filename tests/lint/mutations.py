# SPDX-License-Identifier: BSD-3-Clause
"""Where a mutation of product code may stand, and which of these a sample has.

A mutation changes one token, or removes one statement, of one line: operators() below has them by language. Comments, strings,
preprocessor lines and assertions have none, and in C only the bodies of functions have some. Headers are left out: whatever
includes one would be compiled again.

A mutation is identified by its line's text, the lines around it, its function, its operator and the operator's how-manieth place
on the line, so that it is found again in another tree, in a file of another name, too.
"""
import io
import random
import re
import tokenize
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass

from functions import PREPROCESSOR, functions_of
from text import C_TOKEN, LUA_TOKEN

FOLDERS = ("dataplane", "control", "sim", "bss", "app", "capture", "analyze", "lua", "config", "python")
ENDINGS = (".c", ".lua", ".py")
FEW = 3  # mutations that each folder has at least

FLIPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LUA_FLIPS = {**FLIPS, "==": "~=", "~=": "=="}
SWAPS = {"&&": "||", "||": "&&", "and": "or", "or": "and", "+": "-", "-": "+", "+=": "-=", "-=": "+="}
ASSERTION = re.compile(r"\b(?:static_assert|_Static_assert|assert)\s*\([^;]*;")
ATTRIBUTE = re.compile(r"<(?:const|close)>")
COMPARISON = re.compile(r"(?<![<>=!~\-+*/%&|^])(?:<=|>=|==|!=|~=|<|>)(?![<>=])")
ARITHMETIC = re.compile(r"(?<=[\w)\]] )[+-]=?(?= )")
CONSTANT = re.compile(r"(?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+)(?=[uUlL]*(?![\w.]))")
NO_CALLS = r"(?!(?:if|while|for|switch|return|sizeof|do|else|case|goto|local|function|print|elif|elseif|del|import|from)\b)"
PLACE = NO_CALLS + r"\*?[A-Za-z_]\w*(?:(?:->|\.|:)\w+|\[[^\]]*\])*"
ASSIGNED = r"(?: (?:[-+*/|&^%]|<<|>>|\.\.)?= \S.*|\+\+|--)"
CALL = r"(?:\(void\))?" + PLACE + r"\(.*\)"
BOOLEANS = {"true": "false", "false": "true", "True": "False", "False": "True"}
NOTHING = {"nil": "true", "None": "True"}


@dataclass(frozen=True)
class Mutation:
    path: str
    line: int  # the first is 1
    operator: str
    place: int  # of those of this operator on the line; the first is 0
    text: str  # the line, and those around it, without indentation
    before: str
    after: str
    function: str
    start: int  # columns of what is replaced
    end: int
    replacement: str

    def planted(self, text):
        """The file's text with the mutation."""
        lines = text.split("\n")
        line = lines[self.line - 1]
        lines[self.line - 1] = line[:self.start] + self.replacement + line[self.end:]
        return "\n".join(lines)

    def diff(self, text):
        line = text.split("\n")[self.line - 1]
        return f"-{line}\n+{line[:self.start]}{self.replacement}{line[self.end:]}"

    @property
    def folder(self):
        return self.path.split("/")[0]

    def as_row(self):
        return asdict(self)


def masked(source):
    """The text with spaces for what has no mutations; each line and column where it was."""
    text = source.text
    if source.language == "py":
        return masked_python(text)
    text = (C_TOKEN if source.language == "c" else LUA_TOKEN).sub(hidden, text)
    if source.language == "c":
        return ASSERTION.sub(hidden, PREPROCESSOR.sub(hidden, text))
    return ATTRIBUTE.sub(hidden, text)


def hidden(match):
    """A string keeps its quotes: it is an expression still."""
    inside = re.sub(r"[^\n]", " ", match.group(0))
    return f'"{inside[1:-1]}"' if match.group(0)[0] in "\"'[" and len(inside) > 1 else inside


def masked_python(text):
    lines = [list(line) for line in text.split("\n")]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name in ("STRING", "COMMENT", "FSTRING_MIDDLE") or token.string == "assert":
            (row, column), (last_row, last_column) = token.start, token.end
            if token.string == "assert":
                last_column = len(lines[row - 1])
            for number in range(row, last_row + 1):
                begin = column if number == row else 0
                end = last_column if number == last_row else len(lines[number - 1])
                lines[number - 1][begin:end] = "_" * (end - begin) if name == "STRING" else " " * (end - begin)
    return "\n".join("".join(line) for line in lines)


def is_whole(code):
    """Whether each bracket that a line opens is closed on it."""
    return all(code.count(opened) == code.count(closed) for opened, closed in ("()", "[]", "{}"))


def swaps(name, pattern, table):
    return lambda code, kind: [(name, *match.span(), table[match.group(0)]) for match in re.finditer(pattern, code)]


def constants(code, kind):
    found = []
    for match in CONSTANT.finditer(code):
        digits = match.group(0)
        replacement = hex(int(digits, 16) + 1) if digits[:2].lower() == "0x" else str(int(digits) + 1)
        if len(digits) == 1 or digits[:2].lower() == "0x" or digits[0] != "0":
            found.append(("constant n + 1", *match.span(), replacement))
    return found


def negated(opening, closing, no):
    pattern = re.compile(opening + r"(?P<is>\S.*?)" + closing)

    def find(code, kind):
        match = pattern.search(code)
        if not match or not is_whole(match.group("is")):
            return []
        return [("condition negated", *match.span("is"), no)]
    return find


def removed(name, pattern, replacement):
    pattern = re.compile(r"^\s*(" + pattern + r")\s*$")

    def find(code, kind):
        match = pattern.match(code)
        return [(name, *match.span(1), replacement)] if match and is_whole(code) else []
    return find


def returned(closing):
    pattern = re.compile(r"\breturn (\S.*?)" + closing)

    def find(code, kind):
        match = pattern.search(code)
        if not match or not is_whole(match.group(1)) or "," in match.group(1) and kind != "c":
            return []
        value = match.group(1)
        other = BOOLEANS.get(value) or NOTHING.get(value) or other_value(kind, value)
        return [("return value", *match.span(1), other)] if other else []
    return find


def other_value(kind, value):
    """What a function may return instead; kind is the language, or the type that a function of C returns."""
    if kind in ("lua", "py"):
        return "nil" if kind == "lua" else "None"
    if kind.endswith("*"):
        return None if value == "NULL" else "NULL"
    if kind == "bool":
        return "!({})"
    is_number = re.match(r"(?:unsigned|u?int\d*(?:_t)?|size_t|ssize_t|long|double|uint\w+)$", kind)
    return "({}) + 1" if is_number and not re.match(r"-?\d+$", value) else None


def operators():
    """By language: functions of a masked line and of a kind, as other_value() takes it; each returns [(operator, column, column
    of the end, what stands there instead, {} for what stood there)].
    """
    common = [swaps("+ and -", ARITHMETIC, SWAPS), constants]
    words = [*common, swaps("and, or", r"\b(?:and|or)\b", SWAPS)]
    flips, lua_flips = (swaps("comparison", COMPARISON, table) for table in (FLIPS, LUA_FLIPS))
    return {
        "c": [flips, *common, swaps("&& and ||", r"&&|\|\|", SWAPS), negated(r"\b(?:if|while) \(", r"\)(?: \{)?$", "!({})"),
              removed("statement removed", f"(?:{PLACE}{ASSIGNED}|{CALL});", ";"), removed("break removed", "break;", ";"),
              returned(";$")],
        "lua": [lua_flips, *words, negated(r"\b(?:if|elseif|while) ", r" (?:then|do)\b", "not ({})"),
                removed("statement removed", rf"{PLACE}{ASSIGNED}(?<![,{{(])|{CALL}", " "), removed("break removed", "break", " "),
                returned(r"(?= end\b|$)")],
        "py": [flips, *words, negated(r"^\s*(?:if|elif|while) ", ":$", "not ({})"),
               removed("statement removed", rf"{PLACE}{ASSIGNED}(?<![,\\])|{CALL}", "pass"), removed("break removed", "break", "pass"),
               returned("$")],
    }


OPERATORS = operators()


def mutations_of(source):
    """All mutations of a file, line by line."""
    code, lines = masked(source).split("\n"), source.text.split("\n")
    names = names_of(source, code)
    found = []
    for number, named in sorted(names.items()):
        on_line = mutations_on(source, (code, lines), number, named)
        is_rest = number > 1 and is_continued(code[number - 2], source.language)
        found += [one for one in on_line if not (is_rest and one.operator == "statement removed")]
    return found


def is_continued(code, language):
    """Whether the line after this one is the rest of a statement."""
    code = code.rstrip()
    if language == "c":
        return bool(code) and code[-1] not in ";{}):" and not code.endswith(("else", "do"))
    return code.endswith((",", "(", "{", "[", "=", " and", " or", "..", "+", "-", "\\"))


def names_of(source, code):
    """{line: (name of its function, its kind)} of the lines that may have mutations."""
    functions = functions_of(source)
    named = {} if source.language == "c" else {number: ("", source.language) for number in range(1, len(code) + 1)}
    for function in sorted(functions, key=lambda one: -one.lines):
        first, kind = function.line, source.language
        if source.language == "c":
            first = next(number for number in range(function.line, function.last_line + 1) if code[number - 1].rstrip() == "{") + 1
            kind = type_of(code[function.line - 1:first - 1], function.name)
        named.update({number: (function.name, kind) for number in range(first, function.last_line + 1)})
    return named


def type_of(signature, name):
    words = re.sub(r"\b(?:static|inline|const|extern)\b|__attribute__\s*\(\(.*?\)\)", "", " ".join(signature).split(name + "(")[0])
    return re.sub(r"\s+", " ", words).strip()


def mutations_on(source, texts, number, named):
    code, lines = texts
    around = [lines[index].strip() if 0 <= index < len(lines) else "" for index in (number - 2, number - 1, number)]
    found, places = [], Counter()
    for operator in OPERATORS[source.language]:
        for name, start, end, replacement in operator(code[number - 1], named[1]):
            replacement = replacement.replace("{}", lines[number - 1][start:end])
            found.append(Mutation(source.path, number, name, places[name], around[1], around[0], around[2], named[0], start, end, replacement))
            places[name] += 1
    return found


def is_product(source):
    return source.path.startswith(tuple(folder + "/" for folder in FOLDERS)) and source.path.endswith(ENDINGS)


def shares(tree_lines, count):
    """How many mutations of a sample are in each folder: in proportion to its lines, at least a few."""
    total = sum(tree_lines.values())
    quotas = {folder: max(FEW, round(count * lines / total)) for folder, lines in tree_lines.items()}
    largest = max(quotas, key=quotas.get)
    quotas[largest] = max(FEW, quotas[largest] + count - sum(quotas.values()))
    return quotas


def sample(sources, count, seed):
    """(quota of each folder, mutations of each folder): as many of these as one asks for, the first first, one on a line."""
    chance = random.Random(seed)
    lines, by_folder = Counter(), defaultdict(list)
    for source in sorted(sources, key=lambda one: one.path):
        folder = source.path.split("/")[0]
        lines[folder] += len(source.lines)
        by_line = defaultdict(list)
        for mutation in mutations_of(source):
            by_line[mutation.line].append(mutation)
        by_folder[folder] += [by_line[number] for number in sorted(by_line)]
    for folder in sorted(by_folder):
        chance.shuffle(by_folder[folder])
        by_folder[folder] = [chance.choice(on_line) for on_line in by_folder[folder]]
    return shares(lines, count), by_folder


def found_again(rows, sources):
    """For each row of a file of mutations the same one in these sources, or None where its line has changed or gone."""
    lines = defaultdict(list)
    for source in sources:
        for number, line in enumerate(source.lines, 1):
            lines[line.strip()].append((source, number))
    known = {}
    return [found_one(row, lines, known) for row in rows]


def found_one(row, lines, known):
    best, best_rank = None, (0,)
    for source, number in lines.get(row["text"], ()):
        if not source.path.endswith("." + row["path"].rsplit(".", 1)[-1]):
            continue
        if source.path not in known:
            known[source.path] = mutations_of(source)
        for one in known[source.path]:
            if (one.line, one.operator, one.place) == (number, row["operator"], row["place"]) and rank(one, row) > best_rank:
                best, best_rank = one, rank(one, row)
    return best


def rank(one, row):
    """How sure it is that both are the same; (0,) when they need not be: neither line beside it is, nor one and the function."""
    around = (one.before == row["before"]) + (one.after == row["after"])
    is_function = one.function == row["function"] != ""
    if around + is_function < 2:
        return (0,)
    return (1, around + is_function, one.path == row["path"], -abs(one.line - row["line"]))

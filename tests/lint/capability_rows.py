# SPDX-License-Identifier: BSD-3-Clause
"""Rows of lint_test.py for capabilities: one with a file of its own, and a foreign file that names it."""
import rules_capabilities

C = "/* SPDX-License-Identifier: BSD-3-Clause */\n"
ONE = "capabilities/one.toml"
DESCRIPTION = """# SPDX-License-Identifier: BSD-3-Clause
title = "One"
purpose = "It is there."
page = "docs/one.md"
own = ["sim/one_**"]
tests = []
names = "one"
ignore = "one_self"
foreign = 1
removable = false
leave_out = "It needs a key."
"""
FILES = {ONE: DESCRIPTION, "sim/one_wing.c": C + "int one_wing;\n", "sim/all.c": C + "extern int one_wing;\n",
         "sim/self.c": C + "int one_self, alone, ones, one1;\n"}
MADE = rules_capabilities.scripts_capabilities.page_text(rules_capabilities.scripts_capabilities.in_texts(FILES))
CLEAN = {**FILES, rules_capabilities.PAGE: MADE}


def rows():
    return [("capabilities", ONE, DESCRIPTION.replace("foreign = 1", "foreign = 0")),
            ("capabilities", ONE, DESCRIPTION.replace("foreign = 1\n", "")),
            ("capabilities", ONE, DESCRIPTION.replace("foreign = 1", "foreign = true")),
            ("capabilities", ONE, DESCRIPTION + "other = 1\n"),
            ("capabilities", ONE, DESCRIPTION + "=\n"),
            ("capabilities", rules_capabilities.PAGE, MADE.replace("It is there.", "It was there."))]

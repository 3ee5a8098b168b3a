-- SPDX-License-Identifier: BSD-3-Clause
std = "lua54"
max_line_length = 120
exclude_files = { "build*/**" }
files["tests/unit/lua"] = { std = "+busted" }

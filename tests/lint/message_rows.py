# SPDX-License-Identifier: BSD-3-Clause
"""Rows of lint_test.py for messages and intents."""
C = "/* SPDX-License-Identifier: BSD-3-Clause */\n"
LUA = "-- SPDX-License-Identifier: BSD-3-Clause\n"
MESSAGES, INTENTS, EVENTS = "dataplane/worker/msgs.def", "control/core/intents.def", "control/core/events.def"
WORKER, CORE, BVC = "dataplane/worker/orders.c", "control/core/core.c", "lua/gb/bvc.lua"

ROWS = """MSG_SUBJECT(NONE, nothing, none, all)
MSG_SUBJECT(BVC,  gb,      bvc,  bvc)
MSG_ORDER( FENCE,     fence,     NONE, none,      0,            orders_fence)
MSG_ORDER( MS_LOST,   ms_lost,   TLLI, is_lost,   0,            orders_ms_lost)
MSG_INTENT(BVC_RESET, bvc_reset, BVC,  none,      0,            orders_bvc_reset)
/* MSG_ORDER(OLD, old, NONE, none, 0, orders_old) */
MSG_NEWS(PUNT, punt, mbuf, MSG_HAS_MBUF)
"""
WORKS = C + """/* case MSG_FENCE: */
static const struct msg msg = {.type = MSG_PUNT};
bool orders_f(const struct msg *msg)
{
    return msg->type == MSG_FENCE || msg->type < MSG_TYPES || gtpu->type >= MSG_OTHER;
}
"""
GIVES = C + "static const struct msg msg = {.type = MSG_FENCE};\nbool core_b = type != MSG_TAP_END;\n"
INTENDS = LUA + """-- run:emit({ op = "told" })
local op = intent.op
local is_told = intent.op == "told"
run:emit({ op = "bvc_reset", nsei = 1 })
run:emit({
  op = "ms_lost", stop = 1,
})
return { op = "timer" }
"""

TYPES = C + "enum msg_flag {\n    MSG_ENDS = 1,\n};\n"
PAGE = "| subject |\n| --- |\n| `NONE` | none |\n| `BVC` | `bvci` |\n| `MSG_ENDS` | end |\n"

# Messages and intents that are all right.
CLEAN = {MESSAGES: C + ROWS, WORKER: WORKS, CORE: GIVES, BVC: INTENDS, "dataplane/worker/msg.h": TYPES,
         "docs/messages.md": PAGE, EVENTS: C + "EVENT(    llc, ms_del, mobile)\nEVENT_ASK(llc, report)\nEVENT_ASK(llc, list)\n",
         "control/core/core_llc.c": C + "void core_llc_f(struct core *core)\n{\n    core_tell(core, llc_ms_del, LUA_ARG(1));\n"
         "    core_each(&node->core, llc_report, &list);\n}\nLUA_ROWS_LIST(llc_lines, llc_list, core)\n",
         INTENTS: C + "INTENT_MSG(ms_lost, MS_LOST, imsi, core_gb_lost)\nINTENT_LUA(timer)\n"}


def rows():
    """(rule, path, its text) of violations, each in a tree like CLEAN."""
    planted = [
        (MESSAGES, ROWS + "MSG_ORDER(TAP, tap, NONE, tap, 0, orders_tap)\n"),
        (MESSAGES, ROWS + "MSG_NEWS(FENCED, fenced, none, 0)\n"),
        (MESSAGES, ROWS + "MSG_INTENT(PAGE_END, page_end, TLLI, none, 0, orders_ms_page_end)\n"),
        (MESSAGES, ROWS + "MSG_INTENT(MS_LOST, ms_lost, TLLI, none, 0, orders_ms_lost)\n"),
        (INTENTS, "INTENT_MSG(ms_lost, MS_LOST, imsi, f)\nINTENT_LUA(timer)\nINTENT_SESSIONS(up, context, sessions_gtpc_up)\n"),
        (INTENTS, "INTENT_MSG(ms_lost, MS_LOST, imsi, f)\nINTENT_LUA(timer)\nINTENT_LUA(cancel)\n"),
        (BVC, INTENDS + 'run:emit({ op = "told" })\n'),
        (BVC, INTENDS + "run:emit({ nsei = 1, op = name })\n"),
        (BVC, INTENDS + 'run:emit({ ["op"] = "told" })\n'),
        (BVC, INTENDS + 'intent.op = "told"\n'),
        (WORKER, WORKS + "case MSG_MS_LOST:\n"),
        (WORKER, WORKS + "bool b = type >= MSG_MS_LOST;\n"),
        (CORE, GIVES + "bool b = MSG_MS_LOST < type;\n"),
        (EVENTS, "EVENT(llc, ms_del, mobile)\nEVENT_ASK(llc, report)\nEVENT_SET(llc, cell_closed, place)\n"),
        # core.c only compares with it.
        (MESSAGES, ROWS + "MSG_ORDER(TAP_END, tap_end, NONE, none, 0, orders_send_tap_end)\n"),
    ]
    pages = [PAGE + "| `TLLI` | `tlli` |\n", PAGE.replace("| `BVC`", "| BVC"), PAGE.replace("`MSG_ENDS`", "")]
    return [("messages", "docs/messages.md", text) for text in pages] + [("messages", path, (LUA if path == BVC else C) + text) for path, text in planted]

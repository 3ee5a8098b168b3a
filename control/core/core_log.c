/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of the core's log, and the errors of Lua among them. */
#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/log/log.h"
#include "control/lua/lua_object.h"

#include <stdio.h>
#include <string.h>

void core_log(const struct core *core, const char *who, const char *level, const char *text)
{
    if (core->log)
        log_line(core->log, who, level, text, core->now);
    else if (strcmp(level, "debug") != 0 && (core->is_verbose || strcmp(level, "info") != 0))
        fprintf(stderr, "%s: %s: %s\n", who, level, text);
}

void core_log_always(const struct core *core, const char *who, const char *text)
{
    if (!core->log) {
        core_log(core, who, "error", text);
        return;
    }
    struct log_sink before = core->log->own;
    core->log->own.whole_ns = 0;
    core->log->own.levels = (struct log_levels){.others = LOG_LEVEL_WARN};
    core_log(core, who, "warn", text);
    core->log->own.whole_ns = before.whole_ns;
    core->log->own.levels = before.levels;
}

void core_log_trace(const struct core *core)
{
    struct lua_object_trace filters[1 + LOG_FOLLOWERS];
    char names[1 + LOG_FOLLOWERS][LOG_NAMES_CHARS];
    unsigned count = 0;
    if (log_debug_names(&core->log->own.levels, names[count]))
        filters[count++] = (struct lua_object_trace){"", names[0]};
    for (const struct log_follower *f = core->log->followers; f < core->log->followers + LOG_FOLLOWERS; f++)
        if (f->fd >= 0 && log_debug_names(&f->sink.levels, names[count])) {
            filters[count] = (struct lua_object_trace){f->word, names[count]};
            count++;
        }
    if (!lua_object_set_trace(core->intents.L, filters, count))
        core_log(core, "control", "warn", "no memory for the lines of level debug");
}

/* Errors of Lua may restart control. */
static void note_failure(struct core *core, const char *text)
{
    struct core_restart_window *failures = core->restart.failures;
    core_restart_note(&failures[CORE_RESTART_ERRORS], core->now);
    if (strstr(text, "(limits.lua_call)"))
        core_restart_note(&failures[CORE_RESTART_TIME], core->now);
    if (strstr(text, "not enough memory"))
        core_restart_note(&failures[CORE_RESTART_MEMORY], core->now);
}

void core_log_error(struct core *core, const char *who, const char *text)
{
    core->lua_errors++;
    note_failure(core, text);
    core_log(core, who, "error", text);
}

void core_log_line(struct core *core, struct core_intent *intent)
{
    core_log(core, intent->category ? intent->category : intent->who, intent->level, intent->text);
}

void core_log_fault(struct core *core, struct core_intent *intent)
{
    core_log_error(core, intent->who, intent->text);
}

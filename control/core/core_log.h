/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of the core's log, and the errors of Lua among them, which are counted and restart control when there
 * are too many (core_restart.h). */
#ifndef CONTROL_CORE_CORE_LOG_H
#define CONTROL_CORE_CORE_LOG_H

struct core;

/* Writes a log line; of level info only if core->is_verbose. */
void core_log(const struct core *core, const char *who, const char *level, const char *text);

/* Counts an error of Lua with this text, and writes its line. */
void core_log_error(struct core *core, const char *who, const char *text);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of gbflow show about the levels of the log, and the orders of gbflow log. */
#include "control/live/tables.h"

#include "control/base/asker.h"
#include "control/core/core.h"
#include "control/log/log.h"

#include <stdio.h>
#include <string.h>

#define LINE_CHARS 512

struct row {
    const char *category, *what, *level, *start;
};

static void each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (unsigned i = 0; i < LOG_CATEGORIES; i++) {
        const struct row row = {
            .category = log_categories[i].name,
            .what = log_categories[i].what,
            .level = log_level_name(log_levels_of(&live->log.own.levels, i)),
            .start = log_level_name(log_levels_of(&live->log_levels, i)),
        };
        field_put(sink, NULL, &row);
    }
}

static const struct field rows[] = {
    FIELD(struct row, LABEL, "category", "", category, "Category of the lines."),
    FIELD(struct row, LABEL, "level", "", level,
          "Level in force on stderr: lines of this level and above it."),
    FIELD(struct row, LABEL, "level_at_start", "", start,
          "Level at the start, which is in force again after the next start."),
    FIELD(struct row, LABEL, "what", "", what, "Subject of the lines."),
    FIELD_END,
};

/* --- followers --- */

struct follower_row {
    const char *filter;
    uint64_t lines, left_out;
};

static void each_follower(const void *record, struct field_sink *sink)
{
    const struct log *log = &((const struct live *)record)->log;
    for (const struct log_follower *f = log->followers; f < log->followers + LOG_FOLLOWERS; f++) {
        const struct follower_row row = {
            .filter = f->word[0] ? f->word : NULL, .lines = f->sink.written, .left_out = f->sink.left_out};
        if (f->fd >= 0)
            field_put(sink, NULL, &row);
    }
}

static const struct field follower_rows[] = {
    FIELD(struct follower_row, LABEL, "filter", "", filter, "Word that the lines have.",
          .when = "with a filter"),
    FIELD(struct follower_row, COUNTER, "lines", "lines", lines, "Lines sent."),
    FIELD(struct follower_row, COUNTER, "left_out", "lines", left_out,
          "Lines beyond the limit of 1000 a second, or not read in time."),
    FIELD_END,
};

const struct field show_log_tables[] = {
    SHOW_TABLE("log", each, rows, "Levels of the log, by category."),
    SHOW_TABLE("log_followers", each_follower, follower_rows,
               "Clients that follow the log (gbflow log --follow)."),
    FIELD_END,
};

/* --- orders --- */

static void log_change(const struct core *core, const char *list, const struct asker *asker)
{
    char who[ASKER_CHARS], line[LINE_CHARS];
    asker_name(who, asker);
    snprintf(line, sizeof(line), "log levels: asked for %s: %s", who, list);
    core_log_always(core, "control", line);
}

const char *show_log_set(void *record, const char *list, const struct asker *asker)
{
    static char reason[64];
    struct live *live = record;
    struct log_levels levels = live->log.own.levels;
    const char *wrong = log_levels_set(&levels, list ? list : "");
    if (wrong) {
        snprintf(reason, sizeof(reason), "'%s' is not LEVEL or CATEGORY=LEVEL", wrong);
        return reason;
    }
    live->log.own.levels = levels;
    log_change(&live->node.core, list ? list : "", asker);
    core_log_trace(&live->node.core);
    return NULL;
}

const char *show_log_follow(void *record, const char *parameters, int fd)
{
    struct live *live = record;
    char word[LOG_WORD_CHARS];
    const char *list = parameters ? strchr(parameters, ',') : NULL;
    if (!list || (size_t)(list - parameters) >= sizeof(word))
        return "the parameters are not WORD,LEVELS";
    snprintf(word, sizeof(word), "%.*s", (int)(list - parameters), parameters);
    const struct asker asker = asker_of(fd);
    const char *wrong = log_follow(&live->log, fd, asker_may_act(&asker), word, list + 1);
    core_log_trace(&live->node.core);
    return wrong;
}

void show_log_leave(void *record, int fd)
{
    struct live *live = record;
    log_leave(&live->log, fd);
    core_log_trace(&live->node.core);
}

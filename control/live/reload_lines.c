/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of a reload for the log and the client, and counts of its changes. */
#include "control/live/reload.h"

#include "control/base/words.h"
#include "control/config/lua_config_diff.h"
#include "control/core/core.h"
#include "control/live/live.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_CHARS    1024
#define LINE_OCTETS   8    /* of a line of the answer, besides its characters */
#define LINE_MOST     4000 /* characters of a line of the answer; the log has all */
#define ANSWER_OCTETS 15000

/* --- counts --- */

#define COUNT(name_, noun_, verb_, member_)                                                                  \
    {                                                                                                        \
        .name = (name_), .noun = (noun_), .verb = (verb_),                                                   \
        .place = offsetof(struct lua_config_diff, member_)                                                   \
    }

static const struct {
    const char *name, *noun, *verb;
    size_t place; /* of an uint32_t */
} counts[] = {
    COUNT("keys_changed", "key", "changed", told_count),
    COUNT("mobiles_added", "mobile", "added", added_count),
    COUNT("mobiles_removed", "mobile", "removed", removed_count),
    COUNT("contexts_changed", "context", "changed", class_count),
    COUNT("cells_changed", "cell", "changed", policy_count),
    COUNT("links_changed", "link", "changed", link_count),
    COUNT("nsvcs_added", "NS-VC", "added", nsvc_count),
    COUNT("nsvcs_removed", "NS-VC", "removed", gone_count),
    COUNT("nses_added", "NSE", "added", nse_count),
    COUNT("nses_removed", "NSE", "removed", gone_nse_count),
    COUNT("cells_added", "cell", "added", cell_count),
    COUNT("cells_removed", "cell", "removed", gone_cell_count),
};

static uint32_t count_of(const struct lua_config_diff *diff, size_t i)
{
    uint32_t count;
    memcpy(&count, (const char *)diff + counts[i].place, sizeof(count));
    return count;
}

/* A line, so that the log's last one says what has changed. */
static void tell_counts(const struct live_reload *reload)
{
    FILE *out = reload->lines.stream;
    const char *part = "";
    for (size_t i = 0; i < LIVE_RELOAD_COUNTS; i++) {
        uint32_t count = reload->lines.counts[i];
        if (count == 0)
            continue;
        fprintf(out, "%s%u %s%s %s", part, count, counts[i].noun, words_plural(count), counts[i].verb);
        part = ", ";
    }
    fprintf(out, "%snothing%s changed\n", *part ? "; " : "", *part || reload->has_parts ? " else" : "");
}

void live_reload_lines_tell(struct live *live)
{
    _Static_assert(sizeof(counts) / sizeof(counts[0]) == LIVE_RELOAD_COUNTS, "a place for each count");
    struct live_reload *reload = &live->reload;
    const struct lua_config_diff *diff = &reload->diff;
    for (size_t i = 0; i < LIVE_RELOAD_COUNTS; i++)
        reload->lines.counts[i] = count_of(diff, i);
    if (!reload->lines.stream)
        return;
    if (reload->refused > LIVE_RELOAD_REFUSED_LINES)
        fprintf(reload->lines.stream,
                LIVE_RELOAD_WARNING "mobiles: %u of them are not there, or not with all contexts\n",
                reload->refused);
    fputs(diff->told ? diff->told : "", reload->lines.stream);
    tell_counts(reload);
}

/* --- the log --- */

/* Each line of a reload becomes one of the log, and takes no other one's place. */
static void log_one(struct live *live, const char *level, const char *line, int chars)
{
    int64_t whole_ns = live->log.own.whole_ns;
    char text[LINE_CHARS];
    snprintf(text, sizeof(text), "reload: %.*s", chars, line);
    live->log.own.whole_ns = 0;
    core_log(&live->node.core, "control", level, text);
    live->log.own.whole_ns = whole_ns;
}

/* The last line says how the reload ended: the default level shows it. */
static const char *level_of(const struct live_reload *reload, const char *line, const char *end)
{
    if (strncmp(line, LIVE_RELOAD_WARNING, strlen(LIVE_RELOAD_WARNING)) == 0)
        return "warn";
    if (reload->result != LIVE_RELOAD_APPLIED)
        return "error";
    return end[0] == '\0' || end[1] == '\0' ? "warn" : "info";
}

static void log_lines(struct live *live)
{
    const struct live_reload *reload = &live->reload;
    for (const char *line = reload->lines.text, *end; line && *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        log_one(live, level_of(reload, line, end), line, (int)(end - line));
    }
}

/* --- the whole --- */

/* The thread of the reload prints to the stream. */
void live_reload_lines_begin(struct live *live)
{
    struct live_reload_lines *lines = &live->reload.lines;
    free(lines->text);
    lines->text = NULL;
    lines->stream = open_memstream(&lines->text, &lines->octets);
}

void live_reload_lines_end(struct live *live, enum live_reload_result result)
{
    struct live_reload *reload = &live->reload;
    reload->result = result;
    if (!reload->lines.stream)
        return;
    fclose(reload->lines.stream);
    reload->lines.stream = NULL;
    if (!reload->is_trial)
        log_lines(live);
}

/* Octets of a line that an answer has: all, or those before its end at LINE_MOST. */
static size_t line_octets(const char *line, size_t octets)
{
    if (octets <= LINE_MOST)
        return octets;
    octets = LINE_MOST;
    while (octets > 0 && ((unsigned char)line[octets] & 0xC0) == 0x80) /* inside a character */
        octets--;
    return octets;
}

/* As many as have room, and always the last one, which says what has become of the configuration. */
static json_t *answer_lines(const char *text)
{
    json_t *lines = json_array();
    size_t room = ANSWER_OCTETS - LINE_MOST - LINE_OCTETS;
    for (const char *line = text, *end; line && *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        const size_t octets = line_octets(line, (size_t)(end - line));
        const bool is_last = !*end || !end[1];
        if (!is_last && octets + LINE_OCTETS > room)
            continue;
        room -= is_last ? 0 : octets + LINE_OCTETS;
        json_array_append_new(lines,
                              json_sprintf("%.*s%s", (int)octets, line, line + octets < end ? "..." : ""));
    }
    return lines;
}

json_t *live_reload_answer(const struct live *live)
{
    const struct live_reload *reload = &live->reload;
    json_t *answer =
        json_pack("{s:i, s:o}", "status", (int)reload->result, "lines", answer_lines(reload->lines.text));
    json_t *list = reload->result == LIVE_RELOAD_APPLIED ? json_object() : NULL;
    for (size_t i = 0; list && i < LIVE_RELOAD_COUNTS; i++)
        json_object_set_new(list, counts[i].name, json_integer(reload->lines.counts[i]));
    if (list)
        json_object_set_new(answer, "counts", list);
    return answer;
}

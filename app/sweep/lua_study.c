/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/sweep/lua_study.h"

#include "app/run/lua_scenario.h"
#include "control/base/json_stream.h"
#include "control/base/said.h"
#include "control/base/utf8.h"
#include "control/config/lua_config.h"
#include "control/config/lua_text.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETS_MAX 256

static const char *study_path; /* of the study that is read */

/* "FILE:3: axes[1].values[2]:" */
static char *place_of(unsigned line, const char *key)
{
    char *place;
    return asprintf(&place, "%s:%u: %s:", study_path, line, key) < 0 ? NULL : place;
}

static void read_set(lua_State *L, void *to, uint32_t parent)
{
    (void)parent;
    struct lua_study_point *point = to;
    struct scenario_config_set *set = lua_table_append(&point->sets, &point->set_count, sizeof(*set));
    char *key = lua_table_string(L, "key");
    set->path = lua_table_string(L, "path");
    set->value = lua_table_string(L, "value");
    set->place = place_of((unsigned)lua_table_integer(L, "line"), key);
    free(key);
}

static void read_point(lua_State *L, void *to, uint32_t parent)
{
    (void)parent;
    struct lua_study_axis *axis = to;
    struct lua_study_point *point = lua_table_append(&axis->points, &axis->point_count, sizeof(*point));
    point->label = lua_table_string(L, "label");
    lua_table_each(L, "sets", read_set, point, 0);
}

static void read_axis(lua_State *L, void *to, uint32_t parent)
{
    (void)parent;
    struct lua_study *study = to;
    struct lua_study_axis *axis = lua_table_append(&study->axes, &study->axis_count, sizeof(*axis));
    axis->name = lua_table_string(L, "name");
    lua_table_each(L, "points", read_point, axis, 0);
}

static void read_figure(lua_State *L, void *to, uint32_t parent)
{
    (void)parent;
    struct lua_study *study = to;
    char **figure = lua_table_append(&study->figures, &study->figure_count, sizeof(*figure));
    *figure = strdup(lua_tostring(L, -1));
}

static void read_baseline(lua_State *L, struct lua_study *study)
{
    lua_table_enter(L, "baseline");
    for (uint32_t i = 0; i < study->axis_count; i++) {
        lua_getfield(L, -1, study->axes[i].name);
        const char *label = lua_tostring(L, -1);
        study->axes[i].baseline = label ? strdup(label) : NULL;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* A relative path begins at the study's folder. */
static char *scenario_of(lua_State *L, const char *study)
{
    char path[PATH_MAX];
    char *name = lua_table_string(L, "scenario");
    const char *slash = strrchr(study, '/');
    if (!slash || *name == '/')
        return name;
    snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - study), study, name);
    free(name);
    return strdup(path);
}

/* All but title and scenario, from the table on top of the stack. */
static void read_axes(lua_State *L, struct lua_study *study)
{
    study->seeds = (uint32_t)lua_table_integer(L, "seeds");
    study->has_series = lua_table_boolean(L, "series");
    study->is_packed = lua_table_boolean(L, "packed");
    lua_table_each(L, "axes", read_axis, study, 0);
    lua_table_each(L, "figures", read_figure, study, 0);
    read_baseline(L, study);
}

static bool load_scenario(lua_State *L, const char *path, struct lua_study *study)
{
    if (!lua_scenario_push_study(L, path))
        return false;
    read_axes(L, study);
    lua_pop(L, 1);
    study->title = lua_table_string(L, "title");
    study->scenario = strdup(path);
    lua_pop(L, 1);
    return true;
}

bool lua_study_load(lua_State *L, const char *path, struct lua_study *study)
{
    *study = (struct lua_study){0};
    study_path = path;
    int is_scenario = lua_scenario_detect(L, path);
    if (is_scenario)
        return is_scenario == 1 && load_scenario(L, path, study);
    if (!lua_text_load_config(L, path, "study"))
        return false;
    study->title = lua_table_string(L, "title");
    study->scenario = scenario_of(L, path);
    study->scenario_place = place_of((unsigned)lua_table_integer(L, "scenario_line"), "scenario");
    read_axes(L, study);
    lua_pop(L, 1);
    return true;
}

static void free_point(struct lua_study_point *point)
{
    for (uint32_t i = 0; i < point->set_count; i++) {
        free(point->sets[i].path);
        free(point->sets[i].value);
        free(point->sets[i].place);
    }
    free(point->sets);
    free(point->label);
}

void lua_study_free(struct lua_study *study)
{
    for (uint32_t i = 0; i < study->axis_count; i++) {
        struct lua_study_axis *axis = &study->axes[i];
        for (uint32_t j = 0; j < axis->point_count; j++)
            free_point(&axis->points[j]);
        free(axis->points);
        free(axis->name);
        free(axis->baseline);
    }
    for (uint32_t i = 0; i < study->figure_count; i++)
        free(study->figures[i]);
    free(study->axes);
    free(study->figures);
    free(study->title);
    free(study->scenario);
    free(study->scenario_place);
    *study = (struct lua_study){0};
}

/* --- the scenario with its points --- */

/* Adds the changes of a point. False: they are too many. */
/* Changes of one run. */
struct changes {
    struct scenario_config_set sets[SETS_MAX];
    uint32_t count;
};

static bool add_sets(const struct lua_study *study, const struct lua_study_point *p, struct changes *changes)
{
    if (changes->count + p->set_count > SETS_MAX) {
        fprintf(stderr, "%s: more than %d changes to one run\n", study->scenario, SETS_MAX);
        return false;
    }
    if (p->set_count > 0)
        memcpy(&changes->sets[changes->count], p->sets, p->set_count * sizeof(p->sets[0]));
    changes->count += p->set_count;
    return true;
}

static bool try_sets(const struct lua_study *study, const struct lua_scenario_options *options)
{
    struct scenario_config config;
    lua_State *L = lua_host_new(lua_modules);
    bool is_right = L && lua_scenario_load(L, study->scenario, options, &config);
    if (is_right)
        scenario_config_free(&config);
    lua_host_free(L);
    return is_right;
}

static bool can_read_scenario(const struct lua_study *study)
{
    if (!study->scenario_place || access(study->scenario, R_OK) == 0)
        return true;
    utf8_printf(stderr, "%s '%s' cannot be read: %s\n", study->scenario_place, study->scenario,
                strerror(errno));
    return false;
}

/* The changes of one point of an axis, and of the first points of the other axes, or without them. */
static bool add_point(const struct lua_study *study, uint32_t axis, uint32_t point, bool is_alone,
                      struct changes *changes)
{
    for (uint32_t i = 0; i < study->axis_count; i++)
        if ((i == axis || !is_alone) &&
            !add_sets(study, &study->axes[i].points[i == axis ? point : 0], changes))
            return false;
    return true;
}

static bool try_point(const struct lua_study *study, uint32_t axis, uint32_t point, bool is_alone)
{
    struct changes changes = {.count = 0};
    if (!add_point(study, axis, point, is_alone, &changes))
        return false;
    const struct lua_scenario_options options = {.seed = 1, .sets = changes.sets, .set_count = changes.count};
    return try_sets(study, &options);
}

/* Prints the lines about a point, and a line of its own where no line names its place. */
static void blame(const struct lua_study *study, uint32_t axis, uint32_t point, struct said *said)
{
    const struct lua_study_point *p = &study->axes[axis].points[point];
    const struct scenario_config_set none = {.path = "", .value = "", .place = study->scenario};
    const struct scenario_config_set *set = p->set_count ? p->sets : &none;
    bool is_named = false;
    for (const char *line = said_line(said); line; line = said_line(said)) {
        is_named |= strncmp(line, set->place, strlen(set->place)) == 0;
        fprintf(stderr, "%s\n", line);
    }
    if (!is_named)
        utf8_printf(stderr, "%s %s=%s: %s is wrong with it (axis %s, point %s)\n", set->place, set->path,
                    set->value, study->scenario, study->axes[axis].name, p->label);
}

static bool try_quietly(const struct lua_study *study, uint32_t axis, uint32_t point, bool is_alone,
                        struct said *said)
{
    said_begin(said);
    bool is_right = try_point(study, axis, point, is_alone);
    said_end(said);
    return is_right;
}

/* Alone a point may lack what the first point of another axis gives. */
static bool is_right_alone(const struct lua_study *study, uint32_t axis, uint32_t point)
{
    struct said alone, among = {0};
    bool is_right = try_quietly(study, axis, point, true, &alone) ||
                    (study->axis_count > 1 && try_quietly(study, axis, point, false, &among));
    if (!is_right)
        blame(study, axis, point, &alone);
    said_free(&alone);
    said_free(&among);
    return is_right;
}

static bool is_right_among(const struct lua_study *study, uint32_t axis, uint32_t point)
{
    struct said among;
    bool is_right = try_quietly(study, axis, point, false, &among);
    if (!is_right)
        blame(study, axis, point, &among);
    said_free(&among);
    return is_right;
}

/* The scenario as it is, which need not be right where the axes give what it lacks. Not right, with lines on
 * stderr: it is wrong with the first point of each axis, too. */
static bool is_bare_right(const struct lua_study *study, bool *is_lacking)
{
    struct said bare, first = {0};
    size_t octets = strlen(study_path);
    said_begin(&bare);
    *is_lacking = !try_sets(study, &(struct lua_scenario_options){.seed = 1});
    said_end(&bare);
    bool is_right = !*is_lacking || try_quietly(study, 0, 0, false, &first);
    for (const char *line = is_right ? NULL : said_line(&bare); line; line = said_line(&bare))
        fprintf(stderr, "%s\n", line);
    for (const char *line = is_right ? NULL : said_line(&first); line; line = said_line(&first))
        if (strncmp(line, study_path, octets) == 0 && line[octets] == ':')
            fprintf(stderr, "%s\n", line);
    said_free(&bare);
    said_free(&first);
    return is_right;
}

static bool try_points(const struct lua_study *study,
                       bool (*is_right)(const struct lua_study *study, uint32_t axis, uint32_t point))
{
    for (uint32_t i = 0; i < study->axis_count; i++)
        for (uint32_t j = 0; j < study->axes[i].point_count; j++)
            if (!is_right(study, i, j))
                return false;
    return true;
}

bool lua_study_try(const struct lua_study *study)
{
    bool is_lacking;
    return can_read_scenario(study) && is_bare_right(study, &is_lacking) &&
           (is_lacking || try_points(study, is_right_alone)) &&
           ((study->axis_count < 2 && !is_lacking) || try_points(study, is_right_among));
}

uint64_t lua_study_runs(const struct lua_study *study)
{
    uint64_t runs = study->seeds;
    for (uint32_t i = 0; i < study->axis_count; i++)
        runs *= study->axes[i].point_count;
    return runs;
}

static bool has_rate(const struct lua_study_point *point)
{
    for (uint32_t i = 0; i < point->set_count; i++)
        if (strncmp(point->sets[i].path, "cells[", 6) == 0 && strstr(point->sets[i].path, "].rate"))
            return true;
    return false;
}

/* Timeslots and coding of each cell with a rate, at a point. */
static void write_rates(struct json_stream *s, const struct lua_study *study, uint32_t axis, uint32_t point)
{
    struct changes changes = {.count = 0};
    struct scenario_config config;
    lua_State *L = lua_host_new(lua_modules);
    bool is_added = add_point(study, axis, point, false, &changes);
    const struct lua_scenario_options options = {.seed = 1, .sets = changes.sets, .set_count = changes.count};
    if (L && is_added && lua_scenario_load(L, study->scenario, &options, &config)) {
        json_stream_text(s, "rates", scenario_config_rates(&config));
        scenario_config_free(&config);
    }
    lua_host_free(L);
}

static void write_point(struct json_stream *s, const struct lua_study *study, uint32_t axis, uint32_t index)
{
    const struct lua_study_point *point = &study->axes[axis].points[index];
    json_stream_object(s, NULL);
    json_stream_text(s, "label", point->label);
    json_stream_array(s, "set");
    for (uint32_t i = 0; i < point->set_count; i++) {
        json_stream_array(s, NULL);
        json_stream_text(s, NULL, point->sets[i].path);
        json_stream_text(s, NULL, point->sets[i].value);
        json_stream_end(s);
    }
    json_stream_end(s);
    if (has_rate(point))
        write_rates(s, study, axis, index);
    json_stream_end(s);
}

static void write_axis(struct json_stream *s, const struct lua_study *study, uint32_t index)
{
    const struct lua_study_axis *axis = &study->axes[index];
    json_stream_object(s, NULL);
    json_stream_text(s, "name", axis->name);
    if (axis->baseline)
        json_stream_text(s, "baseline", axis->baseline);
    json_stream_array(s, "points");
    for (uint32_t i = 0; i < axis->point_count; i++)
        write_point(s, study, index, i);
    json_stream_end(s);
    json_stream_end(s);
}

void lua_study_write(const struct lua_study *study, FILE *file)
{
    struct json_stream s = {.file = file};
    json_stream_begin(&s, "gbflow-study/1");
    json_stream_text(&s, "title", study->title);
    json_stream_text(&s, "scenario", study->scenario);
    json_stream_count(&s, "seeds", study->seeds);
    json_stream_bool(&s, "has_series", study->has_series);
    json_stream_bool(&s, "is_packed", study->is_packed);
    json_stream_array(&s, "axes");
    for (uint32_t i = 0; i < study->axis_count; i++)
        write_axis(&s, study, i);
    json_stream_end(&s);
    json_stream_array(&s, "figures");
    for (uint32_t i = 0; i < study->figure_count; i++)
        json_stream_text(&s, NULL, study->figures[i]);
    json_stream_end(&s);
    json_stream_end(&s);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A study for `gbflow sweep`: read through lua/study/schema.lua, tried on its scenario, written as JSON for
 * the program that runs and judges it (python/gbflow_report/sweep.py). */
#ifndef APP_SWEEP_LUA_STUDY_H
#define APP_SWEEP_LUA_STUDY_H

#include "app/run/scenario_config.h"

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct lua_study_point {
    char *label;
    struct scenario_config_set *sets;
    uint32_t set_count;
};

struct lua_study_axis {
    char *name;
    char *baseline; /* label of the point that others are compared with; NULL: none */
    struct lua_study_point *points;
    uint32_t point_count;
};

struct lua_study {
    char *title, *scenario; /* scenario: its path as this process opens it */
    char *scenario_place;   /* "FILE:2: scenario:"; NULL: the study is the scenario's own */
    struct lua_study_axis *axes;
    char **figures; /* names with *; none: those that compare judges by itself */
    uint32_t axis_count, figure_count;
    uint32_t seeds;
    bool has_series;
    bool is_packed;
};

/* A file with a study, or a scenario with the key `study`. True: *study is filled in. False: lines on stderr
 * say why. Free *study in both cases. */
bool lua_study_load(lua_State *L, const char *path, struct lua_study *study);

void lua_study_free(struct lua_study *study);

/* Loads the scenario as it is, with each point of each axis alone, and with each point and the first points
 * of the other axes. False, with lines on stderr that name file, line, key and value: it is wrong. A
 * key that it lacks as it is may be given by an axis. */
bool lua_study_try(const struct lua_study *study);

/* Runs of the whole study. */
uint64_t lua_study_runs(const struct lua_study *study);

/* Schema gbflow-study/1. */
void lua_study_write(const struct lua_study *study, FILE *file);

#endif

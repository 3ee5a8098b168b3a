/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow check`: validates configuration files. */
#include "control/base/command.h"
#include "control/base/json_stream.h"
#include "control/base/said.h"
#include "control/config/lua_config.h"
#include "control/config/lua_text.h"
#include "control/lua/lua_host.h"

#include "app/capabilities.h"
#include "app/emulate/lua_emulate.h"
#include "app/run/lua_scenario.h"
#include "control/config/plugin_folder.h"
#include "app/sweep/lua_study.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "usage: gbflow check [--load-plugins] [--json] FILE.lua...\n"
    "\n"
    "Validates configurations of nodes, scenarios, emulated BSSs and studies. Prints\n"
    "for each error file, line, key and the allowed range. Nodes with phones.pool and\n"
    "cells of one routeing area are checked as nodes of one pool, such as for an NRI\n"
    "or a name at the HLR that two of them have: docs/pool.md has the table of what\n"
    "must agree and what must differ.\n"
    "The file that esp.keys names is checked, too, if this user may read it; no key\n"
    "is printed.\n"
    "All keys: docs/reference/node.md, docs/reference/scenario.md,\n"
    "docs/reference/bss.md, docs/reference/study.md.\n"
    "\n"
    "  --load-plugins  run the code of AQM plug-ins to check their parameters\n"
    "  --json          print an object: of each file its kind, what it has, and all\n"
    "                  errors and warnings with line and key\n"
    "\n"
    "Exit status: 0 all files are valid, 2 at least one is not.\n";

/* Counts of a file, in the order in which they are printed. */
enum noun { NSES, NSVCS, AXES, RUNS, CELLS, MOBILES, ASSUMPTIONS, SAS, NOUNS };
static const struct {
    const char *key, *one, *many;
} nouns[NOUNS] = {
    [NSES] = {"nses", "NSE", "NSEs"},
    [NSVCS] = {"nsvcs", "NS-VC", "NS-VCs"},
    [AXES] = {"axes", "axis", "axes"},
    [RUNS] = {"runs", "run", "runs"},
    [CELLS] = {"cells", "cell", "cells"},
    [MOBILES] = {"mobiles", "mobile", "mobiles"},
    [ASSUMPTIONS] = {"assumptions", "assumption", "assumptions"},
    [SAS] = {"sas", "association", "associations"},
};

struct verdict {
    const char *kind; /* NULL: unknown */
    char head[PATH_MAX + 32], tail[80];
    const char *rates;     /* lines about `rate` of cells; NULL: no scenario */
    int64_t counts[NOUNS]; /* -1: a file of this kind has none of these */
};

static struct verdict verdict_of(const char *kind)
{
    struct verdict verdict = {.kind = kind};
    for (unsigned i = 0; i < NOUNS; i++)
        verdict.counts[i] = -1;
    return verdict;
}

/* NS-VCs that exist at the start, without those that IP-SNS adds. */
static unsigned nsvcs_of(const struct node_config *config)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < config->nsvc_count; i++)
        count += !config->nsvcs[i].is_absent;
    return count;
}

static void judge_node(const struct node_config *config, struct verdict *verdict)
{
    struct node_config_rows others = node_config_accepted_rows(config);
    verdict->counts[NSES] = config->nse_count - others.nses;
    verdict->counts[NSVCS] = nsvcs_of(config);
    verdict->counts[CELLS] = config->cell_count - others.cells;
    if (others.nses > 0)
        snprintf(verdict->tail, sizeof(verdict->tail), ", room for %u other NSE%s", others.nses,
                 words_plural(others.nses));
    size_t at = strlen(verdict->tail);
    snprintf(verdict->tail + at, sizeof(verdict->tail) - at, ", mobiles are %s",
             config->mobiles.are_learned ? "learned" : "listed");
}

/* --- nodes of one pool --- */

static lua_State *pools; /* remembers the files before; NULL: none yet */

/* The checked node is on top of the stack. False, with lines on stderr: it contradicts a file before. */
static bool agrees(lua_State *L, const char *path)
{
    if (!pools)
        pools = lua_host_new(lua_modules);
    if (!pools)
        return false;
    lua_host_require(L, "node.pool_check");
    lua_getfield(L, -1, "pack");
    lua_pushvalue(L, -3);
    lua_call(L, 1, 1);
    lua_host_require(pools, "node.pool_check");
    lua_getfield(pools, -1, "add");
    lua_pushstring(pools, path);
    size_t octets;
    const char *packed = lua_tolstring(L, -1, &octets);
    lua_pushlstring(pools, packed, octets);
    bool has_text = lua_text_push(pools, path);
    if (has_text)
        lua_call(pools, 3, 1);
    bool agrees = has_text && luaL_len(pools, -1) == 0;
    if (has_text)
        lua_text_print_lines(pools, "");
    lua_settop(pools, 0);
    lua_pop(L, 2);
    return agrees;
}

static bool check_node(lua_State *L, const char *path, struct verdict *verdict)
{
    struct node_config config = {0};
    *verdict = verdict_of("node");
    bool is_right = lua_config_load_node(L, path, &config) && agrees(L, path) &&
                    capabilities_check(&config, path, &verdict->counts[SAS]);
    if (is_right)
        judge_node(&config, verdict);
    node_config_free(&config);
    return is_right;
}

static bool check_bss(lua_State *L, const char *path, struct verdict *verdict)
{
    struct emulate_config config;
    *verdict = verdict_of("bss");
    bool is_right = lua_emulate_load(L, path, &config, NULL);
    snprintf(verdict->head, sizeof(verdict->head), "a BSS to emulate");
    verdict->counts[NSVCS] = config.nsvc_count;
    verdict->counts[CELLS] = config.cell_count;
    verdict->counts[MOBILES] = config.mobile_count;
    emulate_config_free(&config);
    return is_right;
}

static bool check_study(lua_State *L, const char *path, struct verdict *verdict)
{
    struct lua_study study;
    *verdict = verdict_of("study");
    bool is_right = lua_study_load(L, path, &study) && lua_study_try(&study);
    if (is_right) {
        snprintf(verdict->head, sizeof(verdict->head), "a study of %s", study.scenario);
        verdict->counts[AXES] = study.axis_count;
        verdict->counts[RUNS] = (int64_t)lua_study_runs(&study);
    }
    lua_study_free(&study);
    return is_right;
}

static bool check_scenario(lua_State *L, const char *path, struct verdict *verdict)
{
    struct scenario_config config;
    *verdict = verdict_of("scenario");
    bool is_right = lua_scenario_load(L, path, &(struct lua_scenario_options){.seed = 1}, &config);
    if (is_right) {
        snprintf(verdict->head, sizeof(verdict->head), "a scenario of %g s",
                 (double)config.duration_ns / 1e9);
        verdict->counts[CELLS] = config.cell_count;
        verdict->counts[MOBILES] = config.mobile_count;
        verdict->counts[ASSUMPTIONS] = config.assumption_count;
        verdict->rates = scenario_config_rates(&config);
    }
    bool has_study = is_right && config.has_study;
    scenario_config_free(&config);
    return has_study ? check_study(L, path, verdict) : is_right;
}

static bool check_other(lua_State *L, const char *path, struct verdict *verdict)
{
    int kind = lua_scenario_detect(L, path);
    return kind == 1 ? check_scenario(L, path, verdict) : kind == 0 && check_node(L, path, verdict);
}

static bool check(const char *path, struct verdict *verdict)
{
    char kind[LUA_TEXT_KIND];
    *verdict = verdict_of(NULL);
    struct lua_State *L = lua_host_new(lua_modules);
    bool is_right = L && lua_text_kind(L, path, kind);

    if (is_right && strcmp(kind, "bss") == 0)
        is_right = check_bss(L, path, verdict);
    else if (is_right && strcmp(kind, "study") == 0)
        is_right = check_study(L, path, verdict);
    else if (is_right)
        is_right = check_other(L, path, verdict);
    lua_host_free(L);
    return is_right;
}

/* "s.lua: right: a scenario of 60 s, 1 cell, 3 mobiles, 0 assumptions". */
static void print_verdict(const char *path, const struct verdict *verdict)
{
    printf("%s: right: %s", path, verdict->head);
    const char *comma = verdict->head[0] ? ", " : "";
    for (unsigned i = 0; i < NOUNS; i++) {
        if (verdict->counts[i] < 0)
            continue;
        printf("%s%" PRId64 " %s", comma, verdict->counts[i],
               verdict->counts[i] == 1 ? nouns[i].one : nouns[i].many);
        comma = ", ";
    }
    printf("%s\n%s", verdict->tail, verdict->rates ? verdict->rates : "");
}

static bool check_file(const char *path)
{
    struct verdict verdict;
    bool is_right = check(path, &verdict);
    if (is_right)
        print_verdict(path, &verdict);
    return is_right;
}

static bool check_files(char *const *paths, int count)
{
    bool are_right = true;
    for (int i = 0; i < count; i++)
        are_right &= check_file(paths[i]);
    return are_right;
}

/* --- JSON --- */

static void write_text(struct json_stream *s, const char *key, const char *text, size_t octets)
{
    char *copy = strndup(text, octets);
    json_stream_text(s, key, copy ? copy : "");
    free(copy);
}

/* "[warning: ]FILE:LINE: KEY: MESSAGE", or any other line, which is a message alone. */
static void write_line(struct json_stream *s, const char *line)
{
    static const char warning[] = "warning: ";
    bool is_warning = strncmp(line, warning, strlen(warning)) == 0;
    line += is_warning ? strlen(warning) : 0;
    const char *colon = strchr(line, ':');
    char *rest = NULL;
    json_stream_object(s, NULL);
    json_stream_text(s, "level", is_warning ? "warning" : "error");
    if (colon && isdigit((unsigned char)colon[1])) {
        write_text(s, "file", line, (size_t)(colon - line));
        json_stream_count(s, "line", strtoull(colon + 1, &rest, 10));
        line = rest + strspn(rest, ": ");
        size_t octets = strcspn(line, " ");
        if (octets > 1 && line[octets - 1] == ':') {
            write_text(s, "key", line, octets - 1);
            line += octets + (line[octets] == ' ');
        }
    }
    json_stream_text(s, "message", line);
    json_stream_end(s);
}

/* Lines for stderr become messages. */
static bool write_file(struct json_stream *s, const char *path)
{
    struct verdict verdict;
    struct said said;
    said_begin(&said);
    bool is_right = check(path, &verdict);
    said_end(&said);
    json_stream_object(s, NULL);
    json_stream_text(s, "file", path);
    json_stream_bool(s, "is_right", is_right);
    if (verdict.kind)
        json_stream_text(s, "kind", verdict.kind);
    for (unsigned i = 0; i < NOUNS && is_right; i++)
        if (verdict.counts[i] >= 0)
            json_stream_count(s, nouns[i].key, (uint64_t)verdict.counts[i]);
    json_stream_array(s, "messages");
    for (const char *line = said_line(&said); line; line = said_line(&said))
        write_line(s, line);
    said_free(&said);
    json_stream_end(s);
    json_stream_end(s);
    return is_right;
}

static bool check_json(char *const *paths, int count)
{
    struct json_stream s = {.file = stdout};
    bool are_right = true;
    json_stream_begin(&s, "gbflow-check/1");
    json_stream_array(&s, "files");
    for (int i = 0; i < count; i++)
        are_right &= write_file(&s, paths[i]);
    json_stream_end(&s);
    json_stream_end(&s);
    return are_right;
}

int command_check(int argc, char **argv)
{
    bool is_loading = false, is_json = false;
    const struct command_option options[] = {{.name = "load-plugins", .flag = &is_loading, .value = true},
                                             {.name = "json", .flag = &is_json, .value = true}};
    const struct command_parser parser = {.command = "check", .options = options, .count = 2};
    int status = command_parse(&parser, argc, argv);

    if (!command_accepted(usage, &status))
        return status;
    if (optind == argc)
        return command_wrong("check", "missing FILE.lua", "");
    plugin_folder_allow(is_loading);
    bool are_right =
        is_json ? check_json(argv + optind, argc - optind) : check_files(argv + optind, argc - optind);
    lua_host_free(pools);
    return are_right ? COMMAND_OK : COMMAND_USAGE;
}

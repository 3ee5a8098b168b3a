/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow aqm`: its options; lists and shows schemes, writes curves. */
#include "control/base/command.h"
#include "control/base/whole_file.h"
#include "control/config/lua_aqm_script.h"
#include "control/report/field.h"

#include "app/aqm/curve.h"
#include "control/config/lua_aqm.h"
#include "control/base/report.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS 32
#define SCRIPTS  8

static const char usage[] =
    "usage: gbflow aqm list [--markdown]\n"
    "       gbflow aqm show NAME\n"
    "       gbflow aqm curve NAME [--set PARAMETER=VALUE]... [--out DIR] [--rate BIT/S]\n"
    "                             [--packets N] [--reach NUMBER] [--seed N] [--no-report]\n"
    "       each also with [--plugin FILE.so]... [--lua FILE.lua]...\n"
    "\n"
    "list prints the names of the AQM schemes; show prints what a scheme does, its parameters and their "
    "defaults;\n"
    "curve measures the share of N-PDUs that a scheme drops or marks at a queue of constant length, and "
    "writes\n"
    "aqm-NAME.json and aqm-NAME.html (docs/aqm.md).\n"
    "\n"
    "  --markdown       the reference of all schemes and their parameters\n"
    "  --set NAME=VALUE a parameter, as in configuration: --set 'min=10 kB'\n"
    "  --out DIR        folder for the files (out/aqm)\n"
    "  --rate BIT/S     rate at which the queue drains (80000)\n"
    "  --packets N      N-PDUs per point (100000)\n"
    "  --reach NUMBER   end of the horizontal axis: octets of backlog, or seconds of age\n"
    "  --seed N         seed of the random numbers (1)\n"
    "  --no-report      write the JSON file only\n"
    "  --plugin FILE    add the schemes of a shared object\n"
    "  --lua FILE       add a scheme in Lua\n"
    "\n"
    "Exit status: 0 success, 1 the run failed, 2 wrong arguments.\n";

static const struct option options[] = {
    {"markdown", no_argument, NULL, 'm'},      {"set", required_argument, NULL, 's'},
    {"out", required_argument, NULL, 'o'},     {"rate", required_argument, NULL, 'r'},
    {"packets", required_argument, NULL, 'n'}, {"reach", required_argument, NULL, 'e'},
    {"seed", required_argument, NULL, 'd'},    {"no-report", no_argument, NULL, 'x'},
    {"plugin", required_argument, NULL, 'p'},  {"lua", required_argument, NULL, 'l'},
    {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
};

struct given {
    struct aqm_registry registry;
    struct lua_aqm_script *scripts[SCRIPTS];
    char *settings[SETTINGS];
    unsigned setting_count, script_count;
    const char *out;
    uint64_t rate_bps, packets, seed;
    double reach;
    bool is_markdown, has_no_report;
};

static int wrong(const char *message, const char *what)
{
    return command_wrong("aqm", message, what);
}

static int parse_whole(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (errno || *end || end == text || *text == '-' || *out < least || *out > most)
        return wrong("not an integer in range: ", text);
    return COMMAND_OK;
}

static int parse_reach(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    if (*end || end == text || !(*out > 0 && *out <= 1e9))
        return wrong("--reach must be a number above 0, not ", text);
    return COMMAND_OK;
}

static int add_plugin(struct given *g, const char *path)
{
    char message[512];
    if (aqm_registry_load(&g->registry, path, message, sizeof(message)))
        return COMMAND_OK;
    fprintf(stderr, "gbflow aqm: %s: %s\n", path, message);
    return COMMAND_USAGE;
}

static int add_script(struct given *g, const char *path)
{
    char message[256];
    if (g->script_count == SCRIPTS)
        return wrong("too many scripts, from ", path);
    struct lua_aqm_script *script = lua_aqm_script_new(path);
    if (!script)
        return COMMAND_USAGE;
    g->scripts[g->script_count++] = script;
    if (aqm_registry_add(&g->registry, lua_aqm_script_ops(script), message, sizeof(message)))
        return COMMAND_OK;
    fprintf(stderr, "gbflow aqm: %s: %s\n", path, message);
    return COMMAND_USAGE;
}

static int add_setting(struct given *g, char *text)
{
    if (g->setting_count == SETTINGS)
        return wrong("too many settings, from ", text);
    g->settings[g->setting_count++] = text;
    return COMMAND_OK;
}

static int command_aqm_take(struct given *g, int c)
{
    switch (c) {
    case 'm':
        g->is_markdown = true;
        return COMMAND_OK;
    case 'x':
        g->has_no_report = true;
        return COMMAND_OK;
    case 'o':
        g->out = optarg;
        return COMMAND_OK;
    case 's':
        return add_setting(g, optarg);
    case 'p':
        return add_plugin(g, optarg);
    case 'l':
        return add_script(g, optarg);
    case 'r':
        return parse_whole(optarg, 100, UINT64_C(100000000000), &g->rate_bps);
    case 'n':
        return parse_whole(optarg, 1, 100000000, &g->packets);
    case 'd':
        return parse_whole(optarg, 0, UINT64_MAX, &g->seed);
    case 'e':
        return parse_reach(optarg, &g->reach);
    case 'h':
        return COMMAND_HELP;
    default:
        return wrong("unknown option, or an option without its value", "");
    }
}

static int list(const struct given *g)
{
    if (g->is_markdown) {
        char *text = lua_aqm_text_document(&g->registry);
        fputs(text ? text : "", stdout);
        free(text);
        return text ? COMMAND_OK : COMMAND_FAILED;
    }
    for (unsigned i = 0; i < g->registry.count; i++)
        printf("%-16s %s\n", g->registry.schemes[i]->name, g->registry.schemes[i]->title);
    return COMMAND_OK;
}

static int show(const struct aqm_ops *ops)
{
    char *text = lua_aqm_text_describe(ops);
    fputs(text ? text : "", stdout);
    free(text);
    return text ? COMMAND_OK : COMMAND_FAILED;
}

static bool write_curve(const struct given *g, json_t *object, const char *name)
{
    char json[PATH_MAX], html[PATH_MAX];
    int octets = snprintf(json, sizeof(json), "%s/aqm-%s.json", g->out, name);
    snprintf(html, sizeof(html), "%s/aqm-%s.html", g->out, name);
    if (octets < 0 || octets >= PATH_MAX || !whole_file_make_folder(g->out)) {
        json_decref(object);
        return false;
    }
    if (!field_json_dump(object, json))
        return false;
    puts(json);
    return g->has_no_report || report_make("aqm", json, false);
}

static bool has_failed(const struct given *g)
{
    bool failed = false;
    for (unsigned i = 0; i < g->script_count; i++) {
        const char *failure = lua_aqm_script_failure(g->scripts[i]);
        if (failure)
            fprintf(stderr, "gbflow aqm: %s: %s\n", lua_aqm_script_ops(g->scripts[i])->name, failure);
        failed |= failure != NULL;
    }
    return failed;
}

static int curve(const struct given *g, const struct aqm_ops *ops)
{
    struct aqm_curve c = {
        .ops = ops, .rate_bps = g->rate_bps, .seed = g->seed, .packets = (uint32_t)g->packets};
    c.reach = (int64_t)(ops->axis == AQM_AXIS_AGE ? g->reach * 1e9 : g->reach);
    if (!lua_aqm_text_parse(ops, g->settings, g->setting_count, c.values))
        return COMMAND_USAGE;
    json_t *object = aqm_curve_measure(&c);
    if (!object)
        return COMMAND_USAGE;
    if (has_failed(g)) {
        json_decref(object);
        return COMMAND_FAILED;
    }
    if (strcmp(ops->name, "ttlred1") == 0)
        field_json_put(object, "figure2", aqm_curve_figure2(&c));
    return write_curve(g, object, ops->name) ? COMMAND_OK : COMMAND_FAILED;
}

static int dispatch(const struct given *g, char **words, int count)
{
    if (count < 1)
        return wrong("missing list, show NAME or curve NAME", "");
    if (strcmp(words[0], "list") == 0 && count == 1)
        return list(g);
    if ((strcmp(words[0], "show") != 0 && strcmp(words[0], "curve") != 0) || count != 2)
        return wrong("must be list, show NAME or curve NAME, not ", words[count > 2 ? 2 : 0]);
    const struct aqm_ops *ops = aqm_registry_find(&g->registry, words[1]);
    if (!ops)
        return wrong("unknown scheme (gbflow aqm list prints all): ", words[1]);
    return words[0][0] == 's' ? show(ops) : curve(g, ops);
}

int command_aqm(int argc, char **argv)
{
    struct given g = {.out = "out/aqm", .rate_bps = 80000, .packets = 100000, .seed = 1};
    int c, status = COMMAND_OK;
    aqm_registry_init(&g.registry);
    while (status == COMMAND_OK && (c = getopt_long(argc, argv, "h", options, NULL)) != -1)
        status = command_aqm_take(&g, c);
    if (command_accepted(usage, &status))
        status = dispatch(&g, argv + optind, argc - optind);
    aqm_registry_fini(&g.registry);
    for (unsigned i = 0; i < g.script_count; i++)
        lua_aqm_script_free(g.scripts[i]);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow aqm`: its options; lists and shows schemes, writes curves. */
#include "control/base/command.h"
#include "control/base/json_stream.h"
#include "control/base/utf8.h"
#include "control/base/whole_file.h"
#include "control/config/lua_aqm_script.h"
#include "control/report/field.h"

#include "app/aqm/curve.h"
#include "control/config/lua_aqm.h"
#include "control/base/report.h"
#include "dataplane/base/moment.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS 32
#define SCRIPTS  8

static const char usage[] =
    "usage: gbflow aqm list [--markdown | --json]\n"
    "       gbflow aqm show NAME\n"
    "       gbflow aqm curve NAME [--set PARAMETER=VALUE]... [--out DIR]\n"
    "                        [--rate BIT/S] [--packets N] [--reach NUMBER] [--seed N]\n"
    "                        [--no-report]\n"
    "       each also with [--plugin FILE.so]... [--lua FILE.lua]...\n"
    "\n"
    "list prints the names of the AQM schemes; show prints what a scheme does, its\n"
    "parameters and their defaults; curve measures the share of N-PDUs that a scheme\n"
    "drops or marks at a queue of constant length, and writes aqm-NAME.json and\n"
    "aqm-NAME.html (docs/aqm.md).\n"
    "\n"
    "  --markdown       the reference of all schemes and their parameters\n"
    "  --json           the schemes as an object: name, title, law and source of each\n"
    "  --set NAME=VALUE a parameter, as in configuration: --set 'min=10 kB'\n"
    "  --out DIR        folder for the files (out/aqm)\n"
    "  --rate BIT/S     rate at which the queue drains (80000)\n"
    "  --packets N      N-PDUs per point (100000)\n"
    "  --reach NUMBER   end of the horizontal axis: octets of backlog, or seconds of\n"
    "                   age\n"
    "  --seed N         seed of the random numbers (1)\n"
    "  --no-report      write the JSON file only\n"
    "  --plugin FILE    add the schemes of a shared object\n"
    "  --lua FILE       add a scheme in Lua\n"
    "\n"
    "Exit status: 0 success, 1 the run failed, 2 wrong arguments.\n";

struct given {
    struct aqm_registry registry;
    struct lua_aqm_script *scripts[SCRIPTS];
    char *settings[SETTINGS];
    unsigned setting_count, script_count;
    const char *out;
    int64_t rate_bps, packets, seed;
    double reach;
    bool is_markdown, is_json, has_no_report;
};

static int wrong(const char *message, const char *what)
{
    return command_wrong("aqm", message, what);
}

static int parse_reach(void *to, char *text)
{
    struct given *g = to;
    char *end;
    g->reach = strtod(text, &end);
    if (*end || end == text || !(g->reach > 0 && g->reach <= 1e9))
        return wrong("--reach must be a number above 0, not ", text);
    return COMMAND_OK;
}

static int add_plugin(void *to, char *path)
{
    struct given *g = to;
    char message[512];
    if (aqm_registry_load(&g->registry, path, message, sizeof(message)))
        return COMMAND_OK;
    fprintf(stderr, "gbflow aqm: %s: %s\n", path, message);
    return COMMAND_USAGE;
}

static int add_script(void *to, char *path)
{
    struct given *g = to;
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

static int add_setting(void *to, char *text)
{
    struct given *g = to;
    if (g->setting_count == SETTINGS)
        return wrong("too many settings, from ", text);
    g->settings[g->setting_count++] = text;
    return COMMAND_OK;
}

static int command_aqm_parse(int argc, char **argv, struct given *g)
{
    const struct command_option options[] = {
        {.name = "markdown", .flag = &g->is_markdown, .value = true},
        {.name = "json", .flag = &g->is_json, .value = true},
        {.name = "set", .parse = add_setting},
        {.name = "out", .text = &g->out},
        {.name = "rate", .number = &g->rate_bps, .min = 100, .max = INT64_C(100000000000)},
        {.name = "packets", .number = &g->packets, .min = 1, .max = 100000000},
        {.name = "reach", .parse = parse_reach},
        {.name = "seed", .number = &g->seed, .min = 0, .max = INT64_MAX},
        {.name = "no-report", .flag = &g->has_no_report, .value = true},
        {.name = "plugin", .parse = add_plugin},
        {.name = "lua", .parse = add_script},
    };
    const struct command_parser parser = {
        .command = "aqm", .options = options, .count = sizeof(options) / sizeof(options[0]), .to = g};
    return command_parse(&parser, argc, argv);
}

/* For programs; text as a curve's file has it. */
static int list_json(const struct aqm_registry *registry)
{
    struct json_stream s = {.file = stdout};
    json_stream_begin(&s, "gbflow-aqm-list/1");
    json_stream_array(&s, "schemes");
    for (unsigned i = 0; i < registry->count; i++) {
        const struct aqm_ops *ops = registry->schemes[i];
        json_stream_object(&s, NULL);
        json_stream_text(&s, "name", ops->name);
        json_stream_text(&s, "title", ops->title);
        json_stream_text(&s, "law", ops->summary);
        json_stream_text(&s, "source", ops->source);
        json_stream_end(&s);
    }
    json_stream_end(&s);
    json_stream_end(&s);
    return COMMAND_OK;
}

static int list(const struct given *g)
{
    if (g->is_markdown) {
        char *text = lua_aqm_text_document(&g->registry);
        fputs(text ? text : "", stdout);
        free(text);
        return text ? COMMAND_OK : COMMAND_FAILED;
    }
    if (g->is_json)
        return list_json(&g->registry);
    for (unsigned i = 0; i < g->registry.count; i++)
        utf8_printf(stdout, "%-16s %s\n", g->registry.schemes[i]->name, g->registry.schemes[i]->title);
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
    if (octets < 0 || octets >= PATH_MAX || !whole_file_make_folder(g->out) || !whole_file_drop_link(json)) {
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
    struct aqm_curve c = {.ops = ops,
                          .rate_bps = (uint64_t)g->rate_bps,
                          .seed = (uint64_t)g->seed,
                          .packets = (uint32_t)g->packets};
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

static int refuse_scheme(const struct given *g, const char *name)
{
    struct words names = {.count = 0};
    for (unsigned i = 0; i < g->registry.count; i++)
        words_add(&names, g->registry.schemes[i]->name);
    return command_unknown("aqm", "", "scheme", name, &names);
}

static int refuse_part(const char *word)
{
    const struct words parts = {.list = {"list", "show", "curve"}, .count = 3};
    return command_unknown("aqm", "", "part", word, &parts);
}

static int dispatch(const struct given *g, char **words, int count)
{
    if (count < 1)
        return wrong("missing list, show NAME or curve NAME", "");
    if (strcmp(words[0], "list") == 0 && count == 1)
        return list(g);
    bool is_list = strcmp(words[0], "list") == 0;
    if (!is_list && strcmp(words[0], "show") != 0 && strcmp(words[0], "curve") != 0)
        return refuse_part(words[0]);
    if (is_list || count != 2)
        return wrong("must be list, show NAME or curve NAME, not ", words[is_list ? 1 : count > 2 ? 2 : 0]);
    const struct aqm_ops *ops = aqm_registry_find(&g->registry, words[1]);
    if (!ops)
        return refuse_scheme(g, words[1]);
    return words[0][0] == 's' ? show(ops) : curve(g, ops);
}

int command_aqm(int argc, char **argv)
{
    struct given g = {.out = "out/aqm", .rate_bps = 80000, .packets = 100000, .seed = 1};
    aqm_registry_init(&g.registry);
    int status = command_aqm_parse(argc, argv, &g);
    if (command_accepted(usage, &status))
        status = dispatch(&g, argv + optind, argc - optind);
    aqm_registry_fini(&g.registry);
    for (unsigned i = 0; i < g.script_count; i++)
        lua_aqm_script_free(g.scripts[i]);
    return status;
}

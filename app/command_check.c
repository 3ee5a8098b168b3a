/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommand `gbflow check`: validates configuration files. */
#include "control/base/command.h"
#include "control/config/lua_config.h"
#include "control/config/lua_text.h"
#include "control/lua/lua_host.h"

#include "app/emulate/lua_emulate.h"
#include "app/run/lua_scenario.h"
#include "control/config/plugin_folder.h"
#include "app/sweep/lua_study.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: gbflow check [--load-plugins] FILE.lua...\n"
    "\n"
    "Validates configurations of nodes, scenarios, emulated BSSs and studies. Prints for "
    "each error\n"
    "file, line, key and the allowed range.\n"
    "All keys: docs/reference/node.md, docs/reference/scenario.md, docs/reference/bss.md, "
    "docs/reference/study.md.\n"
    "\n"
    "  --load-plugins  run the code of AQM plug-ins to check their parameters\n"
    "\n"
    "Exit status: 0 all files are valid, 2 at least one is not.\n";

/* NS-VCs that exist at the start, without those that IP-SNS adds. */
static unsigned nsvcs_of(const struct node_config *config)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < config->nsvc_count; i++)
        count += !config->nsvcs[i].is_absent;
    return count;
}

static void print_node(const char *path, const struct node_config *config)
{
    struct node_config_rows others = node_config_accepted_rows(config);
    printf("%s: right: %u NSEs, %u NS-VCs, %u cells", path, config->nse_count - others.nses, nsvcs_of(config),
           config->cell_count - others.cells);
    if (others.nses > 0)
        printf(", room for %u other NSEs", others.nses);
    printf(", %s\n", config->mobiles.are_learned ? "mobiles are learned" : "mobiles are listed");
}

static bool check_node(lua_State *L, const char *path)
{
    struct node_config config = {0};
    bool is_right = lua_config_load_node(L, path, &config);

    if (is_right)
        print_node(path, &config);
    node_config_free(&config);
    return is_right;
}

static bool check_bss(lua_State *L, const char *path)
{
    struct emulate_config config;
    bool is_right = lua_emulate_load(L, path, &config, NULL);

    if (is_right)
        printf("%s: right: a BSS to emulate, %u NS-VCs, %u cells, %u mobiles\n", path, config.nsvc_count,
               config.cell_count, config.mobile_count);
    emulate_config_free(&config);
    return is_right;
}

static bool check_study(lua_State *L, const char *path)
{
    struct lua_study study;
    bool is_right = lua_study_load(L, path, &study) && lua_study_try(&study);

    if (is_right)
        printf("%s: right: a study of %s, %u axes, %llu runs\n", path, study.scenario, study.axis_count,
               (unsigned long long)lua_study_runs(&study));
    lua_study_free(&study);
    return is_right;
}

static bool check_scenario(lua_State *L, const char *path)
{
    struct scenario_config config;
    bool is_right = lua_scenario_load(L, path, &(struct lua_scenario_options){.seed = 1}, &config);

    if (is_right)
        printf("%s: right: a scenario of %g s, %u cells, %u mobiles, %u assumptions\n", path,
               (double)config.duration_ns / 1e9, config.cell_count, config.mobile_count,
               config.assumption_count);
    bool has_study = is_right && config.has_study;
    scenario_config_free(&config);
    return has_study ? check_study(L, path) : is_right;
}

static bool check_other(lua_State *L, const char *path)
{
    int kind = lua_scenario_detect(L, path);
    return kind == 1 ? check_scenario(L, path) : kind == 0 && check_node(L, path);
}

static bool check(const char *path)
{
    char kind[LUA_TEXT_KIND];
    struct lua_State *L = lua_host_new(lua_modules);
    bool is_right = L && lua_text_kind(L, path, kind);

    if (is_right && strcmp(kind, "bss") == 0)
        is_right = check_bss(L, path);
    else if (is_right && strcmp(kind, "study") == 0)
        is_right = check_study(L, path);
    else if (is_right)
        is_right = check_other(L, path);
    lua_host_free(L);
    return is_right;
}

int command_check(int argc, char **argv)
{
    bool is_loading = false;
    const struct command_option options[] = {{.name = "load-plugins", .flag = &is_loading, .value = true}};
    const struct command_parser parser = {.command = "check", .options = options, .count = 1};
    int status = command_parse(&parser, argc, argv);

    if (!command_accepted(usage, &status))
        return status;
    if (optind == argc)
        return command_wrong("check", "missing FILE.lua", "");
    plugin_folder_allow(is_loading);
    for (int i = optind; i < argc; i++)
        if (!check(argv[i]))
            status = COMMAND_USAGE;
    return status;
}

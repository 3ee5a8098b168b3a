/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/scenario_config.h"

#include "control/base/utf8.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scenario_config_folder(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
}

/* The key `every` of a trace and its place, for messages. */
struct repetition {
    const char *scenario, *record; /* "s.lua", "cells[1].bler_trace" */
    uint32_t number;               /* of the trace, from 1; 0: it has no trace */
    int64_t every_ns;
};

static bool can_repeat(const struct scenario_config *config, const struct repetition *r)
{
    const struct trace *trace = r->number ? &config->traces[r->number - 1] : NULL;
    if (!trace || !r->every_ns || trace->rows[trace->count - 1].at_ns < r->every_ns)
        return true;
    utf8_printf(
        stderr,
        "%s: %s.every: %s: its last time, %.9g s, is not before `every`, %.9g s, when it begins again\n",
        r->scenario, r->record, trace->file, (double)trace->rows[trace->count - 1].at_ns / 1e9,
        (double)r->every_ns / 1e9);
    return false;
}

static bool can_cell_repeat(const struct scenario_config *config, const char *path, uint32_t i)
{
    const struct scenario_config_cell *cell = &config->cells[i];
    char errors[40], link[40];
    snprintf(errors, sizeof(errors), "cells[%u].bler_trace", i + 1);
    snprintf(link, sizeof(link), "cells[%u].link.trace", i + 1);
    return can_repeat(config,
                      &(struct repetition){path, errors, cell->errors.trace, cell->errors.every_ns}) &&
           can_repeat(config, &(struct repetition){path, link, cell->link.trace, cell->link.every_ns});
}

static bool can_traffic_repeat(const struct scenario_config *config, const char *path, uint32_t i)
{
    const struct scenario_config_traffic *traffic = &config->traffic[i];
    const struct scenario_config_mobile *mobile = &config->mobiles[traffic->mobile];
    char record[96];
    snprintf(record, sizeof(record), "mobiles.%s.traffic[%u].trace", mobile->name,
             i - mobile->first_traffic + 1);
    return can_repeat(config, &(struct repetition){path, record, traffic->trace, traffic->trace_every_ns});
}

bool scenario_config_read_traces(struct scenario_config *config, const char *path)
{
    char folder[PATH_MAX];
    bool is_right = true;
    scenario_config_folder(path, folder);
    for (uint32_t i = 0; is_right && i < config->trace_count; i++)
        is_right = trace_read(&config->traces[i], folder);
    for (uint32_t i = 0; is_right && i < config->script_count; i++)
        is_right = script_file_read(&config->scripts[i], folder);
    for (uint32_t i = 0; is_right && i < config->cell_count; i++)
        is_right = can_cell_repeat(config, path, i);
    for (uint32_t i = 0; is_right && i < config->traffic_count; i++)
        is_right = can_traffic_repeat(config, path, i);
    return is_right;
}

const char *scenario_config_rates(const struct scenario_config *config)
{
    static char text[1024];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < config->cell_count && used < sizeof(text); i++)
        if (config->cells[i].made[0])
            used += (size_t)snprintf(text + used, sizeof(text) - used, "cells[%u].rate: %s\n", i + 1,
                                     config->cells[i].made);
    return text;
}

bool scenario_config_can_play(const struct scenario_config *config)
{
    for (uint32_t i = 0; i < config->traffic_count && !quic_is_built(); i++) {
        if (!config->traffic[i].is_quic)
            continue;
        fprintf(stderr,
                "traffic of mobile '%s': transport 'quic' needs libngtcp2 0.12, and this gbflow was built "
                "without; "
                "install libngtcp2-dev and build again\n",
                config->mobiles[config->traffic[i].mobile].name);
        return false;
    }
    return true;
}

void scenario_config_free(struct scenario_config *config)
{
    for (uint32_t i = 0; i < config->assumption_count; i++) {
        free(config->assumptions[i].path);
        free(config->assumptions[i].value);
        free(config->assumptions[i].why);
        free(config->assumptions[i].holds_over);
    }
    for (uint32_t i = 0; i < config->set_count; i++) {
        free(config->sets[i].path);
        free(config->sets[i].value);
    }
    for (uint32_t i = 0; i < config->trace_count; i++)
        trace_fini(&config->traces[i]);
    free(config->traces);
    for (uint32_t i = 0; i < config->script_count; i++)
        script_file_fini(&config->scripts[i]);
    free(config->scripts);
    for (uint32_t i = 0; i < config->module_count; i++) {
        free(config->modules[i].file);
        free(config->modules[i].text);
    }
    free(config->modules);
    free(config->title);
    free(config->text);
    free(config->cells);
    free(config->mobiles);
    free(config->groups);
    for (uint32_t i = 0; i < config->traffic_count; i++)
        free(config->traffic[i].settings);
    free(config->traffic);
    free(config->moves);
    free(config->assumptions);
    free(config->sets);
    for (uint32_t i = 0; i < config->sgsn_count; i++)
        node_config_free(&config->sgsns[i].node);
    free(config->sgsns);
    *config = (struct scenario_config){0};
}

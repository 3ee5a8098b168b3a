/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/node_config.h"
#include "control/lua/lua_guard.h"

#include "dataplane/base/teid.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void node_config_free(struct node_config *config)
{
    free(config->nses);
    free(config->nsvcs);
    free(config->cells);
    free(config->homes);
    if (config->list)
        explicit_bzero(config->list, config->mobile_count * sizeof(*config->list)); /* ciphering keys */
    free(config->list);
    free(config->digests);
    free(config->contexts);
    free(config->elements);
    free(config->announcements);
    free(config->announced_ms);
    aqm_choices_free(config->aqm);
    *config = (struct node_config){0};
}

const struct bssgp_elements *node_config_elements(const struct node_config *config, uint32_t number)
{
    return number > 0 ? &config->elements[number - 1] : NULL;
}

uint32_t node_config_nsvc_of(const struct node_config *config, uint16_t nse, uint16_t nsvci)
{
    uint32_t i = 0;
    while (config->nsvcs[i].nse != nse || config->nsvcs[i].nsvci != nsvci || config->nsvcs[i].is_absent)
        i++;
    assert(i < config->nsvc_count);
    return i;
}

/* Makes room for count elements in a list that has room for *room. False: out of memory; the list is as
 * before. */
static bool reserve(void *list, uint32_t *room, uint32_t count, size_t octets)
{
    void **at = list;
    if (count <= *room)
        return true;
    void *more = reallocarray(*at, count, octets);
    if (!more)
        return false;
    *at = more;
    *room = count;
    return true;
}

/* The same for one more element than count. */
static void node_config_grow(void *list, uint32_t *room, uint32_t count, size_t octets)
{
    if (!reserve(list, room, count + 1, octets))
        lua_guard_no_memory("the configuration");
}

bool node_config_reserve(struct node_config *config, const struct node_config *more)
{
    return reserve(&config->nses, &config->nse_room, config->nse_count + more->nse_count,
                   sizeof(*config->nses)) &&
           reserve(&config->cells, &config->cell_room, config->cell_count + more->cell_count,
                   sizeof(*config->cells)) &&
           reserve(&config->nsvcs, &config->nsvc_room, config->nsvc_count + more->nsvc_count,
                   sizeof(*config->nsvcs)) &&
           reserve(&config->homes, &config->home_room,
                   more->home_count > config->home_count ? more->home_count : config->home_count,
                   sizeof(*config->homes));
}

/* --- rows --- */

struct node_config_rows node_config_accepted_rows(const struct node_config *config)
{
    const uint32_t most = config->accepted.most;
    /* Each NSE may replace all of its cells, and no other one's places: the replaced ones leave meanwhile. */
    return (struct node_config_rows){most, 2 * most * config->accepted.cells, most * config->accepted.nsvcs};
}

static bool is_in(uint32_t row, uint32_t first, uint32_t count)
{
    return row >= first && row - first < count;
}

static bool is_reserved_nse(const struct node_config *config, uint32_t row)
{
    return is_in(row, config->accepted.first_nse, node_config_accepted_rows(config).nses);
}

static bool is_reserved_cell(const struct node_config *config, uint32_t row)
{
    return is_in(row, config->accepted.first_cell, node_config_accepted_rows(config).cells);
}

static bool is_reserved_nsvc(const struct node_config *config, uint32_t row)
{
    return is_in(row, config->accepted.first_nsvc, node_config_accepted_rows(config).nsvcs);
}

static int free_nse(const struct node_config *config, bool is_reserved)
{
    for (uint32_t i = 0; i < config->nse_count; i++)
        if (config->nses[i].is_gone && !config->nses[i].is_leaving &&
            is_reserved_nse(config, i) == is_reserved)
            return (int)i;
    return -1;
}

static int free_cell(const struct node_config *config, bool is_reserved)
{
    for (uint32_t i = 0; i < config->cell_count; i++)
        if (config->cells[i].is_gone && !config->cells[i].is_leaving &&
            is_reserved_cell(config, i) == is_reserved)
            return (int)i;
    return -1;
}

int node_config_accepted_nse(const struct node_config *config)
{
    return free_nse(config, true);
}

int node_config_accepted_cell(const struct node_config *config)
{
    return free_cell(config, true);
}

uint16_t node_config_add_nse(struct node_config *config, const struct node_config_nse *nse)
{
    int found = free_nse(config, false);
    uint32_t i = found < 0 ? config->nse_count : (uint32_t)found;
    if (i == config->nse_count) {
        node_config_grow(&config->nses, &config->nse_room, config->nse_count, sizeof(*config->nses));
        config->nse_count++;
    }
    config->nses[i] = *nse;
    return (uint16_t)i;
}

uint16_t node_config_add_cell(struct node_config *config, const struct node_config_cell *cell)
{
    int found = free_cell(config, false);
    uint32_t i = found < 0 ? config->cell_count : (uint32_t)found;
    if (i == config->cell_count) {
        node_config_grow(&config->cells, &config->cell_room, config->cell_count, sizeof(*config->cells));
        config->cell_count++;
    }
    config->cells[i] = *cell;
    return (uint16_t)i;
}

static bool is_nsvc_free(const struct node_config_nsvc *nsvc)
{
    return nsvc->is_free && !nsvc->is_leaving;
}

int node_config_accepted_nsvc(const struct node_config *config)
{
    for (uint32_t i = 0; i < config->nsvc_count; i++)
        if (is_reserved_nsvc(config, i) && is_nsvc_free(&config->nsvcs[i]))
            return (int)i;
    return -1;
}

bool node_config_reserve_accepted(struct node_config *config)
{
    const struct node_config_rows rows = node_config_accepted_rows(config);
    const struct node_config more = {
        .nse_count = rows.nses, .cell_count = rows.cells, .nsvc_count = rows.nsvcs};
    if (!node_config_reserve(config, &more))
        return false;
    config->accepted.first_nse = config->nse_count;
    config->accepted.first_cell = config->cell_count;
    config->accepted.first_nsvc = config->nsvc_count;
    for (uint32_t i = 0; i < rows.nses; i++)
        config->nses[config->nse_count++] = (struct node_config_nse){.is_gone = true};
    for (uint32_t i = 0; i < rows.cells; i++)
        config->cells[config->cell_count++] =
            (struct node_config_cell){.nse = NODE_CONFIG_NO_NSE, .is_gone = true};
    for (uint32_t i = 0; i < rows.nsvcs; i++)
        config->nsvcs[config->nsvc_count++] =
            (struct node_config_nsvc){.nse = NODE_CONFIG_NO_NSE, .is_absent = true, .is_free = true};
    return true;
}

uint8_t node_config_least_worker(const struct node_config *config)
{
    unsigned counts[TEID_WORKERS] = {0}, best = 0;
    for (uint32_t i = 0; i < config->nse_count; i++)
        counts[config->nses[i].worker] += !config->nses[i].is_gone;
    for (unsigned i = 1; i < node_config_workers(config); i++)
        if (counts[i] < counts[best])
            best = i;
    return (uint8_t)best;
}

uint32_t node_config_add_nsvcs(struct node_config *config, uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < config->nsvc_count && i < first + count; i++)
        if (!is_nsvc_free(&config->nsvcs[i]) || is_reserved_nsvc(config, i))
            first = i + 1;
    for (; config->nsvc_count < first + count; config->nsvc_count++) {
        node_config_grow(&config->nsvcs, &config->nsvc_room, config->nsvc_count, sizeof(*config->nsvcs));
        config->nsvcs[config->nsvc_count] = (struct node_config_nsvc){.is_absent = true, .is_free = true};
    }
    return first;
}

uint32_t node_config_nses_used(const struct node_config *config)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < config->nse_count; i++)
        used += is_reserved_nse(config, i) || !config->nses[i].is_gone || config->nses[i].is_leaving;
    return used;
}

uint32_t node_config_cells_used(const struct node_config *config)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < config->cell_count; i++)
        used += is_reserved_cell(config, i) || !config->cells[i].is_gone || config->cells[i].is_leaving;
    return used;
}

bool node_config_is_leaving(const struct node_config *config)
{
    bool is_leaving = false;
    for (uint32_t i = 0; i < config->nse_count; i++)
        is_leaving |= config->nses[i].is_leaving;
    for (uint32_t i = 0; i < config->cell_count; i++)
        is_leaving |= config->cells[i].is_leaving;
    for (uint32_t i = 0; i < config->nsvc_count; i++)
        is_leaving |= config->nsvcs[i].is_leaving;
    return is_leaving;
}

int node_config_nse(const struct node_config *config, uint32_t nsei)
{
    for (uint32_t i = 0; i < config->nse_count; i++)
        if (!config->nses[i].is_gone && config->nses[i].nsei == nsei)
            return (int)i;
    return -1;
}

int node_config_cell(const struct node_config *config, int nse, uint32_t bvci)
{
    for (uint32_t i = 0; i < config->cell_count; i++)
        if (!config->cells[i].is_gone && config->cells[i].nse == nse && config->cells[i].bvci == bvci)
            return (int)i;
    return -1;
}

unsigned node_config_workers(const struct node_config *config)
{
    return config->worker_count > 1 ? config->worker_count : 1;
}

unsigned node_config_worker_of(const struct node_config *config, uint16_t cell)
{
    return node_config_workers(config) > 1 ? config->nses[config->cells[cell].nse].worker : 0;
}

unsigned node_config_worker_of_nsvc(const struct node_config *config, uint32_t nsvc)
{
    return node_config_workers(config) > 1 ? config->nses[config->nsvcs[nsvc].nse].worker : 0;
}

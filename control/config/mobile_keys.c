/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/mobile_keys.h"

#include <string.h>

uint64_t mobile_keys_imsi(const char *digits)
{
    uint64_t imsi = 0;
    for (; *digits; digits++)
        imsi = imsi << 4 | (uint64_t)(*digits - '0' + 1);
    return imsi;
}

static uint64_t cell_key(uint32_t nsei, uint32_t bvci)
{
    return (uint64_t)nsei << 16 | bvci;
}

static void take_listed(struct mobile_keys *keys, const struct node_config *config)
{
    for (uint32_t i = 0; i < config->mobile_count; i++) {
        const struct node_config_mobile *mobile = &config->list[i];
        u64_map_put(&keys->imsis, mobile_keys_imsi(mobile->imsi), i | MOBILE_KEYS_LISTED);
        u64_map_put(&keys->tllis, mobile->tlli, i | MOBILE_KEYS_LISTED);
        for (uint32_t k = 0; k < mobile->context_count; k++) {
            uint32_t teid = config->contexts[mobile->first_context + k].teid;
            if (teid != 0)
                u64_map_put(&keys->teids, teid, i | MOBILE_KEYS_LISTED);
        }
    }
}

bool mobile_keys_new(struct mobile_keys *keys, const struct node_config *config)
{
    *keys = (struct mobile_keys){0};
    bool is_made = u64_map_new(&keys->imsis, config->limits.mobiles) &&
                   u64_map_new(&keys->tllis, config->limits.mobiles) &&
                   u64_map_new(&keys->teids, config->limits.contexts) &&
                   u64_map_new(&keys->cells, config->cell_count);
    if (!is_made)
        return false;
    for (uint32_t i = 0; i < config->cell_count; i++) {
        const struct node_config_cell *cell = &config->cells[i];
        if (!cell->is_gone)
            u64_map_put(&keys->cells, cell_key(config->nses[cell->nse].nsei, cell->bvci), i);
    }
    take_listed(keys, config);
    return true;
}

void mobile_keys_free(struct mobile_keys *keys)
{
    u64_map_free(&keys->imsis);
    u64_map_free(&keys->tllis);
    u64_map_free(&keys->teids);
    u64_map_free(&keys->cells);
}

uint32_t mobile_keys_put(struct u64_map *map, uint64_t key, uint32_t line)
{
    uint32_t place = u64_map_get(map, key);
    if (place != U64_MAP_NONE)
        return place;
    return u64_map_add(map, key, line) == 0 ? 0 : MOBILE_KEYS_FULL;
}

bool mobile_keys_cell(const struct mobile_keys *keys, uint32_t nsei, uint32_t bvci, uint16_t *cell)
{
    uint32_t found = u64_map_get(&keys->cells, cell_key(nsei, bvci));
    *cell = (uint16_t)found;
    return found != U64_MAP_NONE;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Digests of the mobiles of a configuration, by which a reload finds those that changed. */
#include "control/config/lua_config_diff.h"

#include "control/config/mobile_keys.h"
#include "control/lua/lua_table.h"

#include <stdlib.h>
#include <string.h>

static void mobile_keys_digits(uint64_t imsi, char digits[NODE_CONFIG_IMSI_CHARS])
{
    unsigned count = 0;
    while (count < NODE_CONFIG_IMSI_CHARS - 1 && imsi >> 4 * count)
        count++;
    digits[count] = '\0';
    for (; count > 0; imsi >>= 4)
        digits[--count] = (char)('0' + (imsi & 15) - 1);
}

static bool index_of(struct u64_map *map, const struct node_config *config)
{
    if (!u64_map_new(map, config->digest_count + 1))
        return false;
    for (uint32_t i = 0; i < config->digest_count; i++)
        u64_map_put(map, config->digests[i].imsi, i);
    return true;
}

/* Whether the mobile is equal in the other configuration. */
static bool is_there(const struct u64_map *map, const struct node_config *other,
                     const struct node_config_digest *digest)
{
    uint32_t i = u64_map_get(map, digest->imsi);
    return i != U64_MAP_NONE && other->digests[i].digest == digest->digest;
}

static void find_added(struct lua_config_diff *diff, const struct node_config *old, const struct u64_map *map)
{
    const struct node_config *config = &diff->config;
    uint32_t first = config->mobile_count - config->digest_count;
    for (uint32_t i = 0; i < config->digest_count; i++) {
        if (is_there(map, old, &config->digests[i]))
            continue;
        uint32_t *added = lua_table_append(&diff->added, &diff->added_count, sizeof(*added));
        *added = first + i;
    }
}

static void find_removed(struct lua_config_diff *diff, const struct node_config *old,
                         const struct u64_map *map)
{
    for (uint32_t i = 0; i < old->digest_count; i++) {
        if (is_there(map, &diff->config, &old->digests[i]))
            continue;
        char *imsi = lua_table_append(&diff->removed, &diff->removed_count, NODE_CONFIG_IMSI_CHARS);
        mobile_keys_digits(old->digests[i].imsi, imsi);
    }
}

static int by_imsi(const void *a, const void *b)
{
    return strcmp(a, b);
}

bool mobile_digest_diff(struct lua_config_diff *diff, const struct node_config *running)
{
    struct u64_map before = {0}, after = {0};
    bool is_made = index_of(&before, running) && index_of(&after, &diff->config);
    if (is_made) {
        find_added(diff, running, &before);
        find_removed(diff, running, &after);
    }
    if (diff->removed_count > 0)
        qsort(diff->removed, diff->removed_count, sizeof(*diff->removed), by_imsi);
    u64_map_free(&before);
    u64_map_free(&after);
    return is_made;
}

void mobile_digest_swap(struct node_config *a, struct node_config *b)
{
    struct node_config_digest *digests = a->digests;
    uint32_t count = a->digest_count;
    a->digests = b->digests;
    a->digest_count = b->digest_count;
    b->digests = digests;
    b->digest_count = count;
}

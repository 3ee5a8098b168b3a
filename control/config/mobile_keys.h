/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of mobiles: IMSIs as numbers, and the unique values of mobiles while a table of mobiles is read, each
 * with the place that took it. */
#ifndef CONTROL_CONFIG_MOBILE_KEYS_H
#define CONTROL_CONFIG_MOBILE_KEYS_H

#include "control/config/node_config.h"
#include "dataplane/base/u64_map.h"

#include <stdbool.h>
#include <stdint.h>

#define MOBILE_KEYS_LISTED                                                                                   \
    UINT32_C(0x80000000) /* bit of an index in mobiles.list; other places are lines                          \
                          */
#define MOBILE_KEYS_FULL U64_MAP_NONE

struct mobile_keys {
    struct u64_map imsis, tllis, teids, cells;
};

/* An IMSI as a number: four bits for each digit; and back. */
uint64_t mobile_keys_imsi(const char *digits);

/* Enters the mobiles of the configuration, which are those of mobiles.list, and its cells. False: out of
 * memory. mobile_keys_free() must be called in either case. */
bool mobile_keys_new(struct mobile_keys *keys, const struct node_config *config);
void mobile_keys_free(struct mobile_keys *keys);

/* Enters a key with the line that has it. Returns 0, or the place that has taken the key before;
 * MOBILE_KEYS_FULL: there are more keys than the limits of the configuration. */
uint32_t mobile_keys_put(struct u64_map *map, uint64_t key, uint32_t line);

/* Finds the index of a cell. False: there is none. */
bool mobile_keys_cell(const struct mobile_keys *keys, uint32_t nsei, uint32_t bvci, uint16_t *cell);

#endif

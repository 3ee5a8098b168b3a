/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Next hops on Gn: the MAC address for a destination. Either one for all, or one for each destination, sent
 * by control; the worker asks control for missing ones.
 */
#ifndef DATAPLANE_WORKER_HOPS_H
#define DATAPLANE_WORKER_HOPS_H

#include "dataplane/base/budget.h"
#include "dataplane/base/u64_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOPS_MAX    1024
#define HOPS_FIRSTS 256 /* new destinations that control is asked for at once */

struct hops {
    bool has_one_for_all;
    uint8_t one_for_all[6];
    struct u64_map by_ip; /* index in list[] */
    uint32_t count;
    struct hops_entry {
        uint8_t mac[6];
        uint32_t ip;
        int64_t due_ns; /* when control is to be asked for it again */
    } list[HOPS_MAX];
    int64_t asked_ns;  /* when control was last asked */
    int64_t firsts_ns; /* when it may be asked for HOPS_FIRSTS new destinations at once */
};

/* mac: one for all destinations; NULL: control sends them. False: out of memory. */
bool hops_new(struct hops *h, const uint8_t *mac);
void hops_free(struct hops *h);

/* Sets the destination's MAC address. 0, or -1: too many destinations. */
int hops_set(struct hops *h, uint32_t ip, const uint8_t mac[6]);

/* Forgets a destination, if it is known. */
void hops_del(struct hops *h, uint32_t ip);

/* The MAC address for a destination, NULL: not known. */
static inline const uint8_t *hops_get(const struct hops *h, uint32_t ip)
{
    if (h->has_one_for_all)
        return h->one_for_all;
    uint32_t index = u64_map_get(&h->by_ip, ip);
    return index == U64_MAP_NONE ? NULL : h->list[index].mac;
}

/* Whether control is to be asked again for a known destination, HOPS_AGAIN_NS after the last time; if so,
 * notes the time. */
bool hops_is_due(struct hops *h, uint32_t ip, int64_t now);

/* Whether control may be asked for an unknown destination now, which 200 times a second it may be; is_first:
 * nothing waits for it yet. Notes the time. */
bool hops_may_ask(struct hops *h, bool is_first, int64_t now);

#endif

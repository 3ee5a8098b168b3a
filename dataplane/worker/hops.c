/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/hops.h"

#include <string.h>

#define ASK_EVERY_NS 10000000

bool hops_new(struct hops *h, const uint8_t *mac)
{
    *h = (struct hops){.has_one_for_all = mac != NULL, .asked_ns = INT64_MIN / 2};
    if (mac)
        memcpy(h->one_for_all, mac, sizeof(h->one_for_all));
    return mac || u64_map_new(&h->by_ip, HOPS_MAX);
}

void hops_free(struct hops *h)
{
    u64_map_free(&h->by_ip);
}

int hops_set(struct hops *h, uint32_t ip, const uint8_t mac[6])
{
    if (h->has_one_for_all)
        return -1;
    uint32_t index = u64_map_get(&h->by_ip, ip);
    if (index == U64_MAP_NONE) {
        if (h->count == HOPS_MAX || u64_map_add(&h->by_ip, ip, h->count) < 0)
            return -1;
        index = h->count++;
    }
    memcpy(h->list[index], mac, sizeof(h->list[index]));
    return 0;
}

bool hops_may_ask(struct hops *h, int64_t now)
{
    if (now - h->asked_ns < ASK_EVERY_NS)
        return false;
    h->asked_ns = now;
    return true;
}

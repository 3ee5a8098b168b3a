/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/hops.h"

#include <string.h>

#define HOPS_AGAIN_NS INT64_C(20000000000)

#define ASK_EVERY_NS 10000000

/* Of destinations for which nothing waits yet. */
static const struct allowance firsts = {ASK_EVERY_NS, HOPS_FIRSTS};

bool hops_new(struct hops *h, const uint8_t *mac)
{
    *h = (struct hops){.has_one_for_all = mac != NULL, .asked_ns = INT64_MIN / 2, .firsts_ns = INT64_MIN};
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
        h->list[index] = (struct hops_entry){.ip = ip};
    }
    memcpy(h->list[index].mac, mac, sizeof(h->list[index].mac));
    return 0;
}

void hops_del(struct hops *h, uint32_t ip)
{
    uint32_t index = h->has_one_for_all ? U64_MAP_NONE : u64_map_get(&h->by_ip, ip);
    if (index == U64_MAP_NONE)
        return;
    u64_map_del(&h->by_ip, ip, index);
    h->list[index] = h->list[--h->count];
    if (index < h->count)
        u64_map_put(&h->by_ip, h->list[index].ip, index);
}

bool hops_is_due(struct hops *h, uint32_t ip, int64_t now)
{
    if (h->has_one_for_all)
        return false;
    struct hops_entry *entry = &h->list[u64_map_get(&h->by_ip, ip)];
    if (now < entry->due_ns)
        return false;
    bool is_first = entry->due_ns == 0;
    entry->due_ns = now + HOPS_AGAIN_NS;
    return !is_first;
}

bool hops_may_ask(struct hops *h, bool is_first, int64_t now)
{
    if (now - h->asked_ns < ASK_EVERY_NS)
        return is_first && allowance_take(&firsts, &h->firsts_ns, now);
    h->asked_ns = now;
    return true;
}

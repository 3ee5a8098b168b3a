/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/links/destinations.h"

static const struct budget_rates rates = {
    .each = {MOMENT_SECOND, 3},
    .all = {MOMENT_SECOND / 5, 20},
};

void destinations_init(struct destinations *d)
{
    d->count = d->answers = 0;
    d->refused = 0;
    budget_init_rates(&d->budget, &rates);
}

static void set_kind(struct destinations *d, struct destination *destination, enum destination_kind kind)
{
    d->answers -= destination->kind == DESTINATION_ANSWER;
    d->answers += kind == DESTINATION_ANSWER;
    destination->kind = kind;
}

struct destination *destinations_use(struct destinations *d, uint32_t ip, enum destination_kind kind,
                                     int64_t now)
{
    for (uint32_t i = 0; i < d->count; i++) {
        struct destination *destination = &d->list[i];
        if (destination->ip != ip)
            continue;
        if (kind > destination->kind)
            set_kind(d, destination, kind);
        destination->used_at_ns = now;
        return destination;
    }
    return NULL;
}

static uint64_t net_of(const struct neighbour_ip *ip)
{
    return neighbour_ip_is_v4(ip) ? budget_source_ipv4(neighbour_ip_to_v4(ip) & ~UINT32_C(0xff))
                                  : budget_source_ipv6(ip->octets);
}

bool destinations_may_add(struct destinations *d, const struct neighbour_ip *octets,
                          enum destination_kind kind, int64_t now)
{
    if (kind != DESTINATION_ANSWER)
        return true;
    if (d->answers < DESTINATIONS_ANSWERS && budget_take(&d->budget, net_of(octets), now))
        return true;
    d->refused++;
    return false;
}

struct destination *destinations_displaced(struct destinations *d, enum destination_kind kind)
{
    struct destination *best = NULL;
    for (uint32_t i = 0; d->count == DESTINATIONS_MAX && i < d->count; i++) {
        struct destination *destination = &d->list[i];
        if (destination->kind >= kind)
            continue;
        if (!best || destination->kind < best->kind ||
            (destination->kind == best->kind && destination->used_at_ns < best->used_at_ns))
            best = destination;
    }
    return best;
}

struct destination *destinations_add(struct destinations *d, const struct destination *destination)
{
    if (d->count == DESTINATIONS_MAX)
        return NULL;
    d->answers += destination->kind == DESTINATION_ANSWER;
    d->list[d->count] = *destination;
    return &d->list[d->count++];
}

void destinations_del(struct destinations *d, struct destination *destination)
{
    d->answers -= destination->kind == DESTINATION_ANSWER;
    *destination = d->list[--d->count];
}

bool destinations_is_old(const struct destination *destination, int64_t now)
{
    int64_t unused_ns = now - destination->used_at_ns;
    if (destination->kind == DESTINATION_CONFIGURED)
        return false;
    if (destination->kind == DESTINATION_USED)
        return unused_ns > DESTINATIONS_USED_NS;
    return destination->has_mac ? unused_ns > DESTINATIONS_ANSWER_NS
                                : now - destination->began_at_ns >= DESTINATIONS_SILENT_NS;
}

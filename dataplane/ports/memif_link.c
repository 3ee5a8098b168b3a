/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/ports/memif_link.h"

#include <string.h>

#define MOST_LOG2         14
#define RING_OCTETS       128 /* before its descriptors */
#define DESCRIPTOR_OCTETS 16

static const char out_of_order[] = "it sends a message out of order";
static const char few_rings[] =
    "it has fewer rings than the node has workers; give it a queue of each direction for each worker";

/* Integers of the host, at any address. */
static uint16_t u16_at(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static uint32_t u32_at(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static uint64_t u64_at(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static const char *take_hello(struct memif_link *link, const uint8_t *body)
{
    unsigned to_client = u16_at(body + 38) + 1u, from_client = u16_at(body + 40) + 1u;
    if (link->is_server || link->is_begun)
        return out_of_order;
    link->is_begun = true;
    return to_client < link->queues || from_client < link->queues ? few_rings : NULL;
}

static const char *take_init(struct memif_link *link)
{
    if (!link->is_server || link->is_begun)
        return out_of_order;
    link->is_begun = true;
    return NULL;
}

static const char *take_region(struct memif_link *link, const uint8_t *body, uint64_t file_octets)
{
    uint64_t octets = u64_at(body + 2);
    if (!link->is_server || !link->is_begun || u16_at(body) != link->region_count ||
        link->region_count == MEMIF_LINK_REGIONS)
        return out_of_order;
    if (octets > file_octets)
        return "its region is longer than the region's file";
    link->region_octets[link->region_count++] = octets;
    return NULL;
}

static const char *take_ring(struct memif_link *link, const uint8_t *body)
{
    unsigned index = u16_at(body + 2), region = u16_at(body + 4), log2 = body[10];
    uint32_t *rings = &link->rings[u16_at(body) & 1];
    if (!link->is_server || !link->is_begun || index >= link->queues || *rings >> index & 1)
        return out_of_order;
    if (region >= link->region_count || log2 > MOST_LOG2 ||
        (uint64_t)u32_at(body + 6) + RING_OCTETS + (DESCRIPTOR_OCTETS << log2) > link->region_octets[region])
        return "its ring is not within its region";
    *rings |= UINT32_C(1) << index;
    return NULL;
}

static const char *take_connect(struct memif_link *link)
{
    uint32_t all = (uint32_t)((UINT64_C(1) << link->queues) - 1);
    if (!link->is_server || !link->is_begun)
        return out_of_order;
    link->is_up = true;
    return link->rings[0] == all && link->rings[1] == all ? NULL : few_rings;
}

static const char *take_connected(struct memif_link *link)
{
    if (link->is_server || !link->is_begun)
        return out_of_order;
    link->is_up = true;
    return NULL;
}

const char *memif_link_take(struct memif_link *link, const uint8_t message[MEMIF_LINK_OCTETS],
                            const struct memif_link_files *files)
{
    unsigned kind = u16_at(message);
    const uint8_t *body = message + 2;
    /* The driver would leave others open. */
    if (files->count > (kind == MEMIF_LINK_ADD_REGION || kind == MEMIF_LINK_ADD_RING ? 1 : 0))
        return "it sends more files than its message may have";
    if (kind == MEMIF_LINK_ACK || kind == MEMIF_LINK_DISCONNECT)
        return NULL;
    if (link->is_up)
        return out_of_order;
    switch (kind) {
    case MEMIF_LINK_HELLO:
        return take_hello(link, body);
    case MEMIF_LINK_INIT:
        return take_init(link);
    case MEMIF_LINK_ADD_REGION:
        return take_region(link, body, files->octets);
    case MEMIF_LINK_ADD_RING:
        return take_ring(link, body);
    case MEMIF_LINK_CONNECT:
        return take_connect(link);
    case MEMIF_LINK_CONNECTED:
        return take_connected(link);
    default:
        return out_of_order;
    }
}

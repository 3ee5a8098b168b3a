/* SPDX-License-Identifier: BSD-3-Clause */
/* Users, the mobiles by address, and the monitor's counters of each. */
#ifndef ANALYZE_GI_USERS_H
#define ANALYZE_GI_USERS_H

#include "analyze/gi_packet.h"
#include "dataplane/base/u64_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Records of one size, taken and put back by number. The address range is reserved at the start; a
 * record gets memory at its first use, so resident memory follows the largest number in use.
 */

#define GI_POOL_NONE UINT32_MAX

/* Invariant: `touched` records were used at some time, `count` are in use. */
struct gi_pool {
    uint8_t *records;
    size_t record_octets;
    uint32_t limit, touched, count, free;
};

/* record_octets: at least 4, a multiple of 8. False: no room in the address space. */
bool gi_pool_new(struct gi_pool *p, uint32_t limit, size_t record_octets);
void gi_pool_free(struct gi_pool *p);

/* The number of a zeroed record; GI_POOL_NONE: all are in use. */
uint32_t gi_pool_take(struct gi_pool *p);
void gi_pool_put(struct gi_pool *p, uint32_t number);

static inline void *gi_pool_at(const struct gi_pool *p, uint32_t number)
{
    return p->records + number * p->record_octets;
}

/*
 * The median of a mobile's values in little memory: exact for the first 16 values, later of every second,
 * fourth, ... value.
 */

enum { GI_USERS_SKETCH_VALUES = 16 };

/* Invariant: of the values with numbers 0 .. count - 1 those divisible by stride are kept. */
struct gi_users_sketch {
    uint32_t count, stride, kept;
    float values[GI_USERS_SKETCH_VALUES];
};

/* Zero is empty. */
void gi_users_sketch_add(struct gi_users_sketch *s, double value);

/* The middle value, or the mean of the two middle ones; 0 without values. */
double gi_users_sketch_median(const struct gi_users_sketch *s);

#define GI_USERS_NONE UINT32_MAX

enum { GI_USERS_STRANGERS = 4096 };

struct gi_user {
    struct gi_address address;
    int64_t last_ns;       /* of its last packet in either direction; INT64_MIN: none yet */
    uint64_t packets;      /* both directions */
    uint64_t down_packets; /* towards it */
    uint64_t down_octets;  /* the same in IP octets: a packet's place in the queue */
    uint64_t up_octets;
    uint64_t lost_octets; /* of down_octets, found lost after the monitor */
    uint64_t connections, data_packets, access_lost, internet_lost;
    struct gi_users_sketch rates_bps; /* channel rates */
};

/* The last packet of an address that may be a mobile's. */
struct gi_stranger {
    struct gi_address address;
    int64_t last_ns;
};

struct gi_users {
    struct u64_map map;
    struct gi_pool pool;
    uint64_t refused; /* mobiles without room */
    struct gi_stranger strangers[GI_USERS_STRANGERS];
};

/* False when there is no memory. */
bool gi_users_new(struct gi_users *u, uint32_t limit);
void gi_users_free(struct gi_users *u);

/* A hash of an address, well mixed in all bits. */
uint64_t gi_users_hash(struct gi_address a);

/* A hash of two ends, addresses with ports; the same for both directions. */
uint64_t gi_users_pair(struct gi_address a, uint16_t a_port, struct gi_address b, uint16_t b_port);

/* The index of a mobile; GI_USERS_NONE: no mobile has this address. */
uint32_t gi_users_find(const struct gi_users *u, struct gi_address a);

/* The index of a mobile, added if unknown. GI_USERS_NONE: no room. */
uint32_t gi_users_add(struct gi_users *u, struct gi_address a);

static inline struct gi_user *gi_users_at(const struct gi_users *u, uint32_t number)
{
    return gi_pool_at(&u->pool, number);
}

/* Notes the time of a packet between addresses that are not known as mobiles. */
void gi_users_meet(struct gi_users *u, const struct gi_packet *p);

/* Counts a packet of a mobile. */
static inline void gi_users_count(struct gi_user *user, const struct gi_packet *p, bool is_downlink)
{
    user->last_ns = p->at_ns;
    user->packets++;
    user->down_packets += is_downlink;
    *(is_downlink ? &user->down_octets : &user->up_octets) += p->ip_octets;
}

#endif

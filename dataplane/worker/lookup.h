/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From what stands in a packet to the index of what it belongs to: tunnels by the GGSN's (address, TEID), and
 * by ours when others chose the TEID (tunnels.h), mobiles by (NSE, TLLI), NS-VCs by their UDP endpoints.
 * Entries are made and deleted by messages.
 */
#ifndef DATAPLANE_WORKER_LOOKUP_H
#define DATAPLANE_WORKER_LOOKUP_H

#include "dataplane/base/u64_map.h"
#include "dataplane/context/context.h"
#include "dataplane/worker/addresses.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_hash;

#define LOOKUP_NONE      UINT32_MAX
#define LOOKUP_AT        (UINT32_MAX - 16) /* + a worker's number: of an NS-VC that is that worker's */
#define LOOKUP_ADDRESSES 64                /* addresses of ours at a time, on Gn and on Gb */

/* 16 octets: DPDK's table compares that length fastest. */
struct lookup_key {
    uint32_t a, b, c, d;
};

struct lookup_address {
    uint32_t ip;    /* base/address.h, as everywhere here */
    uint32_t users; /* tunnels or NS-VCs that end on it */
};

struct lookup_addresses {
    uint32_t count;
    struct lookup_address list[LOOKUP_ADDRESSES];
};

struct lookup {
    struct rte_hash *endpoints; /* NS-VCs, also those of other workers */
    struct u64_map mobiles;     /* also under the TLLIs that are about to change */
    struct u64_map remotes;     /* the GGSN's ends of the tunnels; when two share one, the newer is found */
    struct lookup_addresses gn, gb;
    struct addresses ipv6;
};

bool lookup_new(struct lookup *l, const char *name, const struct context_limits *limits);
void lookup_free(struct lookup *l);

/* One table for so many entries, named `name.what`; NULL when there is no memory. Free it with
 * rte_hash_free(). */
struct rte_hash *lookup_table(const char *name, const char *what, uint32_t entries);

static inline struct lookup_key lookup_tunnel_key(uint32_t sgsn_ip, uint32_t teid)
{
    return (struct lookup_key){.a = sgsn_ip, .b = teid};
}

/* Keys of l->mobiles and l->remotes. */
static inline uint64_t lookup_mobile_key(uint16_t nse, uint32_t tlli)
{
    return (uint64_t)nse << 32 | tlli;
}

static inline uint64_t lookup_remote_key(uint32_t ggsn_ip, uint32_t teid)
{
    return (uint64_t)ggsn_ip << 32 | teid;
}

static inline struct lookup_key lookup_endpoint_key(uint32_t local_ip, uint16_t local_port,
                                                    uint32_t remote_ip, uint16_t remote_port)
{
    return (struct lookup_key){.a = local_ip, .b = local_port, .c = remote_ip, .d = remote_port};
}

/* 0, or -1: taken, or no room. */
int lookup_add(struct rte_hash *table, const struct lookup_key *key, uint32_t index);
/* The same, but takes the place of an entry that is there. */
int lookup_replace(struct rte_hash *table, const struct lookup_key *key, uint32_t index);
void lookup_del(struct rte_hash *table, const struct lookup_key *key);

/* The index under a key, LOOKUP_NONE. */
uint32_t lookup_get(const struct rte_hash *table, const struct lookup_key *key);

/* The same for a burst of 1 to 64 keys. */
void lookup_get_bulk(const struct rte_hash *table, const struct lookup_key **keys, unsigned count,
                     uint32_t *indices);

/* Notes that one user more or less ends on an address. -1: too many addresses. */
int lookup_address_add(struct lookup_addresses *addresses, uint32_t ip);
void lookup_address_del(struct lookup_addresses *addresses, uint32_t ip);

static inline bool lookup_has_address(const struct lookup_addresses *addresses, uint32_t ip)
{
    for (uint32_t i = 0; i < addresses->count; i++)
        if (addresses->list[i].ip == ip)
            return true;
    return false;
}

/* Whether a Gn address is ours. */
static inline bool lookup_is_ours(const struct lookup *l, uint32_t ip)
{
    return lookup_has_address(&l->gn, ip);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From identifiers in packets to indices: tunnels by the GGSN's (address, TEID), mobiles by (NSE, TLLI),
 * NS-VCs by their UDP endpoints. Tunnels by the local (address, TEID): lookup.h. Messages add and delete
 * entries.
 */
#ifndef DATAPLANE_WORKER_LOOKUP_H
#define DATAPLANE_WORKER_LOOKUP_H

#include "dataplane/base/address.h"
#include "dataplane/base/bigmem.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/base/teid.h"
#include "dataplane/context/context.h"

#include <stdbool.h>
#include <stdint.h>

/* A hash table of DPDK from keys of 16 octets to indices. */

#define TABLE_NONE UINT32_MAX

struct rte_hash;

/* 16 octets: DPDK's table compares that length fastest. */
struct table_key {
    uint32_t a, b, c, d;
};

/* A table for this many entries, named `name.what`; NULL: out of memory. The caller frees it by
 * rte_hash_free(). */
struct rte_hash *table_new(const char *name, const char *what, uint32_t entries);

/* 0, or -1: the key is in use, or no room. */
int table_add(struct rte_hash *table, const struct table_key *key, uint32_t index);
void table_del(struct rte_hash *table, const struct table_key *key);

/* The index of a key, or TABLE_NONE. */
uint32_t table_get(const struct rte_hash *table, const struct table_key *key);

/* The IPv6 addresses of tunnel ends, as received from control: a map from the 16 octets to 32 bits
 * (base/address.h) and back. */

#define ADDRESSES_MAX 1024 /* local ones and GGSNs' */

struct addresses {
    struct rte_hash *places; /* index in list, by octets */
    uint8_t (*list)[ADDRESS_IPV6_OCTETS];
    uint32_t count; /* of known addresses */
};

/* Stores the address of an index; it never changes again. 0 also if it was stored before; -1: the index has
 * another address, or is out of range. */
int addresses_put(struct addresses *a, uint32_t place, const uint8_t octets[ADDRESS_IPV6_OCTETS]);

/* The 32 bits of an address, ADDRESS_NONE if it is not known. */
uint32_t addresses_get(const struct addresses *a, const uint8_t octets[ADDRESS_IPV6_OCTETS]);

/* The octets of an IPv6 address; NULL: not known. */
const uint8_t *addresses_octets(const struct addresses *a, uint32_t address);

#define LOOKUP_NONE      TABLE_NONE
#define LOOKUP_AT        (UINT32_MAX - 16) /* + a worker's number: the NS-VC is that worker's */
#define LOOKUP_ADDRESSES 64                /* local addresses at a time, on Gn and on Gb */

struct lookup_address {
    uint32_t ip;    /* base/address.h, as everywhere here */
    uint32_t users; /* tunnels or NS-VCs that end on it */
};

/* marks has lookup_mark() of each address: most packets are to none of them, which needs no search. */
struct lookup_addresses {
    uint32_t count;
    uint64_t marks;
    struct lookup_address list[LOOKUP_ADDRESSES];
};

struct lookup {
    struct rte_hash *endpoints; /* NS-VCs, also those of other workers */
    struct u64_map mobiles;     /* by their TLLIs, also during a change of TLLI */
    struct u64_map bss;         /* addresses of BSSs; the value: its NS-VCs */
    struct u64_map remotes;     /* the GGSN's ends of tunnels; if two share one, finds the newer */
    struct lookup_addresses gn, gb;
    struct addresses ipv6;
};

bool lookup_new(struct lookup *l, const char *name, const struct context_limits *limits);
void lookup_free(struct lookup *l);

static inline struct table_key lookup_tunnel_key(uint32_t sgsn_ip, uint32_t teid)
{
    return (struct table_key){.a = sgsn_ip, .b = teid};
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

static inline struct table_key lookup_endpoint_key(uint32_t local_ip, uint16_t local_port, uint32_t remote_ip,
                                                   uint16_t remote_port)
{
    return (struct table_key){.a = local_ip, .b = local_port, .c = remote_ip, .d = remote_port};
}

/* Counts a user of a local address in or out. -1: too many addresses. */
int lookup_address_add(struct lookup_addresses *addresses, uint32_t ip);
void lookup_address_del(struct lookup_addresses *addresses, uint32_t ip);

/* One of 64 bits for an address; others share it. */
static inline uint64_t lookup_mark(uint32_t ip)
{
    return UINT64_C(1) << (ip * UINT32_C(0x9e3779b1) >> 26);
}

static inline bool lookup_has_address(const struct lookup_addresses *addresses, uint32_t ip)
{
    if (!(addresses->marks & lookup_mark(ip)))
        return false;
    for (uint32_t i = 0; i < addresses->count; i++)
        if (addresses->list[i].ip == ip)
            return true;
    return false;
}

/* Counts an NS-VC of a BSS's address in or out. There is room for the address of each NS-VC. */
void lookup_bss_add(struct lookup *l, uint32_t ip);
void lookup_bss_del(struct lookup *l, uint32_t ip);

/* Whether a Gn address is local. */
static inline bool lookup_is_ours(const struct lookup *l, uint32_t ip)
{
    return lookup_has_address(&l->gn, ip);
}

/*
 * From (local address, TEID) of a G-PDU to its PDP context. A TEID that names this worker and the context's
 * own slot (teid.h) is an array index. Every other TEID is foreign: chosen by a configuration or by another
 * SGSN, it is found in a hash, which is not searched while it is empty.
 *
 * A TEID that names this worker and a slot that is free or now has another TEID is stale; one that names
 * another worker belongs to that worker, unless it is foreign and known here.
 *
 * Invariant: an (address, TEID) is at most once in use, as index or in the hash.
 */

/* Values of tunnels_find() besides an index. */
#define TUNNELS_NONE  TABLE_NONE
#define TUNNELS_STALE (UINT32_MAX - 1)
#define TUNNELS_AT    (UINT32_MAX - 1 - TEID_WORKERS) /* + a worker's number: the tunnel is that worker's */

struct tunnels {
    const struct context *context;
    struct rte_hash *foreign; /* index of the context, or TUNNELS_AT + worker */
    uint32_t foreign_count;
    unsigned worker, workers; /* this worker's number, and the number of workers */
    unsigned slot_bits;       /* of a TEID (teid.h) */
};

/* Room for limits.foreign_teids tunnels with foreign TEIDs, including those of other workers. False: out of
 * memory. */
bool tunnels_new(struct tunnels *t, const char *name, const struct context *context);
void tunnels_free(struct tunnels *t);

static inline bool tunnels_is_elsewhere(uint32_t found)
{
    return found >= TUNNELS_AT && found < TUNNELS_AT + TEID_WORKERS;
}

static inline bool tunnels_has_slot(const struct tunnels *t, uint32_t teid)
{
    return teid_is_of(teid, t->worker, t->slot_bits) &&
           teid_slot(teid, t->slot_bits) < t->context->limits.pdps;
}

/* Prefetches the slot of a TEID, whether it is an index or foreign. */
static inline void tunnels_prefetch(const struct tunnels *t, uint32_t teid)
{
    prefetch_line(&t->context->pdps[teid_slot(teid, t->slot_bits)]);
}

/* The context if the TEID is an index; else TUNNELS_NONE. */
static inline uint32_t tunnels_find_own(const struct tunnels *t, const struct table_key *key)
{
    if (__builtin_expect(!tunnels_has_slot(t, key->b), false))
        return TUNNELS_NONE;
    const struct pdp *pdp = &t->context->pdps[teid_slot(key->b, t->slot_bits)];
    bool is_it = pdp->in_use && pdp->params.teid == key->b && pdp->params.sgsn_ip == key->a;
    return __builtin_expect(is_it, true) ? teid_slot(key->b, t->slot_bits) : TUNNELS_NONE;
}

/* The others of a burst of at most WORKER_BURST G-PDUs: replaces each TUNNELS_NONE in found, which
 * tunnels_find_own() filled, by an index or one of the values above. */
void tunnels_find_rest(const struct tunnels *t, const struct table_key *keys, unsigned count,
                       uint32_t *found);

/* Both for a whole burst, with prefetches of the contexts. */
void tunnels_find(const struct tunnels *t, const struct table_key *keys, unsigned count, uint32_t *found);

/* Adds a tunnel before its context is put into slot `index`; or, with index TUNNELS_AT + worker, one of
 * another worker. 0, or -1: the address and TEID are in use, or there is no room. */
int tunnels_add(struct tunnels *t, const struct table_key *key, uint32_t index);

/* Deletes a tunnel that tunnels_add() added with this index, before the context leaves its slot. */
void tunnels_del(struct tunnels *t, const struct table_key *key, uint32_t index);

#endif

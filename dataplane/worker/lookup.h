/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Look-up: from identifiers in packets to indices: tunnels by the GGSN's (address, TEID), mobiles by (NSE,
 * TLLI), NS-VCs by their UDP endpoints. Tunnels by the local (address, TEID): tunnels.h. Messages add and
 * delete entries.
 */
#ifndef DATAPLANE_WORKER_LOOKUP_H
#define DATAPLANE_WORKER_LOOKUP_H

#include "dataplane/base/address.h"
#include "dataplane/base/u64_map.h"
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
struct rte_hash *lookup_table_new(const char *name, const char *what, uint32_t entries);

/* 0, or -1: the key is in use, or no room. */
int lookup_table_add(struct rte_hash *table, const struct table_key *key, uint32_t index);
void lookup_table_del(struct rte_hash *table, const struct table_key *key);

/* The same, but replaces the index of a key in use. */
int lookup_table_replace(struct rte_hash *table, const struct table_key *key, uint32_t index);

/* The index of a key, or TABLE_NONE. */
uint32_t lookup_table_get(const struct rte_hash *table, const struct table_key *key);

/* The same for a burst of 1 to 64 keys. */
void lookup_table_get_bulk(const struct rte_hash *table, const struct table_key **keys, unsigned count,
                           uint32_t *indices);

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
int lookup_ipv6_put(struct addresses *a, uint32_t place, const uint8_t octets[ADDRESS_IPV6_OCTETS]);

/* The 32 bits of an address, ADDRESS_NONE if it is not known. */
uint32_t lookup_ipv6_get(const struct addresses *a, const uint8_t octets[ADDRESS_IPV6_OCTETS]);

/* The octets of an IPv6 address; NULL: not known. */
const uint8_t *lookup_ipv6_octets(const struct addresses *a, uint32_t address);

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

/* One TLLI of a mobile. False: another mobile has it in the NSE, or there is no room. */
static inline bool lookup_tlli_add(struct lookup *l, uint16_t nse, uint32_t tlli, uint32_t index)
{
    return u64_map_add(&l->mobiles, lookup_mobile_key(nse, tlli), index) == 0;
}

static inline void lookup_tlli_del(struct lookup *l, uint16_t nse, uint32_t tlli, uint32_t index)
{
    u64_map_del(&l->mobiles, lookup_mobile_key(nse, tlli), index);
}

/* Enters a mobile's TLLIs, in an NSE. False: another mobile has one of them, or there is no room; then
 * nothing is changed. */
bool lookup_ms_add(struct lookup *l, const struct ms *ms, uint32_t index, uint16_t nse);
void lookup_ms_del(struct lookup *l, const struct ms *ms, uint32_t index, uint16_t nse);

/* Enters its former TLLI, too, unless another mobile has it. */
void lookup_ms_add_old(struct lookup *l, struct ms *ms, uint32_t index, uint16_t nse, uint32_t tlli);

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

#endif

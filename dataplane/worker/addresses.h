/* SPDX-License-Identifier: BSD-3-Clause */
/* The IPv6 addresses of tunnels' ends, as control told of them: from the octets in a packet to the 32 bits
 * that stand for them (base/address.h), and back. */
#ifndef DATAPLANE_WORKER_ADDRESSES_H
#define DATAPLANE_WORKER_ADDRESSES_H

#include "dataplane/base/address.h"

#include <stdbool.h>
#include <stdint.h>

#define ADDRESSES_MAX 1024 /* ours and the GGSNs' */

struct rte_hash;

struct addresses {
    struct rte_hash *places; /* by their octets */
    uint8_t (*list)[ADDRESS_IPV6_OCTETS];
    uint32_t count; /* that are known */
};

bool addresses_new(struct addresses *a, const char *name);
void addresses_free(struct addresses *a);

/* What stands at a place of the list, for good. 0 also when it is known already; -1: another one is there, or
 * there is no such place. */
int addresses_put(struct addresses *a, uint32_t place, const uint8_t octets[ADDRESS_IPV6_OCTETS]);

/* The address with these octets, ADDRESS_NONE. */
uint32_t addresses_get(const struct addresses *a, const uint8_t octets[ADDRESS_IPV6_OCTETS]);

/* The octets of an IPv6 address; NULL: it is not known. */
const uint8_t *addresses_octets(const struct addresses *a, uint32_t address);

#endif

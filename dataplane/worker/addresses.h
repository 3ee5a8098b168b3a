/* SPDX-License-Identifier: BSD-3-Clause */
/* The IPv6 addresses of tunnel ends, as received from control: a map from the 16 octets to 32 bits
 * (base/address.h) and back. */
#ifndef DATAPLANE_WORKER_ADDRESSES_H
#define DATAPLANE_WORKER_ADDRESSES_H

#include "dataplane/base/address.h"

#include <stdbool.h>
#include <stdint.h>

#define ADDRESSES_MAX 1024 /* local ones and GGSNs' */

struct rte_hash;

struct addresses {
    struct rte_hash *places; /* index in list, by octets */
    uint8_t (*list)[ADDRESS_IPV6_OCTETS];
    uint32_t count; /* of known addresses */
};

bool addresses_new(struct addresses *a, const char *name);
void addresses_free(struct addresses *a);

/* Stores the address of an index; it never changes again. 0 also if it was stored before; -1: the index has
 * another address, or is out of range. */
int addresses_put(struct addresses *a, uint32_t place, const uint8_t octets[ADDRESS_IPV6_OCTETS]);

/* The 32 bits of an address, ADDRESS_NONE if it is not known. */
uint32_t addresses_get(const struct addresses *a, const uint8_t octets[ADDRESS_IPV6_OCTETS]);

/* The octets of an IPv6 address; NULL: not known. */
const uint8_t *addresses_octets(const struct addresses *a, uint32_t address);

#endif

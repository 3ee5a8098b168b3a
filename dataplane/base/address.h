/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An IP address in 32 bits. An IPv4 address is stored as such, in host order. The IPv6 address of a tunnel's
 * end is stored as its index in the node's list of such addresses, with the top four bits set: no host has
 * an address of 240.0.0.0/4 (RFC 1112 clause 4), and packets with one are dropped before addresses are
 * compared.
 *
 * The control core keeps the list and sends it to the workers. The list only grows, so an index never
 * changes its meaning.
 */
#ifndef DATAPLANE_BASE_ADDRESS_H
#define DATAPLANE_BASE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#define ADDRESS_NONE        0 /* not known */
#define ADDRESS_IPV6        UINT32_C(0xf0000000)
#define ADDRESS_IPV6_OCTETS 16

/* Also true of IPv4 addresses that no host has: 240.0.0.0 to 255.255.255.255. */
static inline bool address_is_ipv6(uint32_t address)
{
    return address >= ADDRESS_IPV6;
}

static inline uint32_t address_of_place(uint32_t place)
{
    return ADDRESS_IPV6 + place;
}

static inline uint32_t address_place(uint32_t address)
{
    return address - ADDRESS_IPV6;
}

#endif

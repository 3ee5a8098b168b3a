/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An IP address in 32 bits. An IPv4 address is itself, in host order. An IPv6 address of a tunnel's end is
 * its place in the node's list of such addresses, told from IPv4 by the top four bits: 240.0.0.0/4 is no
 * host's (RFC 1112 clause 4), and packets that claim it are dropped before anything compares them.
 *
 * The list belongs to the control core, which tells the workers of it; it only grows, so that a place once
 * given out always means the same.
 */
#ifndef DATAPLANE_BASE_ADDRESS_H
#define DATAPLANE_BASE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#define ADDRESS_NONE        0 /* not known */
#define ADDRESS_IPV6        UINT32_C(0xf0000000)
#define ADDRESS_IPV6_OCTETS 16

/* Also true of what no host may have: of multicast's neighbours up to 255.255.255.255. */
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

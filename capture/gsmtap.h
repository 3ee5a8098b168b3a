/* SPDX-License-Identifier: BSD-3-Clause */
/* GSMTAP version 2: a header of 16 octets in front of a frame in a UDP datagram, which Wireshark decodes at
 * port 4729. Only the type LLC of GPRS (8) is written. */
#ifndef CAPTURE_GSMTAP_H
#define CAPTURE_GSMTAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSMTAP_PORT   4729
#define GSMTAP_OCTETS 16

/* Writes the header of an LLC frame. */
void gsmtap_llc_header(uint8_t out[GSMTAP_OCTETS], bool is_uplink);

/* The LLC frame in an NS PDU with UL-UNITDATA or DL-UNITDATA; NULL: there is none. */
const uint8_t *gsmtap_llc_of(const uint8_t *ns, size_t octets, size_t *llc_octets);

#endif

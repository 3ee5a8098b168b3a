/* SPDX-License-Identifier: BSD-3-Clause */
/* The node's list of IPv6 addresses of tunnels and NS-VCs: an address of 32 bits (base/address.h) can be an
 * index of it. It only grows. */
#ifndef CONTROL_CONFIG_ADDRESS_BOOK_H
#define CONTROL_CONFIG_ADDRESS_BOOK_H

#include "dataplane/base/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRESS_BOOK_MAX        1024 /* the limit of a worker */
#define ADDRESS_BOOK_TEXT_CHARS 46

struct address_book {
    uint32_t count;
    uint8_t list[ADDRESS_BOOK_MAX][ADDRESS_IPV6_OCTETS];
};

/*
 * The address of 4 or 16 octets, which is added to the list when it is new. ADDRESS_NONE: it is not a host's
 * (unspecified, multicast, IPv4's 240.0.0.0/4), of another length, or the list is full.
 */
uint32_t address_book_put(struct address_book *book, const uint8_t *octets, size_t count);

/* Whether the list has an IPv6 address. */
bool address_book_has(const struct address_book *book, const uint8_t octets[ADDRESS_IPV6_OCTETS]);

/* Writes an address as text (RFC 5952), "-" for ADDRESS_NONE; returns out. */
const char *address_book_text(const struct address_book *book, uint32_t address,
                              char out[ADDRESS_BOOK_TEXT_CHARS]);

#endif

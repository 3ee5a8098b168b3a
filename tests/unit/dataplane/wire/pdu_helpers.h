/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of NS and BSSGP share: a field by its name, and random octets that are the same on every
 * run. */
#ifndef TESTS_UNIT_DATAPLANE_WIRE_PDU_HELPERS_H
#define TESTS_UNIT_DATAPLANE_WIRE_PDU_HELPERS_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/wire/pdu.h"

enum { FIELD_ABSENT = -1 };

/* Numbers as they are, spans by their octets, areas by their last part, lists by their count; absent fields
 * -1. */
int64_t pdu_field(const struct pdu_grammar *grammar, const struct pdu *pdu, const char *name);

/* Octets of a text of hex digits; their number. */
size_t pdu_from_hex(const char *hex, uint8_t *bytes);

uint32_t pdu_random(uint32_t *state);

/* Random length up to cap; the first octet is below `types` so that known PDUs come up often. */
size_t pdu_random_octets(uint32_t *state, uint8_t *bytes, size_t cap, unsigned types);

/* A copy in octets of its own, for free(): a sanitizer sees every read beyond the end. */
uint8_t *pdu_exact_copy(const uint8_t *bytes, size_t len);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A sample PDU read by the codecs of all its layers and written again;
 * tests/unit/lua/gn_mobility_wire_spec.lua does so with those between SGSNs. */
#ifndef TESTS_DATA_VECTORS_RECODE_H
#define TESTS_DATA_VECTORS_RECODE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decodes len octets as what the sample of this number is, and encodes what was understood. Returns the
 * octets written, or the enum err of the layer that refused; a wrong FCS is ERR_CHECKSUM.
 */
int recode(unsigned number, const uint8_t *bytes, size_t len, uint8_t *again, size_t cap);

#endif

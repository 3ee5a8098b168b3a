/* SPDX-License-Identifier: BSD-3-Clause */
/* Other SGSNs of gn_machine_fuzz.c, of which two are known to the node, and what its phones order of them. */
#ifndef TESTS_FUZZ_GN_SGSNS_H
#define TESTS_FUZZ_GN_SGSNS_H

#include "tests/fuzz/gn_machine.h"

enum { GN_SGSNS_MAX_OCTETS = 2048 };

/* A new sequence. */
void gn_sgsns_begin(void);

/* What an SGSN, or another sender, sends: octets, or not above 0. `from` becomes the sender. */
int gn_sgsns_message(struct fuzz_input *in, const char **from, uint8_t *bytes, size_t cap);

/* An order of the phones, about contexts of the slots. */
void gn_sgsns_order(struct fuzz_input *in, int64_t now);

/* Judges a message between SGSNs that the node sends, and notes it. */
void gn_sgsns_sent(const uint8_t *bytes, size_t octets, const char *theirs);

/* The same of a record for the phones. */
void gn_sgsns_told(const struct lua_field_octets *record);

#endif

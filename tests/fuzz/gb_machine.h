/* SPDX-License-Identifier: BSD-3-Clause */
/* The node and the BSSs of gb_machine_fuzz.c: what they send, and where their mobiles are. */
#ifndef TESTS_FUZZ_GB_MACHINE_H
#define TESTS_FUZZ_GB_MACHINE_H

#include "tests/fuzz/machine.h"

/* The node's configuration: three NSEs, the second with IP-SNS. */
extern const char *const gb_machine_text;

/* A new sequence: the mobiles are in their first cells. */
void gb_machine_begin(void);

/* Deletes the mobiles; nothing of them may be left, and the tables are within their bounds. */
void gb_machine_end(int64_t now);

/* Notes what an intent changed. */
void gb_machine_note(const struct core_intent *intent);

/* The NSE (index) of the mobile of a context, -1. */
int gb_machine_nse_of_pdp(uint32_t pdp);

/* A PDU that the input's next octets choose, as the BSS of an NS-VC sends it. Octets, or not above 0: it has
 * no place on the wire. */
int gb_machine_bssgp(struct fuzz_input *in, uint32_t nsvc, uint8_t *bytes, size_t cap);
int gb_machine_ns(struct fuzz_input *in, uint32_t nsvc, uint8_t *bytes, size_t cap);

/* The PDU of a step of getting an NSE into service, on one NS-VC; 0: it is. */
int gb_machine_up(uint32_t nsvc, unsigned step, uint8_t *bytes, size_t cap);

/* News of the worker, a mobile or context added or deleted. */
void gb_machine_news(struct fuzz_input *in, int64_t now);

/* An NSE, cell or NS-VC deleted or added again. */
void gb_machine_reload(struct fuzz_input *in, int64_t now);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Other SGSNs of phones_machine_fuzz.c: what they say of phones, and what the node orders of them. */
#ifndef TESTS_FUZZ_PHONES_SGSNS_H
#define TESTS_FUZZ_PHONES_SGSNS_H

#include "tests/fuzz/phones_machine.h"

/* A new sequence. */
void phones_sgsns_begin(void);

/* An intent for GTP-C, or for DNS. */
void phones_sgsns_see(const struct core_intent *intent, enum machine_wish wish);

/* What GTP-C tells, also if nothing asked for it. */
void phones_sgsns_tell(struct fuzz_input *in, int64_t now);

/* Another address of DNS, also if nothing asked for it; the answer to MSG_MS_HOLD. */
void phones_sgsns_resolve(unsigned what, int64_t now);
void phones_sgsns_hold(unsigned what, int64_t now);

/* An operator's offload or drain. */
void phones_sgsns_act(unsigned what, int64_t now);

/* Ends all questions of other SGSNs. */
void phones_sgsns_end(int64_t now);

#endif

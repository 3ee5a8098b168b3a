/* SPDX-License-Identifier: BSD-3-Clause */
/* XID commands of the SGSN to an emulated mobile, and their answer (TS 44.064 clauses 6.4.1.6, 8.5.3). The
 * mobile applies Reset and IOV-UI; other parameters stay as configured and are left out of the answer. */
#ifndef APP_EMULATE_LLC_H
#define APP_EMULATE_LLC_H

#include "sim/ms_stack.h"

#include <stdbool.h>

enum { EMULATE_LLC_ANSWER_OCTETS = 32 };

/* Whether the frame, whose FCS is right, is an XID command. If so, the mobile has applied it, and answer[]
 * has *answer_octets octets of its response. */
bool emulate_llc_take(struct ms_stack *stack, const uint8_t *llc_pdu, size_t octets,
                      uint8_t answer[EMULATE_LLC_ANSWER_OCTETS], size_t *answer_octets);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC of an emulated mobile beside its UI frames: the network's XID commands and their answer
 * (TS 44.064 6.4.1.6, 8.5.3). Reset and IOV-UI are obeyed, other parameters stay as configured and are left
 * out of the answer. */
#ifndef APP_EMULATE_LLC_H
#define APP_EMULATE_LLC_H

#include "sim/ms_stack.h"

#include <stdbool.h>

enum { EMULATE_LLC_ANSWER_OCTETS = 32 };

/* Is the frame, one with a right FCS, an XID command? If so, the mobile has obeyed it, and answer[] is what
 * it says, *answer_octets of it. */
bool emulate_llc_take(struct ms_stack *stack, const uint8_t *llc_pdu, size_t octets,
                      uint8_t answer[EMULATE_LLC_ANSWER_OCTETS], size_t *answer_octets);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC of mobiles and phones: answers to U frames, and SAPI 1 with the messages of phones. */
#ifndef APP_EMULATE_LLC_H
#define APP_EMULATE_LLC_H

#include "sim/ms_offer.h"
#include "sim/ms_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* XID commands of the SGSN to an emulated mobile, and their answer (TS 44.064 clauses 6.4.1.6, 8.5.3). The
 * mobile applies Reset, IOV-UI and proposals of SNDCP; other parameters stay as configured and are left
 * out of the answer. */

enum { EMULATE_LLC_ANSWER_OCTETS = 32 + MS_OFFER_ANSWER_OCTETS };

/* Whether the frame, whose FCS is right, is an XID command. If so, the mobile has applied it, and answer[]
 * has *answer_octets octets of its response. */
bool emulate_llc_take(struct ms_stack *stack, const uint8_t *llc_pdu, size_t octets,
                      uint8_t answer[EMULATE_LLC_ANSWER_OCTETS], size_t *answer_octets, int64_t now);

/* The part of such a command that holds for the mobile's other SAPIs, too: Reset and IOV-UI, on SAPI 1
 * (clauses 8.5.3.1, 8.9.2). True: it has Reset. */
bool emulate_llc_obey_beside(struct ms_stack *other, const uint8_t *llc_pdu, size_t octets, int64_t now);

/* Whether the frame is SABM or DISC to a mobile in unacknowledged mode. If so, answer[] has *answer_octets
 * octets of its DM. */
bool emulate_llc_refuse(const struct ms_stack *stack, const uint8_t *llc_pdu, size_t octets,
                        uint8_t answer[EMULATE_LLC_ANSWER_OCTETS], size_t *answer_octets);

enum { EMULATE_LLC_FRAME_OCTETS = 520 };

/* Of a message that came on SAPI 1. */
struct emulate_llc_message {
    const uint8_t *octets;
    size_t count;
    bool is_ciphered;
    uint8_t clear[EMULATE_LLC_FRAME_OCTETS]; /* where octets point to */
};

/* False: no UI frame of SAPI 1 with a right FCS, or a repeated one. */
bool emulate_llc_unwrap(struct ms_stack *stack, const uint8_t *llc_pdu, size_t octets,
                        struct emulate_llc_message *message);

/* A message in a frame of SAPI 1, ciphered with the phone's key; returns the octets of the frame, 0: too
 * long. */
size_t emulate_llc_wrap(struct ms_stack *stack, bool is_ciphered, const uint8_t *octets, size_t count,
                        uint8_t frame[EMULATE_LLC_FRAME_OCTETS]);

/* Another key for the frames that follow; the overflow counter restarts. */
void emulate_llc_key(struct ms_stack *stack, uint8_t algorithm, const uint8_t *kc, size_t octets);

#endif

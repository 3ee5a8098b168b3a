/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mobile's offer of compression (TS 44.065 clause 6.8): an XID command on the SAPI of its context, with an
 * entity of each kind of its settings, and the SGSN's answer. It is repeated after T200, N200 times; without
 * an answer, and for what is refused, N-PDUs stay plain.
 */
#ifndef SIM_MS_OFFER_H
#define SIM_MS_OFFER_H

#include "sim/ms_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The stack offers entities within the settings, from `at_ns` on; earlier ones end. Without `entities` it has
 * no effect. Ends the program when memory is short. */
void ms_offer_begin(struct ms_stack *s, const struct compression_settings *settings, int64_t at_ns);

/* The context ends, with its entities. */
void ms_offer_end(struct ms_stack *s);

/* LLC was reset: what was agreed on is void, and is offered again. */
void ms_offer_again(struct ms_stack *s, int64_t now);

/* MOMENT_NEVER: there is nothing to be sent. */
int64_t ms_offer_due_ns(const struct ms_stack *s);

/* The radio has not sent the command yet: T200 begins again, and does not count. */
void ms_offer_pause(struct ms_stack *s, int64_t now);

/* Sends the command if it is due. */
void ms_offer_step(struct ms_stack *s, ms_stack_send_fn *send, void *arg, int64_t now);

/* Whether the LLC-PDU is an answer; the first one is applied. */
bool ms_offer_take(struct ms_stack *s, const uint8_t *llc_pdu, size_t octets);

/* The longest SNDCP's block of an answer. */
enum { MS_OFFER_ANSWER_OCTETS = 255 };

/*
 * The mobile's answer to a proposal of the SGSN, SNDCP's block in XID: entities that its settings allow
 * begin, with fewer slots or a smaller dictionary if need be; others are refused, and changes of an entity
 * end it. Returns the octets of the answer, 0 of an empty proposal.
 */
size_t ms_offer_answer(struct ms_stack *s, const uint8_t *block, size_t octets,
                       uint8_t answer[MS_OFFER_ANSWER_OCTETS]);

#endif

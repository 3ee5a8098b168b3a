/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Acknowledged mode of a mobile's stack (ms_stack.h): its side of the LLC link, and the N-PDUs on it. Octets,
 * FCS and ciphering of I and S frames are here (TS 44.064 clauses 5.5 and A.2.1):
 *
 *     INPUT = IOV-I + count,  of information and FCS of I frames; S and U frames are in clear
 */
#ifndef SIM_MS_LINK_H
#define SIM_MS_LINK_H

#include "sim/ms_stack.h"

#include "dataplane/abm/link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A link in ADM. Ends the program when memory is short. */
struct ms_link *ms_link_new(struct ms_stack *s, const struct link_values *values);

/* Frees it with its N-PDUs; NULL is allowed. */
void ms_link_free(struct ms_link *m);

/* Whether the frame is for the link: an I or S frame, or a U frame other than XID. */
bool ms_link_is_for(const struct llc *header);

/* A frame of ms_link_is_for(). N-PDUs that it completes: ms_link_deliver_take(). False: wrong FCS, or
 * malformed. */
bool ms_link_receive(struct ms_link *m, const struct llc *header, const uint8_t *llc_pdu, size_t octets,
                     int64_t now);

/* The next N-PDU, valid until the next call; NULL: none. One that cannot be decompressed is lost, and makes
 * the mobile establish the link again, with empty dictionaries. */
const uint8_t *ms_link_deliver_take(struct ms_link *m, size_t *n_pdu_octets, uint16_t *number, int64_t now);

/* Queues a copy. False: the queue is full. */
bool ms_link_put(struct ms_link *m, const uint8_t *n_pdu, size_t octets, int64_t now);

/* Whether it has something to send, and when it will have. */
int64_t ms_link_due_ns(const struct ms_link *m);

void ms_link_pause(struct ms_link *m, int64_t now);

/* Sends all that it may. */
void ms_link_step(struct ms_link *m, int64_t now, ms_stack_send_fn *send, void *arg);

/* The other side has begun again: in ADM; N-PDUs that are not confirmed will be sent again. */
void ms_link_restart(struct ms_link *m, int64_t now);

/* Number of the next N-PDU down; what the network says of those up: N-PDUs before it have arrived. */
uint8_t ms_link_expected(const struct ms_link *m);
void ms_link_confirm(struct ms_link *m, uint8_t number);

#endif

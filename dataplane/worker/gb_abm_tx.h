/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink frames of links in acknowledged mode: granted segments as I frames, and what links send by
 * themselves. */
#ifndef DATAPLANE_WORKER_GB_ABM_TX_H
#define DATAPLANE_WORKER_GB_ABM_TX_H

#include "dataplane/sched/sched.h"

#include <stdbool.h>
#include <stdint.h>

struct ms;
struct worker;

/* Whether the link of an N-PDU that arrives takes all its segments now. It is established if it is not. */
bool gb_abm_tx_may_pass(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, int64_t now);

/* Sends a granted segment as an I frame. The outbox is open and has a slot. */
void gb_abm_tx_send(struct worker *w, const struct sched_grant *grant, int64_t now);

/* After the last segment of an N-PDU, or when a link has it from another SGSN: it counts as sent, and links
 * alone refer to it. */
void gb_abm_tx_finish(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, int64_t now);

/* Timers, then the frames that links have to send. Returns how many were sent. */
unsigned gb_abm_tx_release(struct worker *w, int64_t now);

/* When gb_abm_tx_release() has something to do without input. */
int64_t gb_abm_tx_next_ns(const struct worker *w, int64_t now);

#endif

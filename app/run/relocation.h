/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inter-SGSN routeing area updates in virtual time (TS 23.060 clause 6.9.1.2.2). The workers of both SGSNs do
 * what a live node's do; the messages of GMM and GTP-C are delays (scenario_config_relocation).
 *
 * In the new cell:
 *   request                ROUTING AREA UPDATE REQUEST has come to the new SGSN
 *   + delay                SGSN Context Request: the old SGSN holds the mobile (MSG_MS_HOLD), and the BSS of
 * the old cell drops its LLC-PDUs, as after FLUSH-LL
 *   + delay + security     the new SGSN has the contexts; it holds the mobile, and takes N-PDUs of the old
 * one (MSG_PDP_FROM), those of the GGSN behind them
 *     + delay              SGSN Context Acknowledge: the old SGSN forwards, or drops (MSG_PDP_FORWARD)
 *     + network.gn_delay   Update PDP Context: the GGSN sends to the new SGSN
 *     + update + accept    COMPLETE: the new SGSN sends to the mobile, whose LLC begins from 0; at least two
 *                          gn_delay, or one delay, in place of update
 *   hold after Request     the old SGSN ends the contexts
 *
 * From the old cell on uplink N-PDUs wait at the mobile. Those that were LLC-PDUs already are dropped, as LLC
 * begins from 0. A mobile that leaves before COMPLETE has the update run to its end; then its next one
 * begins. A mobile that returns gets new contexts.
 *
 * Not here: what the messages carry, the blocks of the radio that they take, their loss, a change of P-TMSI
 * and key, links of LLC and entities of SNDCP.
 */
#ifndef APP_RUN_RELOCATION_H
#define APP_RUN_RELOCATION_H

#include "app/run/run.h"
#include "control/report/field.h"

#include <stdbool.h>
#include <stdint.h>

/* With several SGSNs; resumed takes, with r, the uplink packets that have waited. False: out of memory. */
bool run_relocation_new(struct scenario_run *r, run_links_out *resumed);
void run_relocation_free(struct scenario_run *r);

/* Whether a way from the mobile's cell to another one is an update, or waits for one. */
bool run_relocation_is(const struct run_mobile *mobile, uint16_t to);

/* The mobile leaves its cell for such a way; it is in the new cell. */
void run_relocation_leave(struct run_mobile *mobile, int64_t now);
void run_relocation_arrive(struct run_mobile *mobile, uint16_t to, int64_t now);

/* True: the uplink packet waits for the end of an update. */
bool run_relocation_keeps(struct run_mobile *mobile, const uint8_t *packet, size_t octets, int64_t now);

/* An N-PDU is delivered to the mobile. */
void run_relocation_delivered(struct run_mobile *mobile, int64_t now);

/* Whether an N-PDU that leaves an SGSN leaves for another one. */
bool run_relocation_forwards(const struct run_mobile *mobile, const struct run_sgsn *sgsn);

/* An actor of the loop. */
int64_t run_relocation_step(void *run, int64_t now);

/* A line of the run's table; nothing with one SGSN. */
void run_relocation_print(struct scenario_run *r);

/* `relocation` and `sgsns` of summary.json; each takes the record of a summary. */
extern const struct field run_relocation_fields[], run_relocation_sgsn_fields[];
void run_relocation_each(const void *record, struct field_sink *sink);
void run_relocation_each_sgsn(const void *record, struct field_sink *sink);

#endif

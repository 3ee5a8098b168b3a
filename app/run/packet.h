/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of one downlink N-PDU, with all its instants: packet.json (docs/run.md).
 *
 * Model: while the N-PDU is not known yet, the instants of all N-PDUs to its mobile are kept, in tables of
 * fixed size: by IPv4 identification on the way to the SGSN, by N-PDU number behind it, and rings of the
 * latest radio blocks and of what the mobile's queue in the SGSN waited for. When the N-PDU is delivered, the
 * recording ends. Nothing that a run does depends on it. Not here: N-PDUs that are not delivered.
 */
#ifndef APP_RUN_PACKET_H
#define APP_RUN_PACKET_H

#include "bss/radio.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scenario_run;
struct run_mobile;
struct packet_log;

/* Which N-PDU. A zeroed one: none. */
struct run_packet_choice {
    bool is_wanted;
    char name[64];   /* of the mobile; empty: the mobile with the largest p95 of its delays */
    uint64_t number; /* counts N-PDUs delivered to the mobile from 1 on; 0: the first with delay_ns */
    int64_t delay_ns;
};

/* "MOBILE:N", from the command line; NULL: the choice is made after a first run. False: it has another form.
 */
bool run_packet_parse(struct run_packet_choice *choice, const char *text);

/* Of a run without a choice that has ended: the mobile with the largest p95 of its delays, and an N-PDU with
 * this delay. False, with a line on stderr: no N-PDU was delivered after the warm-up. */
bool run_packet_choose(struct scenario_run *r, struct run_packet_choice *choice);

/* Begins to record, if that is wanted. False, with a line on stderr: no such mobile, or no memory. */
bool run_packet_new(struct scenario_run *r);
void run_packet_free(struct scenario_run *r);

/* Where a packet to a mobile is; for runs with r->packet only. */
void run_packet_emitted(struct run_mobile *mobile, uint16_t ip_id, size_t octets, int64_t now);
void run_packet_passes_ggsn(struct run_mobile *mobile, uint16_t ip_id, int64_t now);

/* An LLC-PDU in clear that has come to the BSS, or reached the mobile. */
void run_packet_in_bss(struct run_mobile *mobile, const uint8_t *llc_pdu, size_t octets, int64_t now);
void run_packet_at_mobile(struct run_mobile *mobile, const uint8_t *llc_pdu, size_t octets, int64_t now);
void run_packet_block(struct run_mobile *mobile, const struct radio_block *block, int64_t now);

/* The N-PDU is complete at the mobile. */
void run_packet_delivered(struct run_mobile *mobile, uint16_t ip_id, uint16_t number, int64_t emitted_ns,
                          int64_t now);

/* Notes what the mobile's queue waits for: the last actor of the loop; self is a struct scenario_run. */
int64_t run_packet_step(void *run, int64_t now);

/* Writes packet.json. False, with a line on stderr: it cannot be written, or the N-PDU was not delivered. */
bool run_packet_write(struct scenario_run *r, const char *path);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The SGSNs of a run: each a node of its own with its BSSs, all in one virtual time and behind one GGSN. */
#ifndef APP_RUN_SGSNS_H
#define APP_RUN_SGSNS_H

#include "app/run/run.h"
#include "control/report/totals.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts all nodes, whose configurations and Lua states are there, and orders the mobiles in their first
 * cells. False, with a line on stderr: failed. */
bool run_sgsns_start(struct scenario_run *r);

/* Returns the number of leaked mbufs: 0, or a defect. */
unsigned run_sgsns_free(struct scenario_run *r);

/* The SGSN of a cell (index), the cell's BSS, and the worker that has it. */
struct run_sgsn *run_sgsns_of(const struct scenario_run *r, uint32_t cell);
struct bss *run_sgsns_bss(const struct scenario_run *r, uint32_t cell);
struct worker *run_sgsns_worker(const struct scenario_run *r, uint32_t cell);

/* A frame from Gn goes to the SGSN with its destination. False: there is none, or its port has no room. */
bool run_sgsns_put(struct scenario_run *r, const uint8_t *frame, size_t octets);

/* Whether a frame from an SGSN is for another one: then its mobile has one more N-PDU, and once it has gone
 * to that one one less, on the way. */
bool run_sgsns_is_between(struct scenario_run *r, const uint8_t *frame, size_t octets);
bool run_sgsns_put_between(struct scenario_run *r, const uint8_t *frame, size_t octets);

/* Where a mobile is known. */
struct run_place {
    struct worker *worker;
    uint32_t slot;
};

/* At the SGSN that has its contexts. */
struct run_place run_sgsns_place(const struct run_mobile *mobile);

/* N-PDUs of a mobile that wait in SGSNs, or are on their way between them. */
uint64_t run_sgsns_waiting(const struct run_mobile *mobile);

/* The mobile's session at an SGSN, active; NULL: it has none there. */
struct session *run_sgsns_session(struct run_sgsn *sgsn, const struct run_mobile *mobile);

/* The mobile of a context that a worker's event names; NULL: none. */
struct trace_event;
struct run_mobile *run_sgsns_mobile(struct scenario_run *r, struct run_sgsn *sgsn, unsigned worker,
                                    const struct trace_event *event);

/* Sums over the workers of all SGSNs. An N-PDU that one forwards to another counts once: of N-PDUs of the
 * GGSN in = out + dropped + queued, those on their way between SGSNs as queued. */
struct totals run_sgsns_totals(const struct scenario_run *r);
struct worker_stats run_sgsns_stats(const struct scenario_run *r);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything a worker knows: tables of NSEs, NS-VCs, cells, mobiles and PDP contexts, with the flow control
 * that hangs on them. Indices are given out by whoever asks for entries (the control core), so a table needs
 * no allocator of its own.
 *
 * Memory is taken in context_new(). Functions return 0, or -1 when an index is out of range, taken, or not in
 * use.
 */
#ifndef DATAPLANE_CONTEXT_CONTEXT_H
#define DATAPLANE_CONTEXT_CONTEXT_H

#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"
#include "dataplane/context/pdp.h"
#include "dataplane/queue/lifetime.h"

struct context_limits {
    uint32_t nses, nsvcs, bvcs, mobiles, pdps;
};

struct context {
    struct context_limits limits;
    struct lifetime lifetime;
    struct sched sched;
    struct gb_nse *nses;
    struct gb_nsvc *nsvcs;
    struct gb_bvc *bvcs;
    struct ms *mobiles;
    struct pdp *pdps;
};

/* False when there is no memory; then nothing is held. */
bool context_new(struct context *c, const struct context_limits *limits, const struct lifetime *lifetime);
void context_free(struct context *c);

/* --- Gb: context_gb.c --- */
int context_nse_add(struct context *c, uint16_t index, uint16_t nsei);
/* The caller has filled in the header template (it knows the wire formats). */
int context_nsvc_add(struct context *c, uint16_t index, const struct gb_nsvc *nsvc);
/* An NS-VC came up or went down; its NSE's cells may start or must stop. */
int context_nsvc_use(struct context *c, uint16_t index, bool usable);
int context_bvc_add(struct context *c, uint16_t index, uint16_t bvci, uint16_t nse, int64_t now);
/* The NS-VC that carries a mobile's frames: the same for one mobile as long as none fails. -1: none is
 * usable. */
int context_nsvc_for(const struct context *c, const struct gb_bvc *bvc, uint32_t lsp);

/* --- flow control, TS 48.018 clause 8.2: context_flow.c --- */
/* BVC-RESET: bucket empty, parameters forgotten, what waits for its mobiles is dropped; blocked until told
 * otherwise. */
int context_bvc_reset(struct context *c, uint16_t index, int64_t now);
int context_bvc_unblock(struct context *c, uint16_t index, bool unblocked);
int context_bvc_flow(struct context *c, uint16_t index, const struct gb_flow *flow, int64_t now);
int context_ms_flow(struct context *c, uint32_t index, const struct gb_flow *flow, int64_t now);
/* Th expired: the defaults of the cell again, the level stays. */
int context_ms_defaults(struct context *c, uint32_t index, int64_t now);
/* LLC-DISCARDED: octets that the BSS threw away leave the buckets of the mobile and of its cell. */
int context_ms_discarded(struct context *c, uint32_t index, uint64_t octets, int64_t now);
/* Whether a cell may send now follows from its state and its NSE's NS-VCs. */
void context_bvc_refresh(struct context *c, struct gb_bvc *bvc);

/* --- mobiles and PDP contexts: context_ms.c --- */
/* -1 also for values that no frame can carry: N201-U outside 140..1520, too long an IMSI. */
int context_ms_add(struct context *c, uint32_t index, const struct ms_params *params, int64_t now);
/* Its PDP contexts end with it; what waited is dropped as context_deleted. */
int context_ms_del(struct context *c, uint32_t index);
/* -1 also for an NSAPI outside 5..15 or a SAPI that is not one of 3, 5, 9, 11. */
int context_pdp_add(struct context *c, uint32_t index, const struct pdp_params *params);
int context_pdp_del(struct context *c, uint32_t index);
/* N-PDUs that wait, counted by walking all queues. */
uint64_t context_queued_pkts(const struct context *c);

#endif

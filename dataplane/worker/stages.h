/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of the stages of worker_step(), whose rows are in stages.def. A stage has a function for its
 * work and one for the instant of its next work, so that none can be added without the second. Rows become
 * direct calls, in line where the function is here.
 */
#ifndef DATAPLANE_WORKER_STAGES_H
#define DATAPLANE_WORKER_STAGES_H

#include "dataplane/base/moment.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/ports/port.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/fragments.h"
#include "dataplane/worker/gb_abm_tx.h"
#include "dataplane/worker/gb_rx.h"
#include "dataplane/worker/gb_tx.h"
#include "dataplane/worker/gn_rx.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/reassembly.h"
#include "dataplane/worker/signalling.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/worker.h"
#include "dataplane/worker/xworker.h"

#include <rte_branch_prediction.h>
#include <stdint.h>

#define STAGES_RETRY_NS      10000
#define STAGES_DOWN_RETRY_NS 1000000

enum worker_stage {
#define WORKER_STAGE(name, step, next_ns) WORKER_STAGE_##name,
#include "dataplane/worker/stages.def"
    WORKER_STAGES
};

/* The next_ns of a stage that waits for input alone. */
#define STAGES_INPUT(w, now) MOMENT_NEVER

/* Ends values of FLOW-CONTROL-MS whose Th has run out. */
static inline unsigned stages_th(struct worker *w, int64_t now)
{
    return unlikely(w->context.ths.first_ns <= now) ? context_ms_expire(&w->context, now) : 0;
}

static inline int64_t stages_th_next_ns(const struct worker *w, int64_t now)
{
    return w->context.ths.first_ns;
}

/* Ends waits for control's decision on a mobile's cell. */
static inline unsigned stages_standby(struct worker *w, int64_t now)
{
    return unlikely(standby_next_ns(&w->waits) <= now) ? standby_expire(w, now) : 0;
}

static inline int64_t stages_standby_next_ns(const struct worker *w, int64_t now)
{
    return standby_next_ns(&w->waits);
}

/* Sends up to WORKER_SENDS bursts per received burst; otherwise one queued packet keeps the bypass
 * (bypass.c) closed for as long as the load lasts. */
static inline unsigned stages_send(struct worker *w, int64_t now)
{
    unsigned sum = 0, sent = WORKER_BURST;
    for (unsigned i = 0; i < WORKER_SENDS && sent == WORKER_BURST; i++) {
        sent = gb_tx_send(w, now);
        sum += sent;
    }
    return sum;
}

/* When the scheduler will let something go; later than now even when a lack of buffers or room held things up
 * just now. */
static inline int64_t stages_send_next_ns(const struct worker *w, int64_t now)
{
    int64_t next_ns = sched_next_ns(&w->context.sched);
    if (next_ns <= now)
        return now + (port_is_down(&w->gb) ? STAGES_DOWN_RETRY_NS : STAGES_RETRY_NS);
    if (w->gb.pending_count > 0 || w->gn.pending_count > 0)
        return moment_min(next_ns, now + STAGES_RETRY_NS);
    return next_ns;
}

/* Sends N-PDUs of mobiles that went to another SGSN. */
static inline unsigned stages_forward(struct worker *w, int64_t now)
{
    return unlikely(w->forward.active) ? forward_send(w, now) : 0;
}

static inline int64_t stages_forward_next_ns(const struct worker *w, int64_t now)
{
    return unlikely(w->forward.active) ? w->forward.retry_ns : MOMENT_NEVER;
}

/* Counts and frees N-PDUs that the scheduler dropped; they are no work that causes a further pass. */
static inline unsigned stages_reap(struct worker *w, int64_t now)
{
    fate_reap(w, now);
    return 0;
}

/* Ciphers the frames in the outbox; gives all pending frames to the ports. */
static inline unsigned stages_flush(struct worker *w, int64_t now)
{
    return gb_tx_outbox_flush(w) + port_flush(&w->gn);
}

/* Loses datagrams whose next hop was not found in time. */
static inline unsigned stages_gn_wait(struct worker *w, int64_t now)
{
    if (unlikely(w->wait.count > 0))
        gn_wait_expire(w, now);
    return 0;
}

static inline int64_t stages_gn_wait_next_ns(const struct worker *w, int64_t now)
{
    return gn_wait_next_ns(&w->wait);
}

/* Drops outer datagrams whose fragments did not all come in time. */
static inline unsigned stages_fragments(struct worker *w, int64_t now)
{
    fragments_expire(&w->fragments, &w->stats, now);
    return 0;
}

static inline int64_t stages_fragments_next_ns(const struct worker *w, int64_t now)
{
    return fragments_next_ns(&w->fragments);
}

/* Drops uplink N-PDUs whose segments did not all come in time. */
static inline unsigned stages_reassembly(struct worker *w, int64_t now)
{
    reassembly_expire(&w->reassembly, &w->stats, now);
    return 0;
}

static inline int64_t stages_reassembly_next_ns(const struct worker *w, int64_t now)
{
    return reassembly_next_ns(&w->reassembly);
}

#endif

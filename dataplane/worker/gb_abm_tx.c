/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gb_abm_tx.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/gb_abm.h"
#include "dataplane/worker/gb_tx.h"
#include "dataplane/worker/gb_tx_frame.h"
#include "dataplane/worker/worker.h"

#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/gb_tx_outbox.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/tap.h"
#include "dataplane/sched/ms.h"

#include <rte_mbuf.h>
#include <string.h>

#define BLOCKED_RETRY_NS    INT64_C(100000000) /* of links whose mobile cannot be sent to */
#define DECIDED_RETRY_NS    INT64_C(1000000)   /* until control has decided on its cell */
#define FULL_RETRY_NS       INT64_C(10000)     /* the port has no room, or no buffer is free */
#define INFINITE_CS         UINT16_MAX /* PDU Lifetime: a frame with N(S) that expires would come again */
#define HEADER_USUAL_OCTETS 8          /* LLC and SNDCP headers of an I frame without a bitmap have 5 or 7 */
#define QOS_ACK_BIT         0x20       /* 0 in QoS Profile: the LLC-PDU has an ACK or SACK alone */

static_assert((int)FRAME_MAX_OCTETS + (int)sizeof(((struct link_frame *)NULL)->header) +
                      (int)SNDCP_N201_U_MAX_OCTETS + (int)LLC_FCS_OCTETS <=
                  (int)RTE_PKTMBUF_HEADROOM + (int)POOL_DATA_OCTETS,
              "an I frame fits a buffer");

/* --- one frame --- */

/* The LLC-PDU in a buffer, with FCS; its octets. */
static uint16_t put_llc(const struct link_frame *frame, uint8_t *llc)
{
    uint16_t octets = (uint16_t)(frame->header_octets + frame->payload_octets);
    if (likely(frame->header_octets <= HEADER_USUAL_OCTETS))
        memcpy(llc, frame->header, HEADER_USUAL_OCTETS); /* inline; what follows writes over the rest */
    else
        memcpy(llc, frame->header, frame->header_octets);
    if (frame->n_pdu)
        memcpy(llc + frame->header_octets, frame->n_pdu->data + frame->offset, frame->payload_octets);
    llc_fcs_put(llc + octets, llc_fcs(llc, octets));
    return (uint16_t)(octets + LLC_FCS_OCTETS);
}

/* I frames are ciphered: INPUT = IOV-I + OC + N(S) (TS 44.064 annex A.2). */
static void cipher(struct worker *w, const struct gb_abm_link *l, const struct link_frame *frame,
                   const struct gb_tx_out *out)
{
    const struct ms *ms = &w->context.mobiles[l->ms];
    if (!frame->is_i || !ms->is_ciphered)
        return;
    struct gea_job job = {.key = ms->cipher.now.key,
                          .data = out->llc + frame->clear_octets,
                          .input = l->link.iov_i + frame->count,
                          .octets = (uint16_t)(out->grant->next.llc_octets - frame->clear_octets),
                          .direction = GEA_DOWNLINK};
    cipher_put(&w->outbox.cipher, &job);
}

/* S and U frames have the class of the mobile's first flow, if it has one. */
static uint8_t qos_of(const struct link_frame *frame, const struct sched_flow *flow)
{
    uint8_t qclass = frame->n_pdu ? frame->n_pdu->qclass : flow->turn.qclass;
    if (qclass >= QCLASS_COUNT)
        qclass = QCLASS_BACKGROUND;
    return (uint8_t)(gb_tx_frame_qos(qclass, true) & ~(frame->is_ack ? QOS_ACK_BIT : 0));
}

/* Frames and sends it; the outbox is open and has a slot. Returns the octets of the LLC-PDU. */
static uint16_t transmit(struct worker *w, struct gb_abm_link *l, const struct link_frame *frame, int nsvc,
                         int64_t now)
{
    struct gb_tx_batch *batch = &w->outbox.batch;
    struct ms *ms = &w->context.mobiles[l->ms];
    struct sched_grant grant = {.n_pdu = frame->n_pdu};
    struct gb_tx_out out = {.grant = &grant,
                            .mbuf = batch->spare[--batch->spare_count],
                            .nsvc = &w->context.nsvcs[nsvc],
                            .is_protected = true};
    out.llc = (uint8_t *)out.mbuf->buf_addr + gb_tx_frame_room(w, ms).before;
    grant.next.llc_octets = put_llc(frame, out.llc);
    gb_tx_frame_transport(&out, gb_tx_frame_bssgp(w, ms, &out, qos_of(frame, &ms->sched.flow), INFINITE_CS));
    if (unlikely(w->marks_gb) && frame->n_pdu)
        gb_tx_frame_mark(w, &out);
    cipher(w, l, frame, &out);
    if (unlikely(out.nsvc->is_ipv6 || tap_is_on(w->tap))) {
        cipher_run(&w->outbox.cipher, w->gea);
        gb_tx_frame_sum(&out, gb_tx_frame_leaves_sums(w));
        tap_burst_put(w->tap, &out.mbuf, 1, TAP_DOWN, now);
    }
    port_send(&w->gb, out.mbuf);
    batch->most--;
    w->stats.abm_frames++;
    return grant.next.llc_octets;
}

/* --- granted segments --- */

static int nsvc_of(const struct worker *w, uint32_t ms)
{
    const struct context *c = &w->context;
    return context_nsvc_for(c, &c->bvcs[c->mobiles[ms].bvc], ms);
}

void gb_abm_tx_finish(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, int64_t now)
{
    w->stats.npdu_out++;
    w->stats.npdu_octets_out += pool_octets(n_pdu);
    fate_out(w, ms, n_pdu, now);
    if (unlikely(w->trace))
        fate_trace(w, n_pdu, DROP_NONE, now);
}

/* A segment whose predecessors went before acknowledged mode was established again: the whole N-PDU goes
 * again. */
static void take_whole(struct worker *w, struct gb_abm_link *l, const struct sched_grant *grant, int64_t now)
{
    sched_ms_adjust(grant->ms, -(int32_t)grant->next.llc_octets, now);
    if (!grant->next.last)
        return;
    w->stats.abm_held++;
    link_put(&l->link, grant->n_pdu, w->context.pdps[grant->n_pdu->pdp].params.nsapi);
}

/* The mobile is asked for an acknowledgement when no frame follows for now. */
static bool is_last(const struct worker *w, const struct sched_grant *grant)
{
    return (grant->next.last && grant->ms->flow.queue.pkts == 0) ||
           w->stats.abm_held + 1 >= w->abm.config.buffers;
}

/* As gb_abm_touch(), behind an I frame of the scheduler's: it can but close the window, and T201 may have
 * begun. */
static void look_behind(struct worker *w, struct gb_abm_link *l, int64_t now)
{
    if (unlikely(l->link.state != LINK_ABM || l->link.queue.head || w->abm.starved > 0)) {
        gb_abm_touch(w, l, now);
        return;
    }
    if (!gb_abm_is_open(w, l))
        sched_ms_close(&w->context.mobiles[l->ms].sched);
    if (gb_abm_must_arm(l))
        gb_abm_arm(w, l, l->link.due_ns, GB_ABM_WAKE_TIMER);
}

static void send_segment(struct worker *w, struct gb_abm_link *l, const struct sched_grant *grant,
                         int64_t now)
{
    struct n_pdu *n_pdu = grant->n_pdu;
    struct link_frame frame;

    if (grant->next.last)
        gb_abm_tx_finish(w, ms_of(grant->ms), n_pdu, now);
    if (unlikely(grant->offset > 0 && !l->link.midway)) {
        take_whole(w, l, grant, now);
    } else {
        struct link_segment segment = {.n_pdu = n_pdu,
                                       .offset = grant->offset,
                                       .payload_octets = grant->next.payload_octets,
                                       .nsapi = w->context.pdps[n_pdu->pdp].params.nsapi,
                                       .is_last = is_last(w, grant),
                                       .is_given = grant->next.last};
        link_send(&l->link, &segment, now, &frame);
        uint16_t octets = transmit(w, l, &frame, nsvc_of(w, l->ms), now);
        sched_ms_adjust(grant->ms, (int32_t)octets - grant->next.llc_octets, now);
        w->stats.llc_frames++;
        w->stats.abm_held += segment.is_given;
    }
    if (!gb_abm_has_buffers(w) &&
        l->link.abm.vs != l->link.abm.va) /* each link may have one frame on the way */
        gb_abm_starve(w, l, true);
    look_behind(w, l, now);
}

void gb_abm_tx_send(struct worker *w, const struct sched_grant *grant, int64_t now)
{
    uint32_t ms = (uint32_t)(ms_of(grant->ms) - w->context.mobiles);
    struct gb_abm_link *l = gb_abm_find(w, ms, grant->n_pdu->sapi);
    if (likely(l && l->contexts > 0 && w->context.pdps[grant->n_pdu->pdp].params.is_acknowledged))
        send_segment(w, l, grant, now);
    else if (grant->next.last) /* its context has another mode since, or no link here */
        fate_drop(w, grant->n_pdu, DROP_CONTEXT_DELETED, now);
}

/* The link of an N-PDU that arrives; it is established if it is not. */
static struct gb_abm_link *want(struct worker *w, uint32_t ms, uint8_t sapi, int64_t now)
{
    struct gb_abm_link *l = gb_abm_find(w, ms, sapi);
    if (!l || l->link.state != LINK_ADM)
        return l;
    link_establish(&l->link, now);
    gb_abm_touch(w, l, now);
    return l;
}

bool gb_abm_tx_may_pass(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, int64_t now)
{
    struct gb_abm_link *l = want(w, (uint32_t)(ms - w->context.mobiles), n_pdu->sapi, now);
    unsigned segments = sched_segments(&w->context.sched, &ms->sched, n_pdu);
    return l && !l->is_starved && segments <= SCHED_PASS_MAX &&
           link_can_send(&l->link, segments, n_pdu->octets + SN_DATA_FIRST_OCTETS + segments);
}

/* --- frames of the links' own --- */

/* The NS-VC to a mobile that can be sent to; -1. */
static int reach(struct worker *w, uint32_t index, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    const struct gb_bvc *bvc = &w->context.bvcs[ms->bvc];
    if (ms->sched.flags & SCHED_MS_FROZEN || !bvc->unblocked || !bvc->flow_known)
        return -1;
    if (unlikely(context_ms_is_silent(&w->context, ms, now))) {
        standby_look(w, &w->context, ms, now);
        return -1;
    }
    return nsvc_of(w, index);
}

/* Whether the link's next frame may leave; else when it is to be tried again. */
static bool may_leave(struct worker *w, const struct gb_abm_link *l, uint32_t octets, int64_t now,
                      int64_t *again_ns)
{
    struct ms *ms = &w->context.mobiles[l->ms];
    bool is_short = l->link.owes || (abm_repeat_octets(&l->link.abm) == 0 && !l->link.queue.head);
    *again_ns = now;
    context_ms_bucket(&w->context, ms); /* with the defaults of now */
    if (!is_short)
        *again_ns = sched_ms_repeat_ns(&ms->sched, octets, now);
    else if (!context_ms_can_signal(&w->context, ms, octets, now))
        *again_ns = now + BLOCKED_RETRY_NS;
    return *again_ns <= now;
}

static void wait(struct worker *w, struct gb_abm_link *l, int64_t until_ns)
{
    if (until_ns != MOMENT_NEVER)
        gb_abm_arm(w, l, until_ns, GB_ABM_WAKE_SEND);
}

/* When a link whose mobile cannot be sent to tries again. */
static int64_t retry_ns(const struct worker *w, const struct gb_abm_link *l, int64_t now)
{
    return now + (w->context.mobiles[l->ms].stops & MS_AWAITS_CELL ? DECIDED_RETRY_NS : BLOCKED_RETRY_NS);
}

/* Sends what the link has to send. False: the port or its buffers are used up. */
static bool serve(struct worker *w, struct gb_abm_link *l, int64_t now)
{
    struct gb_tx_batch *batch = &w->outbox.batch;
    struct link_frame frame;
    uint32_t octets;
    while ((octets = link_next_octets(&l->link)) > 0) {
        int64_t most_ns = retry_ns(w, l, now), again_ns = most_ns;
        int nsvc = reach(w, l->ms, now);
        if (nsvc < 0 || !may_leave(w, l, octets, now, &again_ns)) {
            wait(w, l, moment_min(again_ns, most_ns));
            return true;
        }
        if (batch->count >= batch->most || (!w->outbox.is_open && !gb_tx_outbox_open(w)))
            return false;
        if (!link_next(&l->link, now, &frame))
            continue;
        w->stats.abm_repeated += frame.is_i;
        sched_ms_repeat(&w->context.mobiles[l->ms].sched, transmit(w, l, &frame, nsvc, now), now);
    }
    return true;
}

/* A link's timer, which does not run out while its mobile cannot be sent to. */
static void tick(struct worker *w, struct gb_abm_link *l, int64_t now)
{
    l->is_timed = false;
    if (l->ms == MS_NONE)
        return;
    if (l->link.due_ns <= now) {
        if (reach(w, l->ms, now) < 0)
            link_pause(&l->link, now);
        else
            link_expire(&l->link, now);
    }
    if (l->link.is_done)
        gb_abm_done(w, l, now);
    else
        gb_abm_touch(w, l, now);
}

static void wake(struct worker *w, const struct wheel_entry *entry, int64_t now)
{
    if (gb_abm_is_stale(entry, NULL))
        return;
    uintptr_t kind = (uintptr_t)entry->who & GB_ABM_WAKE_MASK;
    struct gb_abm_link *l = (struct gb_abm_link *)((uintptr_t)entry->who - kind);
    if (kind == GB_ABM_WAKE_TIMER) {
        tick(w, l, now);
        return;
    }
    l->is_waiting = false;
    if (l->ms != MS_NONE)
        gb_abm_touch(w, l, now);
}

unsigned gb_abm_tx_release(struct worker *w, int64_t now)
{
    struct gb_abm *abm = &w->abm;
    struct wheel_entry entry;
    if (likely(!abm->first))
        return 0;
    while (wheel_take(&abm->wheel, &entry, now))
        wake(w, &entry, now);
    bool is_room = true;
    while (is_room && abm->ready != GB_ABM_NONE) {
        struct gb_abm_link *l = gb_abm_at(abm, abm->ready);
        if (l->ms != MS_NONE && !(is_room = serve(w, l, now)))
            break;
        abm->ready = l->next_ready;
        l->is_ready = false;
        if (l->ms == MS_NONE)
            gb_abm_recycle(abm, l);
        else
            gb_abm_touch(w, l, now);
    }
    unsigned sent = WORKER_BURST - w->outbox.batch.most;
    gb_tx_outbox_close(w);
    return sent;
}

int64_t gb_abm_tx_next_ns(const struct worker *w, int64_t now)
{
    if (likely(!w->abm.first))
        return MOMENT_NEVER;
    return w->abm.ready != GB_ABM_NONE ? now + FULL_RETRY_NS : wheel_next_ns(&w->abm.wheel);
}

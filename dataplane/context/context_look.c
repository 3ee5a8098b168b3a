/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context_look.h"

#include "dataplane/context/context_ms.h"

#include <string.h>

#define COPIES      4 /* attempts to read a struct between two changes of it */
#define FLOWS_MAX   32
#define MOBILES_MAX 65536 /* of a cell's list, which may change meanwhile */

__extension__ typedef __int128 nbit;

static void barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

/* A copy that was read twice with the same result; after COPIES attempts the last one. */
static void copy(void *out, const void *from, size_t octets)
{
    for (unsigned i = 0; i < COPIES; i++) {
        memcpy(out, from, octets);
        barrier();
        if (memcmp(out, from, octets) == 0)
            return;
        barrier();
    }
}

static uint64_t look_octets_of(nbit level)
{
    return level > 0 ? (uint64_t)((level + (nbit)BUCKET_NBIT_PER_OCTET - 1) / (nbit)BUCKET_NBIT_PER_OCTET)
                     : 0;
}

static nbit leak(uint64_t rate_bps, int64_t from_ns, int64_t now)
{
    return now > from_ns ? (nbit)rate_bps * (now - from_ns) : 0;
}

static void put_bucket(struct context_look *out, const struct bucket *from, int64_t now)
{
    struct bucket b;
    copy(&b, from, sizeof(b));
    out->level_octets = look_octets_of((nbit)bucket_level_nbit(&b) - leak(b.rate_bps, b.t_ns, now));
    out->max_octets = b.max_octets;
    out->rate_bps = b.rate_bps;
}

/* A mobile that has not applied the cell's latest defaults yet (gb.h) is shown as if it had. */
static void put_ms_bucket(const struct context *c, const struct ms *ms, int64_t now, struct context_look *out)
{
    const struct gb_bvc *bvc = &c->bvcs[ms->bvc < c->limits.bvcs ? ms->bvc : 0];
    const struct bucket *b = &ms->sched.bucket;
    struct defaults d;
    copy(&d, &bvc->defaults, sizeof(d));
    if (ms->own_flow || ms->epoch == d.epoch) {
        put_bucket(out, b, now);
        return;
    }
    nbit gone = (nbit)d.rate_bps * d.since_ns + d.offset_nbit - (nbit)b->rate_bps * b->t_ns - ms->offset_nbit;
    nbit level = (nbit)bucket_level_nbit(b) - gone;
    out->level_octets = look_octets_of((level > 0 ? level : 0) - leak(d.rate_bps, d.since_ns, now));
    out->max_octets = gb_policy_ms_octets(&bvc->policy, d.max_octets, d.rate_bps, ms_largest_pdu(ms));
    out->rate_bps = d.rate_bps;
}

/* --- queues --- */

static void add_flow(struct context_look queued[QCLASS_COUNT], const struct sched_flow *flow)
{
    unsigned k = flow->turn.qclass < QCLASS_COUNT ? flow->turn.qclass : 0;
    queued[k].queued_octets += flow->queue.octets;
    queued[k].queued_pkts += flow->queue.pkts;
}

static void add_ms(const struct context *c, const struct sched_ms *ms,
                   struct context_look queued[QCLASS_COUNT])
{
    const struct sched *s = &c->sched;
    uint32_t next = ms->flow.more;
    add_flow(queued, &ms->flow);
    for (unsigned i = 0; i < FLOWS_MAX && next < s->extras_count; i++) {
        add_flow(queued, &s->extras[next].flow);
        next = s->extras[next].flow.more;
    }
}

static void add_all(struct context_look *out, const struct context_look queued[QCLASS_COUNT])
{
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        out->queued_octets += queued[k].queued_octets;
        out->queued_pkts += queued[k].queued_pkts;
    }
}

/* --- public --- */

bool context_look_ms(const struct context *c, uint32_t index, int64_t now, struct context_look *out)
{
    struct context_look queued[QCLASS_COUNT] = {0};
    struct ms ms;
    if (index >= c->limits.mobiles || !c->mobiles[index].in_use)
        return false;
    copy(&ms, &c->mobiles[index], sizeof(ms));
    *out = (struct context_look){0};
    put_ms_bucket(c, &ms, now, out);
    add_ms(c, &ms.sched, queued);
    add_all(out, queued);
    return true;
}

bool context_look_standby(const struct context *c, uint32_t index, int64_t now)
{
    struct ms ms;
    if (index >= c->limits.mobiles || !c->mobiles[index].in_use)
        return false;
    copy(&ms, &c->mobiles[index], sizeof(ms));
    return (ms.sched.flags & SCHED_MS_LOST) != 0 || context_ms_is_silent(c, &ms, now);
}

bool context_look_wait(const struct context *c, uint32_t index, int64_t now, struct sched_wait_now *out)
{
    struct sched_ms ms;
    if (index >= c->limits.mobiles || !c->mobiles[index].in_use)
        return false;
    copy(&ms, &c->mobiles[index].sched, sizeof(ms));
    if (!ms.bvc)
        return false;
    *out = sched_wait_read(&ms, &c->mobiles[index].sched, now);
    return true;
}

bool context_look_bvc(const struct context *c, uint16_t index, int64_t now, struct context_look *out,
                      struct context_look queued[QCLASS_COUNT])
{
    const struct gb_bvc *bvc = &c->bvcs[index];
    if (index >= c->limits.bvcs || !bvc->in_use)
        return false;
    *out = (struct context_look){0};
    memset(queued, 0, QCLASS_COUNT * sizeof(*queued));
    put_bucket(out, &bvc->sched.bucket, now);
    uint32_t next = bvc->busy_head;
    for (unsigned i = 0; i < MOBILES_MAX && next < c->limits.mobiles; i++) {
        const struct ms *ms = &c->mobiles[next];
        if (ms->in_use && ms->bvc == index)
            add_ms(c, &ms->sched, queued);
        next = ms->busy.next;
    }
    add_all(out, queued);
    return true;
}

bool context_look_link(const struct context *c, uint16_t index, int64_t now, struct context_look *out)
{
    const struct gb_nse *nse = &c->nses[index];
    if (index >= c->limits.nses || !nse->in_use)
        return false;
    *out = (struct context_look){0};
    put_bucket(out, &nse->sched.bucket, now);
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        out->queued_octets += nse->sched.classes[k].octets;
        out->queued_pkts += nse->sched.classes[k].pkts;
    }
    return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/dataplane/queue/sched_model.h"

#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"

#include <string.h>

static void join(struct sched_model *m, uint8_t ms)
{
    struct sched_model_cell *cell = &m->cells[m->ms[ms].cell];
    cell->ring[cell->count++] = ms;
    m->ms[ms].place = SCHED_MODEL_RING;
}

static void leave(struct sched_model *m, uint8_t ms, enum sched_model_place place)
{
    struct sched_model_cell *cell = &m->cells[m->ms[ms].cell];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cell->count; i++)
        if (cell->ring[i] != ms)
            cell->ring[kept++] = cell->ring[i];
    cell->count = kept;
    m->ms[ms].place = place;
}

static uint64_t waiting_octets(const struct sched_model_ms *ms)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < ms->pkts; i++)
        octets += ms->pdus[i].octets - ms->pdus[i].sent_octets;
    return octets;
}

static void forget(struct sched_model_ms *ms, uint32_t i)
{
    memmove(&ms->pdus[i], &ms->pdus[i + 1], (--ms->pkts - i) * sizeof ms->pdus[0]);
}

static void drop(struct sched_model *m, struct sched_model_ms *ms, uint32_t i, int reason)
{
    const struct sched_model_pdu *pdu = &ms->pdus[i];
    m->dropped[m->dropped_pkts++] =
        (struct sched_model_drop){pdu->n_pdu, pdu->sent_octets > 0 ? DROP_PARTIAL : reason};
    forget(ms, i);
}

/* After drops: nobody with an empty queue has a place, and who waited for a bucket is looked at anew. */
static void look_again(struct sched_model *m, uint8_t ms)
{
    if (m->ms[ms].pkts == 0)
        leave(m, ms, SCHED_MODEL_OUT);
    else if (m->ms[ms].place == SCHED_MODEL_ASIDE)
        join(m, ms);
}

bool sched_model_put(struct sched_model *m, uint8_t ms, const struct n_pdu *n_pdu)
{
    struct sched_model_ms *to = &m->ms[ms];
    if (waiting_octets(to) + n_pdu->octets > to->limit_octets)
        return false;
    to->pdus[to->pkts++] = (struct sched_model_pdu){
        .n_pdu = n_pdu, .arrival_ns = n_pdu->arrival_ns, .pdp = n_pdu->pdp, .octets = n_pdu->octets};
    if (to->place == SCHED_MODEL_OUT)
        join(m, ms);
    return true;
}

void sched_model_changed(struct sched_model *m, uint8_t ms)
{
    if (m->ms[ms].place == SCHED_MODEL_ASIDE)
        join(m, ms);
}

static bool drop_old(struct sched_model *m, struct sched_model_ms *ms, int64_t now)
{
    uint32_t before = ms->pkts;
    while (ms->pkts > 0 && (__int128)now - ms->pdus[0].arrival_ns > ms->max_age_ns)
        drop(m, ms, 0, DROP_LIFETIME);
    return ms->pkts < before;
}

void sched_model_advance(struct sched_model *m, int64_t now)
{
    bool joins[SCHED_MODEL_MS] = {false};
    for (uint8_t i = 0; i < SCHED_MODEL_MS; i++) {
        struct sched_model_ms *ms = &m->ms[i];
        bool dropped = drop_old(m, ms, now);
        if (ms->pkts == 0)
            leave(m, i, SCHED_MODEL_OUT);
        joins[i] = ms->place == SCHED_MODEL_ASIDE && (dropped || ms->wake_ns <= now);
    }
    for (uint8_t i = 0; i < SCHED_MODEL_CELLS; i++)
        m->cells[i].settled = m->cells[i].count;
    for (uint8_t i = 0; i < SCHED_MODEL_MS; i++)
        if (joins[i])
            join(m, i);
}

/* TS 44.065: 4 octets of header in the first segment, 3 later; TS 44.064: 3 and 3 around it. */
static struct sched_model_llc next_of(const struct sched_model *m, uint8_t ms)
{
    const struct sched_model_ms *from = &m->ms[ms];
    const struct sched_model_pdu *pdu = &from->pdus[0];
    uint32_t header = pdu->segments == 0 ? 4 : 3, left = pdu->octets - pdu->sent_octets;
    bool last = header + left <= from->n201_u;
    uint32_t payload = last ? left : from->n201_u - header;
    return (struct sched_model_llc){.n_pdu = pdu->n_pdu,
                                    .offset = pdu->sent_octets,
                                    .segment = pdu->segments,
                                    .octets = 3 + header + payload + 3,
                                    .payload_octets = payload,
                                    .ms = ms,
                                    .last = last};
}

bool sched_model_turn(struct sched_model *m, uint8_t cell, struct sched_model_llc *llc, int64_t now)
{
    struct sched_model_cell *in = &m->cells[cell];
    while (in->usable && in->count > 0) {
        struct sched_model_ms *ms = &m->ms[in->ring[0]];
        *llc = next_of(m, in->ring[0]);
        if (bucket_model_can_take(&ms->bucket, llc->octets, now))
            return bucket_model_can_take(&in->bucket, llc->octets, now);
        ms->wake_ns = bucket_model_earliest_ns(&ms->bucket, llc->octets, now);
        leave(m, llc->ms, SCHED_MODEL_ASIDE);
    }
    return false;
}

void sched_model_sent(struct sched_model *m, const struct sched_model_llc *llc, int64_t now)
{
    struct sched_model_ms *ms = &m->ms[llc->ms];
    bucket_model_take(&ms->bucket, llc->octets, now);
    bucket_model_take(&m->cells[ms->cell].bucket, llc->octets, now);
    ms->pdus[0].sent_octets += llc->payload_octets;
    ms->pdus[0].segments++;
    if (llc->last)
        forget(ms, 0);
    leave(m, llc->ms, SCHED_MODEL_OUT);
    if (ms->pkts > 0)
        join(m, llc->ms);
}

void sched_model_remove_pdp(struct sched_model *m, uint8_t ms, uint32_t pdp)
{
    struct sched_model_ms *from = &m->ms[ms];
    uint32_t before = from->pkts;
    for (uint32_t i = 0; i < from->pkts;)
        if (from->pdus[i].pdp == pdp)
            drop(m, from, i, DROP_CONTEXT_DELETED);
        else
            i++;
    if (from->pkts < before)
        look_again(m, ms);
}

void sched_model_flush(struct sched_model *m, uint8_t ms, int reason)
{
    while (m->ms[ms].pkts > 0)
        drop(m, &m->ms[ms], 0, reason);
    look_again(m, ms);
}

static int64_t cell_next_ns(const struct sched_model *m, const struct sched_model_cell *cell, int64_t now)
{
    if (!cell->usable || cell->count == 0)
        return MOMENT_NEVER;
    struct sched_model_llc llc = next_of(m, cell->ring[0]);
    return bucket_model_earliest_ns(&cell->bucket, llc.octets, now);
}

int64_t sched_model_next_ns(const struct sched_model *m, int64_t now)
{
    int64_t next_ns = MOMENT_NEVER;
    for (uint8_t i = 0; i < SCHED_MODEL_CELLS; i++)
        next_ns = moment_min(next_ns, cell_next_ns(m, &m->cells[i], now));
    for (uint8_t i = 0; i < SCHED_MODEL_MS; i++) {
        const struct sched_model_ms *ms = &m->ms[i];
        if (ms->place == SCHED_MODEL_ASIDE)
            next_ns = moment_min(next_ns, ms->wake_ns);
        if (ms->pkts > 0 && ms->max_age_ns != MOMENT_NEVER)
            next_ns = moment_min(next_ns, ms->pdus[0].arrival_ns + ms->max_age_ns + 1);
    }
    return next_ns;
}

bool sched_model_adopt(struct sched_model *m, uint8_t cell, const uint8_t *ring, uint32_t count)
{
    struct sched_model_cell *in = &m->cells[cell];
    uint32_t settled = in->settled < in->count ? in->settled : in->count;
    uint64_t mine = 0, theirs = 0;
    if (count != in->count || memcmp(ring, in->ring, settled) != 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        mine |= UINT64_C(1) << in->ring[i];
        theirs |= UINT64_C(1) << ring[i];
    }
    memcpy(in->ring, ring, count);
    in->settled = SCHED_MODEL_MS; /* what joins from now on joins one by one */
    return mine == theirs;
}

bool sched_model_confirm_drop(struct sched_model *m, const struct n_pdu *n_pdu, int reason)
{
    for (uint32_t i = 0; i < m->dropped_pkts; i++)
        if (m->dropped[i].n_pdu == n_pdu && m->dropped[i].reason == reason) {
            m->dropped[i] = m->dropped[--m->dropped_pkts];
            return true;
        }
    return false;
}

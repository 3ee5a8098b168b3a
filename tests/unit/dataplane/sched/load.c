/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/sched/load.h"

#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"
#include "dataplane/sched/link.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD        2    /* N-PDUs that wait of who always has something to send */
#define SPARSE_QUEUE 64   /* N-PDUs of another that may wait */
#define PASSING      4096 /* N-PDUs that leave while others are put: the short way calls on_sent() in between */
#define PATIENCE     200000 /* slices */

/* --- setting up --- */

static uint32_t count_mobiles(const struct load_plan *plan)
{
    uint32_t count = 0;
    for (const struct load_source *source = plan->sources; source->mobiles; source++)
        count += source->shares ? 0 : source->mobiles;
    return count;
}

static uint32_t count_streams(const struct load_plan *plan)
{
    uint32_t count = 0;
    for (const struct load_source *source = plan->sources; source->mobiles; source++)
        count += source->mobiles;
    return count;
}

static void set_cell(struct load *load, uint32_t i)
{
    const struct load_cell *cell = &load->plan->cells[i];
    if (cell->rate_bps)
        bucket_init(&load->rig.cells[i].bucket, cell->octets, cell->rate_bps, 0);
}

static void set_link(struct load *load)
{
    struct sched_link_rate rate = {
        .rate_bps = load->plan->link_bps, .max_octets = load->plan->link_octets, .signalling_percent = 20};
    if (rate.rate_bps)
        sched_link_set(&load->rig.sched, &load->rig.links[0], &rate, 0);
}

static void set_ms(struct load *load, const struct load_source *source, uint32_t ms)
{
    struct sched_ms *m = &load->rig.ms[ms];
    rig_init_ms(&load->rig, ms, source->cell);
    if (source->ms_rate_bps)
        bucket_init(&m->bucket, source->ms_octets, source->ms_rate_bps, 0);
    if (load->plan->n201_u)
        m->n201_u = load->plan->n201_u;
    if (load->plan->ms_limit_octets)
        m->limit_octets = load->plan->ms_limit_octets;
    m->link_octets = load->plan->link_headers;
}

static void add_source(struct load *load, uint32_t i, uint32_t *mobiles)
{
    const struct load_source *source = &load->plan->sources[i];
    load->first_of[i] = load->count;
    for (uint32_t n = 0; n < source->mobiles; n++) {
        struct load_stream *stream = &load->streams[load->count++];
        *stream = (struct load_stream){.source = source, .next_ns = source->from_ms * RIG_MSEC};
        if (source->shares) {
            stream->ms = load->streams[load->first_of[i - source->shares] + n].ms;
            continue;
        }
        stream->ms = (*mobiles)++;
        set_ms(load, source, stream->ms);
    }
}

/* --- sending --- */

static uint16_t draw_octets(struct load *load, const struct load_source *source)
{
    uint16_t high = source->high_octets ? source->high_octets : source->low_octets;
    return (uint16_t)prng_between(&load->seed, source->low_octets, high);
}

static uint16_t put(struct load *load, struct load_stream *stream)
{
    struct n_pdu like = {.octets = draw_octets(load, stream->source),
                         .pdp = (uint32_t)(stream - load->streams),
                         .qclass = stream->source->k,
                         .pfi = N_PDU_NO_PFI,
                         .flow_hash = (uint32_t)(stream->source - load->plan->sources) % RIG_FLOWS};
    stream->offered++;
    rig_put(&load->rig, stream->ms, &like);
    return like.octets;
}

static void begin_or_go_on(struct load *load, struct load_stream *stream)
{
    if (stream->source->offered_bps == 0) {
        stream->next_ns = MOMENT_NEVER;
        for (int i = 0; i < AHEAD; i++)
            put(load, stream);
        return;
    }
    int64_t bits = put(load, stream) * INT64_C(8);
    stream->next_ns += bits * RIG_SECOND / stream->source->offered_bps;
}

static void on_sent(struct rig *rig, uint32_t ms, const struct sched_grant *grant)
{
    struct load *load = rig->arg;
    struct load_stream *stream = &load->streams[grant->n_pdu->pdp];
    uint32_t cell = (uint32_t)(grant->ms->bvc - rig->cells);
    assert_int_equal(stream->ms, ms);
    stream->octets += grant->next.llc_octets;
    stream->llc_pdus++;
    load->octets[cell][stream->source->k] += grant->next.llc_octets;
    load->link_octets[cell][stream->source->k] += (uint64_t)grant->next.llc_octets + grant->ms->link_octets;
    load->llc_pdus[cell][stream->source->k]++;
    if (!grant->next.last)
        return;
    int64_t wait_ns = rig->now - grant->n_pdu->arrival_ns;
    stream->n_pdus++;
    stream->sum_wait_ns += wait_ns;
    stream->most_wait_ns = moment_max(stream->most_wait_ns, wait_ns);
    if (stream->source->offered_bps == 0)
        put(load, stream);
}

static void on_gone(struct rig *rig, const struct n_pdu *n_pdu, int reason)
{
    struct load *load = rig->arg;
    (void)reason;
    load->streams[n_pdu->pdp].lost++;
}

void load_new(struct load *load, const struct load_plan *plan, bool is_short)
{
    uint32_t streams = count_streams(plan), mobiles = 0;
    struct rig_counts counts = {
        count_mobiles(plan), streams, LOAD_CELLS, 1, streams * SPARSE_QUEUE + PASSING, streams};
    struct sched_params params;
    sched_params_default(&params);
    params.segmenting = (struct segmenting){.first_octets = 4, .later_octets = 3, .llc_octets = 6};
    params.flow_queues = plan->flow_queues;
    if (plan->weights[QCLASS_BACKGROUND])
        memcpy(params.weights, plan->weights, sizeof(params.weights));
    *load = (struct load){.plan = plan, .seed = 1};
    rig_new(&load->rig, &counts, &params);
    load->rig.is_short = is_short;
    load->rig.arg = load;
    load->rig.on_sent = on_sent;
    load->rig.on_gone = on_gone;
    load->streams = calloc(streams, sizeof(*load->streams));
    assert_non_null(load->streams);
    set_link(load);
    for (uint32_t i = 0; i < LOAD_CELLS; i++)
        set_cell(load, i);
    for (uint32_t i = 0; plan->sources[i].mobiles; i++)
        add_source(load, i, &mobiles);
}

void load_free(struct load *load)
{
    free(load->streams);
    rig_free(&load->rig);
}

/* --- running --- */

static struct load_stream *next_stream(const struct load *load)
{
    struct load_stream *next = &load->streams[0];
    for (uint32_t i = 1; i < load->count; i++)
        if (load->streams[i].next_ns < next->next_ns)
            next = &load->streams[i];
    return next;
}

void load_run(struct load *load, int64_t until_ns)
{
    struct load_stream *next;
    while ((next = next_stream(load))->next_ns <= until_ns) {
        if (next->next_ns > load->rig.now)
            rig_run(&load->rig, next->next_ns);
        begin_or_go_on(load, next);
    }
    rig_run(&load->rig, until_ns);
}

void load_clear(struct load *load)
{
    load->since_ns = load->rig.now;
    memset(load->octets, 0, sizeof(load->octets));
    memset(load->link_octets, 0, sizeof(load->link_octets));
    memset(load->llc_pdus, 0, sizeof(load->llc_pdus));
    for (uint32_t i = 0; i < load->count; i++) {
        struct load_stream *stream = &load->streams[i];
        stream->offered = stream->lost = stream->llc_pdus = stream->n_pdus = stream->octets = 0;
        stream->sum_wait_ns = stream->most_wait_ns = 0;
    }
}

unsigned load_backlogged(const struct load *load, uint32_t cells)
{
    unsigned classes = 0;
    for (const struct load_source *source = load->plan->sources; source->mobiles; source++)
        if (cells >> source->cell & 1 && source->offered_bps == 0 &&
            source->from_ms * RIG_MSEC <= load->rig.now)
            classes |= 1U << source->k;
    return classes;
}

uint64_t load_least_pdus(const struct load *load, uint32_t cells)
{
    uint64_t least = UINT64_MAX;
    for (unsigned classes = load_backlogged(load, cells); classes; classes &= classes - 1) {
        uint64_t sum = 0;
        for (unsigned cell = 0; cell < LOAD_CELLS; cell++)
            if (cells >> cell & 1)
                sum += load->llc_pdus[cell][__builtin_ctz(classes)];
        if (sum < least)
            least = sum;
    }
    return least;
}

void load_run_window(struct load *load, uint32_t cells, uint64_t llc_pdus)
{
    load_clear(load);
    for (int i = 0; load_least_pdus(load, cells) < llc_pdus; i++) {
        if (i == PATIENCE)
            fail_msg("somebody starves");
        load_run(load, load->rig.now + LOAD_SLICE);
    }
}

/* --- who got what --- */

double load_jain(const struct load *load, unsigned k)
{
    double sum = 0, squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < load->count; i++) {
        double octets = (double)load->streams[i].octets;
        if (load->streams[i].source->k != k)
            continue;
        sum += octets;
        squares += octets * octets;
        count++;
    }
    return sum * sum / (count * squares);
}

uint64_t load_octets_of(const struct load *load, unsigned source)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < load->plan->sources[source].mobiles; i++)
        octets += load->streams[load->first_of[source] + i].octets;
    return octets;
}

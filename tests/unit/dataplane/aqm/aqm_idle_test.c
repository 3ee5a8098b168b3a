/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemes that say when they are idle: a queue that does not ask an idle scheme about the bypass gets the
 * same verdicts, counters and random numbers as one that always asks. */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 200000, OCTETS = 1000, QUEUE = 64, PHASE = 100, SIDES = 2 };

/* The same queue for both sides; state of each. Side 0 spares an idle scheme. */
struct pair {
    struct aqm_setup *setups[SIDES];
    _Alignas(64) uint8_t states[SIDES][AQM_MAX_STATE];
    struct rng rng;
    int64_t now, arrivals_ns[QUEUE];
    unsigned queued, spared, asked;
    uint64_t rate_bps;
    bool is_idle;
};

static struct aqm_view view_of(const struct pair *p, unsigned backlog_pkts, int64_t age_ns)
{
    struct aqm_view view = kit_aged(age_ns);
    view.backlog_pkts = backlog_pkts;
    view.backlog_octets = backlog_pkts * OCTETS;
    view.octets = OCTETS;
    view.rate_bps = p->rate_bps;
    return view;
}

static enum aqm_verdict ask(struct pair *p, enum aqm_point point, unsigned backlog_pkts, int64_t age_ns)
{
    enum aqm_verdict verdicts[SIDES];
    for (unsigned i = 0; i < SIDES; i++) {
        struct aqm_view view = view_of(p, backlog_pkts, age_ns);
        verdicts[i] = aqm_setup_ask(p->setups[i], point, p->states[i], &view, p->now);
    }
    assert_int_equal(verdicts[0], verdicts[1]);
    p->is_idle = false;
    return verdicts[0];
}

/* An N-PDU that leaves on arrival. */
static void pass_by(struct pair *p)
{
    const struct aqm_ops *ops = p->setups[0]->ops;
    struct aqm_view view = view_of(p, 0, 0);
    if (!p->is_idle) {
        p->asked++;
        if (ask(p, AQM_AT_ENQUEUE, 0, 0) != AQM_DROP && ops->dequeue)
            ask(p, AQM_AT_DEQUEUE, 0, 0);
        p->is_idle = ops->is_idle(p->setups[0]->law, p->states[0]);
        return;
    }
    p->spared++;
    aqm_setup_let(p->setups[0], view.qclass);
    assert_int_equal(aqm_setup_ask(p->setups[1], AQM_AT_ENQUEUE, p->states[1], &view, p->now), AQM_PASS);
    view.random = 0;
    if (ops->dequeue)
        assert_int_equal(aqm_setup_ask(p->setups[1], AQM_AT_DEQUEUE, p->states[1], &view, p->now), AQM_PASS);
}

static void put(struct pair *p)
{
    if (p->queued < QUEUE && ask(p, AQM_AT_ENQUEUE, p->queued, 0) != AQM_DROP)
        p->arrivals_ns[p->queued++] = p->now;
}

static void take(struct pair *p)
{
    if (p->queued == 0)
        return;
    ask(p, AQM_AT_DEQUEUE, p->queued - 1, p->now - p->arrivals_ns[0]);
    memmove(p->arrivals_ns, p->arrivals_ns + 1, --p->queued * sizeof(p->arrivals_ns[0]));
}

/* By turns the queue grows, or runs empty and N-PDUs pass by; at times a long pause, or another rate. */
static void step(struct pair *p, unsigned k)
{
    bool is_busy = k / PHASE % 2 > 0;
    p->now += (int64_t)rng_below(&p->rng, 20 * MS);
    if (!is_busy && rng_below(&p->rng, PHASE) == 0)
        p->now += 4000000 * (int64_t)MS;
    if (rng_below(&p->rng, 50) == 0) {
        p->rate_bps = rng_below(&p->rng, 4) * 20000;
        p->is_idle = false;
    }
    if (is_busy || rng_below(&p->rng, 20) == 0)
        put(p);
    else if (p->queued == 0)
        pass_by(p);
    if (!is_busy || rng_below(&p->rng, 3) == 0)
        take(p);
}

static void play(const struct aqm_ops *ops)
{
    struct pair p = {.rate_bps = 80000};
    char message[128];
    rng_init(&p.rng, 7, 0);
    for (unsigned i = 0; i < SIDES; i++) {
        p.setups[i] = aqm_setup_new(&(struct aqm_choice){ops, NULL, 1, 0}, message, sizeof(message));
        assert_non_null(p.setups[i]);
        aqm_setup_start(p.setups[i], p.states[i], 0);
    }
    for (unsigned k = 0; k < STEPS; k++)
        step(&p, k);
    print_message("%s: %u spared, %u asked\n", ops->name, p.spared, p.asked);
    assert_true(p.spared > STEPS / 100 && p.asked > STEPS / 1000);
    struct aqm_counts total = aqm_setup_total(p.setups[0]);
    assert_true(total.dropped + total.marked > 0);
    assert_memory_equal(p.setups[0]->counts, p.setups[1]->counts, sizeof(p.setups[0]->counts));
    assert_memory_equal(&p.setups[0]->rng, &p.setups[1]->rng, sizeof(p.setups[0]->rng));
    for (unsigned i = 0; i < SIDES; i++)
        aqm_setup_free(p.setups[i]);
}

TEST(sparing_idle_schemes_changes_nothing)
{
    struct aqm_registry registry;
    unsigned played = 0;
    aqm_registry_init(&registry);
    for (unsigned i = 0; i < registry.count; i++) {
        if (!registry.schemes[i]->is_idle)
            continue;
        play(registry.schemes[i]);
        played++;
    }
    assert_int_equal(played, 3);
    aqm_registry_fini(&registry);
}

UNIT_MAIN(NULL, NULL)

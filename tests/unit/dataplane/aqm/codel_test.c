/* SPDX-License-Identifier: BSD-3-Clause */
/* RFC 8289's pseudo-code as it stands there: a queue with a loop in it, in floating point. The judge of ours.
 */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define CODEL_MODEL_MAX 65536

struct codel_model {
    double target_s, interval_s;
    uint64_t mtu_octets;
    struct {
        double arrival_s;
        uint32_t octets, id;
    } waiting[CODEL_MODEL_MAX]; /* a ring */
    uint32_t first, last;
    uint64_t octets;
    double first_above_s, drop_next_s;
    uint32_t count, last_count;
    bool dropping;
    uint32_t *dropped; /* ids, in order */
    uint32_t dropped_count;
};

struct taken {
    int64_t id; /* -1: none */
    bool ok_to_drop;
};

static void codel_model_put(struct codel_model *m, uint32_t id, uint32_t octets, double now_s)
{
    uint32_t at = m->last++ % CODEL_MODEL_MAX;
    m->waiting[at].arrival_s = now_s;
    m->waiting[at].octets = octets;
    m->waiting[at].id = id;
    m->octets += octets;
}

static struct taken dodequeue(struct codel_model *m, double now_s)
{
    struct taken r = {-1, false};
    if (m->first == m->last) {
        m->first_above_s = 0;
        return r;
    }
    uint32_t at = m->first++ % CODEL_MODEL_MAX;
    r.id = m->waiting[at].id;
    m->octets -= m->waiting[at].octets;
    if (now_s - m->waiting[at].arrival_s < m->target_s - 1e-10 || m->octets <= m->mtu_octets)
        m->first_above_s = 0;
    else if (m->first_above_s == 0)
        m->first_above_s = now_s + m->interval_s;
    else
        r.ok_to_drop = now_s >= m->first_above_s - 1e-10;
    return r;
}

static double control_law(const struct codel_model *m, double t)
{
    return t + m->interval_s / sqrt(m->count);
}

static struct taken drop_and_next(struct codel_model *m, struct taken r, double now_s)
{
    m->dropped[m->dropped_count++] = (uint32_t)r.id;
    return dodequeue(m, now_s);
}

/* Serves one; its id, -1: the queue is empty. */
static int64_t codel_model_take(struct codel_model *m, double now_s)
{
    struct taken r = dodequeue(m, now_s);
    if (m->dropping && !r.ok_to_drop) {
        m->dropping = false;
    } else if (m->dropping) {
        while (m->dropping && now_s >= m->drop_next_s - 1e-10) {
            m->count++;
            r = drop_and_next(m, r, now_s);
            if (r.ok_to_drop)
                m->drop_next_s = control_law(m, m->drop_next_s);
            else
                m->dropping = false;
        }
    } else if (r.ok_to_drop) {
        r = drop_and_next(m, r, now_s);
        m->dropping = true;
        uint32_t delta = m->count - m->last_count;
        m->count = delta > 1 && now_s - m->drop_next_s < 16 * m->interval_s ? delta : 1;
        m->drop_next_s = control_law(m, now_s);
        m->last_count = m->count;
    }
    return r.id;
}

enum { IDS = 400000, RING = 65536 };

/* A standing queue looked at every 10 us: the n-th signal at interval (1 + sum of 1 / sqrt(i), i < n). */
TEST(signals_at_the_published_times)
{
    struct kit kit;
    double due_s = 0.1;
    int signals = 0;
    kit_init(&kit, "codel", "", 1);
    for (int64_t now = 1000; now < 60000 * MS; now += 10000) {
        struct aqm_view view = kit_aged(6 * MS);
        if (kit_leave(&kit, &view, now) == AQM_PASS)
            continue;
        assert_true((double)now / 1e9 >= due_s + 0.9e-6 - 1e-9 * ++signals);
        assert_true((double)now / 1e9 <= due_s + 11.1e-6);
        due_s += 0.1 / sqrt(signals);
    }
    /* The k-th comes about 0.2 sqrt(k) s in: 60 s see some 90 000. */
    assert_in_range(signals, 85000, 95000);
    kit_fini(&kit);
}

TEST(says_nothing_where_all_is_well)
{
    static const struct {
        int64_t age_ns, parked_ns;
        uint64_t backlog;
        bool expect;
    } rows[] = {
        {5 * MS, 0, 1501, true},  {5 * MS - 1, 0, 1501, false},        {5 * MS, 0, 1500, false},
        {5 * MS, 1, 1501, false}, {9000 * MS, 8996 * MS, 9999, false}, {9000 * MS, 8995 * MS, 9999, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        bool found = false;
        kit_init(&kit, "codel", "", 1);
        for (int64_t now = MS; now < 300 * MS; now += MS) {
            struct aqm_view view = kit_aged(rows[i].age_ns);
            view.parked_ns = rows[i].parked_ns;
            view.backlog_octets = rows[i].backlog;
            found |= kit_leave(&kit, &view, now) != AQM_PASS;
        }
        assert_int_equal(found, rows[i].expect);
        kit_fini(&kit);
    }
}

struct queue {
    struct kit kit;
    struct {
        int64_t arrival_ns;
        uint32_t octets, id;
    } waiting[RING];
    uint32_t first, last, dropped_count;
    uint64_t octets;
    uint32_t *dropped;
};

/* What a queue does with the answers: drops, and asks for the next at the same instant. */
static int64_t serve(struct queue *q, int64_t now)
{
    while (q->first != q->last) {
        uint32_t at = q->first++ % RING;
        q->octets -= q->waiting[at].octets;
        struct aqm_view view = kit_aged(now - q->waiting[at].arrival_ns);
        view.backlog_octets = q->octets;
        view.octets = q->waiting[at].octets;
        view.backlog_pkts = q->last - q->first;
        if (kit_leave(&q->kit, &view, now) == AQM_PASS)
            return q->waiting[at].id;
        q->dropped[q->dropped_count++] = q->waiting[at].id;
    }
    return -1;
}

static void put(struct queue *q, struct codel_model *m, uint32_t id, uint32_t octets, int64_t now)
{
    uint32_t at = q->last++ % RING;
    q->waiting[at].arrival_ns = now;
    q->waiting[at].octets = octets;
    q->waiting[at].id = id;
    q->octets += octets;
    codel_model_put(m, id, octets, (double)now / 1e9);
}

/* Bursts and pauses on a slow server: the same packets leave and are dropped as by the RFC's own loop. */
TEST(drops_what_the_rfc_drops)
{
    struct queue *q = calloc(1, sizeof(*q));
    struct codel_model *m = calloc(1, sizeof(*m));
    uint32_t *dropped = calloc((size_t)2 * IDS, sizeof(*dropped)), ids = 0;
    struct rng r;
    assert_true(q && m && dropped);
    *m = (struct codel_model){.target_s = 0.005, .interval_s = 0.1, .mtu_octets = 1500, .dropped = dropped};
    q->dropped = dropped + IDS;
    kit_init(&q->kit, "codel", "", 1);
    rng_init(&r, 1, 0);
    for (int64_t now = 1003; ids < IDS - 64; now += 1000000 + (int64_t)rng_below(&r, 2000000)) {
        /* Load goes up and down over seconds, past the server's capacity and back. */
        uint64_t load = now / (3000 * MS) % 3 + (uint64_t)(now / (700 * MS) % 2);
        for (uint64_t n = rng_below(&r, load + 1); n > 0 && q->last - q->first < RING - 8; n--, ids++)
            put(q, m, ids, (uint32_t)rng_between(&r, 40, 1500), now);
        assert_int_equal(serve(q, now), codel_model_take(m, (double)now / 1e9));
    }
    assert_int_equal(q->dropped_count, m->dropped_count);
    assert_true(m->dropped_count > 1000);
    assert_memory_equal(q->dropped, dropped, m->dropped_count * sizeof(*dropped));
    assert_int_equal((int)kit_reading(&q->kit, "count"), m->count);
    kit_fini(&q->kit);
    free(dropped);
    free(m);
    free(q);
}

/*
 * Four drops, the last at 330 ms, and behind it a packet that is fine: the RFC then does not move the time of
 * the next drop on from 329.4 ms, and only within 16 intervals of that the count goes on from there.
 */
TEST(remembers_its_count_for_a_while)
{
    static const struct {
        int64_t again_ms;
        double count;
    } rows[] = {{600, 3}, {1929, 3}, {1930, 1}, {1950, 1}};
    static const int64_t above_ms[] = {1, 101, 201, 202, 272, 273, 330};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        int drops = 0;
        kit_init(&kit, "codel", "", 1);
        struct aqm_view high = kit_aged(50 * MS), low = kit_aged(0);
        for (size_t k = 0; k < COUNT(above_ms); k++)
            drops += kit_leave(&kit, &high, above_ms[k] * MS) != AQM_PASS;
        assert_int_equal(drops, 4);
        assert_int_equal(kit_leave(&kit, &low, 330 * MS), AQM_PASS);
        assert_int_equal(kit_leave(&kit, &high, (rows[i].again_ms - 100) * MS), AQM_PASS);
        assert_int_equal(kit_leave(&kit, &high, rows[i].again_ms * MS), AQM_DROP);
        assert_true(kit_reading(&kit, "count") == rows[i].count);
        kit_fini(&kit);
    }
}

TEST(marks_what_can_be_marked)
{
    struct kit kit;
    kit_init(&kit, "codel", "ecn=1", 1);
    for (int64_t i = 0; i < 100000; i++) {
        struct aqm_view view = kit_aged(50 * MS);
        view.ecn = i % 4;
        enum aqm_verdict verdict = kit_leave(&kit, &view, (i + 1) * MS);
        assert_true(verdict != (view.ecn == AQM_ECN_NOT ? AQM_MARK : AQM_DROP));
    }
    struct aqm_counts total = aqm_setup_total(kit.setup);
    assert_true(total.marked > 1000 && total.dropped > 300 && total.unmarkable == total.dropped);
    kit_fini(&kit);
    assert_string_equal(kit_refusal(&kit, "codel", "target=100000000"), "target must be less than interval");
}

UNIT_MAIN(NULL, NULL)

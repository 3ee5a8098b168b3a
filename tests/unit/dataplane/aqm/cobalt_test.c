/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/rng.h"
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

enum { PACKETS = 1000000, LIMIT = 30000, IDS = 300000, RING = 4096 };

/* target = max(5 ms, 1.5 x 1500 octets at the rate), interval longer by as much. */
TEST(times_follow_the_rate)
{
    static const struct {
        const char *set;
        uint64_t rate_bps;
        double target_s, interval_s;
    } rows[] = {{"", 0, 0.005, 0.1},
                {"", 80000, 0.225, 0.32},
                {"", 3600000, 0.005, 0.1},
                {"mtus=0", 80000, 0.005, 0.1},
                {"mtu=500 target=20000000 interval=300000000", 80000, 0.075, 0.355}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        struct aqm_view view = kit_aged(0);
        kit_init(&kit, "cobalt", rows[i].set, 1);
        view.rate_bps = rows[i].rate_bps;
        kit_come(&kit, &view, 1);
        view.rate_bps = 0; /* unknown: the times stay */
        kit_leave(&kit, &view, 1);
        assert_true(fabs(kit_reading(&kit, "target_s") - rows[i].target_s) < 2e-9);
        assert_true(fabs(kit_reading(&kit, "interval_s") - rows[i].interval_s) < 2e-9);
        kit_fini(&kit);
    }
}

/* A standing queue looked at every 10 us: the n-th signal at interval x the sum of 1 / sqrt(i), i <= n. */
TEST(signals_at_the_published_times)
{
    struct kit kit;
    double due_s = 0.1;
    int signals = 0;
    kit_init(&kit, "cobalt", "", 1);
    for (int64_t now = 0; now < 20000 * MS; now += 10000) {
        struct aqm_view view = kit_aged(6 * MS);
        if (kit_leave(&kit, &view, now) == AQM_PASS)
            continue;
        signals++;
        if (fabs((double)now / 1e9 - due_s) > 11e-6)
            fail_msg("signal %d at %f s, due at %f s", signals, (double)now / 1e9, due_s);
        due_s += 0.1 / sqrt(signals + 1);
    }
    assert_in_range(signals, 9000, 11000); /* the k-th at about 0.2 sqrt(k) s */
    kit_fini(&kit);
}

/*
 * Seen every ms from 0 on with a sojourn of 6 ms, of 1 ms from 400 ms on, and of 6 ms again from `again_ms`
 * on: what is left of the count then, and the next signal. By 400 ms there were six, after the sums of 0.1 /
 * sqrt(i), 100, 170.7, 228.4, 278.4, 323.2 and 364.0 ms: the count is 7 until 401.8 ms, then 6 for 40.8 ms, 5
 * for 44.7, 4 for 50, 3 for 57.7, 2 for 70.7, 1 for 100.
 */
TEST(forgets_as_fast_as_it_learned)
{
    static const struct {
        int64_t again_ms;
        double left;
        int64_t signal_ms;
    } rows[] = {
        {401, 7, 439},   {402, 6, 443}, {442, 6, 483}, {443, 5, 488}, {487, 5, 532},
        {488, 4, 538},   {537, 4, 587}, {538, 3, 596}, {595, 3, 653}, {596, 2, 667},
        {665, 2, 736},   {666, 1, 766}, {765, 1, 865}, {766, 1, 866}, /* 0, and 1 for the new start */
        {9000, 1, 9100},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        int64_t first_ms = 0;
        double left = 0;
        kit_init(&kit, "cobalt", "", 1);
        for (int64_t at_ms = 0; first_ms == 0; at_ms++) {
            struct aqm_view view = kit_aged(at_ms >= 400 && at_ms < rows[i].again_ms ? 1 * MS : 6 * MS);
            enum aqm_verdict verdict = kit_leave(&kit, &view, at_ms * MS);
            left = at_ms == rows[i].again_ms ? kit_reading(&kit, "count") : left;
            first_ms = verdict != AQM_PASS && at_ms >= 400 ? at_ms : 0;
        }
        if (left != rows[i].left || first_ms != rows[i].signal_ms)
            fail_msg("row %zu: count %.0f, signal at %lld ms", i, left, (long long)first_ms);
        kit_fini(&kit);
    }
}

TEST(leaves_alone_what_is_fine)
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
        kit_init(&kit, "cobalt", "", 1);
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

/* CoDel's part marks what is ECN capable, unless told otherwise. */
TEST(marks_unless_told_otherwise)
{
    for (int ecn = 0; ecn < 2; ecn++) {
        struct kit kit;
        kit_init(&kit, "cobalt", ecn ? "" : "ecn=0", 1);
        for (int64_t now = MS; now < 1000 * MS; now += MS) {
            struct aqm_view view = kit_aged(50 * MS);
            kit_leave(&kit, &view, now);
        }
        struct aqm_counts total = aqm_setup_total(kit.setup);
        assert_true(ecn ? total.marked > 0 && total.dropped == 0 : total.dropped > 0 && total.marked == 0);
        kit_fini(&kit);
    }
    struct kit kit;
    assert_string_equal(kit_refusal(&kit, "cobalt", "target=100000000"), "target must be less than interval");
}

/* BLUE's steps with a freeze time of one target, here up 1 % and down 0.1 %. */
enum event { COMES, GOES };
static const struct {
    int64_t at_ms;
    enum event event;
    uint64_t backlog_octets;
    int steps; /* of 0.1 % */
} steps[] = {
    {100, COMES, LIMIT - 1, 0}, {100, COMES, LIMIT, 10}, {104, COMES, LIMIT, 10}, {105, COMES, LIMIT, 20},
    {109, GOES, 0, 20},         {110, GOES, 1, 20},      {110, GOES, 0, 19},      {114, COMES, 0, 19},
    {115, COMES, 0, 18},        {120, GOES, 500, 18},    {120, GOES, 0, 17},      {136, COMES, 0, 14},
    {900, COMES, 0, 0},
};

TEST_IN(steps_at_events, struct kit, kit, kit_init(kit, "cobalt", "up=10000 down=1000", 1), kit_fini(kit))
{
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct aqm_view view = kit_view(steps[i].backlog_octets);
        int64_t now = steps[i].at_ms * MS;
        if (steps[i].event == COMES)
            assert_int_equal(kit_come(kit, &view, now), AQM_PASS);
        else
            kit_leave(kit, &view, now);
        if (fabs(kit_reading(kit, "chance") - 0.001 * steps[i].steps) > 1e-12)
            fail_msg("row %zu: chance %f", i, kit_reading(kit, "chance"));
    }
}

/* BLUE's part drops, ECN capable or not, with its chance. */
TEST(drops_with_the_chance)
{
    static const int fulls[] = {0, 1, 10, 50, 100, 120};
    for (size_t i = 0; i < COUNT(fulls); i++) {
        struct kit kit;
        double p = fmin(0.01 * fulls[i], 1);
        uint64_t drops = 0;
        kit_init(&kit, "cobalt", "up=10000", i + 1);
        for (int k = 0; k < fulls[i]; k++) {
            struct aqm_view full = kit_view(LIMIT);
            kit_come(&kit, &full, k * 5 * MS);
        }
        for (int64_t k = 0; k < PACKETS; k++) {
            struct aqm_view view = kit_view(LIMIT / 2);
            drops += kit_leave(&kit, &view, k * 1000) == AQM_DROP;
        }
        kit_assert_near((double)drops, PACKETS * p, sqrt(PACKETS * p * (1 - p)));
        assert_int_equal(aqm_setup_total(kit.setup).marked, 0);
        kit_fini(&kit);
    }
}

/* The law once more, in seconds and by what happened, not by what is kept: the judge of ours. */
struct model {
    double chance, changed_s, idle_s, next_s;
    uint32_t count;
    bool is_above;
};

static const double TARGET_S = 0.005, INTERVAL_S = 0.1, NEAR = 1e-10;

static void model_come(struct model *m, uint64_t backlog, double now_s)
{
    if (backlog >= LIMIT && now_s - m->changed_s >= TARGET_S - NEAR) {
        m->chance = fmin(1, m->chance + 0.01);
        m->changed_s = now_s;
    } else if (backlog == 0) {
        double steps_due = floor((now_s - fmax(m->idle_s, m->changed_s)) / TARGET_S + NEAR);
        m->chance = fmax(0, m->chance - steps_due * 0.001);
        m->changed_s = steps_due > 0 ? now_s : m->changed_s;
    }
}

static enum aqm_verdict model_leave(struct model *m, const struct aqm_view *view, double now_s)
{
    bool is_above = (double)view->age_ns / 1e9 >= TARGET_S - NEAR && view->backlog_octets > 1500;
    bool is_signal = is_above && m->is_above && now_s >= m->next_s - NEAR;
    enum aqm_verdict verdict = is_signal ? AQM_MARK : AQM_PASS;
    if (is_signal)
        m->next_s += INTERVAL_S / sqrt(++m->count);
    for (; !(is_above && m->is_above) && m->count > 0 && now_s >= m->next_s - NEAR; m->count--)
        m->next_s += m->count > 1 ? INTERVAL_S / sqrt(m->count - 1) : 0;
    if (is_above && !m->is_above) {
        m->count = m->count ? m->count : 1;
        m->next_s = now_s + INTERVAL_S / sqrt(m->count);
    }
    m->is_above = is_above;
    if ((double)view->random / 18446744073709551616.0 < m->chance)
        verdict = AQM_DROP;
    if (view->backlog_octets == 0) {
        m->idle_s = now_s;
        if (now_s - m->changed_s >= TARGET_S - NEAR) {
            m->chance = fmax(0, m->chance - 0.001);
            m->changed_s = now_s;
        }
    }
    return verdict;
}

struct queue {
    struct kit kit;
    struct model model;
    struct {
        int64_t arrival_ns;
        uint32_t octets;
    } waiting[RING];
    uint32_t first, last, verdicts[3];
    uint64_t octets;
};

static void put(struct queue *q, uint32_t octets, int64_t now)
{
    struct aqm_view view = kit_view(q->octets);
    if (q->last - q->first == RING)
        return;
    kit_come(&q->kit, &view, now);
    model_come(&q->model, q->octets, (double)now / 1e9);
    q->waiting[q->last % RING].arrival_ns = now;
    q->waiting[q->last++ % RING].octets = octets;
    q->octets += octets;
}

static void serve(struct queue *q, int64_t now)
{
    enum aqm_verdict verdict = AQM_DROP;
    while (q->first != q->last && verdict == AQM_DROP) {
        uint32_t at = q->first++ % RING;
        q->octets -= q->waiting[at].octets;
        struct aqm_view view = kit_aged(now - q->waiting[at].arrival_ns);
        view.backlog_octets = q->octets;
        verdict = kit_leave(&q->kit, &view, now);
        assert_int_equal(verdict, model_leave(&q->model, &view, (double)now / 1e9));
        q->verdicts[verdict]++;
    }
}

/* Load goes up and down over seconds, past the server's capacity and back: the model's verdicts, packet by
 * packet. */
TEST(decides_as_the_model)
{
    struct queue *q = calloc(1, sizeof(*q));
    struct rng r;
    assert_non_null(q);
    q->model.changed_s = -TARGET_S;
    kit_init(&q->kit, "cobalt", "up=10000 down=1000", 1);
    rng_init(&r, 1, 0);
    int64_t now = 1003;
    for (int i = 0; i < IDS; i++, now += 1000000 + (int64_t)rng_below(&r, 2000000)) {
        uint64_t load = now / (3000 * MS) % 3 + (uint64_t)(now / (700 * MS) % 2);
        for (uint64_t n = rng_below(&r, load + 1); n > 0; n--)
            put(q, (uint32_t)rng_between(&r, 40, 1500), now);
        serve(q, now);
    }
    assert_true(q->verdicts[AQM_PASS] > 100000);
    assert_true(q->verdicts[AQM_MARK] > 1000);
    assert_true(q->verdicts[AQM_DROP] > 1000);
    assert_int_equal((int)kit_reading(&q->kit, "count"), q->model.count);
    assert_true(fabs(kit_reading(&q->kit, "chance") - q->model.chance) < 1e-9);
    kit_fini(&q->kit);
    free(q);
}

UNIT_MAIN(NULL, NULL)
